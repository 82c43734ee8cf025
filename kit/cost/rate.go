package cost

import (
	"context"
	"sync"
	"time"
)

// span is that over which rates are measured.
const span = time.Minute

// rate holds one vendor's requests to so many, with so many tokens, in any span. The zero limit is none.
type rate struct {
	requests int
	tokens   int64
	turn     chan struct{} // held by whoever waits first

	mu     sync.Mutex
	recent []*ticket     // of the last span, the oldest first
	bell   chan struct{} // closed when a ticket changes
}

// ticket is a request that was let through.
type ticket struct {
	at     time.Time
	tokens int64
}

func newRate(requests int, tokens int64) *rate {
	return &rate{requests: requests, tokens: tokens, turn: make(chan struct{}, 1), bell: make(chan struct{})}
}

// take waits until a request with about so many tokens may be sent; say is told before each wait, how long it will be.
// Whoever came first is let through first. The error is the context's cause, or that of say.
func (r *rate) take(ctx context.Context, tokens int64, say func(wait time.Duration) error) (*ticket, error) {
	select {
	case r.turn <- struct{}{}:
	default:
		wait, _ := r.wait(tokens)
		if err := say(wait); err != nil {
			return nil, err
		}
		say = func(time.Duration) error { return nil }
		select {
		case r.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer func() { <-r.turn }()
	for {
		wait, changed := r.wait(tokens)
		if wait <= 0 {
			t := &ticket{at: time.Now(), tokens: tokens}
			r.mu.Lock()
			r.recent = append(r.recent, t)
			r.mu.Unlock()
			return t, nil
		}
		if err := say(wait); err != nil {
			return nil, err
		}
		say = func(time.Duration) error { return nil } // once is enough
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
		timer.Stop()
	}
}

// settle puts the tokens that were really used in the place of those that were expected.
func (r *rate) settle(t *ticket, tokens int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.tokens = tokens
	close(r.bell)
	r.bell = make(chan struct{})
}

// wait says how long it is until a request fits, as things are now, and is closed when they change. One that alone is more
// than the limit fits when nothing else is left.
func (r *rate) wait(tokens int64) (time.Duration, <-chan struct{}) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.recent) > 0 && now.Sub(r.recent[0].at) >= span {
		r.recent = r.recent[1:]
	}
	requests, used := len(r.recent), int64(0)
	for _, t := range r.recent {
		used += t.tokens
	}
	full := func() bool {
		return r.requests > 0 && requests >= r.requests || r.tokens > 0 && requests > 0 && used > 0 && used+tokens > r.tokens
	}
	wait := time.Duration(0)
	for _, t := range r.recent {
		if !full() {
			break
		}
		requests, used = requests-1, used-t.tokens
		wait = t.at.Add(span).Sub(now)
	}
	return wait, r.bell
}
