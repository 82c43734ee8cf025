package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A world is a random agent: what its model says, what its tools and hooks do, and what goes wrong around it.
type world struct {
	rt       *rapid.T
	journal  agenttest.Journal
	model    *agenttest.Model
	agent    *agent.Agent
	session  *agent.Session
	atStep   []int // lines stored when the n-th request was made
	events   int
	cancelAt int // event at which the context is cancelled, 0 = never
	breakAt  int
	failAt   int // durable event that cannot be stored
	cancel   context.CancelFunc
}

var errDisk = errors.New("the disk is full")

func newWorld(rt *rapid.T) *world {
	often := func(label string) int { // mostly 0: never
		return max(0, rapid.IntRange(-60, 40).Draw(rt, label))
	}
	w := &world{rt: rt, session: agent.NewSession("s"), cancelAt: often("cancelAt"), breakAt: often("breakAt"), failAt: often("failAt")}
	w.model = &agenttest.Model{Next: w.reply}
	w.journal.Fail = func(e *agent.Event) error {
		if w.failAt > 0 && e.Seq >= int64(w.failAt) {
			return errDisk
		}
		return nil
	}
	w.agent = &agent.Agent{
		System: "be brief", Model: w.model, Tools: w.tools(), Journal: w.journal.Append,
		Hooks:    []agent.Hook{w.judge(), w.watch()},
		Parallel: rapid.IntRange(0, 4).Draw(rt, "parallel"),
		MaxSteps: rapid.IntRange(0, 8).Draw(rt, "maxSteps"),
		Compact:  agenttest.Trim(rapid.IntRange(1, 6).Draw(rt, "keep")),
	}
	switch rapid.IntRange(0, 2).Draw(rt, "person") {
	case 0:
		w.agent.Ask = func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Allow: true}, nil }
	case 1:
		w.agent.Ask = func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
			return agent.Answer{Text: "no"}, pause(ctx, time.Second)
		}
	}
	return w
}

// tools are of every effect; each does what its word says.
func (w *world) tools() []agent.Tool {
	do := func(ctx context.Context, do string) (agent.Result, error) {
		switch do {
		case "fail":
			return agent.TextResult("half"), errors.New("it broke")
		case "panic":
			panic("boom")
		case "goexit":
			runtime.Goexit()
		case "slow":
			agent.Progress(ctx, "working")
			return agent.TextResult("slow"), pause(ctx, 200*time.Millisecond)
		case "stuck":
			ignoreFor(5 * time.Second)
		case "ask":
			ans, err := agent.AskUser(ctx, agent.Ask{Text: "really?", Choices: []string{"yes\xff"}})
			return agent.TextResult(strconv.FormatBool(ans.Allow)), err
		case "state":
			r := agent.TextResult("<b>&")
			r.State = map[string]json.RawMessage{"n": json.RawMessage(` { "a" : 1 } `)}
			r.Detail = json.RawMessage(`{"html": "<i>"}`)
			r.Usage = &agent.Usage{Input: num(7)}
			return r, nil
		case "last":
			r := agent.TextResult("last")
			r.EndTurn = true
			return r, nil
		}
		return agent.TextResult("ok \xff " + do), nil
	}
	checked := func(t agent.Tool) agent.Tool {
		run := t.Run
		t.Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
			if !hasCall(&w.journal, c.Key) {
				w.rt.Errorf("tool %s runs before its call %s is stored", t.Name, c.Key)
			}
			return run(ctx, c)
		}
		return t
	}
	shared, resume := tool("shared", agent.Executes, do), tool("resume", agent.Executes, do)
	shared.Shared, resume.Resume = true, true
	return []agent.Tool{
		checked(tool("read", agent.Reads, do)), checked(tool("write", agent.Writes, do)), checked(shared), checked(resume),
	}
}

func hasCall(j *agenttest.Journal, key string) bool {
	for _, l := range j.Lines() {
		if bytes.Contains(l, []byte(`"type":"call"`)) && bytes.Contains(l, []byte(`"key":"`+key+`"`)) {
			return true
		}
	}
	return false
}

