package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestHooksSeeInputFirst(t *testing.T) {
	var seen []string
	see := func(name string) agent.Hook {
		return agent.Hook{Name: name, OnInput: func(_ context.Context, _ *agent.Session, m *agent.Message) error {
			seen = append(seen, name+" "+m.Text())
			m.Parts[0].Text += " " + name
			return nil
		}}
	}
	job := agent.TextMessage(agent.User, "job done")
	job.From = "job"
	in := agent.Say("hello")
	injected := 0
	inject := agent.Hook{Name: "inject", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
		if injected++; injected == 1 {
			return &agent.Note{Messages: []agent.Message{job, agent.TextMessage(agent.User, "and")}, Usage: &agent.Usage{Input: num(2)}}, nil
		}
		return nil, nil
	}}
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("ok")), Hooks: []agent.Hook{see("one"), see("two"), inject}}
	s := agent.NewSession("s")
	mustRun(t, a.Run(t.Context(), s, in))
	wantSame(t, "seen", seen, []string{"one hello", "two hello one", "one and", "two and one"})
	if got := in.Messages[0].Text(); got != "hello" {
		t.Errorf("the caller's own note was changed to %q", got)
	}
	if *s.Total.Input != 2 || s.Messages[1].Text() != "job done" {
		t.Errorf("%+v", s)
	}
}

func TestInjectWhileStoppingGoesOn(t *testing.T) {
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two")), Hooks: []agent.Hook{{Inject: func(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
		if stopping && len(s.Messages) == 2 {
			n := agent.Say("are you sure?")
			return &n, nil
		}
		return nil, nil
	}}}}
	s := agent.NewSession("s")
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
	if len(s.Messages) != 4 || end.Steps != 2 {
		t.Errorf("%d messages, %d steps", len(s.Messages), end.Steps)
	}
}

// A message that one hook brings while the run stops lets it go on: the hooks behind it are not asked to hold up the end,
// or the person would wait for an answer as long as they do.
func TestAMessageEndsTheStopping(t *testing.T) {
	var last []bool // what the second hook is told before each call of the model
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two")), Hooks: []agent.Hook{
		{Inject: func(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
			if stopping && len(s.Messages) == 2 {
				n := agent.Say("wait, one thing more")
				return &n, nil
			}
			return nil, nil
		}},
		{Inject: func(_ context.Context, _ *agent.Session, stopping bool) (*agent.Note, error) {
			last = append(last, stopping)
			return nil, nil
		}},
	}}
	mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	wantSame(t, "the second hook", last, []bool{false, false, false, true})
}

