package tool

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// search finds the lines of a block that match, from the first to the last.
type search struct {
	*pattern
	block []byte
	text  []byte // the same, with small letters when the needles are so
	pos   int    // beginning of the next line
	ahead []int  // for each needle, where it stands next; before pos: to be looked for
}

// next gives the next matching line, without its line end.
func (l *search) next() (from, to int, ok bool) {
	for l.pos < len(l.block) {
		from, to = l.pos, l.pos
		if len(l.needles) > 0 {
			if to = l.nearest(); to < 0 {
				break
			}
			from += bytes.LastIndexByte(l.block[from:to], '\n') + 1
		}
		if n := bytes.IndexByte(l.block[to:], '\n'); n >= 0 {
			to += n
		} else {
			to = len(l.block)
		}
		l.pos = to + 1
		if l.re.Match(l.line(l.block[from:to])) {
			return from, to, true
		}
	}
	l.pos = len(l.block)
	return 0, 0, false
}

// nearest is the next place where a needle stands, -1 if there is none.
func (l *search) nearest() int {
	if l.ahead == nil {
		l.ahead = make([]int, len(l.needles))
		for i := range l.ahead {
			l.ahead[i] = -1
		}
	}
	best := len(l.text)
	for i, at := range l.ahead {
		if at < l.pos {
			at = len(l.text)
			if n := bytes.Index(l.text[l.pos:], []byte(l.needles[i])); n >= 0 {
				at = l.pos + n
			}
			l.ahead[i] = at
		}
		best = min(best, at)
	}
	if best == len(l.text) {
		return -1
	}
	return best
}

// where is the match in a line, if that is so long that it matters.
func (p *pattern) where(line []byte) (from int) {
	if len(line) <= shownChars {
		return 0
	}
	if m := p.re.FindIndex(line); m != nil {
		return m[0]
	}
	return 0
}

// shownChars is how much of a line is shown; leadChars of them before the match.
const (
	shownChars = 300
	leadChars  = 100
)

// excerpt is a line for the result; of a long one it is what surrounds the byte at from.
func excerpt(line []byte, from int) string {
	if len(line) <= shownChars {
		return visible(line)
	}
	begin := stepBack(line, from, leadChars)
	end := stepOn(line, begin, shownChars)
	if end == len(line) {
		begin = stepBack(line, end, shownChars)
	}
	s := visible(line[begin:end])
	if begin > 0 {
		s = "…" + s
	}
	if end < len(line) {
		s += "…"
	}
	return s
}

// stepBack goes n characters back from a place, stepOn forward.
func stepBack(b []byte, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:at])
		at -= size
	}
	return at
}

func stepOn(b []byte, at, n int) int {
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return at
}

// visible is b as text on one line: what is no UTF-8, and what a terminal would act upon, is shown as \x1b.
func visible(b []byte) string {
	hidden := func(r rune) bool {
		return r < ' ' && r != '\t' || r == 0x7f || r == utf8.RuneError || r >= 0x80 && r < 0xa0
	}
	if bytes.IndexFunc(b, hidden) < 0 {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if hidden(r) && (r != utf8.RuneError || size == 1) {
			for _, c := range b[:size] {
				fmt.Fprintf(&out, `\x%02x`, c)
			}
		} else {
			out.Write(b[:size])
		}
		b = b[size:]
	}
	return out.String()
}

// follow shows the lines behind the last match, from a place up to another, and gives the place up to where it came.
func (s *scanner) follow(b []byte, from, to int) int {
	for s.pending > 0 && from < to {
		s.advance(b, from)
		end := from + bytes.IndexByte(b[from:], '\n')
		if end < from {
			end = len(b)
		}
		s.show(outLine{number: s.number + 1, text: excerpt(s.line(b[from:end]), 0)})
		s.pending--
		from = min(end+1, len(b))
	}
	return from
}

// lead shows the lines before a match: those from shown on, or, when nothing of the block was shown, from the one before.
func (s *scanner) lead(b []byte, shown, match int) {
	for _, l := range s.preceding(b, shown, match, s.number) {
		s.show(l)
	}
}

// preceding gives the lines, not more than the context, that end at a place; number is that of the last of them.
func (s *scanner) preceding(b []byte, from, to, number int) []outLine {
	var lines []outLine
	n, begin := 0, to
	for ; n < s.context && begin > from; n++ {
		begin = bytes.LastIndexByte(b[:begin-1], '\n') + 1
	}
	if from == 0 && n < s.context {
		for _, l := range s.before[max(0, len(s.before)-(s.context-n)):] {
			if l.number > s.last {
				lines = append(lines, l)
			}
		}
	}
	for number -= n; n > 0; n-- {
		end := begin + bytes.IndexByte(b[begin:], '\n')
		number++
		lines = append(lines, outLine{number: number, text: excerpt(s.line(b[begin:end]), 0)})
		begin = end + 1
	}
	return lines
}

// keep remembers the last lines of a block, which ends at a line end unless it is the last one.
func (s *scanner) keep(b []byte) {
	if s.context == 0 || len(b) == 0 || b[len(b)-1] != '\n' {
		return
	}
	last := s.last
	s.last = 0 // they may be wanted as they are
	s.before = s.preceding(b, 0, len(b), s.number)
	s.last = last
}

// partLine is a line too long to be held whole.
type partLine struct {
	open, hit bool
	text      string // what is shown of it
}

// piece searches the next piece of a long line and keeps the end of it, n bytes.
func (s *scanner) piece(b []byte, last bool) (n int) {
	if last {
		b = s.line(b)
	}
	first := !s.part.open
	if first {
		s.part = partLine{open: true, text: excerpt(b, 0)}
	}
	if !s.part.hit {
		if from, ok := s.inPiece(b, first, last); ok {
			s.part.hit, s.part.text = true, excerpt(b, from)
		}
	}
	if !last {
		cut := len(b) - overlap
		for i := 0; i < utf8.UTFMax-1 && !utf8.RuneStart(b[cut]); i++ {
			cut--
		}
		return copy(b, b[cut:])
	}
	line := outLine{number: s.number + 1, text: s.part.text, hit: s.part.hit}
	switch {
	case line.hit:
		s.h.count++
		s.pending = 0
		if s.full() || s.first {
			break
		}
		s.lead(nil, 0, 0)
		s.show(line)
		s.pending = s.context
	case s.pending > 0:
		s.show(line)
		s.pending--
	}
	s.number++
	s.part = partLine{}
	line.hit = false
	s.before = append(s.before, line)
	s.before = s.before[max(0, len(s.before)-s.context):]
	return 0
}

// inPiece finds a match of which it is sure that it would be one in the whole line.
func (s *scanner) inPiece(b []byte, first, last bool) (from int, ok bool) {
	for at := 0; at <= len(b); {
		m := s.re.FindIndex(b[at:])
		if m == nil {
			break
		}
		from, to := at+m[0], at+m[1]
		begins := from > at || at == 0 && first || !s.begins
		if begins && (to < len(b) || last || !s.ends) {
			return from, true
		}
		at = max(to, at+1)
	}
	return 0, false
}
