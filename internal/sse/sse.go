// Package sse reads server-sent events as they really arrive: lines that end in CRLF, LF or a bare CR, a byte order
// mark, "data:" with or without a space, data over several lines, comments, events whose last blank line is missing,
// and lines of any length.
//
//	r := sse.NewReader(body)
//	for {
//		e, err := r.Next()
//		if err != nil {
//			return err // io.EOF at a clean end
//		}
//		use(e.Data) // valid until the next call
//	}
//
// Where the pieces of the body are cut makes no difference. Reading an event does not allocate once the buffers have
// grown to the size of the stream's events.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// MaxEvent is how many bytes an event may have before the reader gives up on the stream.
const MaxEvent = 64 << 20

// ErrTooLarge is the error of an event, or of a single line, of more than [MaxEvent] bytes.
var ErrTooLarge = errors.New("server-sent event is too large")

// Event is one event. Its slices belong to the reader and are valid until the next call of [Reader.Next].
type Event struct {
	// Type is the value of the event field, empty if there was none.
	Type []byte
	// ID is the last id the stream has named, in this event or before.
	ID []byte
	// Data holds the data lines, joined with LF. It is never empty: events without data are heartbeats and are skipped.
	Data []byte
	// Retry is how long the server asks to wait before connecting again; 0 = it has not said.
	Retry time.Duration
	// Tail says that the stream ended before the event's blank line: Data may be cut short.
	Tail bool
}

// Reader reads the events of one stream. It is not safe for concurrent use.
type Reader struct {
	src io.Reader
	err error // why src gives nothing more

	buf     []byte // what was read and not yet used is buf[from:]
	from    int
	scanned int // buf[from:scanned] has no line end

	begun  bool // the byte order mark was looked for
	skipLF bool // the last line ended in CR, its LF may still come

	data, typ, id []byte
	lines         int // data lines of this event
	retry         time.Duration
}

// NewReader makes a reader of src. It reads no further than the end of the event that Next returns, apart from what
// arrives together with it.
func NewReader(src io.Reader) *Reader { return &Reader{src: src} }

// Next gives the next event. At the end of the stream, and when reading fails, it first gives the event that has begun,
// if any, with Tail set; then the error: io.EOF after a clean end, [ErrTooLarge], or the error of the source.
func (r *Reader) Next() (Event, error) {
	r.data, r.typ, r.lines = r.data[:0], r.typ[:0], 0
	for {
		line, ok := r.line()
		if !ok {
			if r.lines > 0 && len(r.data) > 0 && !errors.Is(r.err, ErrTooLarge) {
				e := r.event(true)
				r.lines = 0
				return e, nil
			}
			return Event{}, r.err
		}
		if len(line) == 0 {
			if r.lines > 0 && len(r.data) > 0 {
				return r.event(false), nil
			}
			r.data, r.typ, r.lines = r.data[:0], r.typ[:0], 0
			continue
		}
		if err := r.field(line); err != nil {
			r.err, r.from, r.scanned = err, len(r.buf), len(r.buf)
			return Event{}, err
		}
	}
}

func (r *Reader) event(tail bool) Event {
	return Event{Type: r.typ, ID: r.id, Data: r.data, Retry: r.retry, Tail: tail}
}

// field takes one line that is not empty.
func (r *Reader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if len(r.data)+len(value) >= MaxEvent {
			return fmt.Errorf("%w: over %d bytes", ErrTooLarge, MaxEvent)
		}
		if r.lines > 0 {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.lines++
	case "event":
		r.typ = append(r.typ[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = append(r.id[:0], value...)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.retry = time.Duration(ms) * time.Millisecond
		}
	}
	return nil
}

// line gives the next line without its end. False: the stream is over, r.err says why. The last line needs no end.
func (r *Reader) line() ([]byte, bool) {
	for {
		if r.skipLF && r.from < len(r.buf) {
			r.skipLF = false
			if r.buf[r.from] == '\n' {
				r.from++
			}
			r.scanned = max(r.scanned, r.from)
		}
		if r.mark() {
			if i := lineEnd(r.buf[r.scanned:]); i >= 0 {
				end := r.scanned + i
				line := r.buf[r.from:end]
				r.skipLF = r.buf[end] == '\r'
				r.from, r.scanned = end+1, end+1
				return line, true
			}
			r.scanned = len(r.buf)
		}
		if r.err != nil {
			line := r.buf[r.from:]
			r.from, r.scanned = len(r.buf), len(r.buf)
			return line, len(line) > 0
		}
		r.fill()
	}
}

// lineEnd is the position of the first CR or LF, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// mark drops a byte order mark from the beginning. False: too little has arrived to tell.
func (r *Reader) mark() bool {
	if r.begun {
		return true
	}
	const bom = "\xef\xbb\xbf"
	have := r.buf[r.from:]
	if len(have) < len(bom) && string(have) == bom[:len(have)] && r.err == nil {
		return false
	}
	r.begun = true
	if bytes.HasPrefix(have, []byte(bom)) {
		r.from += len(bom)
	}
	r.scanned = r.from
	return true
}

// fill reads once. It moves what is unused to the front, and grows the buffer only when a line does not fit.
func (r *Reader) fill() {
	const least, first = 1 << 10, 4 << 10 // a thousand streams are read at once, and most events are small
	if r.from > 0 {
		n := copy(r.buf, r.buf[r.from:])
		r.buf, r.scanned, r.from = r.buf[:n], r.scanned-r.from, 0
	}
	if len(r.buf) > MaxEvent {
		r.err = fmt.Errorf("%w: a line of over %d bytes", ErrTooLarge, MaxEvent)
		r.buf, r.scanned = r.buf[:0], 0
		return
	}
	if cap(r.buf)-len(r.buf) < least {
		grown := make([]byte, len(r.buf), max(first, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	for range 100 { // a source that gives nothing and no error is broken
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if err != nil {
			r.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// Sniff looks at the first byte of a body that is neither white space nor part of a byte order mark, without taking it
// away: rest reads the whole body. A caller that asked for a stream can so tell an event stream from a JSON or HTML
// page whatever the headers say. The error is the source's if it ended before such a byte; io.EOF means empty.
func Sniff(src io.Reader) (first byte, rest io.Reader, err error) {
	const far = 512
	b := bufio.NewReaderSize(src, far)
	for n := 1; n <= far; n++ {
		var head []byte
		head, err = b.Peek(n)
		if err != nil {
			return 0, b, err
		}
		switch c := head[n-1]; c {
		case ' ', '\t', '\r', '\n', 0xef, 0xbb, 0xbf:
		default:
			return c, b, nil
		}
	}
	return 0, b, nil
}
