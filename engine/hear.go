package engine

import (
	"context"

	"react-agent/agent"
)

// listen takes in what others put into the input log beside the work. What this process puts there, [Local.Submit] hands over.
func (w *worker) listen(ctx context.Context) error {
	in, log, seen := w.in, inputLog(w.room.id), int64(-1)
	leave, err := w.l.station(ctx, func(context.Context) bool {
		size, err := w.l.size(ctx, log)
		if err == nil && size != seen {
			err = w.hear(ctx, in)
		}
		if err != nil && ctx.Err() == nil {
			w.l.c.Logger.Error("input cannot be read", "session", w.room.id, "error", err)
		}
		news := size != seen
		seen = size
		return news
	})
	if err != nil {
		return err
	}
	defer leave()
	if err := w.hear(ctx, in); err != nil { // what came since the inbox was filled, and was not handed over
		return err
	}
	return w.loop(ctx)
}

// hear takes in what the input log has.
func (w *worker) hear(ctx context.Context, in *inbox) error {
	in.mu.Lock()
	pos := in.pos
	in.mu.Unlock()
	for rec, err := range w.l.inputs(ctx, w.room.id, pos) {
		if err != nil {
			return err
		}
		if in.add(rec.pos, rec.entry, false) {
			in.obey(func() { w.interrupt(&agent.StopError{Stop: agent.RunCancelled}) })
		}
	}
	return nil
}

// tell hands what was just said to whoever works on the session in this process. One that is only opening it reads it
// itself.
func (l *Local) tell(ctx context.Context, r *room) {
	w := l.worker(r)
	if w == nil {
		return
	}
	in := w.box.Load()
	if in == nil {
		return
	}
	if err := w.hear(ctx, in); err != nil && ctx.Err() == nil {
		l.c.Logger.Error("input cannot be read", "session", r.id, "error", err)
	}
}
