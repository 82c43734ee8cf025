package sse

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// The times of a [Writer]: how long its stream may be silent before a comment shows that it lives, and how long a
// reader may take nothing before the stream is given up.
const (
	Silence  = 15 * time.Second
	Patience = 30 * time.Second
)

// kept is how large a buffer a silent stream may hold, in bytes: that of a few deltas. Beyond full, what waits is written
// before Flush: a reader that is far behind costs no more memory than one that keeps up.
const (
	kept = 1 << 10
	full = 8 << 10
)

// ErrClosed is the error of a [Writer] after Close.
var ErrClosed = errors.New("server-sent events: the stream is closed")

// Writer answers a request with an event stream. What is added waits until Flush, which sends all of it with one write and
// one flush; only where very much waits, some is written before. It works through any ResponseWriter that http.ResponseController knows how to unwrap.
//
// A reader that takes nothing for [Patience] breaks the stream: Flush fails, and the request's context ends. A stream that
// says nothing for [Silence] sends a comment by itself, without a goroutine of its own. While nothing waits, a Writer holds
// at most a small buffer: ten thousand silent streams are cheap.
//
// It is safe for concurrent use, and Close must be called before the handler returns.
type Writer struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	push    func() error // sends what w has buffered
	buf     []byte       // what waits
	begun   bool         // something was written since the last flush
	err     error        // why nothing more can be sent
	sent    time.Time    // of the last flush
	until   time.Time    // the write deadline
	timer   *time.Timer
}

// NewWriter makes a writer and sends the head of the response, so that the client knows at once that its stream is open.
// Headers that w has already are kept.
func NewWriter(w http.ResponseWriter) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // or nginx keeps the stream until it has a page of it
	out := &Writer{w: w, control: http.NewResponseController(w)}
	out.push = out.control.Flush
	w.WriteHeader(http.StatusOK)
	_ = out.flush() // the next one says it again
	out.push = pusher(w, out.push)
	out.timer = time.AfterFunc(time.Hour, out.alive)
	out.timer.Reset(Silence)
	return out
}

// pusher finds the writer whose flush has an error: a router's own may swallow it.
func pusher(w http.ResponseWriter, otherwise func() error) func() error {
	for {
		switch x := w.(type) {
		case interface{ FlushError() error }:
			return x.FlushError
		case interface{ Unwrap() http.ResponseWriter }:
			w = x.Unwrap()
		default:
			return otherwise
		}
	}
}

// Add puts an event behind what waits. Its slices are copied. Data may have any bytes but is sent as lines; an ID or a
// Type with a line end in it is left out, as a reader would take what follows for another field.
func (o *Writer) Add(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.buf = line(o.buf, "id: ", e.ID)
	o.buf = line(o.buf, "event: ", e.Type)
	if e.Retry > 0 {
		o.buf = append(strconv.AppendInt(append(o.buf, "retry: "...), e.Retry.Milliseconds(), 10), '\n')
	}
	o.buf = append(lines(o.buf, "data: ", e.Data), '\n')
	if len(o.buf) >= full {
		_ = o.write() // Flush says it again
	}
}

// Comment puts a comment behind what waits: readers pass over it.
func (o *Writer) Comment(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.comment(text)
	}
}

func (o *Writer) comment(text string) { o.buf = append(lines(o.buf, ": ", []byte(text)), '\n') }

// line adds a field of one line, if there is anything to say and it is one line.
func line(b []byte, name string, value []byte) []byte {
	if len(value) == 0 || lineEnd(value) >= 0 {
		return b
	}
	return append(append(append(b, name...), value...), '\n')
}

// lines adds a value as one or more lines.
func lines(b []byte, name string, value []byte) []byte {
	for {
		i := lineEnd(value)
		if i < 0 {
			return append(append(append(b, name...), value...), '\n')
		}
		b = append(append(append(b, name...), value[:i]...), '\n')
		if value[i] == '\r' && i+1 < len(value) && value[i+1] == '\n' {
			i++
		}
		value = value[i+1:]
	}
}

// Flush sends what waits. Its error is final: nothing more can be sent.
func (o *Writer) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.buf) == 0 && !o.begun {
		return o.err
	}
	return o.flush()
}

// Close sends what waits and ends the stream's comments. The response itself ends with the handler.
func (o *Writer) Close() error {
	err := o.Flush()
	o.timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = ErrClosed
	}
	return err
}

func (o *Writer) flush() error {
	if err := o.write(); err != nil {
		return err
	}
	if err := o.push(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return o.fail(err)
	}
	if o.begun, o.sent = false, time.Now(); cap(o.buf) > kept {
		o.buf = nil
	}
	return nil
}

// write hands what waits to the connection's own buffer, which may send some of it.
func (o *Writer) write() error {
	if o.err != nil {
		return o.err
	}
	if now := time.Now(); o.until.Sub(now) < Patience/2 { // setting it for each delta costs more than it brings
		o.until = now.Add(Patience)
		if err := o.control.SetWriteDeadline(o.until); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return o.fail(err)
		}
	}
	b := o.buf
	if len(b) == 0 {
		return nil
	}
	o.buf, o.begun = b[:0], true
	if _, err := o.w.Write(b); err != nil {
		return o.fail(err)
	}
	return nil
}

func (o *Writer) fail(err error) error {
	o.err = fmt.Errorf("the event stream cannot be written: %w", err)
	return o.err
}

// alive sends a comment when nothing was sent for a while. It runs on the timer's goroutine; who is writing right now is
// alive anyway, and is not waited for.
func (o *Writer) alive() {
	if next := o.remind(); next > 0 {
		o.timer.Reset(next)
	}
}

// remind gives the time to the next look, 0 = there is none.
func (o *Writer) remind() time.Duration {
	if !o.mu.TryLock() {
		return Silence
	}
	defer o.mu.Unlock()
	if o.err != nil {
		return 0
	}
	if quiet := time.Since(o.sent); quiet < Silence {
		return Silence - quiet
	}
	o.comment("")
	if o.flush() != nil {
		return 0
	}
	return Silence
}
