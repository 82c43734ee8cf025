package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"react-agent/store"
)

// lease is the document that exists while a session has work. Who wants attention raises Touch; the owner deletes it at
// the revision it saw, so a touch in between makes it look again. An owner whose program ends in the middle of the work
// leaves it without an owner: see [Local.Left].
type lease struct {
	Owner string `json:"owner"` // "" = nobody works on it, and there is work
	Nonce string `json:"nonce"` // no two leases are the same bytes
	Touch int64  `json:"touch,omitempty"`
}

// life is the sign of life of a process.
type life struct {
	Machine string `json:"machine,omitempty"`
	PID     int    `json:"pid"`
	Born    string `json:"born,omitempty"`
	Beat    int64  `json:"beat"`
}

var errLost = errors.New("another process has taken the session over")

func leaseKey(session string) string { return "lease/" + session }

// readLease gives the lease of a session; rev 0 = there is none. A document that is none is one of a dead owner.
func (l *Local) readLease(ctx context.Context, session string) (lease, int64, error) {
	d, err := l.c.KV.Get(ctx, leaseKey(session))
	if errors.Is(err, store.ErrNotFound) {
		return lease{}, 0, nil
	}
	if err != nil {
		return lease{}, 0, err
	}
	var x lease
	if json.Unmarshal(d.Data, &x) != nil {
		x = lease{}
	}
	return x, d.Rev, nil
}

func (l *Local) writeLease(ctx context.Context, session string, x lease, rev int64) (int64, error) {
	data, err := json.Marshal(x)
	if err != nil {
		return 0, err
	}
	return l.c.KV.Put(ctx, store.Doc{Key: leaseKey(session), Rev: rev, Data: data})
}

// claim tries once to make this process work on a session: it touches the lease it finds, or takes it if nobody alive
// has it. mine says that the caller has it now and is to start a worker. For a job nothing is touched: a touch asks the
// owner to go on with the session.
func (l *Local) claim(ctx context.Context, session string, working, job bool) (rev int64, mine bool, err error) {
	x, rev, err := l.readLease(ctx, session)
	if err != nil {
		return 0, false, err
	}
	switch {
	case rev == 0, x.Owner == l.c.Process && !working, x.Owner != l.c.Process && l.dead(ctx, x.Owner):
		if err := l.beat(ctx); err != nil {
			return 0, false, err
		}
		x, mine = lease{Owner: l.c.Process, Nonce: randomText(12)}, true
	case job:
		return rev, false, nil
	default:
		x.Touch++
	}
	rev, err = l.writeLease(ctx, session, x, rev)
	return rev, mine, err
}

// Left lists the sessions that were at work when their program ended, in order or by a crash, children too: each has a
// lease whose owner is not known to be alive. They are for [Local.Resume].
func (l *Local) Left(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for d, err := range l.c.KV.List(ctx, leaseKey("")) {
			var x lease
			if err == nil && json.Unmarshal(d.Data, &x) == nil && l.alive(ctx, x.Owner) {
				continue
			}
			if !yield(strings.TrimPrefix(d.Key, leaseKey("")), err) || err != nil {
				return
			}
		}
	}
}

// alive reports whether an owner surely works: it is this process, or one of this machine that is there.
func (l *Local) alive(ctx context.Context, owner string) bool {
	if owner == l.c.Process {
		return true
	}
	x, _, err := l.readLife(ctx, owner)
	return err == nil && x.Machine != "" && x.Machine == machine() && x.Born == born(x.PID)
}

// dead reports whether an owner surely works no more: it has no sign of life, or its process on this machine is gone.
// What is not sure takes watching, see [Local.watch].
func (l *Local) dead(ctx context.Context, owner string) bool {
	x, _, err := l.readLife(ctx, owner)
	if errors.Is(err, store.ErrNotFound) {
		return true
	}
	return err == nil && x.Machine != "" && x.Machine == machine() && x.Born != born(x.PID)
}

func (l *Local) readLife(ctx context.Context, owner string) (life, int64, error) {
	d, err := l.c.KV.Get(ctx, "owner/"+owner)
	if errors.Is(err, store.ErrName) {
		err = store.ErrNotFound // no process of ours has such a name
	}
	if err != nil {
		return life{}, 0, err
	}
	var x life
	if json.Unmarshal(d.Data, &x) != nil {
		x = life{}
	}
	return x, d.Rev, nil
}

