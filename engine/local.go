package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// ErrClosed is what every call gives after [Local.Close].
var ErrClosed = errors.New("engine: closed")

// ErrInput is wrapped by errors about an input that says nothing, or two things, or comes too late: [InputError], [ErrGone].
var ErrInput = errors.New("engine: bad input")

// ErrGone is wrapped, beside [ErrInput], by errors about changing a message that waits no more.
var ErrGone = fmt.Errorf("%w: it was taken in or removed", ErrInput)

// Local is the engine in process. It is safe for concurrent use, and any number of them, in any number of processes, may
// share one store.
type Local struct {
	c       Config
	wg      sync.WaitGroup
	closing chan struct{}

	mu      sync.Mutex
	closed  bool
	rooms   map[string]*room
	idle    shelf // rooms that nobody uses
	open    shelf // rooms that have a session loaded on which nobody works
	live    map[*worker]bool
	beating context.CancelFunc
	said    replies
	out     lookout

	life    mutex // over what follows
	beats   int64
	beatRev int64
	beaten  time.Time
}

// New makes an engine. It starts nothing until there is work; see [Local.Resume] for what a crash has left.
func New(c Config) (*Local, error) {
	if c.Log == nil || c.KV == nil || c.Blobs == nil || c.Factory == nil {
		return nil, errors.New("engine: Log, KV, Blobs and Factory are required")
	}
	if c.Process == "" {
		c.Process = "p" + randomText(15)
	}
	id, err := store.CleanID(c.Process)
	if err != nil {
		return nil, fmt.Errorf("engine: process %w", err)
	}
	c.Process = id
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Beat, c.Dead = or(c.Beat, 2*time.Second), or(c.Dead, 10*time.Second)
	c.Backlog, c.Keep, c.Poll = or(c.Backlog, 512), or(c.Keep, 64), or(c.Poll, 250*time.Millisecond)
	t := &c.Texts
	t.TailRepaired = or(t.TailRepaired, "the end of the session's log was damaged and has been cut off; everything before it is there")
	t.BodyLost = or(t.BodyLost, "parts of this session are missing from the store, and it goes on without them")
	t.DiskFull = or(t.DiskFull, "disk full: nothing can be stored, so the run was stopped; free some space and send the message again")
	t.StoreFailed = or(t.StoreFailed, "the session cannot be stored or read, so the run was stopped")
	t.Fault = or(t.Fault, "a fault in the program has stopped the run")
	t.LeaseLost = or(t.LeaseLost, "another process has taken this session over")
	return &Local{
		c: c, closing: make(chan struct{}), rooms: map[string]*room{}, live: map[*worker]bool{},
		said: replies{list: map[commandID]*heardCommand{}}, life: make(mutex, 1),
	}, nil
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (l *Local) worker(r *room) *worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.work
}

func (l *Local) workers() []*worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*worker
	for w := range l.live {
		all = append(all, w)
	}
	return all
}

// Close lets running sessions reach their next durable event, stops them, and waits for everything the engine has
// started. When ctx ends it no longer waits for durable events. What was stopped goes on with [Local.Resume] or the next
// input.
func (l *Local) Close(ctx context.Context) error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	close(l.closing)
	var rooms []*room
	for _, r := range l.rooms {
		rooms = append(rooms, r)
	}
	l.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		for _, w := range l.workers() {
			w.stop(ErrClosed)
		}
	})
	defer stop()
	running := l.workers()
	for _, w := range running {
		w.seal()
	}
	for _, w := range running {
		<-w.done // soon after stop at the latest
	}
	for _, r := range rooms {
		r.hub.finish(ErrClosed)
	}
	l.wg.Wait()
	ctx = context.WithoutCancel(ctx)
	for _, r := range rooms {
		r.letGo(ctx)
	}
	if err := l.life.lock(ctx); err != nil {
		return err
	}
	defer l.life.unlock()
	if l.beats > 0 {
		_, err := l.c.KV.Put(ctx, store.Doc{Key: "owner/" + l.c.Process, Rev: l.beatRev})
		if err != nil && !errors.Is(err, store.ErrConflict) {
			return fmt.Errorf("sign of life: %w", err)
		}
	}
	return nil
}

// isClosing says that runs are to stop behind their next durable event.
func (l *Local) isClosing() bool {
	select {
	case <-l.closing:
		return true
	default:
		return false
	}
}

