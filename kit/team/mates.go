package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"react-agent/agent"
	"react-agent/store"
)

// Outcome is how a run of a teammate has ended.
type Outcome struct {
	Stop   agent.RunStop // "" when its end was never stored
	Reason string        // why it was no answer
	Seq    int64         // of the last event that was seen
	Usage  agent.Usage
	Steps  int
}

// Enlist writes a teammate down, a child that lives on between its runs: it counts for the depth and for how many children
// models start, not for the width, and whoever enlists it runs its session. Names of tools that the lead does not have
// are left out. The same Key again finds the same child; refused ones wrap [ErrRefused].
func (t *Team) Enlist(ctx context.Context, task Task) (session string, err error) {
	s := t.seat(task.Parent)
	task.Tools = slices.DeleteFunc(slices.Clone(task.Tools), func(name string) bool { _, ok := pick(s.Tools, name); return !ok })
	c, err := t.find(ctx, task.Parent, task.Key)
	if err == nil && c == nil {
		c, _, err = t.enter(ctx, &task, s)
	} else if err == nil {
		_, err = t.known(ctx, c, &task)
	}
	if err != nil {
		return "", err
	}
	return c.ID, t.change(ctx, c.ID, func(c *child) error {
		if c.State != Waiting {
			return store.ErrSame
		}
		c.State = Running
		return nil
	})
}

// Discharge notes that a teammate has ended, why, and what it has spent; without a reason it has done its work.
func (t *Team) Discharge(ctx context.Context, session, reason string) error {
	end := ending{state: Done}
	if reason != "" {
		end = ending{state: Failed, reason: reason}
	}
	d, err := t.tree(ctx, rootOf(session))
	if err != nil {
		return err
	}
	c := d.byID(session)
	if c == nil {
		return nil
	}
	if i, _, err := t.info(ctx, c); err == nil { // one whose session cannot be read has ended all the same
		end.steps = i.Steps
	}
	if status, err := t.o.Sessions.Status(ctx, session); err == nil {
		end.usage = status.Usage
	}
	_, err = t.settle(ctx, session, end)
	return err
}

// Over tells why a teammate is not to go on: it was given up, or nothing is known of it any more. "" is no reason.
func (t *Team) Over(ctx context.Context, session string) (string, error) {
	d, err := t.tree(ctx, rootOf(session))
	if err != nil {
		return "", err
	}
	switch c := d.byID(session); {
	case c == nil:
		return "the session that had spawned it is gone", nil
	case c.State.Final():
		return cmp.Or(c.Reason, string(c.State)), nil
	}
	return "", nil
}

// Outlast follows a session behind an event until its run ends, which it tells. The error says that ctx has ended, or that
// the session cannot be followed.
func (t *Team) Outlast(ctx context.Context, session string, after int64) (Outcome, error) {
	w := &watch{t: t, c: &child{ID: session, Path: session}, spec: &Spec{}, last: after, seen: after}
	err := w.follow(ctx)
	out := Outcome{Stop: w.end.stop, Reason: w.end.reason, Seq: w.last, Usage: w.end.usage, Steps: w.end.steps}
	if err != nil {
		return out, fmt.Errorf("teammate %s: %w", session, err)
	}
	return out, nil
}