// What a feature acknowledges in the model's name is no answer: the model is asked, nothing is counted as a step, and a run
// that a crash has left there, or that was not begun yet, goes on.
func TestAcknowledgedIsNotAnswered(t *testing.T) {
	noted := agent.TextMessage(agent.Assistant, "Noted.")
	noted.From, noted.Stop = "job", agent.StopEnd
	news := agent.TextMessage(agent.User, "it has ended")
	news.From = "job"
	model := agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two"), agenttest.Say("three"), agenttest.Say("four"))
	a := &agent.Agent{Model: model, Hooks: []agent.Hook{{Inject: func(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
		if n := len(s.Messages); n == 1 && !stopping || n == 4 && stopping {
			return &agent.Note{Messages: []agent.Message{news, noted}}, nil
		}
		return nil, nil
	}}}}
	s := agent.NewSession("s")
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
	if got := rolesAndTexts(s); got != "user go|user it has ended|assistant Noted.|assistant one|user it has ended|assistant Noted.|assistant two" || end.Steps != 2 {
		t.Errorf("%s, %d steps", got, end.Steps)
	}
	for _, m := range []agent.Message{news, noted} {
		if err := a.Append(t.Context(), s, &agent.Event{Type: agent.EvMessage, Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
	if end = lastEnd(t, mustRun(t, a.Run(t.Context(), s))); end.Stop != agent.RunEnd || end.Steps != 1 || s.Messages[len(s.Messages)-1].Text() != "three" {
		t.Errorf("%+v", end)
	}
	s.Open = true // a crash behind the acknowledgement
	s.Messages = append(s.Messages, news, noted)
	mustRun(t, a.Run(t.Context(), s))
	if s.Messages[len(s.Messages)-1].Text() != "four" {
		t.Errorf("%s", rolesAndTexts(s))
	}
}

func rolesAndTexts(s *agent.Session) string {
	var list []string
	for _, m := range s.Messages {
		list = append(list, string(m.Role)+" "+m.Text())
	}
	return strings.Join(list, "|")
}

// An error from any hook ends the run in order; a StopError says how.
func TestErrorsOfHooks(t *testing.T) {
	stop := fmt.Errorf("wrapped: %w", &agent.StopError{Stop: agent.RunBudget, Text: "spent"})
	bug := errors.New("bug")
	points := map[string]func(error) agent.Hook{
		"OnInput": func(err error) agent.Hook {
			return agent.Hook{OnInput: func(context.Context, *agent.Session, *agent.Message) error { return err }}
		},
		"Inject": func(err error) agent.Hook {
			return agent.Hook{Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) { return nil, err }}
		},
		"BeforeModel": func(err error) agent.Hook {
			return agent.Hook{BeforeModel: func(context.Context, *agent.Session, *agent.Request) error { return err }}
		},
		"BeforeTool": func(err error) agent.Hook {
			return agent.Hook{BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
				return agent.Decision{}, err
			}}
		},
		"AfterTool": func(err error) agent.Hook {
			return agent.Hook{AfterTool: func(context.Context, *agent.Session, agent.Call, *agent.Result) error { return err }}
		},
	}
	for point, hook := range points {
		t.Run(point, func(t *testing.T) {
			for _, err := range []error{stop, bug} {
				h := hook(err)
				h.Name = "h"
				var j agenttest.Journal
				a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("echo", `{"do":"x"}`), agenttest.Say("ok")), Tools: []agent.Tool{echo("echo")}, Hooks: []agent.Hook{h}, Journal: j.Append}
				end := lastEnd(t, mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go"))))
				switch {
				case errors.Is(err, bug) && (end.Stop != agent.RunError || end.Error.Kind != agent.ErrInternal || end.Error.Message != "hook h, "+point+": bug"):
					t.Errorf("%s %+v", end.Stop, end.Error)
				case errors.Is(err, stop) && (end.Stop != agent.RunBudget || end.Text != "spent" || end.Error != nil):
					t.Errorf("%s %q %v", end.Stop, end.Text, end.Error)
				}
				checkPairs(t, stored(t, &j))
			}
		})
	}
	if (&agent.StopError{Stop: agent.RunLoop}).Error() != "stopped: loop" || (&agent.StopError{Text: "t"}).Error() != "t" {
		t.Error("texts of StopError")
	}
}

func TestStateOfResultsAndNotes(t *testing.T) {
	put := tool("put", agent.Reads, func(_ context.Context, do string) (agent.Result, error) {
		r := agent.TextResult("ok")
		r.State = map[string]json.RawMessage{"todo": json.RawMessage(do), "x": nil}
		r.Usage = &agent.Usage{Input: num(3), CostUSD: new(float64)}
		return r, nil
	})
	var j agenttest.Journal
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("put", `{"do":"[ 1 ]"}`), agenttest.CallTool("put", `{"do":"no json"}`), agenttest.CallTool("put", `{"do":"null"}`), agenttest.Say("ok")), Tools: []agent.Tool{put}, Journal: j.Append}
	s := agent.NewSession("s")
	var states []string
	a.Hooks = []agent.Hook{{OnEvent: func(_ context.Context, e agent.Event) {
		if e.State != nil {
			states = append(states, string(s.State["todo"]))
		}
	}}}
	mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	wantSame(t, "states", states, []string{"[1]", `"no json"`, ""})
	if *s.Usage.Input != 9 || *s.Usage.CostUSD != 0 || s.Usage.Output != nil {
		t.Errorf("usage %+v", s.Usage)
	}
	if strings.Contains(string(j.Lines()[4]), `"result":{"state"`) {
		t.Error("state is stored twice")
	}
}

