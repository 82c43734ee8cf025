package engine

import (
	"context"
	"errors"
	"iter"

	"react-agent/agent"
	"react-agent/store"
)

// Follow implements [Engine]. The events may share memory with the run: read only. It ends without an error when ctx ends
// or the session is deleted, and with [ErrClosed] when the engine is closed. A run that cannot go on because nothing can be
// stored has no end event; a notice with an Error says so.
//
// Live events are unbroken in N, or silent until the next durable event. Only a step and a retry may jump in N: the step
// that goes on, and the message that is being streamed from its beginning, in a few large chunks of the same N.
func (l *Local) Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for frames, err := range l.Frames(ctx, session, after, live) {
			for _, f := range frames {
				e, err := f.Event()
				if !yield(e, err) || err != nil {
					return
				}
			}
			if err != nil {
				yield(agent.Event{}, err)
				return
			}
		}
	}
}

// Frames is Follow for those who send the events on: encoded once for all, large bodies as references, and all that waits
// at once, so that it can be sent at once. The slice is valid until the next one is asked for. An error comes alone, and last.
func (l *Local) Frames(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]Frame, error] {
	return func(yield func([]Frame, error) bool) {
		r, err := l.enter(session)
		if err != nil {
			yield(nil, err)
			return
		}
		defer l.leave(ctx, r)
		f := follower{l: l, r: r, last: max(after, 0), yield: yield}
		if !live {
			f.replay(ctx)
			f.flush()
			return
		}
		if err := l.tailer(ctx, r); err != nil {
			yield(nil, err)
			return
		}
		defer l.endTailer(r)
		f.sub = r.hub.join()
		defer r.hub.part(f.sub)
		f.run(ctx)
		f.flush()
	}
}

// follower is one reader: what is durable comes from the log until it has caught up, then from the hub.
type follower struct {
	l     *Local
	r     *room
	sub   *sub
	pos   int64 // in the log, of what was looked at
	last  int64 // number of the last durable event
	n     int64 // of the last live one since
	mute  bool  // after a gap in n, until the next durable event
	batch []Frame
	bytes int  // of what was loaded into the batch
	left  bool // nobody reads any more
	yield func([]Frame, error) bool
}

// What is yielded at once is bounded: whoever reads a long log slowly holds little of it.
const (
	maxBatch = 64
	maxBytes = 64 << 10
)

// add puts a frame into the batch; false when the reader has left.
func (f *follower) add(x Frame) bool {
	f.batch = append(f.batch, x)
	return len(f.batch) < maxBatch || f.flush()
}

// flush yields the batch; false when the reader has left.
func (f *follower) flush() bool {
	if f.left || len(f.batch) == 0 {
		return !f.left
	}
	f.left = !f.yield(f.batch, nil)
	clear(f.batch)
	if f.batch, f.bytes = f.batch[:0], 0; cap(f.batch) > 8 {
		f.batch = nil // it may be silent for long
	}
	return !f.left
}

// fail yields what came before, and the error.
func (f *follower) fail(err error) {
	if f.flush() {
		f.left = !f.yield(nil, err)
	}
}

func (f *follower) run(ctx context.Context) {
	if !f.replay(ctx) {
		return
	}
	for {
		frames, lost, ended := f.r.hub.take(f.sub)
		for _, x := range frames {
			if !f.show(ctx, x) {
				return
			}
		}
		if lost {
			if !f.replay(ctx) {
				return
			}
			continue
		}
		if !f.flush() {
			return
		}
		if ended != nil {
			if !errors.Is(ended, ErrDropped) {
				f.fail(ended)
			}
			return
		}
		select {
		case <-f.sub.bell:
		case <-ctx.Done():
			return
		}
	}
}

// show takes a frame in if it is the next one.
func (f *follower) show(ctx context.Context, x Frame) bool {
	if x.Type.Durable() {
		switch {
		case x.Seq <= f.last:
			return true
		case x.Seq > f.last+1:
			return f.replay(ctx)
		}
		f.last, f.n, f.mute = x.Seq, 0, false
		return f.add(x)
	}
	if x.join && x.Type == agent.EvNotice { // whenever it was said, it is to be seen
		e := *x.body.event
		e.Seq, e.N = f.last, f.n
		return f.add(eventFrame(&e, nil))
	}
	if x.Seq > f.last && !f.replay(ctx) {
		return false
	}
	switch {
	case x.Seq != f.last:
		return true
	case x.join:
		f.mute = false
	case x.n > f.n+1:
		f.mute = true
	}
	if f.mute {
		return true
	}
	f.n = x.n
	return f.add(x)
}

// replay takes in what the log has behind the last durable event.
func (f *follower) replay(ctx context.Context) bool {
	for rec, err := range f.l.records(ctx, f.r.id, f.pos) {
		if ctx.Err() != nil {
			return false
		}
		if errors.Is(err, store.ErrConflict) { // deleted, and perhaps begun anew
			return false
		}
		var x Frame
		if err == nil {
			x, err = lineFrame(rec.Data, f.l.blob(ctx))
		}
		if err != nil {
			f.fail(err)
			return false
		}
		f.pos = rec.Pos
		if x.Seq <= f.last {
			continue
		}
		f.last, f.n, f.mute = x.Seq, 0, false
		f.bytes += len(rec.Data)
		if !f.add(x) || f.bytes > maxBytes && !f.flush() {
			return false
		}
	}
	return ctx.Err() == nil
}
