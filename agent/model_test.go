package agent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// hangingModel sends its chunks and then waits for the end of the request.
type hangingModel struct{ chunks []agent.Chunk }

func (m *hangingModel) Info() agent.ModelInfo { return agent.ModelInfo{Name: "hanging"} }

func (m *hangingModel) Stream(ctx context.Context, _ *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for _, c := range m.chunks {
			if !yield(c, nil) {
				return
			}
		}
		<-ctx.Done()
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrNetwork, Err: ctx.Err()})
	}
}

func TestModelStops(t *testing.T) {
	say := func(text string, stop agent.StopReason) agenttest.Reply {
		return agenttest.Reply{Text: text, Stop: stop}
	}
	call := func(stop agent.StopReason) agenttest.Reply {
		r := agenttest.CallTool("echo", `{"do":"x"}`)
		r.Stop = stop
		return r
	}
	tooLong := agenttest.Fail(&agent.ModelError{Kind: agent.ErrContextLength, Err: errors.New("too long")})
	for _, c := range []struct {
		name   string
		script []agenttest.Reply
		keep   int // of the compaction, 0 = none
		stop   agent.RunStop
		asked  int // requests
	}{
		{"end", []agenttest.Reply{say("a", agent.StopEnd)}, 0, agent.RunEnd, 1},
		{"calls with the stop of an answer", []agenttest.Reply{call(agent.StopEnd), say("a", agent.StopEnd)}, 0, agent.RunEnd, 2},
		{"length", []agenttest.Reply{say("a", agent.StopLength)}, 0, agent.RunLength, 1},
		{"length with whole calls", []agenttest.Reply{call(agent.StopLength), say("a", agent.StopEnd)}, 0, agent.RunEnd, 2},
		{"refused", []agenttest.Reply{say("a", agent.StopRefused)}, 0, agent.RunRefused, 1},
		{"pause", []agenttest.Reply{say("a", agent.StopPause), say("b", agent.StopEnd)}, 0, agent.RunEnd, 2},
		{"pause with calls", []agenttest.Reply{call(agent.StopPause), say("b", agent.StopEnd)}, 0, agent.RunEnd, 2},
		{"overflow without compaction", []agenttest.Reply{say("a", agent.StopOverflow)}, 0, agent.RunOverflow, 1},
		{"overflow, compacted", []agenttest.Reply{call(""), say("a", agent.StopOverflow), say("b", agent.StopEnd)}, 2, agent.RunEnd, 3},
		{"context length, compacted", []agenttest.Reply{call(""), tooLong, say("b", agent.StopEnd)}, 2, agent.RunEnd, 3},
		{"overflow without end", []agenttest.Reply{call(""), call(""), call(""), tooLong, tooLong, tooLong, tooLong, tooLong}, 2, agent.RunOverflow, 6},
		{"nothing", []agenttest.Reply{{}}, 0, agent.RunError, 1},
		{"no chunk at all", []agenttest.Reply{{Chunks: []agent.Chunk{}}}, 0, agent.RunError, 1},
		{"an error of another type", []agenttest.Reply{agenttest.Fail(errors.New("odd"))}, 0, agent.RunError, 1},
		{"a part out of bounds", []agenttest.Reply{{Chunks: []agent.Chunk{{Index: 5_000_000, Part: &agent.Part{Kind: agent.Text, Text: "x"}}}}}, 0, agent.RunError, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := agenttest.NewModel(c.script...)
			var j agenttest.Journal
			a := &agent.Agent{Model: m, Tools: []agent.Tool{echo("echo")}, Journal: j.Append}
			if c.keep > 0 {
				a.Compact = agenttest.Trim(c.keep)
			}
			s := agent.NewSession("s")
			end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
			if end.Stop != c.stop || len(m.Requests()) != c.asked {
				t.Errorf("stop %s after %d requests, want %s after %d (%v)", end.Stop, len(m.Requests()), c.stop, c.asked, end.Error)
			}
			if (c.stop == agent.RunError) != (end.Error != nil && end.Error.Message != "") && c.stop != agent.RunOverflow {
				t.Errorf("error %v", end.Error)
			}
			checkPairs(t, stored(t, &j))
			if d := diffSessions(s, load(t, &j, "s")); d != "" {
				t.Error(d)
			}
		})
	}
}

