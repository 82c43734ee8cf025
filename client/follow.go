package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/sse"
	"react-agent/store"
)

// Follow implements [engine.Engine]. A stream that breaks is taken up again, for as long as [Options] say; a notice tells of
// a server that is away. It ends without an error when ctx ends, when the session is deleted and, without live, with the
// last stored event.
func (c *Client) Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		id, err := store.CleanID(session)
		if err != nil {
			yield(agent.Event{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		f := &follower{c: c, id: id, live: live, last: max(after, 0), yield: yield}
		if err := f.run(ctx); !errors.Is(err, errOver) && !f.left && ctx.Err() == nil {
			yield(agent.Event{}, err)
		}
	}
}

// follower is one who follows a session over any number of streams.
type follower struct {
	c     *Client
	id    string
	live  bool
	last  int64 // number of the last durable event
	n     int64 // of the last live one since
	shown bool  // chunks were shown since
	left  bool  // nobody reads any more
	yield func(agent.Event, error) bool

	born  string    // when the session was begun, "" while that is not known
	known bool      // there was a stream
	lost  time.Time // since when there is none
	told  bool      // that was told
	// since is when the stream at hand began, and before what lost was then: one that ends at once, without an event, was none.
	since, before time.Time
}

// run follows until there is nothing more to come, which is errOver, or nothing more to hope for.
func (f *follower) run(ctx context.Context) error {
	f.lost = time.Now()
	for wait := time.Duration(0); ; {
		err := f.stream(ctx)
		if !passing(err) || f.left || ctx.Err() != nil {
			return err
		}
		switch {
		case !f.lost.IsZero():
		case !f.before.IsZero() && time.Since(f.since) < brief:
			f.lost = f.before
		default: // there was one: at once, then ever slower
			f.lost, wait = time.Now(), 0
		}
		if wait, err = f.pause(ctx, wait, err); err != nil {
			return err
		}
	}
}

// pause waits before the next try, and tells of it. The error comes back when it is time to give up.
func (f *follower) pause(ctx context.Context, last time.Duration, err error) (wait time.Duration, giveUp error) {
	patience := f.c.o.Patience
	if !f.known {
		patience = f.c.o.Retry
	}
	wait, pause := nextWait(last, err)
	if time.Since(f.lost)+pause > patience {
		return wait, err
	}
	if f.known && last > 0 { // what is mended at once is not worth a word
		if !f.tell(f.c.o.Lost, !f.told) {
			return wait, errOver
		}
		f.told = true
	}
	sleep(ctx, pause)
	return wait, nil
}

// tell shows a notice of our own, if it is due; false: nobody reads any more.
func (f *follower) tell(text string, due bool) bool {
	return !due || f.show(agent.Event{Type: agent.EvNotice, Text: text})
}

// show yields an event of our own.
func (f *follower) show(e agent.Event) bool {
	e.Seq, e.N, e.Time, e.Session = f.last, f.n, time.Now().UTC().Round(0), f.id
	f.left = f.left || !f.yield(e, nil)
	return !f.left
}

// brief is how long a stream without an event must hold to count as one.
const brief = time.Second

// errOver says that nothing more will come.
var errOver = errors.New("client: the session's events are over")

// stream follows one stream to its end, and says why that came.
func (f *follower) stream(ctx context.Context) error {
	x := request{
		path: []string{"sessions", f.id, "events"}, query: url.Values{},
		header: http.Header{"Last-Event-Id": {strconv.FormatInt(f.last, 10)}},
	}
	if !f.live {
		x.query.Set("live", "0")
	}
	if f.born != "" {
		x.query.Set("born", f.born)
	}
	x.heard = func(h http.Header) { f.born = or(f.born, h.Get("Session-Born")) }
	body, err := f.c.open(ctx, x, "text/event-stream")
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusConflict && f.known {
		return errOver // deleted, and perhaps begun anew
	}
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // it was only read
	if !f.joined() {
		return errOver
	}
	return f.read(ctx, body)
}

// read takes a stream in to its end.
func (f *follower) read(ctx context.Context, body io.Reader) error {
	for r := sse.NewReader(body); ; {
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && !f.live:
			return errOver
		case err != nil:
			return f.c.unreachable(err)
		case e.Tail:
			return f.c.unreachable(io.ErrUnexpectedEOF)
		}
		if err := f.event(ctx, e.Data); err != nil {
			return err
		}
	}
}

// joined is called when there is a stream; it takes back what was shown of a message that the last one broke off.
func (f *follower) joined() bool {
	f.since, f.before = time.Now(), f.lost
	f.lost, f.known = time.Time{}, true
	if f.shown {
		f.shown = false
		if !f.show(agent.Event{Type: agent.EvRetry}) {
			return false
		}
	}
	told := f.told
	f.told = false
	return f.tell(f.c.o.Back, told)
}

// event takes a line of the stream in.
func (f *follower) event(ctx context.Context, line []byte) error {
	var failed error
	e, err := engine.Decode(line, func(sha string) ([]byte, error) {
		data, err := f.c.GetBlob(ctx, sha)
		if err != nil && !errors.Is(err, store.ErrNotFound) && failed == nil {
			failed = err
		}
		return data, err
	})
	switch {
	case failed != nil:
		return failed // it comes again with the next stream
	case err != nil:
		return fmt.Errorf("session %s: an event behind number %d %w", f.id, f.last, err)
	}
	if e.Type != agent.EvNotice || e.Error == nil {
		f.before = time.Time{}
	}
	if !f.next(e) {
		return nil
	}
	if f.left = !f.yield(e, nil); f.left {
		return errOver
	}
	return nil
}

// next reports whether an event is one that was not shown yet, and notes that it is.
func (f *follower) next(e agent.Event) bool {
	if e.Type.Durable() {
		if e.Seq <= f.last {
			return false
		}
		f.last, f.n, f.shown = e.Seq, 0, false
		if e.Seq == 1 && !e.Time.IsZero() {
			f.born = e.Time.Format(time.RFC3339Nano)
		}
	} else {
		if e.Seq != f.last {
			return false
		}
		f.n = e.N
		f.shown = e.Type == agent.EvChunk || f.shown && e.Type != agent.EvRetry
	}
	return true
}
