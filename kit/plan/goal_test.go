package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/msg"
)

// loopHome is a session with a goal.
type loopHome struct {
	t       testing.TB
	s       *agent.Session
	j       agenttest.Journal
	o       GoalOptions
	checks  []string                            // commands that were run
	outcome func(n int) (pass bool, out string) // of the n-th check, from 1
	last    agent.Event                         // of the last run
}

func newLoopHome(t testing.TB, command string) *loopHome {
	h := &loopHome{t: t, s: agent.NewSession("s")}
	h.o = GoalOptions{Command: command, Check: func(_ context.Context, command string) (Checked, error) {
		h.checks = append(h.checks, command)
		pass, out := h.outcome(len(h.checks))
		ended := Ended{How: EndedExit, What: "1"}
		if pass {
			ended.What = "0"
		}
		return Checked{Pass: pass, Ended: ended, Output: out}, nil
	}}
	return h
}

func (h *loopHome) run(in []agent.Note, next func(n int) agenttest.Reply) (said []string) {
	h.t.Helper()
	tool := agent.Tool{Name: "do", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Writes}
	tool.Run = func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ok"), nil }
	a := &agent.Agent{
		Model: &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply { return next(n) }}, Tools: []agent.Tool{tool},
		Journal: h.j.Append, Hooks: []agent.Hook{Until(h.o)}, MaxSteps: 500,
	}
	for e, err := range a.Run(context.Background(), h.s, in...) {
		if err != nil {
			h.last = agent.Event{}
			return said
		}
		if e.Type == agent.EvMessage && e.Message.From == GoalName {
			said = append(said, e.Message.Text())
		}
		if e.Type == agent.EvEnd {
			h.last = e
		}
	}
	return said
}

// busy calls a tool before each answer; lazy only answers.
func busy(n int) agenttest.Reply {
	if n%2 == 0 {
		return agenttest.CallTool("do", fmt.Sprintf(`{"n":%d}`, n))
	}
	return agenttest.Say("I think so")
}

func lazy(int) agenttest.Reply { return agenttest.Say("I think so") }

func TestGoalIsReached(t *testing.T) {
	h := newLoopHome(t, "make test")
	h.outcome = func(n int) (bool, string) { return n == 3, fmt.Sprint("three of them fail, ", n) }
	said := h.run(say("mend it"), busy)
	if h.last.Stop != agent.RunEnd || !slices.Equal(h.checks, []string{"make test", "make test", "make test"}) || len(said) != 2 {
		t.Fatalf("%s, checks %q, said %q", h.last.Stop, h.checks, said)
	}
	if !strings.HasPrefix(said[1], "The goal does not hold yet: `make test` ended with exit status 1 (check 2 of 25).\n<output>\nthree of them fail, 2\n</output>\n") {
		t.Errorf("%q", said[1])
	}
	if g, ok := GoalOf(h.s); !ok || !g.Holds || g.Rounds != 3 {
		t.Errorf("%+v", g)
	}
	// the next thing that the person says has to hold too, since the flag is there; a goal that was only set is reached
	h.run(say("more"), busy)
	if len(h.checks) <= 3 {
		t.Error("not checked again")
	}
}

func TestGoalThatWasSet(t *testing.T) {
	h := newLoopHome(t, "")
	h.outcome = func(int) (bool, string) { return true, "" }
	h.run(say("hi"), lazy)
	if len(h.checks) != 0 {
		t.Fatalf("%q", h.checks)
	}
	set := func(command string) {
		a := &agent.Agent{Model: agenttest.NewModel(), Journal: h.j.Append}
		if err := a.Append(t.Context(), h.s, &agent.Event{Type: agent.EvState, State: SetGoal(command)}); err != nil {
			t.Fatal(err)
		}
	}
	set("a")
	h.run(say("go"), lazy)
	h.run(say("go"), lazy)
	if !slices.Equal(h.checks, []string{"a"}) {
		t.Errorf("%q", h.checks)
	}
	set("b")
	set("")
	h.run(say("go"), lazy)
	if _, ok := GoalOf(h.s); ok || len(h.checks) != 1 {
		t.Errorf("%q", h.checks)
	}
}

