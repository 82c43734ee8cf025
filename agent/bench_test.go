package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// deltaModel streams n deltas and ends.
type deltaModel struct {
	n    int
	part agent.Part
}

func (m *deltaModel) Info() agent.ModelInfo { return agent.ModelInfo{Name: "deltas"} }

func (m *deltaModel) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for range m.n {
			if !yield(agent.Chunk{Part: &m.part}, nil) {
				return
			}
		}
		yield(agent.Chunk{Stop: agent.StopEnd}, nil)
	}
}

// BenchmarkDelta is what one delta costs on its way from the model through Run to who ranges over it.
func BenchmarkDelta(b *testing.B) {
	m := &deltaModel{n: b.N, part: agent.TextPart("four")}
	a := &agent.Agent{Model: m}
	b.ReportAllocs()
	for _, err := range a.Run(b.Context(), agent.NewSession("s"), agent.Say("go")) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// A delta costs the chunk of its event and the growth of the text, nothing that grows with the message.
func TestAllocationsPerDelta(t *testing.T) {
	perRun := func(n int) float64 {
		return testing.AllocsPerRun(2, func() {
			a := &agent.Agent{Model: &deltaModel{n: n, part: agent.TextPart("four")}}
			for _, err := range a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	const n = 20_000
	if per := (perRun(n) - perRun(1)) / n; per > 3 {
		t.Errorf("%.2f allocations per delta", per)
	}
}

// BenchmarkFold is what folding one step (answer, call, result) costs.
func BenchmarkFold(b *testing.B) {
	events := stepEvents(b, 100)
	b.ReportAllocs()
	b.ResetTimer()
	s := agent.NewSession("s")
	for i := range b.N {
		for j := range 3 {
			e := events[1+(i%100)*3+j]
			e.Seq = s.Seq + 1
			if err := s.Apply(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// stepEvents is a run of n steps: a message, then an answer, a call and a result a step.
func stepEvents(tb testing.TB, n int) []agent.Event {
	tb.Helper()
	return decodeLines(tb, stepLines(tb, n, true))
}

// stepLines is the log of a run of n steps with about half a kilobyte a result; closed says whether its end is there.
func stepLines(tb testing.TB, n int, closed bool) [][]byte {
	tb.Helper()
	var lines [][]byte
	add := func(e agent.Event) {
		e.Seq, e.Session, e.Agent, e.Run = int64(len(lines)+1), "s", "main", "1"
		raw, err := agent.EncodeJSON(e)
		if err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, raw)
	}
	say := agent.TextMessage(agent.User, "go")
	add(agent.Event{Type: agent.EvMessage, Message: &say})
	for i := range n {
		key := fmt.Sprintf("s/%d.1", len(lines)+1)
		call := agent.Call{ID: fmt.Sprintf("call_%d", i), Key: key, Name: "bash", Args: json.RawMessage(fmt.Sprintf(`{"command":"go test ./pkg%d"}`, i))}
		add(agent.Event{Type: agent.EvMessage, Message: &agent.Message{
			Role: agent.Assistant, Model: "m", Stop: agent.StopCalls, Usage: &agent.Usage{Input: num(1000), Output: num(50), Cached: num(900)},
			Parts: []agent.Part{agent.TextPart("Now I run the tests of the next package."), {Kind: agent.CallKind, Call: &call}},
		}})
		add(agent.Event{Type: agent.EvCall, Call: &call})
		add(agent.Event{Type: agent.EvMessage, Message: &agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{
			CallID: call.ID, Key: key, Parts: []agent.Part{agent.TextPart(strings.Repeat("ok  \tpkg\t0.01s\n", 32))},
		}}}}})
	}
	if closed {
		add(agent.Event{Type: agent.EvEnd, Stop: agent.RunEnd, Steps: n, Usage: &agent.Usage{}})
	}
	return lines
}

// BenchmarkLoad5000 loads the log of one run of 5,000 steps, never compacted: the worst case.
func BenchmarkLoad5000(b *testing.B) {
	for _, closed := range []bool{true, false} {
		b.Run(map[bool]string{true: "closed", false: "open"}[closed], func(b *testing.B) {
			lines := stepLines(b, 5000, closed)
			b.ReportAllocs()
			for b.Loop() {
				if s := loadLines(b, "s", lines); len(s.Messages) != 10_001 {
					b.Fatal("messages are missing")
				}
			}
		})
	}
}

// Loading and folding are linear: ten times the log, about ten times the allocations.
func TestLoadingIsLinear(t *testing.T) {
	allocs := func(n int) float64 {
		lines := stepLines(t, n, false)
		return testing.AllocsPerRun(1, func() { loadLines(t, "s", lines) })
	}
	if small, big := allocs(200), allocs(2000); big > 11*small {
		t.Errorf("%.0f allocations for 200 steps, %.0f for 2,000", small, big)
	}
}

// BenchmarkStep is one step of a run in memory: request, answer, call, result, four durable events.
func BenchmarkStep(b *testing.B) {
	m := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
		if n == b.N {
			return agenttest.Say("done")
		}
		return agenttest.Reply{Calls: []agent.Call{{Name: "echo", Args: json.RawMessage(`{"do":"x"}`)}}}
	}}
	a := &agent.Agent{Model: quiet{m}, Tools: []agent.Tool{echo("echo")}}
	b.ReportAllocs()
	mustRun(b, a.Run(b.Context(), agent.NewSession("s"), agent.Say("go")))
}

// quiet plays a scripted model without keeping what it was asked.
type quiet struct{ *agenttest.Model }

func (q quiet) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	small := *req
	small.Messages = nil
	return q.Model.Stream(ctx, &small)
}
