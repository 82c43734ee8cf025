package provider_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider"
)

// Waiting for a turn is no time of the call.
func TestPauseStopsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			name  string
			wait  func(ctx context.Context)
			after time.Duration
			fails bool
		}{
			{"no pause", func(ctx context.Context) { sleep(ctx, 20*time.Second) }, 10 * time.Second, true},
			{"a pause in time", func(ctx context.Context) {
				sleep(ctx, 4*time.Second)
				resume := provider.Pause(ctx)
				again := provider.Pause(ctx)
				sleep(ctx, time.Minute)
				resume()
				resume() // once is once
				sleep(ctx, time.Minute)
				again()
				sleep(ctx, 5*time.Second)
			}, 129 * time.Second, false},
			{"too long behind a pause", func(ctx context.Context) {
				resume := provider.Pause(ctx)
				sleep(ctx, time.Minute)
				resume()
				sleep(ctx, time.Minute)
			}, 70 * time.Second, true},
		} {
			began := time.Now()
			m := agenttest.NewModel(agenttest.Reply{Text: "hi", Wait: c.wait})
			_, _, _, err := collect(t.Context(), provider.Limit(m, 10*time.Second))
			if took := time.Since(began); took != c.after || (err != nil) != c.fails {
				t.Errorf("%s: %v after %s", c.name, err, took)
			}
			if me, ok := errors.AsType[*agent.ModelError](err); c.fails && (!ok || me.Kind != agent.ErrTimeout) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		provider.Pause(t.Context())()
	})
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
