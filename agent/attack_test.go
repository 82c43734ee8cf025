package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// What attacking earlier designs found, one test a fault. Faults that have a whole test elsewhere are named there:
// quadratic folding (TestInvariant03…), a kill between answer and end (TestCrashBetweenAnswerAndEnd), a tool that
// ignores its context (TestCancelEndsWithin).

func TestAttackHalfACallsJSON(t *testing.T) {
	var b agent.Builder
	if err := b.Add(agent.Chunk{Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "bash"}, Text: `{"command":"rm -r`}}); err != nil {
		t.Fatal(err)
	}
	m := b.Message()
	raw, err := agent.EncodeJSON(agent.Event{Type: agent.EvMessage, Message: &m})
	if err != nil {
		t.Fatalf("half a call cannot be stored: %v", err)
	}
	var e agent.Event
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	var text string
	if err := json.Unmarshal(e.Message.Calls()[0].Args, &text); err != nil || text != `{"command":"rm -r` {
		t.Errorf("arguments %s", e.Message.Calls()[0].Args)
	}
}

func TestAttackIndexes(t *testing.T) {
	part := agent.TextPart("x")
	t.Run("a skipped index", func(t *testing.T) {
		var b agent.Builder
		for _, i := range []int{3, 0, 7} {
			if err := b.Add(agent.Chunk{Index: i, Part: &part}); err != nil {
				t.Fatal(err)
			}
		}
		if m := b.Message(); len(m.Parts) != 3 {
			t.Errorf("%d parts", len(m.Parts))
		}
	})
	for _, i := range []int{-1, agent.MaxParts, 5_000_000} {
		var b agent.Builder
		var err error
		allocs := testing.AllocsPerRun(1, func() { err = b.Add(agent.Chunk{Index: i, Part: &part}) })
		if err == nil || !strings.Contains(err.Error(), "out of bounds") || !b.Empty() || allocs > 20 {
			t.Errorf("index %d: %v, %.0f allocations", i, err, allocs)
		}
	}
}

func TestAttackHookErrorInMidBatchLeavesNoToolRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a tool left behind would be a deadlock of the bubble
		var running atomic.Int64
		slow := tool("slow", agent.Reads, func(ctx context.Context, _ string) (agent.Result, error) {
			running.Add(1)
			defer running.Add(-1)
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		})
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTools("slow", `{"do":"1"}`, "echo", `{"do":"2"}`, "slow", `{"do":"3"}`)), Tools: []agent.Tool{slow, echo("echo")}, Parallel: 3,
			Hooks: []agent.Hook{{Name: "bad", AfterTool: func(_ context.Context, _ *agent.Session, c agent.Call, _ *agent.Result) error {
				if c.Name == "echo" {
					return errors.New("bug")
				}
				return nil
			}}},
		}
		s := agent.NewSession("s")
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
		if running.Load() != 0 || end.Stop != agent.RunError || !strings.Contains(end.Error.Message, "hook bad, AfterTool: bug") {
			t.Errorf("%d tools run, end %s %v", running.Load(), end.Stop, end.Error)
		}
		if got := resultTexts(s); len(got) != 3 || got[1] != "2" {
			t.Errorf("the finished result is lost: %q", got)
		}
	})
}

// The question is stored and shown before anybody can answer it, and the answer after it.
func TestAttackAskedBeforeTheRunWaits(t *testing.T) {
	var j agenttest.Journal
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTool("echo", `{"do":"x"}`), agenttest.Say("ok")), Tools: []agent.Tool{echo("echo")}, Journal: j.Append,
		Hooks: []agent.Hook{{BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
			return agent.Decision{Verdict: agent.AskFirst, Reason: "may I?"}, nil
		}}},
		Ask: func(_ context.Context, q agent.Ask) (agent.Answer, error) {
			if log := stored(t, &j); log[len(log)-1].Type != agent.EvAsk || log[len(log)-1].Ask.ID != q.ID {
				t.Errorf("the question is put before it is stored: %s", types(log))
			}
			return agent.Answer{Allow: true}, nil // at once
		},
	}
	evs := mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	if got := types(durable(evs)); got != "message setup message ask answer call message message end" {
		t.Error(got)
	}
}

