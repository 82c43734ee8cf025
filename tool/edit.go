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
			return e.masked(r), nil
		})
}

func (e Env) edit(ctx context.Context, a editArgs) (agent.Result, error) {
	c, err := e.open(ctx, a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	edits, err := e.step(c, a)
	if err != nil {
		return agent.Result{}, err
	}
	if err := c.save(ctx); err != nil {
		return agent.Result{}, fmt.Errorf("edit of %s: %w", a.Path, err)
	}
	said := fmt.Sprintf(e.Texts.Edited, a.Path)
	if len(edits) > 1 && !e.Texts.Bare {
		said += fmt.Sprintf(" (%d places)", len(edits))
	}
	r := agent.TextResult(said)
	r.Detail = e.diff(a.Path, c.old, c.now)
	return r, nil
}

// content is a text file that is being changed: what it had when it was read and what it will have.
type content struct {
	at       place
	old, now []byte
}

// open reads a file that will be edited, once the write is allowed.
func (e Env) open(ctx context.Context, path string) (*content, error) {
	p, err := e.locate(path)
	if err != nil {
		return nil, err
	}
	if err := e.mayWrite(ctx, p); err != nil {
		return nil, err
	}
	raw, err := slurp(p.real)
	if err != nil {
		return nil, err
	}
	if err := notText(raw); err != nil {
		return nil, fmt.Errorf("%s is %w", path, err)
	}
	return &content{at: p, old: raw, now: raw}, nil
}

// step applies one edit to what the edits before it have left.
func (e Env) step(c *content, a editArgs) ([]udiff.Edit, error) {
	var err error
	if a.Old, err = e.restore(c.now, a.Old); err != nil {
		return nil, fmt.Errorf("old_text: %w", err)
	}
	if a.New, err = e.restore(c.now, a.New); err != nil {
		return nil, fmt.Errorf("new_text: %w", err)
	}
	edits, err := e.plan(c.now, a)
	if err != nil {
		return nil, err
	}
	now, err := udiff.ApplyBytes(c.now, edits)
	if err != nil {
		return nil, fmt.Errorf("edit of %s: %w", a.Path, err)
	}
	c.now = now
	return edits, nil
}

// save puts the new content in the place of the old, unless somebody has changed it meanwhile.
func (c *content) save(ctx context.Context) error {
	return replace(c.at.real, c.now, func() error {
		if err := c.at.still(ctx); err != nil {
			return err
		}
		return c.unchanged()
	})
}

func (c *content) unchanged() error {
	if now, err := slurp(c.at.real); err != nil || !bytes.Equal(now, c.old) {
		return errors.Join(errChanged, err)
	}
	return nil
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
