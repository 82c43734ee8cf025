package guard

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

// play runs an agent whose model makes the calls that next names and whose tools answer with work. It gives what the run
// came to.
type outcome struct {
	stop   agent.RunStop
	text   string // of the end
	ran    int    // tools that ran
	models int    // requests
	hints  []int  // before which request (from 1) the model was told something
	s      *agent.Session
}

func play(t *testing.T, s *agent.Session, h agent.Hook, next func(n int) agenttest.Reply, work func(c agent.Call) agent.Result, in ...agent.Note) outcome {
	t.Helper()
	out := outcome{s: s}
	run := func(_ context.Context, c agent.Call) (agent.Result, error) {
		out.ran++
		return work(c), nil
	}
	tool := func(name string) agent.Tool {
		return agent.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Executes, Run: run}
	}
	model := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
		out.models++
		return next(n)
	}}
	a := &agent.Agent{
		Model: model, Tools: []agent.Tool{tool("bash"), tool("read_file"), tool("job_wait")},
		Hooks: []agent.Hook{h}, MaxSteps: 60,
	}
	events, err := agenttest.Collect(a.Run(t.Context(), s, in...))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == agent.EvMessage && e.Message.From == Name {
			out.hints = append(out.hints, out.modelsBefore(events, e.Seq))
		}
		if e.Type == agent.EvEnd {
			out.stop, out.text = e.Stop, e.Text
			if out.text == "" && e.Error != nil {
				out.text = e.Error.Message
			}
		}
	}
	return out
}

// modelsBefore counts the answers before an event, and is so the number of the request that follows it less one.
func (o outcome) modelsBefore(events []agent.Event, seq int64) int {
	n := 1
	for _, e := range events {
		if e.Type == agent.EvMessage && e.Seq < seq && e.Message.Role == agent.Assistant {
			n++
		}
	}
	return n
}

func same(r agent.Result) func(agent.Call) agent.Result {
	return func(agent.Call) agent.Result { return r }
}

// endless makes the n-th call for ever.
func endless(call func(n int) (name, args string)) func(int) agenttest.Reply {
	return func(n int) agenttest.Reply { return agenttest.CallTool(call(n)) }
}

func TestStops(t *testing.T) {
	for _, c := range []struct {
		name       string
		next       func(n int) (string, string)
		work       func(c agent.Call) agent.Result
		hint, last int // request before which the hint comes, and the last request
	}{
		{
			"one call", func(int) (string, string) { return "bash", `{"command":"ls"}` }, same(agent.TextResult("x")), 4, 10,
		},
		{
			"two calls in turn", func(n int) (string, string) { return "bash", fmt.Sprintf(`{"command":"%d"}`, n%2) },
			func(c agent.Call) agent.Result { return agent.TextResult(string(c.Args)) }, 7, 14,
		},
		{
			"three calls in turn", func(n int) (string, string) { return "bash", fmt.Sprintf(`{"command":"%d"}`, n%3) },
			func(c agent.Call) agent.Result { return agent.TextResult(string(c.Args)) }, 10, 18,
		},
		{
			"failures of different calls", func(n int) (string, string) { return "read_file", fmt.Sprintf(`{"path":"missing-%d"}`, n) },
			func(c agent.Call) agent.Result { return agent.ErrorResult("none: " + string(c.Args)) }, 9, 20,
		},
		{
			"unknown tool", func(n int) (string, string) { return "nothing", fmt.Sprintf(`{"n":%d}`, n) }, nil, 9, 20,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := play(t, agent.NewSession("s"), New(Options{}), endless(c.next), c.work, agent.Say("go"))
			if out.stop != agent.RunLoop || out.models != c.last || out.text == "" {
				t.Errorf("stop %s after %d requests (%q), want loop after %d", out.stop, out.models, out.text, c.last)
			}
			if len(out.hints) != 1 || out.hints[0] != c.hint {
				t.Errorf("hints before requests %v, want %d", out.hints, c.hint)
			}
			if open := out.s.OpenCalls(); len(open) != 0 {
				t.Errorf("open calls: %v", open)
			}
		})
	}
}

func TestGoesOn(t *testing.T) {
	count := 0
	for _, c := range []struct {
		name string
		next func(n int) (string, string)
		work func(c agent.Call) agent.Result
	}{
		{
			"equal calls with new results", func(int) (string, string) { return "bash", `{"command":"./next"}` },
			func(agent.Call) agent.Result { count++; return agent.TextResult(fmt.Sprint("line ", count)) },
		},
		{
			"polling", func(int) (string, string) { return "job_wait", `{}` }, same(agent.TextResult("running")),
		},
		{
			"failures with successes between", func(n int) (string, string) { return "bash", fmt.Sprintf(`{"command":"%d"}`, n) },
			func(c agent.Call) agent.Result {
				count++
				if count%5 == 0 {
					return agent.TextResult("ok")
				}
				return agent.ErrorResult("no")
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := func(n int) agenttest.Reply {
				if n == 40 {
					return agenttest.Say("done")
				}
				return agenttest.CallTool(c.next(n))
			}
			out := play(t, agent.NewSession("s"), New(Options{}), next, c.work, agent.Say("go"))
			if out.stop != agent.RunEnd || len(out.hints) != 0 || out.ran != 40 {
				t.Errorf("stop %s, hints %v, %d calls", out.stop, out.hints, out.ran)
			}
		})
	}
}

// After the hint the model may do better; the next row begins anew.
func TestHintHelps(t *testing.T) {
	next := func(n int) agenttest.Reply {
		switch {
		case n == 20:
			return agenttest.Say("done")
		case n%5 == 4:
			return agenttest.CallTool("bash", fmt.Sprintf(`{"command":"other %d"}`, n))
		}
		return agenttest.CallTool("bash", `{"command":"ls"}`)
	}
	out := play(t, agent.NewSession("s"), New(Options{HintRepeat: 3}), next, same(agent.TextResult("x")), agent.Say("go"))
	if out.stop != agent.RunEnd || len(out.hints) < 2 {
		t.Errorf("stop %s, hints %v", out.stop, out.hints)
	}
}