// Killed while the question is open: nothing says that the call may have run, and the question is not stored twice.
func TestAttackQuestionBeforeCallEvent(t *testing.T) {
	var j agenttest.Journal
	ran := 0
	write := tool("write", agent.Writes, func(context.Context, string) (agent.Result, error) {
		ran++
		return agent.TextResult("written"), nil
	})
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTool("write", `{"do":"x"}`), agenttest.Say("ok"), agenttest.Say("ok")), Tools: []agent.Tool{write}, Journal: j.Append,
		Hooks: []agent.Hook{{BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
			return agent.Decision{Verdict: agent.AskFirst, Reason: "may I?"}, nil
		}}},
		Ask: func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Allow: true}, nil },
	}
	mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	lines := j.Lines()
	i := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"type":"ask"`)) })
	s := loadLines(t, "s", lines[:i+1])
	if len(s.Asks) != 1 || len(s.Started) != 0 {
		t.Fatalf("asks %v, started %v", s.Asks, s.Started)
	}
	j2 := journalOf(t, lines[:i+1])
	a.Journal, ran = j2.Append, 0
	mustRun(t, a.Run(t.Context(), s))
	if got := types(stored(t, j2)); got != "message setup message ask answer call message message end" || ran != 1 {
		t.Errorf("%s, ran %d times", got, ran)
	}
}

func TestAttackZeroEffectIsNotReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		zero := agent.Tool{Name: "zero", Run: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			return agent.Result{}, pause(ctx, time.Second)
		}}
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTools("zero", `{}`, "zero", `{}`), agenttest.Say("ok")), Tools: []agent.Tool{zero}, Parallel: 8}
		mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		if most.Load() != 1 {
			t.Errorf("%d at once", most.Load())
		}
	})
	var names []string
	for e := agent.Effect(-1); e < 5; e++ {
		names = append(names, e.String())
	}
	wantSame(t, "names", names, []string{"unknown", "unknown", "reads", "writes", "executes", "executes"})
}

// One event a result, the moment it comes: a kill does not lose finished work of the same step.
func TestAttackOneEventPerResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j agenttest.Journal
		a := &agent.Agent{Model: agenttest.NewModel(sleeps(1)), Journal: j.Append, Parallel: 2}
		slow := tool("slow", agent.Reads, func(ctx context.Context, _ string) (agent.Result, error) {
			return agent.Result{}, pause(ctx, time.Hour)
		})
		a.Model, a.Tools = agenttest.NewModel(agenttest.CallTools("slow", `{"do":"1"}`, "echo", `{"do":"done"}`)), []agent.Tool{slow, echo("echo")}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, func() {
			s := load(t, &j, "s") // what a kill now would leave
			wantSame(t, "results", resultTexts(s), []string{"done"})
			if open := s.OpenCalls(); len(open) != 1 || open[0].Name != "slow" {
				t.Errorf("open: %v", open)
			}
			cancel()
		})
		mustRun(t, a.Run(ctx, agent.NewSession("s"), agent.Say("go")))
		for _, e := range stored(t, &j) {
			if e.Message != nil && e.Message.Role == agent.ToolRole && len(e.Message.Parts) != 1 {
				t.Errorf("event %d has %d results", e.Seq, len(e.Message.Parts))
			}
		}
	})
}

func TestAttackHTMLEscapingAfterReload(t *testing.T) {
	const args = `{"do":"a && b <c> 'd' \u2028"}`
	var seen []string
	look := agent.Tool{Name: "look", Resume: true, Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
		seen = append(seen, string(c.Args))
		return agent.Result{}, nil
	}}
	var j agenttest.Journal
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("look", args), agenttest.Say("ok"), agenttest.Say("ok")), Tools: []agent.Tool{look}, Journal: j.Append}
	mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	i := slices.IndexFunc(j.Lines(), func(l []byte) bool { return bytes.Contains(l, []byte(`"type":"call"`)) })
	a.Journal = nil
	mustRun(t, a.Run(t.Context(), loadLines(t, "s", j.Lines()[:i+1])))
	wantSame(t, "arguments in two lives", seen, []string{args, args})
}

// A hook that rewrites arguments has them judged again, by all, and what runs is what was judged last.
func TestAttackRewritingAfterJudging(t *testing.T) {
	rewrite := func(from, to string) agent.Hook {
		return agent.Hook{Name: from + ">" + to, BeforeTool: func(_ context.Context, _ *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
			if string(c.Args) == `{"do":"`+from+`"}` {
				return agent.Decision{Args: json.RawMessage(`{ "do": "` + to + `" }`)}, nil
			}
			return agent.Decision{}, nil
		}}
	}
	policy := agent.Hook{Name: "policy", BeforeTool: func(_ context.Context, _ *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
		if strings.Contains(string(c.Args), "evil") {
			return agent.Decision{Verdict: agent.Deny, Reason: "evil"}, nil
		}
		return agent.Decision{}, nil
	}}
	invalid := agent.Hook{Name: "broken", BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
		return agent.Decision{Args: json.RawMessage(`{"Do":"x"}`)}, nil
	}}
	for _, c := range []struct {
		name  string
		hooks []agent.Hook
		want  string
	}{
		{"the judge stands first", []agent.Hook{policy, rewrite("good", "evil")}, "evil"},
		{"three rewritings", []agent.Hook{policy, rewrite("good", "a"), rewrite("a", "b"), rewrite("b", "c")}, "ran c"},
		{"two that fight", []agent.Hook{rewrite("good", "bad"), rewrite("bad", "good")}, "refused: hooks do not agree on the arguments"},
		{"made invalid", []agent.Hook{invalid}, "a hook made the arguments invalid"},
		{"the same again", []agent.Hook{rewrite("good", "good")}, "ran good"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := tool("run", agent.Executes, func(_ context.Context, do string) (agent.Result, error) { return agent.TextResult("ran " + do), nil })
			a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("run", `{"do":"good"}`), agenttest.Say("ok")), Tools: []agent.Tool{run}, Hooks: c.hooks}
			s := agent.NewSession("s")
			mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
			if got := resultTexts(s)[0]; !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestAttackVerdictsOnlyTighten(t *testing.T) {
	give := func(v agent.Verdict) agent.Hook {
		return agent.Hook{BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
			r := agent.TextResult("answered")
			return agent.Decision{Verdict: v, Reason: "because", Result: &r}, nil
		}}
	}
	for _, c := range []struct {
		verdicts []agent.Verdict
		want     string
	}{
		{nil, "x"},
		{[]agent.Verdict{agent.Pass, agent.AskFirst}, "denied by the person: never: because"},
		{[]agent.Verdict{agent.AskFirst, agent.Answered}, "answered"},
		{[]agent.Verdict{agent.Answered, agent.Deny, agent.Pass}, "because"},
	} {
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTool("echo", `{"do":"x"}`), agenttest.Say("ok")), Tools: []agent.Tool{echo("echo")},
			Ask: func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Text: "never"}, nil },
		}
		for _, v := range c.verdicts {
			a.Hooks = append(a.Hooks, give(v))
		}
		s := agent.NewSession("s")
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
		if got := resultTexts(s)[0]; got != c.want || end.Stop != agent.RunEnd {
			t.Errorf("%v: %q, want %q; end %s", c.verdicts, got, c.want, end.Stop)
		}
	}
}

func TestAttackCommandBesideCommand(t *testing.T) {
	judged, ran := "", ""
	bash := agent.NewTool("bash", "", agent.Executes, func(_ context.Context, in struct {
		Command string `json:"command"`
	},
	) (agent.Result, error) {
		ran = in.Command
		return agent.Result{}, nil
	})
	for _, args := range []string{
		`{"command":"ls","Command":"rm"}`, `{"Command":"rm","command":"ls"}`, `{"command":"ls","command":"rm"}`,
		`{"command":"ls","\u0063ommand":"rm"}`, `{"command":"ls","COMMAND":"rm"}`, `{"command":"ls","com` + "\u212a" + `and":"x","commanD":"rm"}`,
	} {
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTool("bash", args), agenttest.Say("ok")), Tools: []agent.Tool{bash},
			Hooks: []agent.Hook{{BeforeTool: func(_ context.Context, _ *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
				judged = string(c.Args)
				return agent.Decision{}, nil
			}}},
		}
		mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		if judged != "" || ran != "" {
			t.Errorf("%s: judged %q, ran %q", args, judged, ran)
		}
	}
}

// An event that could not be folded must never reach the log: it could not be loaded again.
func TestAttackNothingUnfoldableIsStored(t *testing.T) {
	bad := []agent.Event{
		{Type: agent.EvMessage},
		{Type: agent.EvMessage, Message: &agent.Message{Role: agent.ToolRole}},
		{Type: agent.EvMessage, Message: &agent.Message{Role: "robot"}},
		{Type: agent.EvMessage, Message: &agent.Message{}},
		{Type: agent.EvCall},
		{Type: agent.EvAsk},
		{Type: agent.EvAnswer},
		{Type: agent.EvSetup},
		{Type: agent.EvCompact},
		{Type: agent.EvVoid},
		{Type: agent.EvVoid, Void: &agent.Range{From: 3, To: 2}},
		{Type: agent.EvVoid, Void: &agent.Range{From: 1, To: 99}},
		{Type: agent.EvVoid, Void: &agent.Range{}},
		{Type: agent.EvCompact, Trim: &agent.Trim{Head: []agent.Message{{Role: agent.ToolRole}}}},
	}
	var j agenttest.Journal
	a := &agent.Agent{Journal: j.Append}
	s := agent.NewSession("s")
	if err := a.Append(t.Context(), s, &agent.Event{Type: agent.EvState, State: map[string]json.RawMessage{"mode": json.RawMessage(`"plan"`)}}); err != nil {
		t.Fatal(err)
	}
	for _, e := range bad {
		if err := a.Append(t.Context(), s, &e); err == nil || !strings.Contains(err.Error(), string(e.Type)) {
			t.Errorf("%s: %v", e.Type, err)
		}
	}
	if len(j.Lines()) != 1 || s.Seq != 1 || string(load(t, &j, "s").State["mode"]) != `"plan"` {
		t.Errorf("%d lines, seq %d", len(j.Lines()), s.Seq)
	}
	t.Run("nor from a hook", func(t *testing.T) {
		a := &agent.Agent{Model: agenttest.NewModel(), Journal: j.Append, Hooks: []agent.Hook{{Name: "h", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
			return &agent.Note{Messages: []agent.Message{{Role: agent.ToolRole}}}, nil
		}}}}
		if end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go")))); end.Stop != agent.RunError {
			t.Errorf("%s", end.Stop)
		}
		load(t, &j, "s")
	})
}

func TestWrongUse(t *testing.T) {
	m := &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply { return agenttest.Say("ok") }}
	a := &agent.Agent{Model: m}
	s := agent.NewSession("s")
	fails := func(t *testing.T, err error) {
		t.Helper()
		if !errors.Is(err, agent.ErrUse) {
			t.Errorf("error %v, want ErrUse", err)
		}
	}
	t.Run("ranged over twice", func(t *testing.T) {
		seq := a.Run(t.Context(), s, agent.Say("go"))
		mustRun(t, seq)
		_, err := agenttest.Collect(seq)
		fails(t, err)
	})
	t.Run("two runs of one session", func(t *testing.T) {
		for range a.Run(t.Context(), s, agent.Say("go")) {
			_, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("me too")))
			fails(t, err)
			fails(t, a.Append(t.Context(), s, &agent.Event{Type: agent.EvState}))
		}
	})
	t.Run("compacting an open run", func(t *testing.T) {
		open := agent.NewSession("o")
		open.Open = true
		_, err := agenttest.Collect(a.CompactNow(t.Context(), open, ""))
		fails(t, err)
	})
	t.Run("going on after a void without loading", func(t *testing.T) {
		if err := a.Append(t.Context(), s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: 1, To: 2}}); err != nil {
			t.Fatal(err)
		}
		fails(t, a.Append(t.Context(), s, &agent.Event{Type: agent.EvState}))
		_, err := agenttest.Collect(a.Run(t.Context(), s))
		fails(t, err)
	})
	t.Run("Apply", func(t *testing.T) {
		s := agent.NewSession("s")
		for _, e := range []agent.Event{{Seq: 1, Type: agent.EvChunk}, {Seq: 2, Type: agent.EvEnd}, {Seq: 1, Type: "nonsense"}, {Seq: 1, Type: agent.EvVoid}} {
			if err := s.Apply(e); err == nil {
				t.Errorf("%+v was applied", e)
			}
		}
		if err := s.Apply(agent.Event{Seq: 1, Type: agent.EvVoid}); !errors.Is(err, agent.ErrVoid) {
			t.Errorf("%v", err)
		}
	})
}

func TestNothingToDoIsNoRun(t *testing.T) {
	endTurn := echo("finish")
	run := endTurn.Run
	endTurn.Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
		r, err := run(ctx, c)
		r.EndTurn = true
		return r, err
	}
	for name, script := range map[string][]agenttest.Reply{
		"answered":              {agenttest.Say("ok")},
		"ended by a tool":       {agenttest.CallTool("finish", `{"do":"x"}`)},
		"answered, then a head": {agenttest.Say("ok")},
	} {
		t.Run(name, func(t *testing.T) {
			a := &agent.Agent{Model: agenttest.NewModel(script...), Tools: []agent.Tool{endTurn}, Compact: func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
				if n.Why != agent.Asked {
					return nil, nil
				}
				return &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "summary")}, From: s.Seq + 1}, nil
			}}
			s := agent.NewSession("s")
			if end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go")))); end.Stop != agent.RunEnd {
				t.Error(end.Stop)
			}
			if strings.Contains(name, "head") {
				mustRun(t, a.CompactNow(t.Context(), s, ""))
			}
			if evs := mustRun(t, a.Run(t.Context(), s)); len(evs) != 0 {
				t.Errorf("events %s", types(evs))
			}
		})
	}
	t.Run("an empty session", func(t *testing.T) {
		if evs := mustRun(t, (&agent.Agent{}).Run(t.Context(), agent.NewSession("s"))); len(evs) != 0 {
			t.Errorf("events %s", types(evs))
		}
	})
}

// A step limit counts the run's own steps, also when the run begins without input.
func TestStepsAreThoseOfTheRun(t *testing.T) {
	m := &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply { return agenttest.CallTool("echo", `{"do":"x"}`) }}
	a := &agent.Agent{Model: m, Tools: []agent.Tool{echo("echo")}, MaxSteps: 2}
	s := agent.NewSession("s")
	for range 2 {
		in := []agent.Note{agent.Say("go")}
		if s.Seq > 0 {
			in = nil
		}
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, in...)))
		if end.Stop != agent.RunSteps || end.Steps != 2 {
			t.Errorf("%s after %d steps", end.Stop, end.Steps)
		}
	}
	if n := len(m.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
}