func TestGoalEnds(t *testing.T) {
	for name, c := range map[string]struct {
		next    func(int) agenttest.Reply
		outcome func(int) (bool, string)
		rounds  int
		stop    agent.RunStop
		checks  int
		text    string
	}{
		"nothing changes":            {lazy, func(int) (bool, string) { return false, "no" }, 0, agent.RunLoop, 2, "has changed nothing"},
		"nothing but the time":       {lazy, func(n int) (bool, string) { return false, fmt.Sprintf("FAIL 0.%ds", n) }, 0, agent.RunLoop, 2, "has changed nothing"},
		"idle, the check differs":    {lazy, func(n int) (bool, string) { return false, strings.Repeat("x", n) }, 0, agent.RunLoop, 4, "has changed nothing"},
		"never":                      {busy, func(int) (bool, string) { return false, "no" }, 0, agent.RunSteps, 25, "25 checks"},
		"never, with a limit of one": {busy, func(int) (bool, string) { return false, "" }, 1, agent.RunSteps, 1, "1 check the goal"},
	} {
		h := newLoopHome(t, "t")
		h.outcome, h.o.Rounds = c.outcome, c.rounds
		h.run(say("go"), c.next)
		if g, _ := GoalOf(h.s); h.last.Stop != c.stop || len(h.checks) != c.checks || !strings.Contains(h.last.Text, c.text) || g.Holds || g.Rounds != c.checks {
			t.Errorf("%s: %s %q after %d checks, %+v", name, h.last.Stop, h.last.Text, len(h.checks), g)
		}
		// the person has a say: the count begins anew
		h.outcome = func(int) (bool, string) { return true, "" }
		if h.run(say("now it is right"), lazy); h.last.Stop != agent.RunEnd {
			t.Errorf("%s: then %s", name, h.last.Stop)
		}
	}
}

// A command that is not there cannot be checked; one that goes missing later is the model's to bring back.
func TestGoalIsNotThere(t *testing.T) {
	for _, status := range []string{"126", "127"} {
		h := newLoopHome(t, "t")
		h.o.Check = func(context.Context, string) (Checked, error) {
			h.checks = append(h.checks, "t")
			what := "1"
			if len(h.checks) == h.o.Rounds {
				what = status
			}
			return Checked{Ended: Ended{How: EndedExit, What: what}, Output: "t: not found\n"}, nil
		}
		h.o.Rounds = 1
		h.run(say("go"), lazy)
		if h.last.Stop != agent.RunError || h.last.Error.Kind != agent.ErrConfig || !strings.HasSuffix(h.last.Error.Message, "t: not found") {
			t.Errorf("%s: %+v", status, h.last)
		}
		h.o.Rounds, h.checks = 2, nil
		h.run(say("go"), busy)
		if h.last.Stop != agent.RunSteps {
			t.Errorf("%s later: %+v", status, h.last)
		}
	}
}

// A goal can be given up while it is worked on; the check that runs is the last one, also of a goal that a hook was given.
func TestGoalIsGivenUp(t *testing.T) {
	h := newLoopHome(t, "t")
	h.outcome = func(int) (bool, string) { return false, "no" }
	var off []agent.Note
	hook := Until(h.o)
	speak := agent.Hook{Name: "speaks", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
		if len(h.checks) == 2 && off == nil {
			off = []agent.Note{{Messages: []agent.Message{GiveUpMessage()}}}
			return &off[0], nil
		}
		return nil, nil
	}}
	a := &agent.Agent{
		Model: &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply { return busy(n) }}, Hooks: []agent.Hook{speak, hook}, MaxSteps: 50,
		Tools: []agent.Tool{{Name: "do", Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ok"), nil }}},
	}
	evs, err := agenttest.Collect(a.Run(t.Context(), h.s, agent.Say("go")))
	if err != nil || evs[len(evs)-1].Stop != agent.RunEnd || len(h.checks) != 2 {
		t.Fatalf("%v %+v, %d checks", err, evs[len(evs)-1], len(h.checks))
	}
	if g, ok := GoalOf(h.s); ok {
		t.Errorf("%+v", g)
	}
}

