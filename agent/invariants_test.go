package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// The ten invariants of ARCHITECTURE.md, one test each. TestRandomRuns holds most of them over random runs too.

func TestInvariant01JournalFoldObserveShow(t *testing.T) {
	trace := func(failAt int64) (steps []string, err error) {
		s := agent.NewSession("s")
		note := func(what string, e *agent.Event) {
			if e.Type.Durable() {
				steps = append(steps, fmt.Sprintf("%s %d (folded %d)", what, e.Seq, s.Seq))
			}
		}
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTool("echo", `{"do":"x"}`), agenttest.Say("done")), Tools: []agent.Tool{echo("echo")},
			Journal: func(_ context.Context, e *agent.Event) error {
				if e.Seq == failAt {
					return errDisk
				}
				note("journal", e)
				return nil
			},
			Hooks: []agent.Hook{{Name: "watch", OnEvent: func(_ context.Context, e agent.Event) { note("observe", &e) }}},
		}
		for e, rerr := range a.Run(t.Context(), s, agent.Say("go")) {
			if rerr != nil {
				err = rerr
				break
			}
			note("show", &e)
		}
		return steps, err
	}
	want := func(upTo int64) (steps []string) {
		for n := range upTo {
			steps = append(steps, fmt.Sprintf("journal %d (folded %d)", n+1, n),
				fmt.Sprintf("observe %d (folded %d)", n+1, n+1), fmt.Sprintf("show %d (folded %d)", n+1, n+1))
		}
		return steps
	}
	const events = 7 // message, setup, message, call, result, message, end
	t.Run("in this order", func(t *testing.T) {
		steps, err := trace(0)
		wantSame(t, "steps", steps, want(events))
		if err != nil {
			t.Error(err)
		}
	})
	for failAt := int64(1); failAt <= events; failAt++ {
		t.Run(fmt.Sprintf("what cannot be stored is not shown/%d", failAt), func(t *testing.T) {
			steps, err := trace(failAt)
			wantSame(t, "steps", steps, want(failAt-1))
			if !errors.Is(err, errDisk) {
				t.Errorf("error %v, want the journal's", err)
			}
		})
	}
}

