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
	var failed error
	for r, err := range h.Memory.All(ctx, f) {
		if err != nil {
			failed = errors.Join(failed, err)
		} else if err := write(r); err != nil {
			return err
		}
	}
	return failed
}

// The bounds of a file to import, as many memories as there may be, and of a line of it.
const (
	maxMemoryFile = 256 << 20
	maxMemoryLine = 1 << 20
)

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
	added, merged, same := 0, 0, 0
	for _, s := range saved {
		switch {
		case s.Same:
			same++
		case s.Was == "":
			added++
		default:
			merged++
		}
	}
	if in.JSON {
		return printJSON(in, map[string]int{"added": added, "merged": merged, "same": same})
	}
	if added+merged == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.MemoryNothingNew, same))
	}
	return in.printf("%s\n", h.Msg.Text(msg.MemoryImported, added, merged, same))
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
	lines.Buffer(nil, maxMemoryLine)
	n := 1
	for ; lines.Scan(); n++ {
		if whole.N == 0 {
			return nil, usage(msg.MemoryFileLarge, name, maxMemoryFile>>20)
		}
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\uFEFF")))
		if len(line) == 0 {
			continue
		}
		d, err := readMemory(line)
		if err != nil {
			return nil, usage(msg.MemoryLineBad, name, n, err)
		}
		list = append(list, drafted{d, n})
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, usage(msg.MemoryLineLong, name, n, maxMemoryLine>>20)
	}
	if err := lines.Err(); err != nil {
		return nil, usage(msg.MemoryFileFailed, name, err)
	}
	return list, nil
}

// readMemory reads a line of an export. What it does not know is left out.
func readMemory(line []byte) (d memory.Draft, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || fields == nil {
		return d, msg.Errorf(msg.MemoryWantObject)
	}
	for _, f := range []struct {
		name string
		to   any
		want msg.Key
	}{
		{"text", &d.Text, msg.MemoryWantString},
		{"kind", &d.Kind, msg.MemoryWantString},
		{"scope", &d.Scope, msg.MemoryWantString},
		{"tags", &d.Tags, msg.MemoryWantStrings},
		{"created", &d.Created, msg.MemoryWantTime},
		{"used", &d.Used, msg.MemoryWantTime},
		{"uses", &d.Uses, msg.MemoryWantNumber},
	} {
		raw, there := fields[f.name]
		if there && json.Unmarshal(raw, f.to) != nil {
			return d, msg.Errorf(f.want, f.name, text.Head(string(raw), 60))
		}
	}
	return d, nil
}
