package team

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/toolname"
)

// Hook is what an agent in this seat needs, whether or not it may start children itself: it keeps the counts of the tree,
// lets a child take over its parent's mode, and tells of background children that have ended.
func (s *Seat) Hook() agent.Hook {
	return agent.Hook{
		Name: Name, OnSession: s.onSession, OnInput: s.onInput, Inject: s.inject,
		BeforeTool: s.beforeTool, AfterTool: s.afterTool, OnEvent: s.onEvent,
	}
}

func isRoot(session string) bool { return !strings.Contains(session, ".") }

// onSession takes the seat of a session that is about to run, and goes on with what an earlier process has left: background
// children are attended again, and those whom nobody waits for any more are given up.
func (s *Seat) onSession(ctx context.Context, x *agent.Session, start bool) {
	t := s.t
	t.mu.Lock()
	if !start {
		if t.seats[x.ID] == s {
			delete(t.seats, x.ID)
			delete(t.given, x.ID)
			delete(t.endow, x.ID)
			delete(t.untold, x.ID)
		}
		t.mu.Unlock()
		return
	}
	t.seats[x.ID] = s
	t.mu.Unlock()
	s.take(x.ID, x.State)
	t.look(x)
	if x.Seq == 0 && isRoot(x.ID) { // a session of this name that is gone may have left some
		_ = t.drop(ctx, x.ID) // what cannot be read now fails when it is needed
		return
	}
	d, err := t.tree(ctx, rootOf(x.ID))
	if err != nil {
		return
	}
	if d.Refused >= maxRefusals {
		t.stopTree(rootOf(x.ID))
	}
	own := d.byID(x.ID)
	lost := own != nil && own.State == Orphaned // it is opened only to be cancelled
	for i := range d.Children {
		c := &d.Children[i]
		switch {
		case parentOf(c.ID) != x.ID || c.State.Final() || c.Mate && !lost:
		case lost:
			t.orphan(ctx, c)
		default:
			s.find(ctx, x, c)
		}
	}
}

// find decides about a child that was left: whoever started it waits for it, is told later, or has given it up.
func (s *Seat) find(ctx context.Context, x *agent.Session, c *child) {
	_, pending := x.State[stateKey(c.ID)]
	switch {
	case x.Started[callOf(c.Key)]: // the call is run again
	case c.Background && pending:
		s.t.relaunch(ctx, c)
	default:
		s.t.orphan(ctx, c)
	}
}

// relaunch attends a background child again.
func (t *Team) relaunch(ctx context.Context, c *child) {
	spec, err := t.Spec(ctx, c.ID)
	if err != nil {
		_, _ = t.settle(ctx, c.ID, ending{state: Failed, reason: err.Error()})
		return
	}
	t.launch(ctx, c, spec)
}

// take notes what children of a session take over from now on.
func (s *Seat) take(session string, state map[string]json.RawMessage) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range t.o.Inherit {
		if v, ok := state[key]; ok {
			if t.given[session] == nil {
				t.given[session] = map[string]json.RawMessage{}
			}
			t.given[session][key] = slices.Clone(v)
		}
	}
}

// onInput begins a new count when the person speaks to the root.
func (s *Seat) onInput(ctx context.Context, x *agent.Session, _ *agent.Message) error {
	if !isRoot(x.ID) {
		return nil
	}
	return s.t.spoke(ctx, x.ID)
}

// beforeTool notes what only the loop knows of a call that may start or ask about children.
func (s *Seat) beforeTool(_ context.Context, x *agent.Session, tool agent.Tool, c agent.Call) (agent.Decision, error) {
	t := s.t
	if err := s.stopped(x.ID); err != nil {
		return agent.Decision{}, err
	}
	t.look(x)
	t.mu.Lock()
	defer t.mu.Unlock()
	if tool.Resume && s.MaxSteps > 0 && !t.o.OwnSteps {
		t.left[c.Key] = s.MaxSteps - x.Steps + x.Driven
	}
	if tool.Name == toolCheck {
		t.untold[x.ID] = pendingOf(x)
	}
	return agent.Decision{}, nil
}

// afterTool refuses in its own words what a child tried without the tool for it, and ends the run of a stopped tree.
func (s *Seat) afterTool(ctx context.Context, x *agent.Session, c agent.Call, r *agent.Result) error {
	t := s.t
	t.mu.Lock()
	delete(t.left, c.Key)
	t.mu.Unlock()
	if _, has := pick(s.Tools, c.Name); !has && !isRoot(x.ID) && starts(c.Name) {
		err := t.refused(ctx, x.ID, c.Key, textNoTool)
		*r = agent.ErrorResult(err.Error())
	}
	return s.stopped(x.ID)
}

// starts reports whether a tool of this name would start a child.
func starts(name string) bool {
	return name == toolTask || name == toolSpawn || name == toolCall || toolname.Nearest(name) == toolTask
}

// onEvent passes on what children take over, and has the end of a stopped run reach its background children.
func (s *Seat) onEvent(_ context.Context, e agent.Event) {
	if len(e.State) > 0 {
		s.take(e.Session, e.State)
	}
	if e.Type != agent.EvEnd {
		return
	}
	s.t.over(e.Session)
	switch e.Stop {
	case agent.RunCancelled, agent.RunTimeout, agent.RunLoop, agent.RunBudget:
		s.t.cancelBelow(e.Session, &agent.StopError{Stop: agent.RunCancelled, Text: "the run above has ended: " + string(e.Stop)})
	case agent.RunEnd, agent.RunSteps, agent.RunDenied, agent.RunOverflow, agent.RunLength, agent.RunRefused, agent.RunError:
	}
}

// over forgets the calls of a run that has ended: not each of them came back to the hooks.
func (t *Team) over(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.left, func(key string, _ int) bool { return sessionOf(key) == session })
}

// inherit gives what the child was given at its start, and what its parent has, as far as the child does not have it.
func (s *Seat) inherit(ctx context.Context, x *agent.Session) map[string]json.RawMessage {
	if isRoot(x.ID) {
		return nil
	}
	want := s.t.inherited(parentOf(x.ID))
	if !s.asked {
		if spec, err := s.t.Spec(ctx, x.ID); err == nil {
			want = joined(absent(spec.State, x.State), want)
		}
	}
	s.asked = true
	maps.DeleteFunc(want, func(key string, v json.RawMessage) bool { return string(x.State[key]) == string(v) })
	return want
}

// absent is what a state has and another one does not.
func absent(state, other map[string]json.RawMessage) map[string]json.RawMessage {
	out := maps.Clone(state)
	maps.DeleteFunc(out, func(key string, _ json.RawMessage) bool { return other[key] != nil })
	return out
}