func TestInvariant02EveryCallHasOneResult(t *testing.T) {
	calls := agenttest.CallTools("read", `{"do":"a"}`, "write", `{"do":"b"}`, "nosuch", `{}`, "read", `{"do":`)
	stop := &agent.StopError{Stop: agent.RunBudget, Text: "too dear"}
	for _, c := range []struct {
		name  string
		end   agent.RunStop
		shape func(a *agent.Agent, cancel context.CancelCauseFunc)
	}{
		{"answered", agent.RunEnd, func(*agent.Agent, context.CancelCauseFunc) {}},
		{"step limit", agent.RunSteps, func(a *agent.Agent, _ context.CancelCauseFunc) { a.MaxSteps = 1 }},
		{"stopped before a tool", agent.RunBudget, func(a *agent.Agent, _ context.CancelCauseFunc) {
			a.Hooks = []agent.Hook{{Name: "b", BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, _ agent.Call) (agent.Decision, error) {
				if t.Name == "write" {
					return agent.Decision{}, stop
				}
				return agent.Decision{}, nil
			}}}
		}},
		{"stopped after a tool", agent.RunBudget, func(a *agent.Agent, _ context.CancelCauseFunc) {
			a.Hooks = []agent.Hook{{Name: "b", AfterTool: func(context.Context, *agent.Session, agent.Call, *agent.Result) error { return stop }}}
		}},
		{"a hook breaks", agent.RunError, func(a *agent.Agent, _ context.CancelCauseFunc) {
			a.Hooks = []agent.Hook{{Name: "b", AfterTool: func(context.Context, *agent.Session, agent.Call, *agent.Result) error { return errors.New("bug") }}}
		}},
		{"cancelled at the call", agent.RunCancelled, func(a *agent.Agent, cancel context.CancelCauseFunc) {
			a.Hooks = []agent.Hook{{Name: "b", OnEvent: func(_ context.Context, e agent.Event) {
				if e.Type == agent.EvCall {
					cancel(nil)
				}
			}}}
		}},
		{"stopped by the context's cause", agent.RunBudget, func(a *agent.Agent, cancel context.CancelCauseFunc) {
			a.Hooks = []agent.Hook{{Name: "b", OnEvent: func(_ context.Context, e agent.Event) {
				if e.Type == agent.EvCall {
					cancel(stop)
				}
			}}}
		}},
		{"the model fails", agent.RunError, func(a *agent.Agent, _ context.CancelCauseFunc) {
			a.Model = agenttest.NewModel(calls, agenttest.Fail(&agent.ModelError{Kind: agent.ErrAuth}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var j agenttest.Journal
			started := map[string]bool{}
			see := func(do string) (agent.Result, error) {
				for _, e := range stored(t, &j) {
					if e.Type == agent.EvCall && strings.Contains(string(e.Call.Args), do) {
						started[do] = true
					}
				}
				if !started[do] {
					t.Errorf("the tool runs for %q before its call event is stored", do)
				}
				return agent.TextResult(do), nil
			}
			a := &agent.Agent{Model: agenttest.NewModel(calls, agenttest.Say("done")), Journal: j.Append, Tools: []agent.Tool{
				tool("read", agent.Reads, func(_ context.Context, do string) (agent.Result, error) { return see(do) }),
				tool("write", agent.Writes, func(_ context.Context, do string) (agent.Result, error) { return see(do) }),
			}}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c.shape(a, cancel)
			s := agent.NewSession("s")
			mustRun(t, a.Run(ctx, s, agent.Say("go")))
			log := stored(t, &j)
			if end := lastEnd(t, log); end.Stop != c.end {
				t.Errorf("stop %s, want %s", end.Stop, c.end)
			}
			checkPairs(t, log)
			checkOrder(t, s)
		})
	}
}

func TestInvariant03BuilderDoesNotDependOnTheCut(t *testing.T) {
	t.Run("allocations are those of the text, not of the pieces", func(t *testing.T) {
		allocs := func(n int) float64 {
			piece := agent.Part{Kind: agent.CallKind, Text: "x"}
			return testing.AllocsPerRun(3, func() {
				var b agent.Builder
				for range n {
					if err := b.Add(agent.Chunk{Part: &piece}); err != nil {
						t.Fatal(err)
					}
				}
				if len(b.Message().Parts) != 1 {
					t.Fatal("lost")
				}
			})
		}
		// A buffer that doubles allocates once per doubling; gluing strings allocates once per piece.
		if small, big := allocs(1<<10), allocs(1<<17); big > small+64 {
			t.Errorf("%.0f allocations for 1,024 pieces, %.0f for 131,072", small, big)
		}
	})
	t.Run("bytes grow with the text", func(t *testing.T) {
		bytesFor := func(n int) uint64 {
			piece := agent.TextPart("xyz ")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var b agent.Builder
			for range n {
				_ = b.Add(agent.Chunk{Part: &piece})
			}
			m := b.Message()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(m)
			return after.TotalAlloc - before.TotalAlloc
		}
		const n = 32 << 10 // 128 kB of text; gluing strings would allocate 2 GB
		if got := bytesFor(n); got > 16*4*n {
			t.Errorf("%d bytes allocated for %d bytes of text", got, 4*n)
		}
	})
}

func TestInvariant04ReplayGivesEqualSessionAndRequests(t *testing.T) {
	args := `{ "html" : "<b>&amp;</b>", "sep":"` + "\u2028" + `", "n": 1e2, "big": 12345678901234567890, "esc":"\ud83d" }`
	script := []agenttest.Reply{
		{Thinking: "<hm> &", Calls: []agent.Call{{ID: "a", Name: "echo", Args: json.RawMessage(args)}}, Usage: &agent.Usage{Input: num(3), Cached: num(0)}},
		{Text: "bad utf8 \xff\xfe <end>", Stop: agent.StopEnd},
		agenttest.Say("more"),
	}
	free := agent.Tool{Name: "echo", Effect: agent.Reads, Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
		return agent.Result{
			Parts:  []agent.Part{agent.TextPart("a < b & \xc3 c"), {Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "\xff.png", SHA256: "00"}}},
			Detail: json.RawMessage("{ \"x\" : \"<\" }"), State: map[string]json.RawMessage{"k": json.RawMessage(`[ "<" ]`)},
		}, nil
	}}
	var j agenttest.Journal
	model := agenttest.NewModel(script...)
	a := &agent.Agent{System: "<sys>", Model: model, Tools: []agent.Tool{free}, Journal: j.Append}
	live := agent.NewSession("s")
	evs := mustRun(t, a.Run(t.Context(), live, agent.Say("1 < 2 && 3 > 2 \xff")))

	t.Run("equal session", func(t *testing.T) {
		if d := diffSessions(live, load(t, &j, "s")); d != "" {
			t.Error(d)
		}
	})
	t.Run("byte-equal requests", func(t *testing.T) {
		body := func(s *agent.Session) []byte {
			m := agenttest.NewModel(agenttest.Say("x"))
			b := &agent.Agent{System: "<sys>", Model: m, Tools: []agent.Tool{free}}
			mustRun(t, b.Run(t.Context(), s, agent.Say("next")))
			return m.Bodies()[0]
		}
		fromLog := body(load(t, &j, "s"))
		fromLive := body(live)
		if !bytes.Equal(fromLive, fromLog) {
			t.Errorf("live:\n%s\nloaded:\n%s", fromLive, fromLog)
		}
	})
	t.Run("no HTML escaping, compact raw JSON", func(t *testing.T) {
		all := string(bytes.Join(j.Lines(), nil))
		for _, bad := range []string{`\u003c`, `\u003e`, `\u0026`, `"html" :`, `{ `} {
			if strings.Contains(all, bad) {
				t.Errorf("the log contains %s", bad)
			}
		}
		for _, good := range []string{`"html":"<b>&amp;</b>"`, `"big":12345678901234567890`, `"n":1e2`, `"esc":"\ud83d"`} {
			if !strings.Contains(all, good) {
				t.Errorf("the log does not contain %s", good)
			}
		}
	})
	t.Run("events survive the log", func(t *testing.T) {
		if d := cmp.Diff(durable(evs), decodeLines(t, j.Lines()), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(agent.Setup{}, "Blobs")); d != "" {
			t.Errorf("shown (-) and stored (+):\n%s", d)
		}
		for _, e := range evs {
			if e.Time.Location() != time.UTC || strings.Contains(e.Time.String(), "m=") {
				t.Errorf("event %d: time %s is not plain UTC", e.Seq, e.Time)
			}
		}
	})
}

