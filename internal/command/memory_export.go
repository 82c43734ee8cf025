package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/memory"
)

// exportMemories writes all memories, oldest first: as JSON lines, which import reads, or as Markdown.
func exportMemories(ctx context.Context, h *Host, in Input) error {
	f := filter(in)
	if err := checked(f); err != nil {
		return err
	}
	var write func(r memory.Record) error
	switch format := in.Flags["format"]; format {
	case "", "jsonl", "json":
		write = func(r memory.Record) error { return printJSON(in, r) }
	case "md", "markdown":
		write = func(r memory.Record) error {
			_, err := io.WriteString(in.Out, "- **"+string(r.Kind)+"** "+text.Visible(strings.ReplaceAll(r.Text, "\n", "\n  "))+"\n")
			return err
		}
	default:
		return usage(msg.MemoryFormat, format)
	}
	for r, err := range h.Memory.All(ctx, f) {
		if err != nil {
			return err
		}
		if err := write(r); err != nil {
			return err
		}
	}
	return nil
}

// maxMemoryFile bounds a file to import: as many memories as there may be.
const maxMemoryFile = 256 << 20

// importMemories saves what an export has written. What is remembered already is not remembered twice.
func importMemories(ctx context.Context, h *Host, in Input) error {
	drafts, err := readMemories(h, in)
	if err != nil {
		return err
	}
	list := make([]memory.Draft, len(drafts))
	for i, d := range drafts {
		list[i] = d.Draft
	}
	saved, err := h.Memory.Import(ctx, list)
	if _, mistake := errors.AsType[*msg.Error](err); mistake {
		return usage(msg.MemoryLineFailed, in.Args[0], drafts[len(saved)].line, err, len(saved))
	}
	if err != nil {
		return err
	}
	added, merged := 0, 0
	for _, s := range saved {
		if s.Was == "" {
			added++
		} else {
			merged++
		}
	}
	if in.JSON {
		return printJSON(in, map[string]int{"added": added, "merged": merged})
	}
	return in.printf("%s\n", h.Msg.Text(msg.MemoryImported, added, merged))
}

// drafted is a memory of a file, and its line.
type drafted struct {
	memory.Draft
	line int
}

// readMemories reads the whole file before anything is saved: a file that is none changes nothing.
func readMemories(h *Host, in Input) (list []drafted, err error) {
	name := in.Args[0]
	from := in.In
	if name != "-" {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.WorkDir, path)
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, &UsageError{err}
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	if from == nil {
		return nil, usage(msg.MemoryNoInput)
	}
	whole := &io.LimitedReader{R: from, N: maxMemoryFile + 1}
	lines := bufio.NewScanner(whole)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if whole.N == 0 {
			return nil, usage(msg.MemoryFileLarge, name, maxMemoryFile>>20)
		}
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\uFEFF")))
		if len(line) == 0 {
			continue
		}
		var r struct {
			Text  string       `json:"text"`
			Kind  memory.Kind  `json:"kind"`
			Tags  []string     `json:"tags"`
			Scope memory.Scope `json:"scope"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, usage(msg.MemoryLineFailed, name, n, err, 0)
		}
		list = append(list, drafted{memory.Draft(r), n})
	}
	if err := lines.Err(); err != nil {
		return nil, usage(msg.MemoryFileFailed, name, err)
	}
	return list, nil
}
