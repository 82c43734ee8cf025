package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"react-agent/store"
)

// lookout sees what other processes append to logs: those of the sessions that are followed, and the inputs of those that
// run. It is one goroutine for all of them, which is there while there is anything to look at, and it looks at sizes: a
// session that is followed and silent costs no goroutine, no open file and next to no time.
type lookout struct {
	mu    sync.Mutex
	posts map[*post]bool
	run   bool // the goroutine is there
}

// post is a log that is looked at.
type post struct {
	// look reports whether there was news. Calls do not overlap, but the last one may end after leave.
	look func(ctx context.Context) bool
	wait time.Duration
	due  time.Time
}

// looksPerSecond bounds what the lookout costs. Where more is followed, news from other processes takes longer.
const looksPerSecond = 1000

// station adds a log; leave takes it away again. It fails once the engine is closed.
func (l *Local) station(ctx context.Context, look func(ctx context.Context) bool) (leave func(), err error) {
	o := &l.out
	p := &post{look: look, wait: l.c.Poll / 4, due: time.Now().Add(l.c.Poll / 4)}
	l.mu.Lock() // before that of the lookout, as closed guards the wait group
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.posts == nil {
		o.posts = map[*post]bool{}
	}
	o.posts[p] = true
	if !o.run {
		o.run = true
		free := context.WithoutCancel(ctx)
		l.wg.Go(func() { l.watchLogs(free) })
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.posts, p)
	}, nil
}

// watchLogs looks at what is due, until there is nothing left to look at.
func (l *Local) watchLogs(ctx context.Context) {
	t := time.NewTimer(l.c.Poll / 4)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-l.closing:
			return
		}
		due, slowest, ok := l.out.due()
		if !ok {
			return
		}
		for i, p := range due {
			p.wait = min(2*p.wait, max(l.c.Poll, slowest))
			if p.look(ctx) {
				p.wait = l.c.Poll / 4
			}
			p.due = time.Now().Add(p.wait - p.wait/32*time.Duration(i%8)) // so that they do not all come at once
		}
		t.Reset(l.out.next(l.c.Poll, l.c.Poll/4))
	}
}

// due gives what is to be looked at now, and how long all of it may take; false: nothing is left, the goroutine ends.
func (o *lookout) due() (due []*post, slowest time.Duration, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	for p := range o.posts {
		if !p.due.After(now) {
			due = append(due, p)
		}
	}
	o.run = len(o.posts) > 0
	return due, time.Duration(len(o.posts)) * time.Second / looksPerSecond, o.run
}

// next gives the time to the next look, at least least.
func (o *lookout) next(most, least time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	for p := range o.posts {
		most = min(most, p.due.Sub(now))
	}
	return max(most, least)
}

// size gives a log's size, as far as it tells whether anything was appended.
func (l *Local) size(ctx context.Context, log string) (int64, error) {
	if s, ok := l.c.Log.(store.Sized); ok {
		return s.Size(ctx, log)
	}
	rec, err := l.lastRecord(ctx, log)
	return rec.Pos, err
}

// tail is what a room that is followed knows of its log.
type tail struct {
	leave func()

	mu   sync.Mutex
	size int64 // at the last look
	pos  int64 // of what was shown
}

// tailer sees that events which other processes store come to the hub, as long as anybody follows.
func (l *Local) tailer(ctx context.Context, r *room) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers > 0 {
		r.followers++
		return nil
	}
	t := &tail{}
	var err error
	if t.size, err = l.size(ctx, sessionLog(r.id)); err != nil {
		return err
	}
	rec, err := l.lastRecord(ctx, sessionLog(r.id))
	if err != nil {
		return err
	}
	if rec.Pos > 0 {
		seq, _, err := head(rec.Data)
		if err != nil {
			return err
		}
		t.pos = rec.Pos
		r.hub.reset(seq)
	}
	if t.leave, err = l.station(ctx, func(ctx context.Context) bool { return l.lookTail(ctx, r, t) }); err != nil {
		return err
	}
	r.tail, r.followers = t, 1
	return nil
}

func (l *Local) endTailer(r *room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers--; r.followers == 0 {
		r.tail.leave()
		r.tail = nil
	}
}

// lookTail shows what was appended. A run of this process shows its own events; what it has stored is passed over when it
// has ended.
func (l *Local) lookTail(ctx context.Context, r *room, t *tail) bool {
	if r.hub.publishing() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size, err := l.size(ctx, sessionLog(r.id))
	if err == nil && size == t.size {
		return false
	}
	if err == nil && size == 0 {
		err = store.ErrConflict
	}
	if err == nil {
		err = l.showTail(ctx, r, t)
	}
	switch {
	case errors.Is(err, errLater):
	case errors.Is(err, store.ErrConflict): // deleted, and perhaps begun anew
		t.size, t.pos = 0, 0
		r.hub.reset(0)
		r.hub.finish(ErrDropped)
	case err != nil:
		t.size = size
		r.hub.finish(err)
	case t.pos == size:
		t.size = size
	default: // something is torn: what takes its place may have the same size
		t.size = -1
	}
	return true
}

var errLater = errors.New("a run of this process has begun")

func (l *Local) showTail(ctx context.Context, r *room, t *tail) error {
	for rec, err := range l.c.Log.Read(ctx, sessionLog(r.id), t.pos, false) {
		if err != nil {
			return err
		}
		if r.hub.publishing() {
			return errLater
		}
		f, err := lineFrame(rec.Data, l.blob(ctx))
		if err != nil {
			return err
		}
		r.hub.publish(f)
		t.pos = rec.Pos
	}
	return nil
}

// anew makes a tail begin at the beginning: this process has deleted the log.
func (t *tail) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size, t.pos = 0, 0
}

// lastRecord gives the end of a log.
func (l *Local) lastRecord(ctx context.Context, log string) (rec store.Record, err error) {
	if last, ok := l.c.Log.(store.Last); ok {
		return last.Last(ctx, log)
	}
	for r, err := range l.c.Log.Read(ctx, log, 0, false) {
		if err != nil {
			return rec, err
		}
		rec = r
	}
	return rec, nil
}