func goroutine() string {
	var buf [64]byte
	line, _, _ := strings.Cut(string(buf[:runtime.Stack(buf[:], false)]), " [")
	return line
}

func TestInvariant05ParallelAndAlone(t *testing.T) {
	t.Run("only the loop's goroutine yields", func(t *testing.T) {
		chatty := tool("chatty", agent.Reads, func(ctx context.Context, do string) (agent.Result, error) {
			agent.Progress(ctx, "one")
			_, err := agent.AskUser(ctx, agent.Ask{Text: do})
			agent.Progress(ctx, "two")
			return agent.TextResult(do), err
		})
		own := goroutine()
		check := func(what string) {
			if g := goroutine(); g != own {
				t.Errorf("%s on %s, not %s", what, g, own)
			}
		}
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTools("chatty", `{"do":"1"}`, "chatty", `{"do":"2"}`, "chatty", `{"do":"3"}`), agenttest.Say("ok")),
			Tools: []agent.Tool{chatty}, Parallel: 3,
			Ask:     func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Allow: true}, nil },
			Journal: func(context.Context, *agent.Event) error { check("journal"); return nil },
			Hooks: []agent.Hook{{
				OnEvent:   func(context.Context, agent.Event) { check("observer") },
				AfterTool: func(context.Context, *agent.Session, agent.Call, *agent.Result) error { check("hook"); return nil },
			}},
		}
		progress := 0
		for e, err := range a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")) {
			check("yield")
			if e.Type == agent.EvProgress {
				progress++
			}
			if err != nil {
				t.Error(err)
			}
		}
		if progress != 6 {
			t.Errorf("%d progress events, want 6", progress)
		}
	})
	t.Run("who runs beside whom", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			type span struct {
				name       string
				start, end time.Duration
			}
			var mu sync.Mutex
			var spans []span
			begin := time.Now()
			timed := func(name string, e agent.Effect, shared bool) agent.Tool {
				tl := tool(name, e, func(ctx context.Context, do string) (agent.Result, error) {
					s := span{name: name + do, start: time.Since(begin)}
					err := pause(ctx, time.Second)
					s.end = time.Since(begin)
					mu.Lock()
					spans = append(spans, s)
					mu.Unlock()
					return agent.TextResult(do), err
				})
				tl.Shared = shared
				return tl
			}
			alone := timed("alone", agent.Reads, false)
			alone.Alone = true
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTools(
					"read", `{"do":"1"}`, "shared", `{"do":"2"}`, "write", `{"do":"3"}`, "unknown", `{"do":"4"}`, "read", `{"do":"5"}`, "read", `{"do":"6"}`, "alone", `{"do":"7"}`, "read", `{"do":"8"}`), agenttest.Say("ok")),
				Tools: []agent.Tool{
					timed("read", agent.Reads, false), timed("shared", agent.Executes, true), timed("write", agent.Writes, false), timed("unknown", agent.Unknown, false), alone,
				},
				Parallel: 8,
			}
			mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
			slices.SortFunc(spans, func(a, b span) int { return strings.Compare(a.name[len(a.name)-1:], b.name[len(b.name)-1:]) })
			var got []string
			for _, s := range spans {
				got = append(got, fmt.Sprintf("%s %v-%v", s.name, s.start, s.end))
			}
			wantSame(t, "times", got, []string{
				"read1 0s-1s", "shared2 0s-1s", "write3 1s-2s", "unknown4 2s-3s", "read5 3s-4s", "read6 3s-4s", "alone7 4s-5s", "read8 5s-6s",
			})
		})
	})
	t.Run("results in the order of the calls, one failing spoils none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			waits := map[string]time.Duration{"a": 3 * time.Second, "b": time.Second, "c": 2 * time.Second}
			slow := tool("slow", agent.Reads, func(ctx context.Context, do string) (agent.Result, error) {
				if err := pause(ctx, waits[do]); err != nil {
					return agent.Result{}, err
				}
				if do == "b" {
					return agent.Result{}, errors.New("b broke")
				}
				return agent.TextResult(do), nil
			})
			var j agenttest.Journal
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTools("slow", `{"do":"a"}`, "slow", `{"do":"b"}`, "slow", `{"do":"c"}`), agenttest.Say("ok")),
				Tools: []agent.Tool{slow}, Parallel: 3, Journal: j.Append,
			}
			s := agent.NewSession("s")
			mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
			wantSame(t, "results", resultTexts(s), []string{"a", "b broke", "c"})
			wantSame(t, "loaded results", resultTexts(load(t, &j, "s")), []string{"a", "b broke", "c"})
			var order []string
			for _, e := range stored(t, &j) {
				if e.Message != nil && e.Message.Result() != nil {
					order = append(order, e.Message.Result().Text())
				}
			}
			wantSame(t, "order of the log", order, []string{"b broke", "c", "a"})
		})
	})
}

