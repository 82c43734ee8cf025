package ordinary

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithin(t *testing.T) {
	bad := errors.New("bad")
	if got, err := Within(t.Context(), func() (string, error) { return "x", bad }); got != "x" || !errors.Is(err, bad) {
		t.Errorf("%q %v", got, err)
	}
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		stuck := func() (string, error) { <-hold; return "late", nil }
		began := time.Now()
		if got, err := Within(t.Context(), stuck); got != "" || !errors.Is(err, ErrSlow) || time.Since(began) != Patience {
			t.Errorf("%q %v after %v", got, err, time.Since(began))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(bad)
		if got, err := Within(ctx, stuck); got != "" || !errors.Is(err, bad) {
			t.Errorf("%q %v", got, err)
		}
	})
}
