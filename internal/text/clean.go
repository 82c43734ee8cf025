package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean turns the output of a program into text that is valid UTF-8 and harmless on a screen:
//
//   - text stays as it is, byte for byte;
//   - CRLF becomes LF; a line that was written over and over with CR (a progress bar) keeps its first and last state and
//     the number of states between;
//   - colours and other escape sequences of terminals are dropped, a backspace takes back a character;
//   - a byte that is no text is shown as \x00, and a stretch of them by its length and beginning.
//
// No replacement character (U+FFFD) is ever made.
func Clean(b []byte) string {
	if plain(b) {
		return string(b)
	}
	c := cleaner{in: b, out: make([]byte, 0, len(b)+len(b)/8)}
	for c.at < len(c.in) {
		c.step()
	}
	s := string(c.out)
	if c.returns {
		s = foldReturns(s)
	}
	return s
}

// plain reports that b needs no cleaning.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(b)
}

type cleaner struct {
	in, out []byte
	at      int
	judged  int  // bad bytes before this index are known to be stray ones, no binary stretch
	returns bool // a lone CR was seen
}

func (c *cleaner) step() {
	b := c.in[c.at]
	switch {
	case b == '\n' || b == '\t':
		c.keep(1)
	case b == '\r':
		c.carriageReturn()
	case b == 0x1b && c.escape():
	case b == '\b':
		c.backspace()
	case b == 0x07:
		c.at++
	case b < ' ' || b == 0x7f:
		c.bad()
	case b < utf8.RuneSelf:
		c.keep(1)
	default:
		if r, n := utf8.DecodeRune(c.in[c.at:]); r != utf8.RuneError || n > 1 {
			c.keep(n)
		} else {
			c.bad()
		}
	}
}

func (c *cleaner) keep(n int) {
	c.out = append(c.out, c.in[c.at:c.at+n]...)
	c.at += n
}

func (c *cleaner) carriageReturn() {
	n := 1
	for c.at+n < len(c.in) && c.in[c.at+n] == '\r' { // "\r\r\n" is what a terminal makes of "\r\n"
		n++
	}
	c.at += n
	if c.at < len(c.in) && c.in[c.at] == '\n' {
		return
	}
	c.out = append(c.out, '\r')
	c.returns = true
}

func (c *cleaner) backspace() {
	c.at++
	if n := len(c.out); n > 0 && c.out[n-1] != '\n' && c.out[n-1] != '\r' {
		_, size := utf8.DecodeLastRune(c.out)
		c.out = c.out[:n-size]
	}
}

// maxEscape bounds an escape sequence; a longer one is no sequence.
const maxEscape = 4096

// escape drops a terminal's escape sequence; false: this is none.
func (c *cleaner) escape() bool {
	rest := c.in[c.at+1 : min(len(c.in), c.at+maxEscape)]
	if len(rest) == 0 {
		return false
	}
	n := 0
	switch {
	case rest[0] == '[':
		n = csi(rest)
	case rest[0] == ']' || rest[0] == 'P' || rest[0] == '_':
		n = stringSequence(rest)
	case bytes.IndexByte([]byte("()*+#%"), rest[0]) >= 0 && len(rest) > 1:
		n = 2
	case bytes.IndexByte([]byte("78=>cDEHMNOZ"), rest[0]) >= 0:
		n = 1
	}
	if n == 0 {
		return false
	}
	c.at += 1 + n
	return true
}

// csi is the length of "[", parameters, final byte; 0 when it is not complete.
func csi(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] >= 0x20 && b[i] <= 0x3f:
		case b[i] >= 0x40 && b[i] <= 0x7e:
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// stringSequence is the length of a sequence that ends with BEL or ESC \; 0 when it is not complete.
func stringSequence(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == 0x07:
			return i + 1
		case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
			return i + 2
		case b[i] < ' ':
			return 0
		}
	}
	return 0
}

const (
	minBinary = 64 // so many bad bytes are no slip
	binaryGap = 32 // so many good bytes end a binary stretch
	hexShown  = 16 // bytes of a stretch that are shown
)

// bad shows the byte at c.at, or the binary stretch that begins with it.
func (c *cleaner) bad() {
	if c.at >= c.judged {
		length, bad := stretch(c.in[c.at:])
		if bad >= minBinary && bad*4 >= length {
			shown := c.in[c.at : c.at+min(hexShown, length)]
			c.out = fmt.Appendf(c.out, "[%d bytes that are no UTF-8 text: %x…]", length, shown)
			c.at += length
			return
		}
		c.judged = c.at + length
	}
	c.out = fmt.Appendf(c.out, `\x%02x`, c.in[c.at])
	c.at++
}

// stretch measures from a bad byte to the last bad one that has no long text before it.
func stretch(b []byte) (length, bad int) {
	for i, good := 0, 0; i < len(b) && good < binaryGap; {
		n := 1
		isBad := b[i] < ' ' && b[i] != '\n' && b[i] != '\t' && b[i] != '\r' || b[i] == 0x7f
		if b[i] >= utf8.RuneSelf {
			var r rune
			r, n = utf8.DecodeRune(b[i:])
			isBad = r == utf8.RuneError && n == 1
		}
		i += n
		if isBad {
			bad++
			good = 0
			length = i
		} else {
			good += n
		}
	}
	return length, bad
}

// maxStates is how many states of a line that was written over are shown.
const maxStates = 3

// foldReturns deals with the lone CRs in s.
func foldReturns(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		body, nl := strings.CutSuffix(line, "\n")
		if strings.Contains(body, "\r") {
			body = foldLine(body)
		}
		out.WriteString(body)
		if nl {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func foldLine(line string) string {
	var states []string
	for s := range strings.SplitSeq(line, "\r") {
		if strings.TrimSpace(s) != "" {
			states = append(states, s)
		}
	}
	if len(states) > maxStates {
		note := fmt.Sprintf("[%d states of this line not shown]", len(states)-2)
		states = []string{states[0], note, states[len(states)-1]}
	}
	return strings.Join(states, "\n")
}