func TestInvariant06RequestsExtendEachOther(t *testing.T) {
	const steps = 100
	var j agenttest.Journal
	var at []int
	model := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
		at = append(at, len(j.Lines()))
		if n == steps {
			return agenttest.Say("done")
		}
		return agenttest.CallTools("echo", fmt.Sprintf(`{"do":"<%d>"}`, n), "echo", `{ "do" : "two" }`)
	}}
	a := &agent.Agent{System: "s", Model: model, Tools: []agent.Tool{echo("echo")}, Journal: j.Append, Parallel: 2}
	s := agent.NewSession("s")
	n := 0
	for e, err := range a.Run(t.Context(), s, agent.Say("go")) { // the first life is cut off in mid-run
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvStep {
			n++
		}
		if n == steps/2 {
			break
		}
	}
	lines := j.Lines()
	lines = lines[:len(lines)-1] // as if killed before the end was written
	s = loadLines(t, "s", lines)
	j2 := journalOf(t, lines)
	a.Journal = j2.Append
	mustRun(t, a.Run(t.Context(), s))
	bodies := model.Bodies()
	if len(bodies) < steps {
		t.Fatalf("%d requests", len(bodies))
	}
	for i := 1; i < len(bodies); i++ {
		if !bytes.HasPrefix(bodies[i], bodies[i-1]) {
			t.Fatalf("request %d does not extend request %d", i+1, i)
		}
	}
	t.Run("a hook may not change the messages", func(t *testing.T) {
		for name, change := range map[string]func(*agent.Request){
			"append":  func(r *agent.Request) { r.Messages = append(r.Messages, agent.TextMessage(agent.User, "psst")) },
			"replace": func(r *agent.Request) { r.Messages = slices.Clone(r.Messages) },
		} {
			m := agenttest.NewModel(agenttest.Say("x"))
			a := &agent.Agent{Model: m, Hooks: []agent.Hook{{Name: "sly", BeforeModel: func(_ context.Context, _ *agent.Session, r *agent.Request) error {
				change(r)
				return nil
			}}}}
			end := lastEnd(t, mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("hi"))))
			if end.Stop != agent.RunError || !strings.Contains(end.Error.Message, "sly") || len(m.Requests()) != 0 {
				t.Errorf("%s: %s %v", name, end.Stop, end.Error)
			}
		}
	})
}

