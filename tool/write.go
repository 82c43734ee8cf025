package tool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
)

//go:embed write_file.md
var writeDoc string

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// WriteFile makes the tool that writes a whole file, byte for byte as given. Missing directories are made; a file that is
// there keeps its mode, its owner and its links; a reader sees the old content or the new, never a part. A write outside
// the work directory asks first.
func WriteFile(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("write_file", strings.TrimSpace(writeDoc), agent.Writes,
		func(ctx context.Context, a writeArgs) (agent.Result, error) {
			r, err := e.write(ctx, a)
			if err != nil {
				return e.changeFailed(ctx, err)
			}
			return e.masked(r), nil
		})
}

// changeFailed is the result of a write or an edit that did not happen.
func (e Env) changeFailed(ctx context.Context, err error) (agent.Result, error) {
	if worded, ok := errors.AsType[wordedError](err); ok {
		return e.masked(agent.ErrorResult(string(worded))), nil
	}
	return e.masked(e.failed(err)), ctx.Err()
}

func (e Env) write(ctx context.Context, a writeArgs) (agent.Result, error) {
	p, err := e.locate(a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	if err := e.mayWrite(ctx, p); err != nil {
		return agent.Result{}, err
	}
	old, err := before(p.real)
	if err != nil {
		return agent.Result{}, err
	}
	content, err := e.restore(old, a.Content)
	if err != nil {
		return agent.Result{}, fmt.Errorf("content: %w", err)
	}
	if err := replace(p.real, []byte(content), func() error { return p.still(ctx) }); err != nil {
		return agent.Result{}, fmt.Errorf("writing %s: %w", a.Path, err)
	}
	r := agent.TextResult(fmt.Sprintf(e.Texts.Wrote, len(a.Content), a.Path))
	if notes := lost(old, content); len(notes) > 0 && !e.Texts.Bare {
		r.Parts = append(r.Parts, agent.TextPart("\n["+strings.Join(notes, "; ")+"]"))
	}
	r.Detail = e.diff(a.Path, old, []byte(content))
	return r, nil
}

// before is the content that a write replaces, as far as it can be told; nil when there is none.
func before(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, regular(path, info)
	}
	old, err := slurp(path)
	if err != nil {
		return nil, nil //nolint:nilerr // it may be unreadable or huge and still be replaced; only the diff is lost
	}
	return old, nil
}

// lost says what the old content had that the new one has not, and that read_file does not show.
func lost(old []byte, content string) []string {
	var notes []string
	crlf := bytes.Count(old, []byte("\r\n"))
	if crlf > 0 && crlf == bytes.Count(old, []byte("\n")) && strings.Contains(content, "\n") && !strings.Contains(content, "\r\n") {
		notes = append(notes, "line ends were CRLF and are LF now")
	}
	switch {
	case notText(old) != nil:
		notes = append(notes, "it was no UTF-8 text before: "+notText(old).Error())
	case !utf8.Valid(old) && utf8.ValidString(content):
		notes = append(notes, "it was in another encoding and is UTF-8 now")
	case bytes.HasPrefix(old, []byte(bom)) && !strings.HasPrefix(content, bom):
		notes = append(notes, "it began with a byte order mark and does not any more")
	}
	return notes
}
