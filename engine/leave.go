package engine

import (
	"context"
	"errors"

	"react-agent/agent"
	"react-agent/store"
)

// tryLeave gives the lease back, unless something came meanwhile. Whoever wants a run has touched the lease: the worker
// of a job goes on with what the session has open, and takes in what waits, only then.
func (w *worker) tryLeave(ctx context.Context) (bool, error) {
	r := w.room
	if err := r.door.lock(ctx); err != nil {
		return false, err
	}
	defer r.door.unlock()
	x, rev, err := w.l.readLease(ctx, r.id)
	if err != nil {
		return false, err
	}
	if rev == 0 || x.Owner != w.l.c.Process {
		w.stop(errLost)
		return false, errLost
	}
	if err := w.hear(ctx, w.in); err != nil {
		return false, err
	}
	if x.Touch > 0 && w.want() {
		return false, nil
	}
	heard, empty := w.in.empty()
	switch {
	case empty:
	case w.isWanted():
		return false, nil
	default:
		heard = 0 // it waits
	}
	err = w.giveUp(ctx, rev, w.s.Open || !empty)
	if errors.Is(err, store.ErrConflict) {
		return false, nil // touched
	}
	if err != nil {
		return false, err
	}
	w.forget(func(r *room) { r.fold, r.pos, r.heard = w.s, w.pos, heard })
	return true, nil
}

// giveUp takes the lease back at the revision that was seen. Where work is left it stays, and says that nobody does it.
func (w *worker) giveUp(ctx context.Context, rev int64, left bool) error {
	if left {
		_, err := w.l.writeLease(ctx, w.room.id, lease{Nonce: randomText(12)}, rev)
		return err
	}
	_, err := w.l.c.KV.Put(ctx, store.Doc{Key: leaseKey(w.room.id), Rev: rev})
	return err
}

// retire leaves after a fault, where what is left to do waits for the next input or Resume, and when the program ends,
// where the next one finds it by [Local.Left]. It says why only then, and before anybody else can take the session: what is
// said in answer to that finds nobody here who would not hear it any more.
func (w *worker) retire(ctx context.Context, cause error) {
	r := w.room
	if err := r.door.lock(ctx); err != nil {
		return
	}
	defer r.door.unlock()
	if !errors.Is(cause, errLost) {
		x, rev, err := w.l.readLease(ctx, r.id)
		if err == nil && rev != 0 && x.Owner == w.l.c.Process {
			err = w.giveUp(ctx, rev, w.l.isClosing() && !errors.Is(cause, ErrDropped) && w.hasWork())
		}
		if err != nil {
			w.l.c.Logger.Warn("the lease stays behind", "session", r.id, "error", err)
		}
	}
	w.forget(func(r *room) { r.fold, r.pos, r.heard = nil, 0, 0 })
	if cause != nil {
		w.announce(cause)
	}
}

// hasWork reports whether a run is open or input waits; of a session that could not be opened nobody knows.
func (w *worker) hasWork() bool {
	if w.s == nil {
		return true
	}
	_, empty := w.in.empty()
	return w.s.Open || !empty
}

// forget takes the worker out of the room, and gives back what is known of the session; the caller holds the door.
func (w *worker) forget(giveBack func(r *room)) {
	r := w.room
	r.mu.Lock()
	giveBack(r)
	r.mu.Unlock()
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	r.work = nil
	delete(w.l.live, w)
	if len(w.l.live) == 0 && w.l.beating != nil {
		w.l.beating()
		w.l.beating = nil
	}
}

// announce says why the work has ended without an end event.
func (w *worker) announce(err error) {
	t, text := &w.l.c.Texts, ""
	var fault *panicError
	switch {
	case errors.As(err, &fault):
		text = t.Fault
	case errors.Is(err, ErrClosed), errors.Is(err, ErrDropped), errors.Is(err, context.Canceled):
	case errors.Is(err, errLost):
		text = t.LeaseLost
	case errors.Is(err, store.ErrFull):
		text = t.DiskFull
	default:
		text = t.StoreFailed
	}
	w.room.hub.withdraw()
	if text == "" {
		return
	}
	w.l.c.Logger.Error("run stopped", "session", w.room.id, "error", err)
	w.room.hub.say(agent.Event{Type: agent.EvNotice, Text: text, Error: &agent.Error{
		Kind: agent.ErrInternal, Message: text + ": " + err.Error(),
	}})
}
