package provider

import (
	"context"
	"sync"
	"time"
)

// clockKey is the context's key for the clock of [Limit].
type clockKey struct{}

// clock calls ring when so much time has passed, pauses left out.
type clock struct {
	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time // when it was started or went on
	paused int
	over   bool
}

func startClock(d time.Duration, ring func()) *clock {
	return &clock{timer: time.AfterFunc(d, ring), left: d, since: time.Now()}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.timer.Stop()
}

// Pause stops the clock of [Limit], for a call that only waits for its turn, until resume is called; that may be done more
// than once. In a context without such a clock it does nothing.
func Pause(ctx context.Context) (resume func()) {
	c, ok := ctx.Value(clockKey{}).(*clock)
	if !ok {
		return func() {}
	}
	c.pause()
	return sync.OnceFunc(c.resume)
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused > 1 {
		return
	}
	c.left -= time.Since(c.since)
	c.timer.Stop()
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused > 0 || c.over {
		return
	}
	c.since = time.Now()
	c.timer.Reset(max(0, c.left))
}