func TestGoalCannotBeChecked(t *testing.T) {
	h := newLoopHome(t, "t")
	h.o.Check = func(context.Context, string) (Checked, error) { return Checked{}, errors.New("there is no shell") }
	h.run(say("go"), lazy)
	if h.last.Stop != agent.RunError || h.last.Error == nil || h.last.Error.Kind != agent.ErrConfig || !strings.Contains(h.last.Error.Message, "there is no shell") {
		t.Errorf("%+v", h.last)
	}
	// a run that ends while the check runs ends for its own reason
	h = newLoopHome(t, "t")
	ctx, cancel := context.WithCancelCause(t.Context())
	h.o.Check = func(ctx context.Context, _ string) (Checked, error) {
		cancel(&agent.StopError{Stop: agent.RunTimeout})
		<-ctx.Done()
		return Checked{}, ctx.Err()
	}
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("x")), Hooks: []agent.Hook{Until(h.o)}}
	evs, err := agenttest.Collect(a.Run(ctx, h.s, agent.Say("go")))
	if err != nil || evs[len(evs)-1].Stop != agent.RunTimeout {
		t.Errorf("%v %v", err, evs)
	}
}

// Nothing is checked where the goal rests, nor when something has had the run go on.
func TestGoalRests(t *testing.T) {
	h := newLoopHome(t, "t")
	h.outcome = func(int) (bool, string) { return true, "" }
	h.o.Off = func(*agent.Session) bool { return true }
	h.run(say("go"), lazy)
	if len(h.checks) != 0 {
		t.Errorf("%q", h.checks)
	}
	if note := (&loop{o: h.o}).check(agent.NewSession("x")); note != nil {
		t.Errorf("%+v", note)
	}
}

// Processes that die after any event come to the same end as one that lives, and never check more often than the limit
// says and the deaths explain.
func TestGoalCrashes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newLoopHome(t, "t")
		passes, rounds := rapid.IntRange(1, 6).Draw(rt, "passes"), rapid.IntRange(2, 5).Draw(rt, "rounds")
		h.o.Rounds = rounds
		done := 0 // checks whose outcome was stored
		h.outcome = func(int) (bool, string) {
			g, _ := GoalOf(h.s)
			done = g.Rounds + 1
			return done >= passes, fmt.Sprint("only ", done)
		}
		deaths := 0
		for h.last.Type == "" {
			n, dies := 0, rapid.IntRange(1, 7).Draw(rt, "dies")
			h.j.Fail = func(*agent.Event) error {
				if n++; n > dies && deaths < 12 {
					return errors.New("the power is gone")
				}
				return nil
			}
			var in []agent.Note
			if len(h.s.Messages) == 0 {
				in = say("go")
			}
			turn := func(int) agenttest.Reply { // the model's answer belongs to the history
				if m := h.s.Messages[len(h.s.Messages)-1]; m.Role == agent.ToolRole {
					return agenttest.Say("I think so")
				}
				return agenttest.CallTool("do", `{}`)
			}
			h.run(in, turn)
			deaths++
			h.j.Fail = nil
			var err error
			if h.s, err = h.j.Load("s", -1); err != nil {
				rt.Fatal(err)
			}
		}
		want := agent.RunEnd
		if passes > rounds {
			want = agent.RunSteps
		}
		if g, _ := GoalOf(h.s); h.last.Stop != want || g.Rounds != min(passes, rounds) || g.Holds != (want == agent.RunEnd) {
			rt.Fatalf("%s after %+v", h.last.Stop, g)
		}
	})
}

// How a check ended is kept in codes, so that each language has its own words for it; the model reads English.
func TestEndedInBothLanguages(t *testing.T) {
	for _, c := range []struct {
		e      Ended
		en, zh string
	}{
		{Ended{EndedExit, "3"}, "exit status 3", "退出状态 3"},
		{Ended{EndedKilled, "SIGSEGV"}, "killed by SIGSEGV", "被 SIGSEGV 终止"},
		{Ended{EndedTimeout, "600"}, "no end within 600 s", "600 秒内没有结束"},
		{Ended{How: EndedAsks}, "it asks something that nobody can answer", "它在等人回答，而没有人能回答"},
		{Ended{}, "", ""},
	} {
		if en, zh := c.e.In(msg.For(msg.En)), c.e.In(msg.For(msg.Zh)); en != c.en || zh != c.zh {
			t.Errorf("%+v: %q %q", c.e, en, zh)
		}
	}
}
