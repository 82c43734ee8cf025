package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/text"
	"react-agent/store"
)

// titleCut bounds what lists show of a task, in characters.
const titleCut = 80

// find gives the child that belongs to a key, nil if there is none.
func (t *Team) find(ctx context.Context, parent, key string) (*child, error) {
	d, err := t.tree(ctx, rootOf(parent))
	if err != nil {
		return nil, err
	}
	return d.byKey(key), nil
}

// enter writes a child down, or refuses it.
func (t *Team) enter(ctx context.Context, task *Task, s *Seat) (*child, *Spec, error) {
	if depthOf(task.Parent) >= t.o.Depth {
		return nil, nil, t.refused(ctx, task.Parent, task.Key, fmt.Sprintf(textTooDeep, t.o.Depth))
	}
	if _, ok := t.steps(task); !ok {
		return nil, nil, &refusal{textNoSteps}
	}
	if _, err := s.names(task.Tools); err != nil {
		return nil, nil, err
	}
	var made child
	full := false
	err := t.update(ctx, rootOf(task.Parent), func(d *tree) error {
		if c := d.byKey(task.Key); c != nil { // somebody was faster
			made = *c
			return store.ErrSame
		}
		if full = !task.Driver && d.Started >= t.o.Total; full {
			return store.ErrSame
		}
		if !task.Driver {
			d.Started++
		}
		n := d.number(task.Parent)
		for {
			made.ID = task.Parent + "." + strconv.Itoa(n)
			known, err := t.o.Sessions.Status(ctx, made.ID)
			if err != nil {
				return err
			}
			if known.Seq == 0 {
				break
			}
			n++ // the log of somebody whom this document does not know
		}
		made.Key, made.State, made.Background, made.Driver, made.Mate = task.Key, Waiting, task.Background, task.Driver, task.Mate != ""
		made.Path = pathOf(d, task.Parent) + "/" + pathName(task.Name)
		if !made.Mate { // whose name is its own
			made.Path += "-" + strconv.Itoa(n)
		}
		made.Title = title(task)
		made.Began = time.Now().UTC().Truncate(time.Millisecond)
		d.Children = append(d.Children, made)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if full {
		return nil, nil, t.refused(ctx, task.Parent, task.Key, fmt.Sprintf(textTooMany, t.o.Total))
	}
	spec, err := t.describe(ctx, &made, task)
	return &made, spec, err
}

// describe writes down what a child is.
func (t *Team) describe(ctx context.Context, c *child, task *Task) (*Spec, error) {
	names, err := t.seat(task.Parent).names(task.Tools)
	if err != nil {
		return nil, err
	}
	steps, _ := t.steps(task)
	spec := &Spec{
		Path: c.Path, Key: task.Key, Type: task.Type, System: task.System, Text: task.Text, Tools: names,
		Model: task.Model, Effort: task.Effort, Steps: max(1, steps), Background: task.Background, Timeout: task.Timeout,
		Output: task.Output, Tokens: task.Tokens, Mate: task.Mate, Role: task.Role, State: joined(joined(t.endowed(task.Parent), task.State), t.inherited(task.Parent)),
	}
	return spec, t.putSpec(ctx, c.ID, spec)
}

// steps are the model calls that a child may make: its own limit, but no more than its parent has left.
func (t *Team) steps(task *Task) (int, bool) {
	n := task.Steps
	if n <= 0 {
		n = t.o.Steps
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	left, bounded := t.left[callOf(task.Key)]
	if bounded && !task.Driver && task.Mate == "" { // what a program starts is no matter of its parent's steps, nor is a teammate's phase
		n = min(n, left)
	}
	return n, n > 0
}

// callOf is the key of the call in whose course a child with this key is started: what stands behind it names one of
// several children.
func callOf(key string) string {
	parts := strings.SplitN(key, "/", 3)
	if len(parts) < 2 {
		return key
	}
	return parts[0] + "/" + parts[1]
}

// inherited is what children of a session take over now.
func (t *Team) inherited(session string) map[string]json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.given[session])
}

// look notes what a child of a session would have from its beginning if it were started now.
func (t *Team) look(x *agent.Session) {
	state := t.o.Endow(x)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(state) == 0 {
		delete(t.endow, x.ID)
		return
	}
	t.endow[x.ID] = maps.Clone(state)
}

// endowed is what [Team.look] has noted.
func (t *Team) endowed(session string) map[string]json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.endow[session])
}

// joined is both, of equal keys the second one's.
func joined(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// pathName makes a part of a path of a name: small letters, digits and hyphens.
func pathName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "agent"
	}
	name = strings.Join(words, "-")
	return strings.TrimRight(name[:min(len(name), 40)], "-")
}

func title(task *Task) string {
	line := task.Title
	if line == "" {
		line = task.Text
	}
	return text.Head(strings.Join(strings.Fields(line), " "), titleCut)
}

// turn waits until the child may work, and notes that it does. One that was stopped before that gives [errEnded].
// queued is called once when it has to wait.
func (t *Team) turn(ctx context.Context, id string, queued func()) error {
	parent := parentOf(id)
	halt := t.halt(rootOf(id))
	poll := time.NewTicker(time.Second) // another process may have ended one
	defer poll.Stop()
	for {
		next := t.bell.Next()
		free := false
		err := t.update(ctx, rootOf(id), func(d *tree) error {
			c := d.byID(id)
			if c == nil {
				return fmt.Errorf("nothing is known of the sub-agent %s", id)
			}
			if c.State.Final() {
				return errEnded
			}
			if free = c.State != Waiting; free {
				return store.ErrSame
			}
			if !c.Driver && d.working(parent) >= t.o.Width {
				return store.ErrSame
			}
			free = true
			c.State = Running
			return nil
		})
		if err != nil || free {
			return err
		}
		queued()
		queued = func() {}
		select {
		case <-next:
		case <-poll.C:
		case <-halt:
			return errHalted
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errEnded = errors.New("it was stopped before it began")

var errHalted = errors.New("all runs of the tree were stopped")

// settle notes how a child has ended, unless that is known already, and gives what is known.
func (t *Team) settle(ctx context.Context, id string, end ending) (child, error) {
	var out child
	went := false // in circles
	err := t.change(context.WithoutCancel(ctx), id, func(c *child) error {
		went = false
		if c.State.Final() {
			out = *c
			return store.ErrSame
		}
		went = end.loop
		c.State, c.Reason, c.Ended = end.state, end.reason, time.Now().UTC().Truncate(time.Millisecond)
		c.Written, c.Steps = end.written, end.steps
		if u := end.usage; !u.IsZero() {
			c.Usage = &u
		}
		out = *c
		return nil
	})
	if err == nil && went && !t.isHalted(rootOf(id)) {
		_ = t.refused(ctx, id, "", "") // counted like one: a parent that starts the same again and again goes in circles, too
	}
	return out, err
}

// below lists the children of a session with theirs, in the order in which they were started.
func (t *Team) below(ctx context.Context, session string) ([]child, error) {
	d, err := t.tree(ctx, rootOf(session))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(d.Children, func(c child) bool { return !strings.HasPrefix(c.ID, session+".") }), nil
}