// attend sees that somebody works on a session.
func (l *Local) attend(ctx context.Context, r *room) error {
	if err := r.door.lock(ctx); err != nil {
		return err
	}
	defer r.door.unlock()
	for {
		rev, mine, err := l.claim(ctx, r.id, l.worker(r) != nil, false)
		switch {
		case errors.Is(err, store.ErrConflict):
			continue
		case err != nil:
			return err
		case mine:
			if l.start(ctx, r, rev, nil) == nil {
				return ErrClosed
			}
		case l.worker(r) != nil:
			l.worker(r).want()
		case !r.watched:
			l.startWatch(ctx, r)
		}
		return nil
	}
}

// startWatch watches another owner; the caller holds the door.
func (l *Local) startWatch(ctx context.Context, r *room) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	r.watched = true
	r.users++
	ctx = context.WithoutCancel(ctx)
	l.wg.Go(func() {
		l.watch(ctx, r)
		l.leave(ctx, r)
	})
}

// Resume sees that somebody goes on with a session that a crash has left open. Without work it does nothing.
func (l *Local) Resume(ctx context.Context, session string) error {
	r, err := l.enter(session)
	if err != nil {
		return err
	}
	defer l.leave(ctx, r)
	idle, work, err := l.left(ctx, r)
	if w := l.worker(r); !idle && w != nil && w.isWanted() {
		return nil
	}
	if err != nil || idle && !work {
		return err
	}
	return l.attend(ctx, r)
}

// left reports whether a session on which nobody works here has work; idle is false when somebody does.
func (l *Local) left(ctx context.Context, r *room) (idle, work bool, err error) {
	idle, err = l.view(ctx, r, func(s *agent.Session) error {
		in, err := l.pending(ctx, r, s)
		if err == nil {
			_, empty := in.empty()
			work = s.Open || !empty
		}
		return err
	})
	return idle, work, err
}

// pending reads the input that a session has not used up. The caller holds r.mu.
func (l *Local) pending(ctx context.Context, r *room, s *agent.Session) (*inbox, error) {
	in := newInbox(inputLog(r.id), r.heard)
	for rec, err := range l.inputs(ctx, r.id, r.heard) {
		if err != nil {
			return nil, err
		}
		in.add(rec.pos, rec.entry, s.Taken(in.log, rec.pos, rec.entry.ID))
	}
	return in, nil
}

// Do runs fn on a session between runs, under its lease: for undo, mode, compaction. It waits until nobody works on the
// session, in this process or another. A run that a crash has left open, and input that nobody works on, stay as they are:
// they are for [Local.Submit] and [Local.Resume]. Events that fn has from elsewhere ([agent.Agent.CompactNow]) are shown with emit; those of
// [agent.Agent.Append] are shown by themselves. A cancel, or the end of ctx, ends fn's context.
func (l *Local) Do(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error) error {
	r, err := l.enter(session)
	if err != nil {
		return err
	}
	defer l.leave(ctx, r)
	j := &job{wanted: ctx, fn: fn, done: make(chan struct{})}
	for {
		w, started, err := l.tryJob(ctx, r, j)
		if err != nil {
			return err
		}
		if started {
			<-j.done // soon after the end of ctx at the latest
			return j.err
		}
		t := time.NewTimer(100 * time.Millisecond)
		var done <-chan struct{}
		if w != nil {
			done = w.done
		}
		select {
		case <-done:
		case <-t.C:
		case <-l.closing:
		case <-ctx.Done():
		}
		t.Stop()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case l.isClosing():
			return ErrClosed
		}
	}
}

// tryJob starts a worker with the job if nobody has the session; w is who has it in this process.
func (l *Local) tryJob(ctx context.Context, r *room, j *job) (w *worker, started bool, err error) {
	if err := r.door.lock(ctx); err != nil {
		return nil, false, err
	}
	defer r.door.unlock()
	if w = l.worker(r); w != nil {
		return w, false, nil
	}
	rev, mine, err := l.claim(ctx, r.id, false, true)
	if errors.Is(err, store.ErrConflict) {
		return nil, false, nil
	}
	if err != nil || !mine {
		return nil, false, err
	}
	if w = l.start(ctx, r, rev, j); w == nil {
		return nil, false, ErrClosed
	}
	return w, true, nil
}

// Refresh makes the next run of an open session ask the [Factory] again.
func (l *Local) Refresh(session string) {
	id, err := store.CleanID(session)
	if err != nil {
		return
	}
	l.mu.Lock()
	r := l.rooms[id]
	l.mu.Unlock()
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stale = true
	}
}

// PutBlob implements [store.Blobs].
func (l *Local) PutBlob(ctx context.Context, data []byte) (string, error) {
	return l.c.Blobs.PutBlob(ctx, data)
}

// GetBlob implements [store.Blobs].
func (l *Local) GetBlob(ctx context.Context, sha string) ([]byte, error) {
	return l.c.Blobs.GetBlob(ctx, sha)
}