// The person is a new beginning.
func TestPersonResets(t *testing.T) {
	s := agent.NewSession("s")
	for range 5 {
		next := func(n int) agenttest.Reply {
			if n == 2 {
				return agenttest.Say("done")
			}
			return agenttest.CallTool("bash", `{"command":"ls"}`)
		}
		if out := play(t, s, New(Options{}), next, same(agent.TextResult("x")), agent.Say("again")); out.stop != agent.RunEnd || out.hints != nil {
			t.Fatalf("stop %s, hints %v", out.stop, out.hints)
		}
		next = func(n int) agenttest.Reply {
			if n == 2 {
				return agenttest.Say("done")
			}
			return agenttest.CallTool("bash", `{"command":"ls"}`)
		}
		if out := play(t, s, Classic(0, ""), next, same(agent.TextResult("x")), agent.Say("again")); out.stop != agent.RunEnd {
			t.Fatalf("classic: stop %s", out.stop)
		}
	}
}

// What compaction has cleared may have been anything, also the same.
func TestCleared(t *testing.T) {
	const gone = "[cleared]"
	result := func(text string) *agent.Result { r := agent.TextResult(text); return &r }
	a, b := result("x"), result(gone)
	isGone := func(s string) bool { return s == gone }
	if sameResult(a, b, nil) || !sameResult(a, b, isGone) || sameResult(a, result("y"), isGone) {
		t.Error("wrong")
	}
	blob := func(sha string) *agent.Result {
		return &agent.Result{Parts: []agent.Part{{Kind: agent.BlobKind, Blob: &agent.Blob{SHA256: sha}}}}
	}
	if sameResult(blob("1"), blob("2"), nil) || !sameResult(blob("1"), blob("1"), nil) {
		t.Error("pictures are not compared")
	}
}

func TestClassic(t *testing.T) {
	out := play(t, agent.NewSession("s"), Classic(0, ""), endless(func(int) (string, string) { return "bash", `{"command":"ls"}` }),
		same(agent.TextResult("x")), agent.Say("go"))
	if out.stop != agent.RunLoop || out.ran != 2 || out.models != 3 || out.text != "检测到死循环：连续 3 步调用相同工具与参数" {
		t.Errorf("%+v", out)
	}
	if open := out.s.OpenCalls(); len(open) != 0 {
		t.Errorf("open calls: %v", open)
	}
	// The run that follows begins anew.
	out = play(t, out.s, Classic(0, ""), endless(func(int) (string, string) { return "bash", `{"command":"ls"}` }),
		same(agent.TextResult("x")), agent.Say("go on"))
	if out.ran != 2 {
		t.Errorf("the second run ran %d calls", out.ran)
	}
	// Unknown tools never reach BeforeTool.
	out = play(t, agent.NewSession("u"), Classic(2, "%d times"), endless(func(int) (string, string) { return "nothing", `{}` }), nil, agent.Say("go"))
	if out.stop != agent.RunLoop || out.models != 2 || out.text != "2 times" {
		t.Errorf("%+v", out)
	}
	out = play(t, agent.NewSession("d"), Classic(0, ""), func(n int) agenttest.Reply {
		if n == 20 {
			return agenttest.Say("done")
		}
		return agenttest.CallTool("bash", fmt.Sprintf(`{"command":"%d"}`, n/2))
	}, same(agent.TextResult("x")), agent.Say("go"))
	if out.stop != agent.RunEnd {
		t.Errorf("two equal steps at a time: %s", out.stop)
	}
}

func TestDigest(t *testing.T) {
	ls := agent.Call{Name: "run_shell_command", Args: json.RawMessage(`{"command":"ls"}`)}
	if d := Digest([]agent.Call{ls}); d != "10cb72e82524f680" {
		t.Error(d)
	}
	if Digest([]agent.Call{ls, ls}) == Digest([]agent.Call{ls}) || Digest(nil) != "cbf29ce484222325" {
		t.Error("wrong")
	}
	broken := agent.Call{Name: "x", Args: json.RawMessage(`"{\"command\":"`)}
	if Digest([]agent.Call{broken}) != Digest([]agent.Call{{Name: "x", Args: json.RawMessage(`{"command":`)}}) {
		t.Error("broken arguments are not taken as written")
	}
}

func TestReasonSpeaksTheLanguage(t *testing.T) {
	h := New(Options{Lang: "zh", HintRepeat: 2, StopRepeat: 3})
	s := agent.NewSession("s")
	out := play(t, s, h, endless(func(int) (string, string) { return "bash", `{}` }), same(agent.TextResult("x")), agent.Say("go"))
	if out.stop != agent.RunLoop || !strings.HasPrefix(out.text, "检测到死循环") {
		t.Errorf("%+v", out)
	}
	var stop *agent.StopError
	if _, err := h.Inject(t.Context(), s, false); !errors.As(err, &stop) {
		t.Errorf("after a restart: %v", err)
	}
}

func BenchmarkInject(b *testing.B) {
	s := agent.NewSession("s")
	for i := range 5000 {
		s.Messages = append(s.Messages,
			agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{Name: "bash", Args: fmt.Appendf(nil, `{"n":%d}`, i)}}}},
			agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{Parts: []agent.Part{agent.TextPart("ok")}}}}})
	}
	h := New(Options{})
	for b.Loop() {
		if _, err := h.Inject(b.Context(), s, false); err != nil {
			b.Fatal(err)
		}
	}
}
