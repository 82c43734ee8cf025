package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// saga is a scripted run of twenty steps: calls beside each other, calls alone, a sub-agent, and questions. Its answers
// depend on the history alone, so any life of it must come to the same end.
type saga struct {
	mu      sync.Mutex
	ran     map[string]int // by "tool word"
	asked   map[string]int // by question id
	journal *agenttest.Journal
	model   *agenttest.Model
}

const sagaSteps = 20

func newSaga(j *agenttest.Journal) *saga {
	g := &saga{ran: map[string]int{}, asked: map[string]int{}, journal: j}
	g.model = &agenttest.Model{Next: func(_ int, req *agent.Request) agenttest.Reply {
		step := 0
		for _, m := range req.Messages {
			if m.Role == agent.Assistant {
				step++
			}
		}
		r := agenttest.CallTools("read", word1("r%d", step), "read", word1("s%d", step), "write", word1("w%d", step))
		switch {
		case step == sagaSteps-1:
			r = agenttest.Say("the end")
		case step%5 == 1:
			r = agenttest.CallTools("careful", word1("c%d", step), "read", word1("r%d", step))
		case step%5 == 2:
			r = agenttest.CallTools("child", word1("k%d", step))
		}
		r.Usage = &agent.Usage{Input: num(100), Output: new(int64(step))}
		return r
	}}
	return g
}

func word1(format string, step int) string {
	raw, _ := json.Marshal(word{Do: fmt.Sprintf(format, step)})
	return string(raw)
}

func (g *saga) agent() *agent.Agent {
	run := func(name string) func(context.Context, string) (agent.Result, error) {
		return func(_ context.Context, do string) (agent.Result, error) {
			g.count(name + " " + do)
			return agent.TextResult(name + " did " + do), nil
		}
	}
	child := tool("child", agent.Executes, func(ctx context.Context, do string) (agent.Result, error) {
		g.count("child " + do)
		ans, err := agent.AskUser(ctx, agent.Ask{Text: "may the child?"})
		return agent.TextResult(fmt.Sprintf("child did %s, allowed %v", do, ans.Allow)), err
	})
	child.Resume = true
	return &agent.Agent{
		System: "saga", Model: g.model, Parallel: 4, Journal: g.journal.Append,
		Tools: []agent.Tool{tool("read", agent.Reads, run("read")), tool("write", agent.Writes, run("write")), tool("careful", agent.Executes, run("careful")), child},
		Hooks: []agent.Hook{{Name: "ask", BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, _ agent.Call) (agent.Decision, error) {
			if t.Name == "careful" {
				return agent.Decision{Verdict: agent.AskFirst, Reason: "may it?"}, nil
			}
			return agent.Decision{}, nil
		}}},
		Ask: func(_ context.Context, q agent.Ask) (agent.Answer, error) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.asked[q.ID]++
			return agent.Answer{Allow: true}, nil
		},
	}
}

func (g *saga) count(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ran[what]++
}

func sagaInput() agent.Note {
	n := agent.Say("go")
	n.Took = []agent.Took{{Log: "input/s", Pos: 7, ID: "in"}}
	return n
}

// cut is a place where a process may have died: after so many lines.
type cut struct {
	lines  [][]byte
	before []agent.Event
}

func sagaCuts(t *testing.T) (full []agent.Event, cuts []cut) {
	t.Helper()
	j := &agenttest.Journal{}
	mustRun(t, newSaga(j).agent().Run(t.Context(), agent.NewSession("s"), sagaInput()))
	lines := j.Lines()
	full = stored(t, j)
	for n := 1; n <= len(lines); n++ {
		cuts = append(cuts, cut{lines: lines[:n], before: full[:n]})
	}
	if len(cuts) < 100 {
		t.Fatalf("only %d places to die", len(cuts))
	}
	return full, cuts
}

func TestCrashAtEveryDurableBoundary(t *testing.T) {
	full, cuts := sagaCuts(t)
	want := lastEnd(t, full)
	for _, c := range cuts {
		last := c.before[len(c.before)-1]
		t.Run(fmt.Sprintf("%03d after %s", last.Seq, last.Type), func(t *testing.T) {
			g := newSaga(journalOf(t, c.lines))
			s := loadLines(t, "s", c.lines)
			if !s.Taken("input/s", 7, "") {
				t.Error("the input is handed over again")
			}
			evs := mustRun(t, g.agent().Run(t.Context(), s))
			log := stored(t, g.journal)
			end := lastEnd(t, log)
			if end.Stop != want.Stop || end.Steps != want.Steps || *end.Usage.Input != *want.Usage.Input || *end.Usage.Output != *want.Usage.Output {
				t.Errorf("end %s %d steps %d tokens, want %s %d %d", end.Stop, end.Steps, *end.Usage.Input, want.Stop, want.Steps, *want.Usage.Input)
			}
			if s.Messages[len(s.Messages)-1].Text() != "the end" || end.Run != want.Run {
				t.Errorf("another end: %q in run %s", s.Messages[len(s.Messages)-1].Text(), end.Run)
			}
			checkPairs(t, log)
			checkOrder(t, s)
			checkLives(t, c.before, log, g)
			if last.Type == agent.EvEnd && len(evs) != 0 {
				t.Errorf("a finished run went on: %s", types(evs))
			}
		})
	}
}

