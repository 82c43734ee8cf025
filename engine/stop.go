package engine

import (
	"context"
	"errors"
	"time"

	"react-agent/agent"
)

// interruptible runs fn so that interrupt and stop end its context, and not the worker's.
func (w *worker) interruptible(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.mu.Lock()
	w.cut, w.ending = cancel, false
	if w.stopped != nil {
		cancel(w.stopped)
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cut = nil
	}()
	return fn(ctx)
}

// interrupt ends the run in order. Between runs there is nothing to end: what is cancelled then, [inbox.next] finds.
func (w *worker) interrupt(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut == nil {
		return
	}
	if stop, ok := errors.AsType[*agent.StopError](cause); ok && stop.Stop == agent.RunCancelled {
		w.ending = true
	}
	w.cut(cause)
}

// isEnding reports whether the run was cancelled and has not written its end yet.
func (w *worker) isEnding() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ending
}

// stop ends the run at once: nothing more is stored.
func (w *worker) stop(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped == nil {
		w.stopped = cause
	}
	w.cancel(cause)
}

// seal is called when the engine closes: the journal stops the run behind its next durable event, but one that waits for
// a person has none to wait for.
func (w *worker) seal() {
	w.mu.Lock()
	asking := w.asking > 0 && !w.ending
	w.mu.Unlock()
	if asking {
		w.stop(ErrClosed)
	}
}

func (w *worker) blocked() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopped
}

// verify looks whether the lease is still ours; if not, the run is stopped.
func (w *worker) verify(ctx context.Context) error {
	x, rev, err := w.l.readLease(ctx, w.room.id)
	if err != nil {
		return err
	}
	if rev == 0 || x.Owner != w.l.c.Process {
		w.stop(errLost)
		return errLost
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.verified = time.Now()
	return nil
}
