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
			w.interrupt(&agent.StopError{Stop: agent.RunCancelled})
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
		if cancelled || w.in.cancelled() > 0 {
			w.interrupt(&agent.StopError{Stop: agent.RunCancelled})
		}
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