// beat writes a sign of life unless there is a fresh one.
func (l *Local) beat(ctx context.Context) error {
	if err := l.life.lock(ctx); err != nil {
		return err
	}
	defer l.life.unlock()
	if l.beats > 0 && time.Since(l.beaten) < l.c.Beat/2 {
		return nil
	}
	pid := os.Getpid()
	data, err := json.Marshal(life{Machine: machine(), PID: pid, Born: born(pid), Beat: l.beats + 1})
	if err != nil {
		return err
	}
	key := "owner/" + l.c.Process
	l.beatRev, err = l.c.KV.Put(ctx, store.Doc{Key: key, Rev: l.beatRev, Data: data})
	if errors.Is(err, store.ErrConflict) { // somebody took us for dead, and cleaned up
		var d store.Doc
		if d, err = l.c.KV.Get(ctx, key); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		l.beatRev, err = l.c.KV.Put(ctx, store.Doc{Key: key, Rev: d.Rev, Data: data})
	}
	if err != nil {
		return fmt.Errorf("sign of life: %w", err)
	}
	l.beats++
	l.beaten = time.Now()
	return nil
}

// heart beats while this process works on anything, and looks whether its leases are still its own.
func (l *Local) heart(ctx context.Context) {
	t := time.NewTicker(l.c.Beat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := l.beat(ctx); err != nil && ctx.Err() == nil {
			l.c.Logger.Warn("heartbeat failed", "error", err)
		}
		for _, w := range l.workers() {
			if err := w.verify(ctx); err != nil && !errors.Is(err, errLost) && ctx.Err() == nil {
				l.c.Logger.Warn("lease cannot be read", "session", w.room.id, "error", err)
			}
		}
	}
}

// watch waits, on behalf of who asked for work, until the owner has done it or is dead; then this process takes over.
func (l *Local) watch(ctx context.Context, r *room) {
	seen, since := "", time.Now()
	t := time.NewTicker(max(l.c.Beat/4, 5*time.Millisecond))
	defer t.Stop()
	for {
		select {
		case <-l.closing:
			return
		case <-t.C:
		}
		x, rev, err := l.readLease(ctx, r.id)
		if err != nil {
			l.c.Logger.Warn("lease cannot be read", "session", r.id, "error", err)
			continue
		}
		if rev == 0 || x.Owner == l.c.Process {
			if l.unwatch(ctx, r) {
				return
			}
			continue
		}
		_, beat, err := l.readLife(ctx, x.Owner)
		if now := fmt.Sprint(x.Owner, " ", beat); now != seen {
			seen, since = now, time.Now()
		}
		if !errors.Is(err, store.ErrNotFound) && time.Since(since) < l.c.Dead && !l.dead(ctx, x.Owner) {
			continue
		}
		l.c.Logger.Info("taking over a session", "session", r.id, "from", x.Owner)
		if l.bury(ctx, r, x.Owner, rev) {
			return
		}
	}
}

// unwatch ends a watch, if there still is nobody to watch. What the owner has left undone, because its program has ended or
// it was there for something else, is done here: somebody has asked for it.
func (l *Local) unwatch(ctx context.Context, r *room) bool {
	if err := r.door.lock(ctx); err != nil {
		return false
	}
	defer r.door.unlock()
	x, rev, err := l.readLease(ctx, r.id)
	r.watched = err != nil || rev != 0 && x.Owner != l.c.Process
	if r.watched || rev != 0 {
		return !r.watched
	}
	_, work, err := l.left(ctx, r)
	if err != nil || !work {
		return true // what cannot be read is said to the next who asks
	}
	rev, mine, err := l.claim(ctx, r.id, false, false)
	switch {
	case err != nil || !mine: // somebody else was faster, or so it seems
		r.watched = errors.Is(err, store.ErrConflict) || err == nil
	default:
		_ = l.start(ctx, r, rev, nil) // closed meanwhile: the next one takes over from us
	}
	return !r.watched
}

// bury takes the lease of a dead owner at the revision that was seen, and starts a worker.
func (l *Local) bury(ctx context.Context, r *room, owner string, rev int64) bool {
	if err := r.door.lock(ctx); err != nil {
		return false
	}
	defer r.door.unlock()
	if err := l.beat(ctx); err != nil {
		l.c.Logger.Warn("cannot take over", "session", r.id, "error", err)
		return false
	}
	rev, err := l.writeLease(ctx, r.id, lease{Owner: l.c.Process, Nonce: randomText(12)}, rev)
	if err != nil {
		return false // it lives, or another one was faster
	}
	if _, beat, err := l.readLife(ctx, owner); err == nil {
		_, _ = l.c.KV.Put(ctx, store.Doc{Key: "owner/" + owner, Rev: beat}) // only if it still does not beat
	}
	r.watched = false
	_ = l.start(ctx, r, rev, nil) // closed meanwhile: the next one takes over from us
	return true
}
