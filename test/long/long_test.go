// Package long_test measures a session of thousands of steps in this process: engine, log on the disk, compaction, and a
// model that answers at once. What a step costs may not depend on how many came before it, and loading not on what was
// compacted long ago. The whole program is measured by make long.
package long_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/weigh"
	"react-agent/kit/compact"
	"react-agent/store/disk"
)

const steps = 5000

// worker is a model that wants one more thing done, so many times, and keeps the time between its requests by how long the
// history is.
type worker struct {
	n, limit int
	window   int // tokens
	left     time.Time
	took     []step
}

type step struct {
	messages int
	own      time.Duration
}

// Info implements [agent.Model].
func (w *worker) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "scripted", Preset: "long", Name: "m", Context: w.window, Tools: true}
}

// Stream implements [agent.Model].
func (w *worker) Stream(_ context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		if !w.left.IsZero() {
			w.took = append(w.took, step{len(req.Messages), time.Since(w.left)})
		}
		w.n++
		part := agent.TextPart("that is all")
		if w.n < w.limit {
			part = agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "read", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.n))}}
		}
		stop := agent.StopEnd
		if part.Call != nil {
			stop = agent.StopCalls
		}
		defer func() { w.left = time.Now() }()
		if yield(agent.Chunk{Part: &part}, nil) {
			yield(agent.Chunk{Stop: stop}, nil)
		}
	}
}

// agentOf is an agent whose history is compacted at the usual threshold, with summaries that say little.
func agentOf(w *worker) *agent.Agent {
	read := agent.NewTool("read", "Reads.", agent.Reads, func(_ context.Context, in struct {
		N int `json:"n"`
	},
	) (agent.Result, error) {
		return agent.TextResult(strings.Repeat(fmt.Sprintf("line %d of the data\n", in.N), 50)), nil
	})
	a := &agent.Agent{System: "Work.", Model: w, Tools: []agent.Tool{read}}
	c := compact.New(compact.Options{Agent: a, Ask: func(context.Context, *agent.Request) (agent.Message, *agent.Usage, error) {
		w.left = time.Time{} // what follows is no usual step
		m := agent.TextMessage(agent.Assistant, "All went well so far.")
		m.Stop = agent.StopEnd
		return m, nil, nil
	}})
	a.Compact, a.Hooks = c.Trim, []agent.Hook{c.Hook()}
	return a
}

// play lets a session take so many steps in a window of so many tokens, and gives the store with its log and the model.
func play(b testing.TB, n, window int) (*disk.Store, *worker) {
	b.Helper()
	st, err := disk.Open(b.TempDir(), disk.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() }) // only files of this test
	w := &worker{limit: n, window: window}
	e, err := engine.New(engine.Config{Log: st, KV: st, Blobs: st, Factory: func(context.Context, engine.Spec) (*agent.Agent, error) {
		return agentOf(w), nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	m := agent.TextMessage(agent.User, "go")
	if _, err := e.Submit(b.Context(), "s", engine.Input{Message: &m}); err != nil {
		b.Fatal(err)
	}
	for ev, err := range e.Follow(b.Context(), "s", 0, true) {
		if err != nil {
			b.Fatal(err)
		}
		if ev.Type == agent.EvEnd {
			if ev.Stop != agent.RunEnd || ev.Steps != n {
				b.Fatalf("it ended with %s after %d steps: %s", ev.Stop, ev.Steps, ev.Text)
			}
			break
		}
	}
	if err := e.Close(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
	return st, w
}

// load folds the log, and counts its compactions.
func load(b testing.TB, st *disk.Store) (s *agent.Session, compacts int) {
	b.Helper()
	s, err := agent.Load("s", func(yield func([]byte, error) bool) {
		for rec, err := range st.Read(b.Context(), "session/s", 0, false) {
			if strings.Contains(string(rec.Data[:min(len(rec.Data), 60)]), `"type":"compact"`) {
				compacts++
			}
			if !yield(rec.Data, err) {
				return
			}
		}
	}, func(sha string) ([]byte, error) { return st.GetBlob(b.Context(), sha) })
	if err != nil {
		b.Fatal(err)
	}
	return s, compacts
}

// ratio is what a step of the last fifth costs of one of the first, with histories as long.
func ratio(took []step) float64 {
	by := func(part []step) map[int][]time.Duration {
		out := map[int][]time.Duration{}
		for _, s := range part {
			out[s.messages/100] = append(out[s.messages/100], s.own)
		}
		return out
	}
	n := len(took) / 5
	first, last := by(took[:n]), by(took[len(took)-n:])
	sum, some := 0.0, 0
	for fill, was := range first {
		if is := last[fill]; len(was) > 20 && len(is) > 20 {
			slices.Sort(was)
			slices.Sort(is)
			sum += float64(is[len(is)/2]) / float64(was[len(was)/2])
			some++
		}
	}
	return sum / float64(max(some, 1))
}

// BenchmarkSession plays a session of 5,000 steps; last/first is what a step at its end costs of one at its start.
func BenchmarkSession(b *testing.B) {
	for b.Loop() {
		st, w := play(b, steps, 128_000)
		begin := time.Now()
		_, compacts := load(b, st)
		b.ReportMetric(float64(time.Since(begin).Milliseconds()), "ms/load")
		b.ReportMetric(ratio(w.took), "last/first")
		b.ReportMetric(float64(compacts), "compactions")
	}
}

// What was compacted is not loaded: the history stays as short as the window, whatever came before.
func TestHistoryStaysShort(t *testing.T) {
	t.Parallel()
	const n, window = 400, 12_000
	st, w := play(t, n, window)
	s, compacts := load(t, st)
	longest := 0
	for _, x := range w.took {
		longest = max(longest, x.messages)
	}
	// a call and its result are two messages; nothing smaller comes
	pair := weigh.Messages([]agent.Message{
		{Parts: []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{Name: "read", Args: json.RawMessage(`{"n":1}`)}}}},
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{Parts: []agent.Part{agent.TextPart(strings.Repeat("line 1 of the data\n", 50))}}}}},
	})
	most := 2*(window/pair) + 2
	if compacts < 4 || longest > most || len(s.Messages) > most || longest < most/3 {
		t.Errorf("%d compactions, %d messages at most, %d in the end; the window holds %d", compacts, longest, len(s.Messages), most)
	}
}