// checkLives holds the second life against the log that the first one left.
func checkLives(t *testing.T, before, after []agent.Event, g *saga) {
	t.Helper()
	started, answered := map[string]agent.Call{}, map[string]bool{}
	for _, e := range before {
		if e.Type == agent.EvCall {
			started[e.Call.Key] = *e.Call
		}
		if e.Type == agent.EvAnswer {
			answered[e.Answer.ID] = true
		}
	}
	old, now := resultsByKey(before), resultsByKey(after)
	for k, texts := range old {
		if len(texts) == 1 && !slices.Equal(now[k], texts) {
			t.Errorf("result of %s was %q, is %q", k, texts, now[k])
		}
	}
	for k, c := range started {
		if len(old[k]) == 1 {
			continue
		}
		var in word
		_ = json.Unmarshal(c.Args, &in)
		again := g.ran[c.Name+" "+in.Do]
		switch c.Name {
		case "read", "child":
			if again != 1 || strings.Contains(now[k][0], "interrupted") {
				t.Errorf("%s %s was started: ran again %d times, result %q; want once", c.Name, in.Do, again, now[k])
			}
		default:
			if again != 0 || !strings.HasPrefix(now[k][0], "interrupted") {
				t.Errorf("%s %s was started: ran again %d times, result %q; want interrupted", c.Name, in.Do, again, now[k])
			}
		}
	}
	for what, n := range g.ran {
		if n > 1 {
			t.Errorf("%s ran %d times in one life", what, n)
		}
	}
	for id, n := range g.asked {
		if n != 1 || answered[id] {
			t.Errorf("question %s was put %d times, answered before: %v", id, n, answered[id])
		}
	}
	asks := map[string]int{}
	for _, e := range after {
		if e.Type == agent.EvAsk {
			asks[e.Ask.ID]++
		}
	}
	for id, n := range asks {
		if n != 1 {
			t.Errorf("question %s is logged %d times", id, n)
		}
	}
}

// Killed between the answer and the end: the model is not called again.
func TestCrashBetweenAnswerAndEnd(t *testing.T) {
	full, cuts := sagaCuts(t)
	c := cuts[len(full)-2]
	if m := c.before[len(c.before)-1].Message; m == nil || m.Text() != "the end" {
		t.Fatal("not the place meant")
	}
	g := newSaga(journalOf(t, c.lines))
	evs := mustRun(t, g.agent().Run(t.Context(), loadLines(t, "s", c.lines)))
	if types(evs) != "end" || len(g.model.Requests()) != 0 {
		t.Errorf("events %s, %d requests", types(evs), len(g.model.Requests()))
	}
}

// Cancelled at every event and then gone on with: the same holds as for a crash, and requests are valid.
func TestCancelAtEveryEventThenGoOn(t *testing.T) {
	full, _ := sagaCuts(t)
	for at := 1; at <= len(full); at += 3 {
		g := newSaga(&agenttest.Journal{})
		a := g.agent()
		s := agent.NewSession("s")
		n := 0
		for e, err := range a.Run(t.Context(), s, sagaInput()) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type.Durable() {
				n++
			}
			if n == at {
				break
			}
		}
		end := lastEnd(t, stored(t, g.journal))
		if end.Stop != agent.RunCancelled && end.Stop != agent.RunEnd {
			t.Errorf("at %d: stop %s", at, end.Stop)
		}
		mustRun(t, a.Run(t.Context(), s, agent.Say("go on")))
		log := stored(t, g.journal)
		checkPairs(t, log)
		checkOrder(t, s)
		if d := diffSessions(s, load(t, g.journal, "s")); d != "" {
			t.Errorf("at %d: %s", at, d)
		}
	}
}

func TestStartedCallsOfAnEarlierLifeThatCannotGoOn(t *testing.T) {
	var j agenttest.Journal
	write := tool("write", agent.Writes, func(context.Context, string) (agent.Result, error) { return agent.TextResult("w"), nil })
	model := agenttest.NewModel(agenttest.CallTools("write", `{"do":"1"}`, "write", `{"do":"2"}`), agenttest.Say("ok"))
	a := &agent.Agent{Model: model, Tools: []agent.Tool{write}, Journal: j.Append}
	mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	lines := j.Lines()
	i := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"type":"call"`)) })
	lines = lines[:i+1] // the first call is started

	t.Run("cancelled before it is decided", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := loadLines(t, "s", lines)
		a.Journal = nil
		mustRun(t, a.Run(ctx, s))
		got := resultTexts(s)
		if len(got) != 2 || !strings.HasPrefix(got[0], "interrupted") || !strings.HasPrefix(got[1], "cancelled") {
			t.Errorf("%q", got)
		}
	})
	t.Run("the person spoke: a started one is not skipped", func(t *testing.T) {
		resume := write
		resume.Resume = true
		s := loadLines(t, "s", lines)
		b := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("ok")), Tools: []agent.Tool{resume}, Waiting: func() bool { return true }}
		mustRun(t, b.Run(t.Context(), s))
		wantSame(t, "results", resultTexts(s), []string{"w", "skipped: the person spoke"})
	})
	t.Run("a hook stops the run", func(t *testing.T) {
		s := loadLines(t, "s", lines)
		reads := write
		reads.Effect = agent.Reads
		b := &agent.Agent{Model: agenttest.NewModel(), Tools: []agent.Tool{reads}, Hooks: []agent.Hook{{
			Name: "h", BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
				return agent.Decision{}, errors.New("bug")
			},
		}}}
		mustRun(t, b.Run(t.Context(), s))
		if got := resultTexts(s); !strings.HasPrefix(got[0], "interrupted") || !strings.HasPrefix(got[1], "not run") {
			t.Errorf("%q", got)
		}
	})
}
