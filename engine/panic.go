package engine

import (
	"context"
	"fmt"
	"runtime/debug"

	"react-agent/agent"
)

// panicError is a fault in what the factory has made: a model, a hook. Tools are caught by the kernel.
type panicError struct{ value any }

// Error says what the fault was.
func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// caught runs fn, which works for one session, so that its panic ends that session's work and not the process with all
// the others.
func (w *worker) caught(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.l.c.Logger.Error("panic", "session", w.room.id, "value", p, "stack", string(debug.Stack()))
			err = &panicError{p}
		}
	}()
	return fn()
}

// cutOff ends a run that a panic has left open: its calls get their results and it gets its end, as when it is stopped.
func (w *worker) cutOff(ctx context.Context, cause *panicError) {
	w.flush()
	w.room.mu.Lock()
	err := w.l.load(ctx, w.room)
	if err == nil {
		w.s, w.pos, w.room.fold = w.room.fold, w.room.pos, nil
	}
	w.room.mu.Unlock()
	if err != nil || !w.s.Open {
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(&agent.StopError{Stop: agent.RunError, Text: cause.Error()})
	plain := agent.Agent{Journal: w.journal}
	_ = w.show(plain.Run(ctx, w.s)) // what cannot be stored stays open, and goes on with the next input
}