// reply draws what the model says next.
func (w *world) reply(int, *agent.Request) agenttest.Reply {
	w.atStep = append(w.atStep, len(w.journal.Lines()))
	r := agenttest.Reply{Usage: &agent.Usage{Input: num(10), Output: num(1)}}
	switch rapid.IntRange(0, 11).Draw(w.rt, "reply") {
	case 0:
		r.Text, r.Stop = "done <ok> & \u2028", rapid.SampledFrom([]agent.StopReason{
			agent.StopEnd, agent.StopPause, agent.StopLength, agent.StopRefused, agent.StopOverflow,
		}).Draw(w.rt, "stop")
	case 1:
		r.Text, r.Err = "half", &agent.ModelError{Kind: rapid.SampledFrom([]agent.ErrorKind{
			agent.ErrRateLimit, agent.ErrContextLength,
		}).Draw(w.rt, "kind"), Err: errors.New("sorry")}
	case 2:
		half := agent.TextPart("withdrawn")
		whole := agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "x", Name: "read", Args: json.RawMessage(`{ "do" : "ok" }`)}}
		r.Chunks = []agent.Chunk{
			{Part: &half, Usage: r.Usage}, {Reset: true, Note: "again"}, {Index: 2, Part: &whole}, {Stop: agent.StopCalls},
		}
	case 3:
		r.Text = "the stream ends here"
		r.Chunks = []agent.Chunk{{Part: &agent.Part{Kind: agent.Text, Text: "cut"}}}
	default:
		r.Thinking = "hm"
		for range rapid.IntRange(1, 4).Draw(w.rt, "calls") {
			r.Calls = append(r.Calls, agent.Call{
				Name: rapid.SampledFrom([]string{"read", "read", "write", "shared", "shared", "resume", "nosuch", "READ", "functions.read:0"}).Draw(w.rt, "name"),
				Args: json.RawMessage(rapid.SampledFrom([]string{
					`{"do":"ok"}`, `{ "do": "<&>" }`, `{"do":"fail"}`, `{"do":"panic"}`, `{"do":"goexit"}`, `{"do":"slow"}`, `{"do":"stuck"}`,
					`{"do":"ask"}`, `{"do":"state"}`, `{"do":"last"}`, `{"Do":"ok"}`, `{"do":1}`, `{"do":"ok`, `null`, `[]`, `{"do":"ok","do":"fail"}`, ``,
				}).Draw(w.rt, "args")),
			})
		}
	}
	return r
}

// judge draws a hook's opinions.
func (w *world) judge() agent.Hook {
	pick := func(label string, n int) int { return rapid.IntRange(0, n).Draw(w.rt, label) }
	return agent.Hook{
		Name: "judge",
		BeforeTool: func(_ context.Context, _ *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
			switch pick("verdict", 14) {
			case 0:
				return agent.Decision{Verdict: agent.Deny, Reason: "no"}, nil
			case 1, 2:
				return agent.Decision{Verdict: agent.AskFirst, Reason: "may it?", Rules: []string{"r"}}, nil
			case 3:
				r := agent.TextResult("answered")
				return agent.Decision{Verdict: agent.Answered, Result: &r}, nil
			case 4:
				if !bytes.Contains(c.Args, []byte("rewritten")) {
					return agent.Decision{Args: json.RawMessage(`{"do":"rewritten"}`)}, nil
				}
			case 5:
				return agent.Decision{}, &agent.StopError{Stop: agent.RunLoop, Text: "round and round"}
			}
			return agent.Decision{}, nil
		},
		AfterTool: func(context.Context, *agent.Session, agent.Call, *agent.Result) error {
			if pick("after", 30) == 0 {
				return errors.New("a hook broke")
			}
			return nil
		},
		Inject: func(_ context.Context, _ *agent.Session, stopping bool) (*agent.Note, error) {
			switch pick("inject", 12) {
			case 0:
				return &agent.Note{State: map[string]json.RawMessage{"n": json.RawMessage("null"), "m": json.RawMessage("[ 1 ]")}}, nil
			case 1:
				if !stopping || len(w.atStep) < 6 {
					n := agent.Say("and another thing")
					n.Took = []agent.Took{{Log: "input/s", Pos: int64(10 + len(w.atStep)), ID: "id" + strconv.Itoa(len(w.atStep))}}
					return &n, nil
				}
			}
			return nil, nil
		},
	}
}

