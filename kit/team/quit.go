package team

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// Stop cancels a child, which its parent is told like any other end, and does not wait for that. id is its session, or its
// name or path in the tree of session. ok is false when there is none that has not ended.
func (t *Team) Stop(ctx context.Context, session, id string) (ok bool, err error) {
	c, err := t.named(ctx, session, id)
	if err != nil || c == nil || c.State.Final() {
		return false, err
	}
	status, err := t.o.Sessions.Status(ctx, c.ID)
	if err != nil {
		return false, err
	}
	if !status.begun() { // it waits for its turn
		if _, err := t.settle(ctx, c.ID, ending{state: Cancelled, reason: textStopped}); err != nil {
			return true, err
		}
		// Or it had its turn and is just being told what to do: then it is told first, and stopped here, or attend finds it
		// settled.
		if status, err = t.o.Sessions.Status(ctx, c.ID); err != nil || !status.begun() {
			return true, err
		}
	}
	return true, t.o.Sessions.Submit(ctx, c.ID, Input{ID: inputID(c.Key + "/stop"), Cancel: true})
}

const textStopped = "stopped by the person"

// TakeBack ends the background children that a session has started with event from or later, and waits for their end: what
// they were started for is being taken back.
func (t *Team) TakeBack(ctx context.Context, session string, from int64) error {
	list, err := t.below(ctx, session)
	if err != nil {
		return err
	}
	for i := range list {
		if c := &list[i]; parentOf(c.ID) == session && !c.State.Final() && number(c.Key) >= from {
			t.orphan(ctx, c)
		}
	}
	return nil
}

// number is the event of the message with the call that a key belongs to.
func number(key string) int64 {
	_, rest, _ := strings.Cut(key, "/")
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Forget removes what is known of a session and its children, after the session itself was removed.
func (t *Team) Forget(ctx context.Context, session string) error {
	if isRoot(session) {
		return t.drop(ctx, session)
	}
	ours := func(c child) bool { return c.ID == session || strings.HasPrefix(c.ID, session+".") }
	d, err := t.tree(ctx, rootOf(session))
	if err != nil {
		return err
	}
	for i := range d.Children {
		if c := &d.Children[i]; ours(*c) {
			if err := store.Remove(ctx, t.o.KV, specKey(c.ID)); err != nil {
				return err
			}
		}
	}
	err = t.update(ctx, rootOf(session), func(d *tree) error {
		n := len(d.Children)
		if d.Children = slices.DeleteFunc(d.Children, ours); len(d.Children) == n {
			return store.ErrSame
		}
		return nil
	})
	if err == nil {
		t.bell.Ring()
	}
	return err
}

// orphan gives a child up: it is cancelled, and its end waited for.
func (t *Team) orphan(ctx context.Context, c *child) {
	_, err := t.settle(ctx, c.ID, ending{state: Orphaned, reason: "whoever started it does not wait for it any more"})
	if err != nil {
		return
	}
	t.mu.Lock()
	p := t.posts[c.ID]
	t.mu.Unlock()
	if p != nil {
		p.cancel(&agent.StopError{Stop: agent.RunCancelled})
		t.gone(c.ID)
		return
	}
	if status, err := t.o.Sessions.Status(ctx, c.ID); err == nil && status.Seq > 0 {
		err := t.o.Sessions.Submit(ctx, c.ID, Input{ID: inputID(c.Key + "/orphan"), Cancel: true}) // it is given up all the same
		if err == nil {
			t.idle(ctx, c.ID)
		}
	}
}

// idle waits until nobody works on a child any more, but not for ever.
func (t *Team) idle(ctx context.Context, id string) {
	limit := time.NewTimer(2 * patience)
	defer limit.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if status, err := t.o.Sessions.Status(ctx, id); err != nil || !status.Running {
			return
		}
		select {
		case <-tick.C:
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// gone waits until none of these children is attended here any more, but not for ever.
func (t *Team) gone(ids ...string) {
	there := func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, id := range ids {
			if t.posts[id] != nil {
				return true
			}
		}
		return false
	}
	limit := time.NewTimer(2 * patience)
	defer limit.Stop()
	for {
		next := t.bell.Next()
		if !there() {
			return
		}
		select {
		case <-next:
		case <-limit.C:
			return
		}
	}
}

// cancelBelow cancels the background children of a session and waits for their end.
func (t *Team) cancelBelow(session string, cause error) {
	var ids []string
	t.mu.Lock()
	for id, p := range t.posts {
		if parentOf(id) == session {
			p.cancel(cause)
			ids = append(ids, id)
		}
	}
	t.mu.Unlock()
	t.gone(ids...)
}
