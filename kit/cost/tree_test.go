package cost

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/mem"
)

// fixed is a vendor's model whose every answer costs the same. It takes a while.
type fixed struct {
	agenttest.Model
	cost    float64
	took    time.Duration
	started atomic.Int64
}

func newFixed(cost float64, took time.Duration) *fixed {
	f := &fixed{cost: cost, took: took}
	f.Next = func(int, *agent.Request) agenttest.Reply {
		f.started.Add(1)
		return agenttest.Reply{Text: "ok", Usage: &agent.Usage{Input: new(int64(900)), Output: new(int64(100)), CostUSD: &f.cost}, Wait: func(ctx context.Context) {
			if took == 0 {
				return
			}
			select {
			case <-time.After(took):
			case <-ctx.Done():
			}
		}}
	}
	return f
}

func overBudget(err error) string {
	var stop *agent.StopError
	if !errors.As(err, &stop) || stop.Stop != agent.RunBudget {
		return ""
	}
	return stop.Text
}

func TestNoCallStartsBeyondTheLimit(t *testing.T) {
	for _, o := range []Options{{MaxCost: 0.01}, {MaxTokens: 2500}} {
		m := New(o)
		f := newFixed(0.004, 0)
		model := m.Attempt(f)
		var err error
		for i := 0; i < 10 && err == nil; i++ {
			_, _, err = ask(t.Context(), m.In(fmt.Sprintf("s.%d", i), model), request()) // children all
		}
		text := overBudget(err)
		if f.started.Load() != 3 || !strings.Contains(text, "$0.0120") {
			t.Errorf("%+v: %d calls, %v", o, f.started.Load(), err)
		}
		if _, _, err := ask(t.Context(), m.In("other", model), request()); err != nil {
			t.Errorf("another tree: %v", err)
		}
		if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Retryable {
			t.Errorf("the refusal may be tried again: %v", err)
		}
	}
}

// Calls beside each other go beyond the limit by one at most: near it they wait for one another.
func TestBesideEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{MaxCost: 0.01})
		f := newFixed(0.004, time.Second)
		model := m.Attempt(f)
		if _, _, err := ask(t.Context(), m.In("s", model), request()); err != nil { // what one costs is known
			t.Fatal(err)
		}
		var refused atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				_, _, err := ask(t.Context(), m.In(fmt.Sprintf("s.%d", i), model), request())
				if overBudget(err) != "" {
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if f.started.Load() != 3 || refused.Load() != 6 {
			t.Errorf("%d calls were made, %d refused", f.started.Load(), refused.Load())
		}
	})
}

// One that waits for room near the limit can be cancelled.
func TestWaitingForRoomEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paused, resumed := 0, 0
		m := New(Options{MaxCost: 0.01, Paused: func(context.Context) func() { paused++; return func() { resumed++ } }})
		f := newFixed(0.006, time.Minute)
		model := m.In("s", m.Attempt(f))
		if _, _, err := ask(t.Context(), model, request()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { _, _, _ = ask(t.Context(), model, request()) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err := ask(ctx, model, request())
		if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrTimeout || f.started.Load() != 2 {
			t.Errorf("%v after %d calls", err, f.started.Load())
		}
		if paused != 1 || resumed != 1 {
			t.Errorf("paused %d times, resumed %d times", paused, resumed)
		}
		all.Wait()
	})
}

// Two processes share what they have spent; a third one begins where they stopped.
func TestManyProcesses(t *testing.T) {
	for name, open := range map[string]func() store.Log{
		"mem": func() store.Log { return mem.New() },
		"disk": func() store.Log {
			s, err := disk.Open(t.TempDir(), disk.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := open()
			f := newFixed(0.01, 0)
			a, b := New(Options{Log: log, MaxCost: 0.05}), New(Options{Log: log, MaxCost: 0.05})
			for i := range 4 {
				m := []*Meter{a, b}[i%2]
				if _, _, err := ask(t.Context(), m.In("s", m.Attempt(f)), request()); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range []*Meter{a, b, New(Options{Log: log})} {
				sum, err := m.Spent(t.Context(), "s.7")
				if err != nil || sum.Calls != 4 || sum.USD != 0.04 || sum.Input != 3600 {
					t.Errorf("%+v %v", sum, err)
				}
			}
			third := New(Options{Log: log, MaxCost: 0.05})
			model := third.In("s", third.Attempt(f))
			if _, _, err := ask(t.Context(), model, request()); err != nil {
				t.Error(err)
			}
			if _, _, err := ask(t.Context(), model, request()); overBudget(err) == "" {
				t.Errorf("the sixth: %v", err)
			}
			raised := New(Options{Log: log, MaxCost: 0.07})
			if _, _, err := ask(t.Context(), raised.In("s", raised.Attempt(f)), request()); err != nil {
				t.Errorf("with a higher limit: %v", err)
			}
			calls, err := third.All(t.Context())
			if err != nil || len(calls) != 6 {
				t.Errorf("all: %d %v", len(calls), err)
			}
			if err := third.Forget(t.Context(), "s"); err != nil {
				t.Error(err)
			}
			if sum, err := third.Spent(t.Context(), "s"); err != nil || sum.Calls != 0 {
				t.Errorf("after it was forgotten: %+v %v", sum, err)
			}
		})
	}
}

// Whatever is spent by whom, the sums agree: in memory, in the log, by any heading; and a limit is met by the first call
// that is not made.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := mem.New()
		limit := float64(rapid.IntRange(1, 50).Draw(t, "limit")) / 100
		meters := []*Meter{New(Options{Log: log, MaxCost: limit}), New(Options{Log: log, MaxCost: limit})}
		spent, calls := 0.0, 0
		for range rapid.IntRange(1, 40).Draw(t, "calls") {
			m := meters[rapid.IntRange(0, 1).Draw(t, "process")]
			f := newFixed(float64(rapid.IntRange(0, 20).Draw(t, "cents"))/100, 0)
			session := rapid.SampledFrom([]string{"s", "s.1", "s.2", "s.1.1"}).Draw(t, "session")
			_, _, err := ask(context.Background(), m.In(session, m.Attempt(f)), request())
			if (err != nil) != (round(spent) >= limit) {
				t.Fatalf("spent %v of %v: %v", spent, limit, err)
			}
			if err == nil {
				spent, calls = round(spent+f.cost), calls+1
			}
		}
		list, err := meters[0].Calls(context.Background(), "s")
		if err != nil {
			t.Fatal(err)
		}
		sum := Sum{}
		for _, line := range Group(list, func(c *Call) string { return c.Session }) {
			sum.Calls, sum.USD = sum.Calls+line.Calls, round(sum.USD+line.USD)
		}
		total := Total(list)
		if sum.USD != total.USD || sum.Calls != calls || total.USD != spent {
			t.Fatalf("%v by session, %v in all, %v spent", sum, total, spent)
		}
	})
}