func TestAfterToolMayChangeTheResult(t *testing.T) {
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTools("echo", `{"do":"x"}`, "nosuch", `{}`), agenttest.Say("ok")), Tools: []agent.Tool{echo("echo")}, Hooks: []agent.Hook{{
		AfterTool: func(_ context.Context, _ *agent.Session, c agent.Call, r *agent.Result) error {
			r.Parts = append(r.Parts, agent.TextPart(" seen "+c.Name))
			r.Key, r.CallID = "stolen", "stolen"
			return nil
		},
	}}}
	s := agent.NewSession("s")
	mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	got := resultTexts(s)
	if got[0] != "x seen echo" || !strings.HasSuffix(got[1], " seen nosuch") || s.Messages[2].Result().Key != key(3, 1) {
		t.Errorf("%q %s", got, s.Messages[2].Result().Key)
	}
}

func TestNamesOfTools(t *testing.T) {
	one, two := echo("bash"), echo("read_file")
	one.Aliases, two.Alias = []string{"run_command"}, "view"
	amb := echo("VIEW2")
	amb2 := echo("view2")
	for name, want := range map[string]string{
		"bash": "bash", "run_command": "bash", "RUN_COMMAND": "bash", "view": "read_file", "read_file": "read_file", "View": "read_file",
		"functions.bash": "bash", "function.view": "read_file", "tools.bash:12": "bash", "bash<|channel|>commentary": "bash", "<|tool|>bash": "bash", " bash ": "bash",
		"": "", "nosuch": "", "View2": "", "bash:x": "", "<|": "", ":0": "",
	} {
		var ran string
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool(name, `{"do":"x"}`), agenttest.Say("ok")), Tools: []agent.Tool{one, two, amb, amb2}, Hooks: []agent.Hook{{
			BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
				ran = t.Name
				if c.Name != t.Name {
					return agent.Decision{}, errors.New("the hook sees " + c.Name)
				}
				return agent.Decision{}, nil
			},
		}}}
		s := agent.NewSession("s")
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
		if ran != want || end.Stop != agent.RunEnd {
			t.Errorf("%q found %q, want %q (%v)", name, ran, want, end.Error)
		}
		if want == "" && !strings.Contains(resultTexts(s)[0], "the tools are: bash, view, VIEW2, view2") {
			t.Errorf("%q: %q", name, resultTexts(s)[0])
		}
	}
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("x", `{}`), agenttest.Say("ok"))}
	s := agent.NewSession("s")
	mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	wantSame(t, "without tools", resultTexts(s), []string{`unknown tool "x": there are no tools`})
}

// A product may word what the model reads of calls that cannot run.
func TestOwnWordsOfRefusals(t *testing.T) {
	type args struct {
		N int `json:"n"`
	}
	add := agent.NewTool("add", "adds", agent.Reads, func(context.Context, args) (agent.Result, error) { return agent.TextResult("ran"), nil })
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTools("nothing", "{}", "add", `{"n":`, "add", `{"n":1}`), agenttest.Say("done")),
		Tools: []agent.Tool{add}, UnknownTool: "Unknown tool: %s", InvalidArgs: "Error: invalid arguments: %s",
	}
	s := agent.NewSession("s")
	mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	var got []string
	for _, m := range s.Messages {
		if r := m.Result(); r != nil {
			got = append(got, r.Text())
		}
	}
	if len(got) != 3 || got[0] != "Unknown tool: nothing" || !strings.HasPrefix(got[1], "Error: invalid arguments: ") || got[2] != "ran" {
		t.Errorf("%q", got)
	}
}
