package cost

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"react-agent/agent/agenttest"
)

func silent(time.Duration) error { return nil }

func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRate(2, 0)
		began := time.Now()
		var at []time.Duration
		for range 5 {
			if _, err := r.take(t.Context(), 0, silent); err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Since(began))
		}
		want := []time.Duration{0, 0, time.Minute, time.Minute, 2 * time.Minute}
		for i := range want {
			if at[i] != want[i] {
				t.Errorf("request %d after %s, want %s", i+1, at[i], want[i])
			}
		}
	})
}

func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRate(0, 1000)
		began := time.Now()
		take := func(n int64) (*ticket, time.Duration) {
			x, err := r.take(t.Context(), n, silent)
			if err != nil {
				t.Fatal(err)
			}
			return x, time.Since(began)
		}
		first, _ := take(400)
		if _, at := take(400); at != 0 {
			t.Errorf("there was room: %s", at)
		}
		r.settle(first, 700) // it was more than expected
		if _, at := take(400); at != time.Minute {
			t.Errorf("1100 were used: %s", at)
		}
		if _, at := take(5000); at != 2*time.Minute {
			t.Errorf("one that is too large alone goes when nothing else is left: %s", at)
		}
		if _, at := take(1); at != 3*time.Minute {
			t.Errorf("behind it: %s", at)
		}
	})
}

// One that used less than expected makes room at once.
func TestRoomAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRate(0, 1000)
		began := time.Now()
		first, _ := r.take(t.Context(), 900, silent)
		var all sync.WaitGroup
		var at time.Duration
		all.Go(func() {
			_, _ = r.take(t.Context(), 500, silent)
			at = time.Since(began)
		})
		time.AfterFunc(7*time.Second, func() { r.settle(first, 100) })
		all.Wait()
		if at != 7*time.Second {
			t.Errorf("let through after %s", at)
		}
	})
}

func TestWhoCameFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRate(1, 0)
		var mu sync.Mutex
		var order []int
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				_, _ = r.take(t.Context(), 0, silent)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		all.Wait()
		for i := range order {
			if order[i] != i {
				t.Fatalf("order %v", order)
			}
		}
	})
}

// In no span of a minute there are more than the limits say, whatever comes when.
func TestNoSpanHasMore(t *testing.T) {
	type sent struct {
		at     time.Time
		tokens int64
	}
	rapid.Check(t, func(rt *rapid.T) {
		requests, tokens := rapid.IntRange(0, 4).Draw(rt, "requests"), int64(rapid.IntRange(0, 1000).Draw(rt, "tokens"))
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 400), 1, 25).Draw(rt, "sizes")
		delays := rapid.SliceOfN(rapid.IntRange(0, 100), len(sizes), len(sizes)).Draw(rt, "delays")
		var all []sent
		synctest.Test(t, func(t *testing.T) {
			r := newRate(requests, tokens)
			var mu sync.Mutex
			var wait sync.WaitGroup
			for i, n := range sizes {
				wait.Go(func() {
					<-time.After(time.Duration(delays[i]) * time.Second)
					x, err := r.take(t.Context(), n, silent)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					all = append(all, sent{x.at, n})
				})
			}
			wait.Wait()
		})
		for _, last := range all {
			n, sum, most := 0, int64(0), int64(0)
			for _, x := range all {
				if since := last.at.Sub(x.at); since >= 0 && since < span {
					n, sum, most = n+1, sum+x.tokens, max(most, x.tokens)
				}
			}
			if requests > 0 && n > requests || tokens > 0 && sum > tokens && sum > most {
				rt.Fatalf("%d requests with %d tokens in a minute (limits %d and %d)", n, sum, requests, tokens)
			}
		}
	})
}

// A wait is said, does not count as the call's time, and ends with the call.
func TestWaitIsSaidAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paused, resumed := 0, 0
		m := New(Options{RequestsPerMinute: 1, Lang: "en", Paused: func(context.Context) func() { paused++; return func() { resumed++ } }})
		f := newFixed(1, 0)
		model := m.In("s", m.Attempt(vendor{&f.Model, "openai", "gpt-5.4"}))
		for i := range 2 {
			_, notes, err := ask(t.Context(), model, request())
			if err != nil || len(notes) != i {
				t.Fatalf("call %d: %v %q", i, err, notes)
			}
			if i == 1 && notes[0] != "openai: rate limit, waiting 1m0s" {
				t.Errorf("note %q", notes[0])
			}
		}
		if paused != 1 || resumed != 1 {
			t.Errorf("paused %d times, resumed %d times", paused, resumed)
		}
		began := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(errors.New("the person")) })
		_, _, err := ask(ctx, model, request())
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "the person") || took != 10*time.Second {
			t.Errorf("cancelled: %v after %s", err, took)
		}
		calls, _ := m.Calls(t.Context(), "s")
		if len(calls) != 2 || f.started.Load() != 2 {
			t.Errorf("%d calls, %d written down", f.started.Load(), len(calls))
		}
		other := m.In("s", m.Attempt(vendor{&newFixed(1, 0).Model, "anthropic", "claude-opus-5"}))
		if _, notes, err := ask(t.Context(), other, request()); err != nil || len(notes) != 0 {
			t.Errorf("another vendor waits, too: %v %q", err, notes)
		}
	})
}

// Whoever listens no more while a call waits sets it free.
func TestLeavingWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{RequestsPerMinute: 1})
		model := m.In("s", m.Attempt(vendor{agenttest.NewModel(agenttest.Say("a"), agenttest.Say("b")), "openai", "x"}))
		if _, _, err := ask(t.Context(), model, request()); err != nil {
			t.Fatal(err)
		}
		for c, err := range model.Stream(t.Context(), request()) {
			if c.Note == "" || err != nil {
				t.Errorf("%+v %v", c, err)
			}
			break
		}
		began := time.Now()
		if _, _, err := ask(t.Context(), model, request()); err != nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// Those who wait behind another one say so, too, and can go.
func TestWaitingInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRate(1, 0)
		if _, err := r.take(t.Context(), 0, silent); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { _, _ = r.take(t.Context(), 0, silent) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		said := 0
		if _, err := r.take(ctx, 0, func(time.Duration) error { said++; return nil }); !errors.Is(err, context.DeadlineExceeded) || said != 1 {
			t.Errorf("%v, said %d times", err, said)
		}
		if _, err := r.take(t.Context(), 0, func(time.Duration) error { return errLeft }); !errors.Is(err, errLeft) {
			t.Errorf("%v", err)
		}
		all.Wait()
	})
}

func TestNoLimitNoLane(t *testing.T) {
	if New(Options{}).rate("openai") != nil {
		t.Error("a rate without a limit")
	}
	m := New(Options{TokensPerMinute: 5})
	if a := m.rate("a"); m.rate("a") != a || m.rate("b") == a {
		t.Error("a lane for each vendor")
	}
}