// A tree is forgotten with its root's session, unless only this process knows what was spent.
func TestLetGo(t *testing.T) {
	for _, c := range []struct {
		log  store.Log
		left int
	}{{mem.New(), 0}, {nil, 1}, {broken{mem.New()}, 1}} {
		m := New(Options{Log: c.log, MaxCost: 1})
		model := m.Attempt(newFixed(0.1, 0))
		if _, _, err := ask(t.Context(), m.In("s.1", model), request()); err != nil {
			t.Fatal(err)
		}
		h := m.Hook()
		h.OnSession(t.Context(), agent.NewSession("s.1"), false)
		h.OnSession(t.Context(), agent.NewSession("s"), true)
		if len(m.trees) != 1 {
			t.Errorf("a child took its tree along: %d", len(m.trees))
		}
		h.OnSession(t.Context(), agent.NewSession("s"), false)
		if len(m.trees) != c.left {
			t.Errorf("%T: %d trees are left", c.log, len(m.trees))
		}
		if sum, err := m.Spent(t.Context(), "s"); err != nil || sum.USD != 0.1 {
			t.Errorf("%T: %+v %v", c.log, sum, err)
		}
	}
}

// broken is a log that fails.
type broken struct{ store.Log }

func (broken) Append(context.Context, string, int64, []byte) (int64, error) { return 0, store.ErrFull }

func TestALogThatFails(t *testing.T) {
	var faults []error
	m := New(Options{Log: broken{mem.New()}, MaxCost: 0.01, Fault: func(err error) { faults = append(faults, err) }})
	f := newFixed(0.006, 0)
	model := m.In("s", m.Attempt(f))
	for range 2 {
		if _, _, err := ask(t.Context(), model, request()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := ask(t.Context(), model, request()); overBudget(err) == "" || len(faults) != 2 || !errors.Is(faults[0], store.ErrFull) {
		t.Errorf("%v, faults %v", err, faults)
	}
}

// A run of the kernel ends with stop budget, in order, and says what was spent.
func TestRunEndsWithBudget(t *testing.T) {
	m := New(Options{MaxCost: 0.01})
	cents := 0.004
	model := agenttest.NewModel()
	model.Next = func(int, *agent.Request) agenttest.Reply {
		r := agenttest.CallTool("noop", "{}")
		r.Usage = &agent.Usage{CostUSD: &cents, Input: new(int64(1)), Output: new(int64(1))}
		return r
	}
	noop := agent.NewTool("noop", "", agent.Reads, func(context.Context, struct{}) (agent.Result, error) { return agent.TextResult("ok"), nil })
	for _, hooks := range [][]agent.Hook{{m.Hook()}, nil} { // without the hook the refused attempt does the same
		s := agent.NewSession("s")
		if hooks == nil {
			s = agent.NewSession("t")
		}
		a := &agent.Agent{Model: m.In(s.ID, m.Attempt(model)), Tools: []agent.Tool{noop}, Hooks: hooks}
		events, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("go")))
		if err != nil {
			t.Fatal(err)
		}
		end := events[len(events)-1]
		if end.Stop != agent.RunBudget || !strings.Contains(end.Text, "$0.0120 of $0.0100") || end.Steps != 3 || *end.Usage.CostUSD != 0.012 {
			t.Errorf("end: %+v", end)
		}
		events, err = agenttest.Collect(a.Run(t.Context(), s, agent.Say("go on")))
		if end := events[len(events)-1]; err != nil || end.Stop != agent.RunBudget || end.Steps != 0 {
			t.Errorf("again: %+v %v", end, err)
		}
	}
}

func TestDollars(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0.00", 1: "$1.00", 12.345: "$12.35", 0.5: "$0.5000", 0.0123: "$0.0123", 0.000012: "$0.000012", 1e-9: "$0.00", 0.00001234: "$0.000012",
	} {
		if got := Dollars(usd); got != want {
			t.Errorf("%v: %s, want %s", usd, got, want)
		}
	}
}
