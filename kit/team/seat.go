package team

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/toolname"
)

// Seat is an agent's place in a team: what its children may get from it. It is made for each agent, before its session
// is opened, with [Team.Seat].
type Seat struct {
	// Session is whose agent it is. Child says that it is a child itself.
	Session string
	// Tools are those that children may be given, as the agent's model knows them.
	Tools []agent.Tool
	// MaxSteps bounds the agent's own model calls, 0 = not.
	MaxSteps int
	// Types are the agent types from files, beside the usual ones.
	Types []Type
	// Files reads and writes where the agent works; nil: nothing can be read or written.
	Files Files
	// Waiting reports whether the person has said something that was not taken in yet; nil: nobody speaks.
	Waiting func() bool
	// Idle is called with 1 while the agent only waits for a child, and with -1 afterwards: it need not be waited for when
	// the program ends. nil: nobody wants to know.
	Idle func(n int)
	// Attended says that there is somebody to ask.
	Attended bool

	t     *Team
	mate  bool // it is a teammate's
	asked bool // what the child took over at its start was looked up
}

// Seat gives an agent its place; s is changed.
func (t *Team) Seat(s *Seat) *Seat {
	s.t = t
	return s
}

// Take gives the agent its tools, and lets its children have them: a child those that it was granted, anybody else all.
// Names of tools that are not there any more are passed over.
func (s *Seat) Take(spec *Spec, tools []agent.Tool) []agent.Tool {
	if spec != nil {
		s.mate = spec.Mate != ""
		tools = slices.DeleteFunc(slices.Clone(tools), func(t agent.Tool) bool { return !slices.Contains(spec.Tools, t.Name) })
	}
	s.Tools = tools
	return tools
}

func (s *Seat) waiting() bool { return s.Waiting != nil && s.Waiting() }

// wait says that the agent waits, until the returned function is called.
func (s *Seat) wait() func() {
	if s.Idle == nil {
		return func() {}
	}
	s.Idle(1)
	return func() { s.Idle(-1) }
}

// pathOf is the path of a session's agent.
func pathOf(d *tree, session string) string {
	if c := d.byID(session); c != nil {
		return c.Path
	}
	return "main"
}

// names turns the names of tools, as anybody may write them, into ours. One that is not there is an error that lists
// those that are.
func (s *Seat) names(list []string) ([]string, error) {
	var out, unknown []string
	for _, name := range list {
		t, ok := pick(s.Tools, name)
		switch {
		case !ok:
			unknown = append(unknown, name)
		case !slices.Contains(out, t.Name):
			out = append(out, t.Name)
		}
	}
	if len(unknown) == 0 {
		return out, nil
	}
	known := make([]string, len(s.Tools))
	for i, t := range s.Tools {
		known[i] = t.Shown()
	}
	return nil, fmt.Errorf("unknown tools: %s; the tools that can be given are: %s", strings.Join(unknown, ", "), strings.Join(known, ", "))
}

// pick finds a tool by a name: ours, the shown one, an alias, or what another agent calls it.
func pick(tools []agent.Tool, name string) (agent.Tool, bool) {
	for _, n := range []string{name, toolname.Nearest(name)} {
		for _, t := range tools {
			if t.Name == n || t.Shown() == n || slices.Contains(t.Aliases, n) {
				return t, true
			}
		}
	}
	return agent.Tool{}, false
}

// ears are a call's: what the child does is its progress, what it asks is asked by it.
func (s *Seat) ears(ctx context.Context) ears {
	return ears{
		progress: func(line string) { agent.Progress(ctx, line) },
		ask: func(ctx context.Context, q agent.Ask) (agent.Answer, error) { // below the call's own
			ans, err := agent.AskUser(ctx, q)
			if err == nil && !s.Attended && !ans.Allow {
				ans.Text = agent.Nobody
			}
			return ans, err
		},
	}
}

// hear notes that somebody here waits for a child, until the returned function is called.
func (t *Team) hear(id string) func() {
	add := func(n int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.heard[id] += n; t.heard[id] == 0 {
			delete(t.heard, id)
		}
	}
	add(1)
	return func() { add(-1) }
}

// Asker puts the questions of a child's session where they are heard: ask waits for an answer in that session, which the
// call gives that waits for the child. Without one, and without a person (attended) who may have opened the child, nobody
// is there.
func (t *Team) Asker(session string, attended bool, ask func(context.Context, agent.Ask) (agent.Answer, error)) func(context.Context, agent.Ask) (agent.Answer, error) {
	return func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
		t.mu.Lock()
		heard := attended || t.heard[session] > 0
		t.mu.Unlock()
		if !heard {
			return agent.Answer{Text: agent.Nobody}, nil
		}
		return ask(ctx, q)
	}
}
