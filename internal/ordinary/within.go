package ordinary

import (
	"context"
	"errors"
	"time"
)

// ErrSlow is that a file gave nothing for [Patience].
var ErrSlow = errors.New("it gave nothing for ten seconds: it waits for something, or its file system does not answer")

// Patience is how long [Within] waits.
const Patience = 10 * time.Second

// Within gives what fn reads, unless that takes longer than [Patience] ([ErrSlow]) or ctx ends before: also an ordinary file
// may never give anything, one of a server that is gone or one that the system makes up. fn goes on in the background then,
// and what it gives is lost.
func Within[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := fn()
		done <- result{value, err}
	}()
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	var none T
	select {
	case r := <-done:
		return r.value, r.err
	case <-limit.C:
		return none, ErrSlow
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
