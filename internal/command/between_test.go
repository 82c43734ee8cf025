package command

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
)

type betweenRuns = func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error

// TestRewindDoesNotWaitForARun: a session that is not free soon is refused, and nothing is done once it is.
func TestRewindDoesNotWaitForARun(t *testing.T) {
	for name, c := range map[string]struct {
		wait    time.Duration // until the session is free
		deaf    bool          // the wait is not cut short
		refused bool
	}{
		"free": {}, "soon": {wait: runPatience / 2}, "busy": {wait: time.Hour, refused: true}, "late": {wait: 2 * runPatience, deaf: true, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Rewinder{Do: func(ctx context.Context, _ string, fn betweenRuns) error {
					done := ctx.Done()
					if c.deaf {
						done = nil
					}
					select {
					case <-time.After(c.wait):
						return fn(context.WithoutCancel(ctx), nil, nil, nil)
					case <-done:
						return context.Cause(ctx)
					}
				}}
				did := false
				err := r.between(t.Context(), "s", func(ctx context.Context, _ *agent.Agent, _ *agent.Session, _ func(agent.Event)) error {
					<-time.After(2 * runPatience) // what has begun is not cut off
					did = true
					return ctx.Err()
				})
				var refusal *UsageError
				if did == c.refused || errors.As(err, &refusal) != c.refused || (err != nil) != c.refused {
					t.Errorf("done: %v, %v", did, err)
				}
			})
		})
	}
}
