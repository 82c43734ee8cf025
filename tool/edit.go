package tool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"react-agent/agent"
)

//go:embed edit_file.md
var editDoc string

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old_text"`
	New  string `json:"new_text"`
	All  bool   `json:"all,omitempty"`
}

// EditFile makes the tool that replaces one piece of a text file and touches no other byte. The piece must occur once
// (Env.EditFirst: the first is taken), or all are asked for. It is found without regard to line ends, and the new piece
// gets those of its place. A text in another encoding than UTF-8 is edited byte for byte where that is safe. A file that
// somebody changes meanwhile is left as it is.
func EditFile(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("edit_file", strings.TrimSpace(editDoc), agent.Writes,
		func(ctx context.Context, a editArgs) (agent.Result, error) {
			r, err := e.edit(ctx, a)
			if err != nil {
				return e.changeFailed(ctx, err)
			}
			return r, nil
		})
}

func (e Env) edit(ctx context.Context, a editArgs) (agent.Result, error) {
	p, err := e.locate(a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	if err := e.mayWrite(ctx, p); err != nil {
		return agent.Result{}, err
	}
	raw, err := slurp(p.real)
	if err != nil {
		return agent.Result{}, err
	}
	if err := notText(raw); err != nil {
		return agent.Result{}, fmt.Errorf("%s is %w", a.Path, err)
	}
	edits, err := e.plan(raw, a)
	if err != nil {
		return agent.Result{}, err
	}
	data, err := udiff.ApplyBytes(raw, edits)
	if err != nil {
		return agent.Result{}, fmt.Errorf("edit of %s: %w", a.Path, err)
	}
	unchanged := func() error {
		if err := p.still(ctx); err != nil {
			return err
		}
		if now, err := slurp(p.real); err != nil || !bytes.Equal(now, raw) {
			return errors.Join(errChanged, err)
		}
		return nil
	}
	if err := replace(p.real, data, unchanged); err != nil {
		return agent.Result{}, fmt.Errorf("edit of %s: %w", a.Path, err)
	}
	said := fmt.Sprintf(e.Texts.Edited, a.Path)
	if len(edits) > 1 && !e.Texts.Bare {
		said += fmt.Sprintf(" (%d places)", len(edits))
	}
	r := agent.TextResult(said)
	r.Detail = diffOfEdits(a.Path, string(raw), edits)
	return r, nil
}

// plan finds the places and makes the edits.
func (e Env) plan(raw []byte, a editArgs) ([]udiff.Edit, error) {
	if a.Old == "" {
		return nil, errors.New("old_text is empty: to fill or replace a whole file, use write_file")
	}
	if a.Old == a.New {
		return nil, errors.New("old_text and new_text are equal: there is nothing to change")
	}
	c := newChange(a.Old, a.New)
	t := newTarget(raw)
	at := t.find([]byte(strings.ReplaceAll(a.Old, "\r\n", "\n")))
	switch {
	case len(at) == 0:
		hint := ""
		if !e.Texts.Bare {
			hint = t.nearMiss(strings.ReplaceAll(a.Old, "\r\n", "\n"))
		}
		return nil, wordedError(fmt.Sprintf(e.Texts.NotFound, a.Path) + hint)
	case a.All:
	case e.EditFirst:
		at = at[:1]
	case len(at) > 1:
		return nil, fmt.Errorf("old_text is in %s %d times (lines %s): add lines around it until it is unique, or set all",
			a.Path, len(at), t.lines(at))
	}
	if err := t.safe(a, at); err != nil {
		return nil, err
	}
	edits := make([]udiff.Edit, 0, len(at))
	for _, i := range at {
		edits = append(edits, t.edit(c, i))
	}
	return edits, nil
}

// safe refuses edits that would break a text in another encoding.
func (t *target) safe(a editArgs, at []int) error {
	if utf8.Valid(t.raw) {
		return nil
	}
	for _, r := range a.New {
		if r >= utf8.RuneSelf {
			return fmt.Errorf("%s is not UTF-8, and new_text has characters that are written differently there: use iconv", a.Path)
		}
	}
	for _, i := range at {
		if t.splits(i) {
			return fmt.Errorf("%s is not UTF-8, and the match in line %d may begin inside a character: begin old_text earlier or later",
				a.Path, t.line(i))
		}
	}
	return nil
}

// lines lists the lines of places, ten at most.
func (t *target) lines(at []int) string {
	const most = 10
	var b strings.Builder
	for n, i := range at {
		if n == most {
			b.WriteString(", …")
			break
		}
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(t.line(i)))
	}
	return b.String()
}
