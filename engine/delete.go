package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"react-agent/store"
)

// BusyError says that another process works on a session.
type BusyError struct {
	Session string
	PID     int // of the process, as its own machine counts
}

// Error says who has it.
func (b *BusyError) Error() string {
	return fmt.Sprintf("session %s: process %d works on it", b.Session, b.PID)
}

// Delete implements [Engine]: the run, the logs, and those of its children. What another process works on that is alive is
// left alone, all of it: the error is a [*BusyError].
func (l *Local) Delete(ctx context.Context, session string) error {
	r, err := l.enter(session)
	if err != nil {
		return err
	}
	defer l.leave(ctx, r)
	all, err := l.family(ctx, r.id)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(all) {
		if err := l.free(ctx, id); err != nil {
			return err
		}
	}
	for _, id := range all {
		if err := l.remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// family lists the sessions below one, and last that one.
func (l *Local) family(ctx context.Context, id string) ([]string, error) {
	var all []string
	if names, ok := l.c.Log.(store.Names); ok {
		for e, err := range names.Names(ctx, "session/") {
			if err != nil {
				return nil, err
			}
			if strings.HasPrefix(e.Name, sessionLog(id)+".") {
				all = append(all, strings.TrimPrefix(e.Name, "session/"))
			}
		}
	}
	return append(all, id), nil
}

// free reports who else works on a session. An owner of whom it is not sure whether it lives is given the time in which it
// has to give a sign.
func (l *Local) free(ctx context.Context, id string) error {
	t := time.NewTicker(max(l.c.Beat/4, 5*time.Millisecond))
	defer t.Stop()
	first, since := int64(0), time.Now()
	for {
		x, rev, err := l.readLease(ctx, id)
		if err != nil || rev == 0 || x.Owner == l.c.Process || l.dead(ctx, x.Owner) {
			return err
		}
		sign, beat, err := l.readLife(ctx, x.Owner)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err != nil:
			return err
		case sign.Machine != "" && sign.Machine == machine(), first > 0 && beat != first:
			return &BusyError{Session: id, PID: sign.PID}
		case time.Since(since) >= l.c.Dead:
			return nil
		}
		first = beat
		select {
		case <-t.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *Local) remove(ctx context.Context, id string) error {
	r, err := l.enter(id)
	if err != nil {
		return err
	}
	defer l.leave(ctx, r)
	if err := r.door.lock(ctx); err != nil {
		return err
	}
	for w := l.worker(r); w != nil; w = l.worker(r) {
		r.door.unlock() // it leaves through it
		w.stop(ErrDropped)
		select {
		case <-w.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := r.door.lock(ctx); err != nil {
			return err
		}
	}
	defer r.door.unlock()
	if err := errors.Join(l.c.Log.Drop(ctx, sessionLog(id)), l.c.Log.Drop(ctx, inputLog(id))); err != nil {
		return err
	}
	r.letGo(ctx)
	l.unsay(id)
	r.mu.Lock()
	r.fold, r.pos, r.heard, r.title, r.ids, r.idsPos = nil, 0, 0, "", nil, 0
	if r.tail != nil {
		r.tail.anew()
	}
	r.mu.Unlock()
	r.hub.reset(0)
	r.hub.finish(ErrDropped)
	_, rev, err := l.readLease(ctx, id)
	if err == nil && rev != 0 {
		_, err = l.c.KV.Put(ctx, store.Doc{Key: leaseKey(id), Rev: rev})
	}
	if errors.Is(err, store.ErrConflict) { // an owner elsewhere; it finds its log gone
		err = nil
	}
	return err
}