func TestInvariant07RetryIsCleanAndRunsNoTool(t *testing.T) {
	part := func(i int, p agent.Part) agent.Chunk { return agent.Chunk{Index: i, Part: &p} }
	call := func(args string) agent.Part {
		return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "c1", Name: "echo"}, Text: args}
	}
	ran := 0
	counted := tool("echo", agent.Executes, func(_ context.Context, do string) (agent.Result, error) {
		ran++
		return agent.TextResult(do), nil
	})
	t.Run("a withdrawn attempt", func(t *testing.T) {
		ran = 0
		var j agenttest.Journal
		m := agenttest.NewModel(agenttest.Reply{Chunks: []agent.Chunk{
			part(0, agent.TextPart("first try ")), part(1, call(`{"do":"wrong"}`)),
			{Usage: &agent.Usage{Input: num(5)}},
			{Reset: true, Note: "network, again"},
			part(0, agent.TextPart("second")), part(1, call(`{"do":"right"}`)),
			{Usage: &agent.Usage{Input: num(6)}, Stop: agent.StopCalls},
		}}, agenttest.Say("done"))
		a := &agent.Agent{Model: m, Tools: []agent.Tool{counted}, Journal: j.Append}
		s := agent.NewSession("s")
		evs := mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
		if ran != 1 {
			t.Errorf("%d tools ran", ran)
		}
		if got := s.Messages[1].Text(); got != "second" {
			t.Errorf("stored %q", got)
		}
		if strings.Contains(string(bytes.Join(j.Lines(), nil)), "first try") {
			t.Error("the withdrawn text is in the log")
		}
		i := slices.IndexFunc(evs, func(e agent.Event) bool { return e.Type == agent.EvRetry })
		if i < 0 || evs[i].Text != "network, again" || types(evs[i-2:i]) != "chunk chunk" {
			t.Errorf("no retry event behind what is withdrawn: %s", types(evs))
		}
		if *s.Usage.Input != 11 {
			t.Errorf("input %d, want both attempts", *s.Usage.Input)
		}
	})
	t.Run("a failed stream stores nothing, and the next run asks the same", func(t *testing.T) {
		ran = 0
		var j agenttest.Journal
		m := agenttest.NewModel(
			agenttest.Reply{Chunks: []agent.Chunk{part(0, agent.TextPart("half")), part(1, call(`{"do":"x"}`))}}, // ends without a stop
			agenttest.Say("whole"))
		a := &agent.Agent{Model: m, Tools: []agent.Tool{counted}, Journal: j.Append}
		s := agent.NewSession("s")
		evs := mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
		if end := lastEnd(t, evs); end.Stop != agent.RunError || end.Error.Kind != agent.ErrTruncated || !end.Error.Retryable {
			t.Errorf("%+v", end)
		}
		if types(evs) != "message setup step chunk chunk retry end" {
			t.Error(types(evs))
		}
		mustRun(t, a.Run(t.Context(), s))
		if b := m.Bodies(); !bytes.Equal(b[0], b[1]) {
			t.Errorf("first\n%s\nthen\n%s", b[0], b[1])
		}
		if ran != 0 || s.Messages[len(s.Messages)-1].Text() != "whole" {
			t.Errorf("%d tools ran, last message %q", ran, s.Messages[len(s.Messages)-1].Text())
		}
	})
}

