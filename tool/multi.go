package tool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"react-agent/agent"
)

//go:embed multi_edit.md
var multiDoc string

type multiArgs struct {
	Path  string    `json:"path"`
	Edits []oneEdit `json:"edits" min:"1"`
}

type oneEdit struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
	All bool   `json:"all,omitempty"`
}

// MultiEdit makes the tool that makes several edits of one text file, each as edit_file does and each on what those
// before it have left. All of them are made or none: the message says which one failed and why.
func MultiEdit(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("multi_edit", strings.TrimSpace(multiDoc), agent.Writes,
		func(ctx context.Context, a multiArgs) (agent.Result, error) {
			r, err := e.multiEdit(ctx, a)
			if err != nil {
				return e.changeFailed(ctx, err)
			}
			return e.masked(r), nil
		})
}

func (e Env) multiEdit(ctx context.Context, a multiArgs) (agent.Result, error) {
	if len(a.Edits) == 0 {
		return agent.Result{}, errors.New("edits is empty: give at least one edit")
	}
	c, err := e.open(ctx, a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	places := 0
	for i, one := range a.Edits {
		edits, err := e.step(c, editArgs{Path: a.Path, Old: one.Old, New: one.New, All: one.All})
		if err != nil {
			return agent.Result{}, fmt.Errorf("edits[%d] (edit %d of %d) cannot be made, so none was: %w", i, i+1, len(a.Edits), e.plain(err))
		}
		places += len(edits)
	}
	if bytes.Equal(c.old, c.now) {
		return agent.Result{}, errors.New("the edits undo one another: there is nothing to change")
	}
	if err := c.save(ctx); err != nil {
		return agent.Result{}, fmt.Errorf("edit of %s: %w", a.Path, err)
	}
	r := agent.TextResult(fmt.Sprintf(e.Texts.Edited, a.Path))
	if !e.Texts.Bare {
		r.Parts[0].Text += fmt.Sprintf(" (%d edits, %d places)", len(a.Edits), places)
	}
	r.Detail = e.diff(a.Path, c.old, c.now)
	return r, nil
}

// plain is an error as part of a longer sentence: without the word that the face puts in front of every failure.
func (e Env) plain(err error) error {
	worded, ok := errors.AsType[wordedError](err)
	if !ok {
		return err
	}
	before, _, _ := strings.Cut(e.Texts.Error, "%s")
	return errors.New(strings.TrimPrefix(string(worded), before))
}