// After a pause nothing stands between the two requests: no hook, no compaction, no message.
func TestPauseAddsNothing(t *testing.T) {
	m := agenttest.NewModel(agenttest.Reply{Text: "a", Stop: agent.StopPause}, agenttest.Say("b"))
	injected := 0
	a := &agent.Agent{Model: m, Hooks: []agent.Hook{{Inject: func(_ context.Context, _ *agent.Session, stopping bool) (*agent.Note, error) {
		if injected++; injected == 2 && !stopping {
			t.Error("asked between a pause and its continuation")
		}
		return nil, nil
	}}}}
	evs := mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	if got := types(evs); got != "message setup step chunk message step chunk message end" {
		t.Error(got)
	}
	if n := len(m.Requests()[1].Messages); n != 2 {
		t.Errorf("%d messages in the second request", n)
	}
}

func TestErrorOfTheModelInTheEnd(t *testing.T) {
	cause := errors.New("slow down")
	me := &agent.ModelError{Kind: agent.ErrRateLimit, Provider: "vendor", Status: 429, Retryable: true, RetryAfter: 1500 * time.Millisecond, Err: cause}
	end := lastEnd(t, mustRun(t, (&agent.Agent{Model: agenttest.NewModel(agenttest.Reply{Text: "x", Err: me, Usage: nil})}).Run(t.Context(), agent.NewSession("s"), agent.Say("go"))))
	wantSame(t, "error", *end.Error, agent.Error{
		Kind: agent.ErrRateLimit, Message: "vendor: rate_limit (HTTP 429): slow down", Provider: "vendor", Status: 429, Retryable: true, RetryAfterS: 1.5,
	})
	if !errors.Is(me, cause) {
		t.Error("the cause is hidden")
	}
}

// What withdrawn and failed attempts cost counts, wherever it can be written down.
func TestCostOfFailedAttempts(t *testing.T) {
	use := func(n int64) *agent.Usage { return &agent.Usage{Input: new(n)} }
	half := agent.TextPart("half")
	failing := agenttest.Reply{Chunks: []agent.Chunk{{Part: &half, Usage: use(5)}, {Reset: true}, {Part: &half, Usage: use(7)}}}
	var j agenttest.Journal
	a := &agent.Agent{Model: agenttest.NewModel(failing, agenttest.Reply{Text: "ok", Usage: use(11)}), Journal: j.Append}
	s := agent.NewSession("s")
	evs := mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	if end := lastEnd(t, evs); *end.Usage.Input != 12 {
		t.Errorf("the failed run cost %d", *end.Usage.Input)
	}
	evs = mustRun(t, a.Run(t.Context(), s))
	if end := lastEnd(t, evs); *end.Usage.Input != 11 || end.Steps != 1 {
		t.Errorf("the second run cost %d in %d steps: the first one's are not its own", *end.Usage.Input, end.Steps)
	}
	if *s.Total.Input != 23 || *load(t, &j, "s").Total.Input != 23 {
		t.Errorf("total %d", *s.Total.Input)
	}
}

func TestSetupIsLoggedWhenItChanges(t *testing.T) {
	m := &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply { return agenttest.Say("ok") }}
	a := &agent.Agent{Model: m, System: "one", Tools: []agent.Tool{echo("echo")}}
	s := agent.NewSession("s")
	count := func() (n int, last *agent.Setup) {
		for _, e := range mustRun(t, a.Run(t.Context(), s, agent.Say("go"))) {
			if e.Type == agent.EvSetup {
				n, last = n+1, e.Setup
			}
		}
		return n, last
	}
	if n, set := count(); n != 1 || string(set.Blobs[set.System]) != "one" || !strings.Contains(string(set.Blobs[set.Tools]), `"name":"echo"`) {
		t.Errorf("first run: %d %+v", n, set)
	}
	if n, _ := count(); n != 0 {
		t.Errorf("nothing changed: %d", n)
	}
	a.Effort = "high"
	if n, _ := count(); n != 1 {
		t.Errorf("effort changed: %d", n)
	}
	a.Hooks = []agent.Hook{{Name: "plan", BeforeModel: func(_ context.Context, _ *agent.Session, r *agent.Request) error {
		r.Tools = append(r.Tools[:0], r.Tools[1:]...)
		return nil
	}}}
	if n, _ := count(); n != 1 || len(a.Tools) != 1 || a.Tools[0].Name != "echo" {
		t.Errorf("tools hidden: %d setup events, the agent's tools are %v", n, a.Tools)
	}
}