// watch holds the live session against the one that the log gives, at every durable event.
func (w *world) watch() agent.Hook {
	return agent.Hook{Name: "watch", OnEvent: func(_ context.Context, e agent.Event) {
		if w.events++; w.events == w.cancelAt {
			w.cancel()
		}
		if !e.Type.Durable() {
			return
		}
		if d := diffSessions(w.session, load(w.rt, &w.journal, "s")); d != "" {
			w.rt.Fatalf("after event %d (%s) the log gives another session (-live +loaded):\n%s", e.Seq, e.Type, d)
		}
	}}
}

func (w *world) run() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	note := agent.Say("go")
	note.Took = []agent.Took{{Log: "input/s", Pos: 5, ID: "first"}}
	n := 0
	for _, err := range w.agent.Run(ctx, w.session, note) {
		if err != nil {
			return err
		}
		if n++; n == w.breakAt {
			break
		}
	}
	return nil
}

// TestRandomRuns holds the invariants over random models, tools, hooks, cancels and failures: 2 (one result per call), 4
// (the log gives the same session), 5 (results in order), 6 (requests extend each other), 9 (what was taken stays taken),
// 10 (nothing after a failure), and that every prefix of the log can be gone on with.
func TestRandomRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { rapid.SyncTest(rt, checkWorld) })
}

func checkWorld(rt *rapid.T) {
	w := newWorld(rt)
	err := w.run()
	lines := w.journal.Lines()
	log := decodeLines(rt, lines)
	switch {
	case w.failAt > 0 && w.breakAt == 0 && len(lines) == w.failAt-1 && err == nil && !ended(log):
		rt.Fatalf("the journal failed and nobody was told")
	case err != nil && !errors.Is(err, errDisk):
		rt.Fatalf("run: %v", err)
	case w.failAt > 0 && len(lines) >= w.failAt:
		rt.Fatalf("%d lines were stored although event %d could not be", len(lines), w.failAt)
	case err == nil && w.failAt == 0:
		lastEnd(rt, log)
		checkPairs(rt, log)
		checkOrder(rt, w.session)
	}
	checkExtends(rt, w.model.Bodies(), w.atStep, log)
	ignoreFor(10 * time.Second) // stuck tools end
	for n := 1; n <= len(lines); n++ {
		goOn(rt, w, lines[:n])
	}
}

func ended(log []agent.Event) bool { return len(log) > 0 && log[len(log)-1].Type == agent.EvEnd }

// checkExtends fails unless each request begins with the one before it, or something in between explains why not.
func checkExtends(t fataler, bodies [][]byte, at []int, log []agent.Event) {
	t.Helper()
	for i := 1; i < len(bodies); i++ {
		if bytes.HasPrefix(bodies[i], bodies[i-1]) {
			continue
		}
		excused := false
		for _, e := range log[at[i-1]:at[i]] {
			excused = excused || e.Type == agent.EvCompact || e.Type == agent.EvSetup || e.Type == agent.EvVoid
		}
		if !excused {
			t.Fatalf("request %d does not extend the one before:\n%s\n---\n%s", i+1, bodies[i-1], bodies[i])
		}
	}
}

// goOn is the life after a crash: the session of a prefix of the log runs to a valid end, and no finished result changes.
func goOn(rt *rapid.T, w *world, lines [][]byte) {
	before := decodeLines(rt, lines)
	s := loadLines(rt, "s", lines)
	if !s.Taken("input/s", 5, "") || !s.Taken("input/s", 0, "first") {
		rt.Fatalf("after %d lines the first input is not taken", len(lines))
	}
	j := journalOf(rt, lines)
	tools := []agent.Tool{echo("read"), echo("write"), echo("shared"), echo("resume")}
	tools[1].Effect, tools[2].Effect, tools[3].Effect, tools[3].Resume = agent.Writes, agent.Executes, agent.Executes, true
	a := &agent.Agent{
		System: "be brief", Tools: tools, Journal: j.Append, Compact: w.agent.Compact, Parallel: 2,
		Model: &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply { return agenttest.Say("on") }},
	}
	mustRun(rt, a.Run(context.Background(), s))
	after := stored(rt, j)
	if lastEnd(rt, after); s.Open {
		rt.Fatalf("the session is open after its end")
	}
	checkPairs(rt, after)
	checkOrder(rt, s)
	old, now := resultsByKey(before), resultsByKey(after)
	for k, texts := range old {
		if len(texts) == 1 && (len(now[k]) != 1 || now[k][0] != texts[0]) {
			rt.Fatalf("the finished result of %s was replaced: %q, then %q", k, texts, now[k])
		}
	}
}
