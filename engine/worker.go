package engine

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// worker runs one session from the first input to when there is nothing left to do. It holds the lease.
type worker struct {
	l    *Local
	room *room
	rev  int64 // of the lease
	job  *job  // to be done first
	done chan struct{}

	s    *agent.Session
	a    *agent.Agent
	in   *inbox
	box  atomic.Pointer[inbox] // the same, for [Local.tell]: loading a session takes its time
	pos  int64                 // of the session log's end
	torn bool
	lost []string // bodies of the log that are not there
	// waiting are events that are stored and not shown yet, by number.
	waiting []Frame
	voided  bool

	mu       sync.Mutex
	cancel   context.CancelCauseFunc // of everything
	cut      context.CancelCauseFunc // of the run, or of the job; nil: there is none
	stopped  error                   // why nothing may be stored any more
	ending   bool                    // the run was cancelled: it writes its end also while the engine closes
	wanted   bool                    // somebody asked for a run; a worker that is here for its job alone leaves without
	asking   int
	verified time.Time
}

// job is what [Local.Do] wants done between runs.
type job struct {
	wanted context.Context //nolint:containedctx // who waits for it is on another goroutine, and may give it up
	fn     func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error
	err    error
	done   chan struct{}
}

// start starts a worker; the caller holds the door and the lease. nil: the engine is closed, and the lease is one of a
// process that is gone.
func (l *Local) start(ctx context.Context, r *room, rev int64, j *job) *worker {
	free := context.WithoutCancel(ctx)
	ctx, cancel := context.WithCancelCause(free)
	w := &worker{l: l, room: r, rev: rev, job: j, wanted: j == nil, done: make(chan struct{}), verified: time.Now(), cancel: cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		cancel(ErrClosed)
		return nil
	}
	r.users++
	l.open.take(&r.openAt)
	r.work = w
	l.live[w] = true
	if len(l.live) == 1 {
		var beating context.Context
		beating, l.beating = context.WithCancel(free)
		l.wg.Go(func() { l.heart(beating) })
	}
	l.wg.Go(func() {
		defer cancel(nil)
		w.main(ctx)
	})
	return w
}

func (w *worker) main(ctx context.Context) {
	shown := w.room.hub.begin()
	err := w.work(ctx)
	if !w.gone() {
		w.retire(context.WithoutCancel(ctx), err)
	}
	if w.job != nil { // it was not begun
		w.job.finish(cmp.Or(err, ErrClosed))
	}
	shown()
	close(w.done)
	w.l.rest(ctx, w.room)
	w.l.leave(ctx, w.room)
}

func (j *job) finish(err error) {
	select {
	case <-j.done:
	default:
		j.err = err
		close(j.done)
	}
}

// gone reports whether the worker has left already.
func (w *worker) gone() bool { return w.l.worker(w.room) != w }

// work opens the session and works until there is nothing left. An error is a fault of the store, or the end of the
// engine; the session stays as it is.
func (w *worker) work(ctx context.Context) error {
	for tries := 0; ; tries++ {
		err := w.open(ctx)
		if err == nil {
			err = w.listen(ctx)
		}
		if !errors.Is(err, store.ErrConflict) || tries == 3 || w.verify(ctx) != nil {
			return err
		}
		w.l.c.Logger.Warn("the log has moved on, loading again", "session", w.room.id)
	}
}

// loop takes one input after the other.
func (w *worker) loop(ctx context.Context) error {
	for {
		if err := w.blocked(); err != nil {
			return err
		}
		if w.job != nil {
			if err := w.doJob(ctx); err != nil {
				return err
			}
			continue
		}
		notes, cancelled, some := w.due(ctx)
		if !some {
			left, err := w.tryLeave(ctx)
			if left || err != nil {
				return err
			}
			continue
		}
		if err := w.turn(ctx, cancelled, notes); err != nil {
			return err
		}
	}
}

// due is what a run is to begin with; some says that there is to be one.
func (w *worker) due(ctx context.Context) (notes []agent.Note, cancelled, some bool) {
	if !w.isWanted() {
		return nil, false, false
	}
	notes, cancelled, quiet := w.in.next(w.s.Open)
	for _, n := range notes {
		w.l.FetchBlobs(ctx, n.Messages)
	}
	return notes, cancelled, len(notes) > 0 || cancelled || quiet || w.s.Open
}

// turn is one run.
func (w *worker) turn(ctx context.Context, cancelled bool, notes []agent.Note) error {
	err := w.caught(func() error { return w.agent(ctx, true) })
	if err != nil {
		return err
	}
	free := ctx
	return w.interruptible(ctx, func(ctx context.Context) error {
		end := func() { w.interrupt(&agent.StopError{Stop: agent.RunCancelled}) }
		if cancelled {
			end()
		}
		w.in.obey(end)
		if d := w.l.c.Timeout; d > 0 {
			var done context.CancelFunc
			ctx, done = context.WithTimeoutCause(ctx, d, &agent.StopError{Stop: agent.RunTimeout})
			defer done()
		}
		err := w.caught(func() error { return w.show(w.a.Run(ctx, w.s, notes...)) })
		if p, ok := errors.AsType[*panicError](err); ok {
			w.cutOff(free, p)
		}
		w.in.settle()
		return err
	})
}

// open takes the fold, and reads the input that waits.
func (w *worker) open(ctx context.Context) error {
	r := w.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.s != nil { // again, after a conflict
		r.fold, w.s = nil, nil
	}
	if err := w.l.load(ctx, r); err != nil {
		return err
	}
	if t, ok := w.l.c.Log.(store.Torn); ok {
		n, err := t.Torn(ctx, sessionLog(r.id))
		if err != nil {
			return err
		}
		w.torn = n > 0
	}
	in, err := w.l.pending(ctx, r, r.fold)
	if err != nil {
		return err
	}
	w.s, w.pos, w.in, w.waiting, r.fold = r.fold, r.pos, in, nil, nil
	w.lost, r.lost = r.lost, nil
	w.box.Store(in)
	w.a = nil
	r.info = SessionInfo{ID: r.id, Seq: w.s.Seq, Usage: w.s.Total, Updated: now()}
	r.hub.at(w.s.Seq)
	return nil
}

// doJob does what Do wants, and shows what it stored.
func (w *worker) doJob(ctx context.Context) error {
	j := w.job
	w.job = nil
	err := w.interruptible(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(j.wanted, func() { cancel(context.Cause(j.wanted)) })()
		return w.caught(func() error {
			if err := w.agent(ctx, false); err != nil {
				return err
			}
			if j.wanted.Err() != nil {
				return context.Cause(j.wanted)
			}
			return j.fn(ctx, w.a, w.s, w.publish)
		})
	})
	w.flush()
	if stopped := w.blocked(); err != nil && errors.Is(stopped, ErrDropped) {
		err = stopped // whatever it has met on the way
	}
	j.finish(err)
	if w.voided || err != nil {
		w.voided = false
		w.room.mu.Lock()
		defer w.room.mu.Unlock()
		if err := w.l.load(ctx, w.room); err != nil {
			return err
		}
		w.s, w.pos, w.room.fold = w.room.fold, w.room.pos, nil
	}
	return nil
}

// want says that somebody asked for a run. It reports whether that is news.
func (w *worker) want() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.wanted
	w.wanted = true
	return !old
}

func (w *worker) isWanted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wanted
}
