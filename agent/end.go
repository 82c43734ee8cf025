package agent

import (
	"context"
	"errors"
)

// ending is the orderly end of a run, on its way up as an error.
type ending struct {
	stop RunStop
	text string
	err  *Error
}

// Error gives the text.
func (e *ending) Error() string { return string(e.stop) + ": " + e.text }

// ending says how the run ends after err.
func (r *run) ending(ctx context.Context, err error) *ending {
	var end *ending
	var stop *StopError
	switch {
	case errors.As(err, &end):
		return end
	case errors.As(err, &stop):
		return &ending{stop: stop.Stop, text: stop.Text, err: stop.Cause}
	case ctx.Err() != nil:
		if errors.As(context.Cause(ctx), &stop) {
			return &ending{stop: stop.Stop, text: stop.Text, err: stop.Cause}
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &ending{stop: RunTimeout, text: "the run's time was up"}
		}
		return &ending{stop: RunCancelled}
	}
	return &ending{stop: RunError, err: &Error{Kind: ErrInternal, Message: err.Error()}}
}

// finish answers every open call, so that the history stays valid, and writes the end.
func (r *run) finish(ctx context.Context, end *ending) error {
	for _, c := range r.s.OpenCalls() {
		res := notRun(end)
		if r.s.Started[c.Key] { // in an earlier life, and this one ended before it was decided
			res = ErrorResult(textInterrupted)
		}
		if err := r.answer(ctx, c, res, false); err != nil {
			return err
		}
	}
	if !r.pending.IsZero() {
		if err := r.emit(ctx, &Event{Type: EvState, Usage: r.pending}); err != nil {
			return err
		}
	}
	total, steps, refused := r.s.spent(r.id)
	if end.stop == RunEnd && refused {
		end = &ending{stop: RunDenied, text: "a call needed an approval that nobody could give"}
	}
	return r.emit(ctx, &Event{Type: EvEnd, Stop: end.stop, Text: end.text, Error: end.err, Usage: &total, Steps: steps})
}
