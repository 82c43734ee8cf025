package team

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/text"
)

// Info describes a child.
type Info struct {
	Session    string // its own
	Path       string // "main/explore-1"
	Title      string
	State      State
	Reason     string // why it is not done
	Background bool
	Steps      int // model calls so far, those of its own children included when it has ended
	Began      time.Time
	Ended      time.Time // zero while it may go on
	// Idle says that nobody works on it although it has not ended: it goes on when its parent does.
	Idle bool
}

// List gives the children of a session with theirs, in the order in which they were started.
func (t *Team) List(ctx context.Context, session string) ([]Info, error) {
	list, err := t.below(ctx, session)
	if err != nil {
		return nil, err
	}
	out := make([]Info, len(list))
	for i := range list {
		if out[i], _, err = t.info(ctx, &list[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// info is what is known of a child, with its last words so far if it is at work.
func (t *Team) info(ctx context.Context, c *child) (i Info, words string, err error) {
	i = Info{
		Session: c.ID, Path: c.Path, Title: c.Title, State: c.State, Reason: c.Reason, Background: c.Background,
		Steps: c.Steps, Began: c.Began, Ended: c.Ended,
	}
	if c.State.Final() {
		return i, "", nil
	}
	for e, err := range t.o.Sessions.Follow(ctx, c.ID, 0, false) {
		if err != nil {
			return i, "", fmt.Errorf("sub-agent %s: %w", c.ID, err)
		}
		if e.Type == agent.EvMessage && e.Message != nil && e.Message.Answers() {
			i.Steps++
			if w := e.Message.Text(); w != "" {
				words = w
			}
		}
	}
	status, err := t.o.Sessions.Status(ctx, c.ID)
	i.Idle = c.State == Running && !status.Running && !t.attends(c.ID)
	return i, words, err
}

// attends reports whether somebody in this process waits for a child: then it is about to work, if it does not already.
func (t *Team) attends(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[id] > 0 || t.posts[id] != nil
}

// runningCut is how much of the words of a child at work is shown, in characters.
const runningCut = 4000

// Check answers check_background for the id of a child: the name that its parent knows, its session, or its path. ok is
// false when there is no such child in the tree of the call. Up to seconds it waits for the end of one that is at work;
// waiting reports whether the person has something to say.
func (t *Team) Check(ctx context.Context, c agent.Call, id string, seconds int, waiting func() bool) (res agent.Result, ok bool) {
	session := sessionOf(c.Key)
	limit := time.Now().Add(time.Duration(seconds) * time.Second)
	for {
		next := t.bell.Next()
		x, err := t.named(ctx, session, id)
		if x == nil || err != nil {
			return agent.Result{}, false
		}
		if x.State.Final() {
			return t.checked(ctx, session, x), true
		}
		if left := time.Until(limit); left > 0 && t.pauseFor(ctx, next, left, waiting) {
			continue
		}
		i, words, err := t.info(ctx, x)
		if err != nil {
			return agent.ErrorResult(err.Error()), true
		}
		steps := "1 step"
		if i.Steps != 1 {
			steps = fmt.Sprintf("%d steps", i.Steps)
		}
		s := fmt.Sprintf("[%s] %s: %s in %s", i.State, i.Path, steps, time.Since(i.Began).Round(time.Second))
		if words != "" {
			s += "\n" + text.Cut(words, runningCut, "")
		}
		return agent.TextResult(s), true
	}
}

// named finds a child by what the model may call it.
func (t *Team) named(ctx context.Context, session, id string) (*child, error) {
	id = strings.TrimPrefix(strings.TrimSpace(id), "bg:")
	d, err := t.tree(ctx, rootOf(session))
	if err != nil {
		return nil, err
	}
	if c := d.find(func(c *child) bool { return parentOf(c.ID) == session && c.name() == id }); c != nil {
		return c, nil
	}
	return d.find(func(c *child) bool { return c.ID == id || c.Path == id }), nil
}

// checked is the result about a child that has ended. If its parent was not told so far, it is hereby.
func (t *Team) checked(ctx context.Context, session string, c *child) agent.Result {
	r, err := t.reply(ctx, c)
	if err != nil {
		return agent.ErrorResult(err.Error())
	}
	res := agent.TextResult(fmt.Sprintf("[%s] %s", r.State, strings.TrimPrefix(r.told(t.o.Cut), string(r.State)+": ")))
	t.mu.Lock()
	first := t.untold[session][c.ID]
	delete(t.untold[session], c.ID)
	t.mu.Unlock()
	if first {
		res = r.spent(res)
		res.State = map[string]json.RawMessage{stateKey(c.ID): json.RawMessage("null")}
	}
	return res
}

// pauseFor waits for a change; false: the time is up, the person spoke, or ctx has ended.
func (t *Team) pauseFor(ctx context.Context, next <-chan struct{}, d time.Duration, waiting func() bool) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	tick := time.NewTicker(pauseStep)
	defer tick.Stop()
	for waiting == nil || !waiting() {
		select {
		case <-next:
			return true
		case <-limit.C:
			return false
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return false
}

// Lines describe the background children of a call's session, one line each, for check_background without an id.
func (t *Team) Lines(ctx context.Context, c agent.Call) []string {
	session := sessionOf(c.Key)
	list, err := t.below(ctx, session)
	if err != nil {
		return []string{err.Error()}
	}
	list = slices.DeleteFunc(list, func(c child) bool { return !c.Background })
	lines := make([]string, len(list))
	for i := range list {
		x := &list[i]
		name := x.name()
		if parentOf(x.ID) != session {
			name = x.Path
		}
		lines[i] = fmt.Sprintf("%s: [%s] %s", name, x.State, text.Head(x.Title, 60))
	}
	return lines
}

// CallOf is the key of the call that has started a child's session; empty if it is nobody's child.
func (t *Team) CallOf(ctx context.Context, session string) (string, error) {
	d, err := t.tree(ctx, rootOf(session))
	if err != nil {
		return "", err
	}
	c := d.byID(session)
	if c == nil {
		return "", nil
	}
	return callOf(c.Key), nil
}