func TestInvariant08FaultsAreResults(t *testing.T) {
	bad := tool("bad", agent.Executes, func(_ context.Context, do string) (agent.Result, error) {
		switch do {
		case "error":
			return agent.TextResult("got so far"), errors.New("it broke")
		case "panic":
			panic("boom")
		case "goexit":
			runtime.Goexit()
		}
		return agent.TextResult("fine"), nil
	})
	bad.Aliases = []string{"evil"}
	renamed := agent.Tool{
		Name: "ours", Alias: "theirs", Schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}`),
		Rename: func(args json.RawMessage) (json.RawMessage, error) {
			return bytes.Replace(args, []byte("file_path"), []byte("path"), 1), nil
		},
		Check: func(args json.RawMessage) error {
			return agent.CheckArgs(json.RawMessage(`{"required":["path"]}`), args)
		},
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.TextResult(string(c.Args)), nil
		},
	}
	for _, c := range []struct {
		name, tool, args string
		started          bool
		want             []string
	}{
		{"error keeps what was done", "bad", `{"do":"error"}`, true, []string{"got so far", "it broke"}},
		{"panic", "bad", `{"do":"panic"}`, true, []string{"panicked: boom"}},
		{"goexit", "bad", `{"do":"goexit"}`, true, []string{"without a result"}},
		{"fine by another name", "evil", `{ "do" : "x" }`, true, []string{"fine"}},
		{"fine with template noise", "functions.bad:0", `{"do":"x"}`, true, []string{"fine"}},
		{"renamed", "theirs", `{"file_path":"f"}`, true, []string{`{"path":"f"}`}},
		{"renamed, wrong", "theirs", `{"path":"f"}`, false, []string{"file_path: is required"}},
		{"unknown tool", "nosuch", `{}`, false, []string{"unknown tool \"nosuch\"", "bad, theirs"}},
		{"no JSON", "bad", `{"do":`, false, []string{"not valid JSON"}},
		{"nothing", "bad", ``, false, []string{"do: is required"}},
		{"null", "bad", `null`, false, []string{"must be one JSON object"}},
		{"list", "bad", `[1]`, false, []string{"must be one JSON object"}},
		{"two objects", "bad", `{"do":"a"}{"do":"b"}`, false, []string{"not valid JSON"}},
		{"duplicate key", "bad", `{"do":"a","do":"b"}`, false, []string{"do: is given twice"}},
		{"wrong case", "bad", `{"Do":"a"}`, false, []string{`write "do" exactly so`, "do: is required"}},
		{"wrong type", "bad", `{"do":7}`, false, []string{"do: must be string, not integer"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var judged []string
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTool(c.tool, c.args), agenttest.Say("done")), Tools: []agent.Tool{bad, renamed},
				Hooks: []agent.Hook{{BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, call agent.Call) (agent.Decision, error) {
					judged = append(judged, t.Name+" "+call.Name+" "+string(call.Args))
					return agent.Decision{}, nil
				}}},
			}
			s := agent.NewSession("s")
			evs := mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
			r := s.Messages[2].Result()
			for _, w := range c.want {
				if !strings.Contains(r.Text(), w) {
					t.Errorf("result %q lacks %q", r.Text(), w)
				}
			}
			started := slices.ContainsFunc(evs, func(e agent.Event) bool { return e.Type == agent.EvCall })
			if started != c.started || (len(judged) == 1) != c.started {
				t.Errorf("call event %v, judged %q; want %v", started, judged, c.started)
			}
			for _, seen := range judged {
				if strings.Contains(seen, "file_path") || strings.Contains(seen, "evil") || strings.Contains(seen, " :") {
					t.Errorf("a hook saw the model's names: %s", seen)
				}
			}
			if lastEnd(t, evs).Stop != agent.RunEnd {
				t.Error("the run did not go on")
			}
		})
	}
}

func TestInvariant09TakenOnce(t *testing.T) {
	note := agent.Say("hello")
	note.Took = []agent.Took{{Log: "input/s", Pos: 10, ID: "a"}, {Log: "job/1", Pos: 3, Through: true}}
	quiet := agent.Note{Took: []agent.Took{{Log: "input/s", Pos: 20, ID: "b"}}}
	setup := func(t *testing.T) (*agent.Agent, *agent.Session, *agenttest.Journal) {
		j := &agenttest.Journal{}
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("hi"), agenttest.Say("hi")), Journal: j.Append, Compact: agenttest.Trim(1)}
		s := agent.NewSession("s")
		mustRun(t, a.Run(t.Context(), s, note, quiet))
		return a, s, j
	}
	checkTaken := func(t *testing.T, s *agent.Session) {
		t.Helper()
		for _, c := range []struct {
			log  string
			pos  int64
			id   string
			want bool
		}{
			{"input/s", 10, "", true},
			{"input/s", 99, "a", true},
			{"input/s", 20, "", true},
			{"input/s", 21, "b", true},
			{"job/1", 1, "", true},
			{"job/1", 3, "", true},
			{"job/1", 4, "", false},
			{"input/s", 11, "c", false},
			{"other", 10, "a", false},
		} {
			if got := s.Taken(c.log, c.pos, c.id); got != c.want {
				t.Errorf("Taken(%s, %d, %q) = %v", c.log, c.pos, c.id, got)
			}
		}
	}
	t.Run("recorded in the event that uses it", func(t *testing.T) {
		_, s, j := setup(t)
		checkTaken(t, s)
		log := stored(t, j)
		wantSame(t, "took of the message", log[0].Took, note.Took)
		if log[1].Type != agent.EvState {
			t.Fatalf("a note without messages made %s", log[1].Type)
		}
		wantSame(t, "took of the state event", log[1].Took, quiet.Took)
	})
	t.Run("after a restart", func(t *testing.T) {
		_, _, j := setup(t)
		checkTaken(t, load(t, j, "s"))
	})
	t.Run("after compactions", func(t *testing.T) {
		a, s, j := setup(t)
		for range 2 {
			mustRun(t, a.CompactNow(t.Context(), s, ""))
			mustRun(t, a.Run(t.Context(), load(t, j, "s")))
		}
		checkTaken(t, s)
		checkTaken(t, load(t, j, "s"))
	})
	t.Run("after a rewind", func(t *testing.T) {
		a, s, j := setup(t)
		if err := a.Append(t.Context(), s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: 1, To: s.Seq}}); err != nil {
			t.Fatal(err)
		}
		s = load(t, j, "s")
		if len(s.Messages) != 0 {
			t.Fatalf("%d messages are left", len(s.Messages))
		}
		checkTaken(t, s)
	})
}

func TestInvariant10CancelAndFailureStopEverything(t *testing.T) {
	t.Run("within Grace, whatever the tool does", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stuck := tool("stuck", agent.Executes, func(context.Context, string) (agent.Result, error) {
				ignoreFor(time.Hour)
				return agent.TextResult("too late"), nil
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(5*time.Second, cancel)
			a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("stuck", `{"do":"x"}`)), Tools: []agent.Tool{stuck}, Grace: 2 * time.Second}
			s := agent.NewSession("s")
			begin := time.Now()
			evs := mustRun(t, a.Run(ctx, s, agent.Say("go")))
			if d := time.Since(begin); d != 7*time.Second {
				t.Errorf("the run took %v, want 5 s and the grace of 2 s", d)
			}
			ignoreFor(time.Hour) // let the tool end: the bubble must
			if lastEnd(t, evs).Stop != agent.RunCancelled || !strings.Contains(resultTexts(s)[0], "may still be running") {
				t.Errorf("%s, results %q", lastEnd(t, evs).Stop, resultTexts(s))
			}
		})
	})
	t.Run("nothing after a failed append, not even about a stuck tool", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var j agenttest.Journal
			failed := false
			j.Fail = func(e *agent.Event) error {
				if failed {
					t.Errorf("event %d (%s) is appended after the failure", e.Seq, e.Type)
				}
				if failed = e.Message != nil && e.Message.Role == agent.ToolRole; failed {
					return errDisk
				}
				return nil
			}
			stuck := tool("stuck", agent.Reads, func(context.Context, string) (agent.Result, error) {
				ignoreFor(time.Hour)
				return agent.Result{}, nil
			})
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTools("stuck", `{"do":"x"}`, "echo", `{"do":"y"}`)), Tools: []agent.Tool{stuck, echo("echo")},
				Journal: j.Append, Parallel: 2,
			}
			s := agent.NewSession("s")
			begin := time.Now()
			_, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("go")))
			if !errors.Is(err, errDisk) || time.Since(begin) != time.Second || len(resultTexts(s)) != 0 {
				t.Errorf("%v after %v, results %q", err, time.Since(begin), resultTexts(s))
			}
			ignoreFor(time.Hour)
		})
	})
	t.Run("nothing after a failed append", func(t *testing.T) {
		for failAt := int64(1); failAt <= 9; failAt++ {
			var j agenttest.Journal
			failed := false
			j.Fail = func(e *agent.Event) error {
				if failed {
					t.Errorf("event %d is appended after the failure of %d", e.Seq, failAt)
				}
				if failed = e.Seq == failAt; failed {
					return errDisk
				}
				return nil
			}
			var cut atomic.Int64
			sleepy := tool("sleepy", agent.Reads, func(ctx context.Context, do string) (agent.Result, error) {
				if do == "long" {
					<-ctx.Done()
					cut.Add(1)
					return agent.Result{}, ctx.Err()
				}
				return agent.TextResult(do), nil
			})
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTools("sleepy", `{"do":"long"}`, "sleepy", `{"do":"short"}`)), Tools: []agent.Tool{sleepy},
				Journal: j.Append, Parallel: 2,
				Hooks: []agent.Hook{{OnEvent: func(_ context.Context, e agent.Event) {
					if failed {
						t.Errorf("event %d (%s) is observed after the failure of %d", e.Seq, e.Type, failAt)
					}
				}}},
			}
			s := agent.NewSession("s")
			ctx, cancel := context.WithCancel(t.Context())
			var err error
			for e, rerr := range a.Run(ctx, s, agent.Say("go")) {
				if err = rerr; err == nil && failed {
					t.Errorf("event %d (%s) is shown after the failure of %d", e.Seq, e.Type, failAt)
				}
				if e.Message != nil && e.Message.Result() != nil {
					cancel() // lets the long one end, so that the log gets to its end
				}
			}
			cancel()
			if failed != errors.Is(err, errDisk) || s.Seq != min(failAt-1, int64(len(j.Lines()))) {
				t.Errorf("failure at %d: error %v, session at %d", failAt, err, s.Seq)
			}
			if failAt > 5 && cut.Load() != 1 {
				t.Errorf("failure at %d: the long tool was not cancelled and waited for", failAt)
			}
		}
	})
}
