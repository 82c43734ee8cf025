package tool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"react-agent/internal/ordinary"
)

const (
	blockSize = 64 << 10               // bytes of a file that are looked at together
	maxLine   = 1 << 20                // a longer line is searched in pieces of this size
	overlap   = 4 << 10                // that two such pieces have in common
	specTime  = 300 * time.Millisecond // for files of the kernel that make a reader wait
)

// want is what is to be known of each file.
type want struct {
	*pattern
	context int  // lines around a match
	first   bool // only whether there is a match
}

// room is how much of what is found is still kept.
type room struct {
	results, chars int
}

func (r room) full() bool { return r.results <= 0 || r.chars <= 0 }

// hits is what was found in one file.
type hits struct {
	path  string
	count int // lines that match; with want.first, 1
	lines []outLine
}

// outLine is a line to show.
type outLine struct {
	number int
	text   string
	hit    bool // else it is there for its neighbour
}

// scanner searches files one after the other, in memory of a bounded size.
type scanner struct {
	want
	room
	buf, low []byte

	// Of the file at hand:
	h       hits
	at      int       // place in the block that was reached, the beginning of a line
	number  int       // lines before at
	last    int       // number of the last line that is shown
	pending int       // lines still to show behind the last match
	before  []outLine // the last lines before the block, for a match in it
	part    partLine
}

// file searches one file. It never waits for a FIFO or a device.
func (s *scanner) file(ctx context.Context, path string) (hits, error) {
	f, info, err := ordinary.Open(path)
	if err != nil {
		return hits{}, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() == 0 {
		_ = f.SetReadDeadline(time.Now().Add(specTime)) // ordinary files have no deadlines and do not need them
	}
	return s.read(ctx, f)
}

// read searches a text as it comes. An error says that there is more that could not be read, or that it is no text.
func (s *scanner) read(ctx context.Context, r io.Reader) (hits, error) {
	s.h, s.number, s.last, s.pending = hits{}, 0, 0, 0
	s.before, s.part = s.before[:0], partLine{}
	if s.buf == nil {
		s.buf = make([]byte, blockSize)
	}
	n, eof, err := fillBuffer(r, s.buf)
	if order := utf16Order(s.buf[:n]); order != nil && err == nil {
		r = &utf16Reader{order: order, src: io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[2:n])), r)}
		n, eof, err = fillBuffer(r, s.buf)
	}
	if err == nil && bytes.IndexByte(s.buf[:min(n, blockSize)], 0) >= 0 {
		err = errBinary
	}
	n = copy(s.buf, bytes.TrimPrefix(s.buf[:n], []byte(bom)))
	for err == nil {
		if err := ctx.Err(); err != nil {
			return s.h, err
		}
		n = s.block(s.buf[:n], eof)
		if eof || s.first && s.h.count > 0 {
			break
		}
		if n == len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		var more int
		more, eof, err = fillBuffer(r, s.buf[n:])
		n += more
	}
	return s.h, err
}

// fillBuffer reads until buf is full or there is no more.
func fillBuffer(r io.Reader, buf []byte) (n int, eof bool, err error) {
	for n < len(buf) {
		m, err := r.Read(buf[n:])
		n += m
		if errors.Is(err, io.EOF) {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}

// block searches the whole lines of b, and moves what is left to its beginning: n bytes.
func (s *scanner) block(b []byte, eof bool) (n int) {
	end := len(b)
	if !eof {
		end = bytes.LastIndexByte(b, '\n') + 1
	}
	begin := 0
	switch {
	case s.part.open:
		first := bytes.IndexByte(b, '\n')
		if first < 0 && !eof {
			return s.piece(b, false)
		}
		if first < 0 {
			first = len(b)
		}
		s.piece(b[:first], true)
		begin = min(first+1, end)
	case end == 0 && len(b) >= maxLine:
		return s.piece(b, false)
	}
	s.lines(b[begin:end])
	return copy(b, b[end:])
}

// lines searches whole lines.
func (s *scanner) lines(b []byte) {
	look := search{pattern: s.pattern, block: b, text: b}
	if s.fold {
		s.low = lower(s.low[:0], b)
		look.text = s.low
	}
	s.at = 0
	shown := 0 // b is shown up to here, or was passed by
	for {
		from, to, ok := look.next()
		if !ok {
			s.follow(b, shown, len(b))
			break
		}
		shown = s.follow(b, shown, from)
		if s.h.count++; s.first {
			return
		}
		if s.full() {
			s.pending = 0
			continue
		}
		s.advance(b, from)
		s.lead(b, shown, from)
		line := s.line(b[from:to])
		s.show(outLine{number: s.number + 1, text: excerpt(line, s.where(line)), hit: true})
		s.pending = s.context
		shown = min(to+1, len(b))
	}
	s.advance(b, len(b))
	s.keep(b)
}

// advance counts the lines up to a place.
func (s *scanner) advance(b []byte, to int) {
	s.number += bytes.Count(b[s.at:to], []byte{'\n'})
	s.at = to
}

// show takes a line into the result.
func (s *scanner) show(l outLine) {
	s.h.lines = append(s.h.lines, l)
	s.last = l.number
	s.chars -= utf8.RuneCountInString(l.text)
	if l.hit {
		s.results--
	}
}
