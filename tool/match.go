package tool

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// target is a file's content in which a text is looked for without regard to line ends. It is compared with LF for every
// CRLF, and knows the way back to the bytes.
type target struct {
	raw  []byte
	norm []byte
	crlf []int // where in norm an LF was a CRLF
}

func newTarget(raw []byte) *target {
	t := &target{raw: raw, norm: raw}
	if !bytes.Contains(raw, []byte("\r\n")) {
		return t
	}
	t.norm = make([]byte, 0, len(raw))
	for i := range raw {
		if raw[i] == '\r' && i+1 < len(raw) && raw[i+1] == '\n' {
			t.crlf = append(t.crlf, len(t.norm))
			continue
		}
		t.norm = append(t.norm, raw[i])
	}
	return t
}

// offset gives the place in raw of a place in norm.
func (t *target) offset(i int) int { return i + sort.SearchInts(t.crlf, i) }

// isCRLF reports whether the LF at this place of norm was a CRLF.
func (t *target) isCRLF(i int) bool {
	k := sort.SearchInts(t.crlf, i)
	return k < len(t.crlf) && t.crlf[k] == i
}

func (t *target) line(i int) int { return 1 + bytes.Count(t.norm[:i], []byte("\n")) }

// find lists where old is, one behind the other.
func (t *target) find(old []byte) []int {
	var at []int
	for from := 0; ; {
		i := bytes.Index(t.norm[from:], old)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(old)
	}
}

// change is an edit with what old and new have in common taken off, so that no byte is touched that stays the same.
type change struct {
	skip     int // bytes of old before the first that changes
	old, new []byte
	asGiven  bool // new has line ends of its own choice
}

func newChange(oldText, newText string) change {
	c := change{asGiven: strings.Contains(newText, "\r\n") && !strings.Contains(oldText, "\r\n")}
	o := []byte(strings.ReplaceAll(oldText, "\r\n", "\n"))
	n := []byte(newText)
	if !c.asGiven {
		n = bytes.ReplaceAll(n, []byte("\r\n"), []byte("\n"))
	}
	for c.skip < len(o) && c.skip < len(n) && o[c.skip] == n[c.skip] {
		c.skip++
	}
	o, n = o[c.skip:], n[c.skip:]
	for len(o) > 0 && len(n) > 0 && o[len(o)-1] == n[len(n)-1] && (!c.asGiven || !bytes.HasSuffix(n, []byte("\r\n"))) {
		o, n = o[:len(o)-1], n[:len(n)-1] // a CRLF of new is never torn: the place may have one of its own
	}
	c.old, c.new = o, n
	return c
}

// edit is the change at one place, in bytes of the file.
func (t *target) edit(c change, at int) udiff.Edit {
	from := at + c.skip
	to := from + len(c.old)
	return udiff.Edit{Start: t.offset(from), End: t.offset(to), New: t.dress(c, from, to)}
}

// dress gives the new text the line ends of the place it goes to: the first of them that of the first line end that it
// replaces, and so on; further ones as the last, and where none is replaced as the line that it stands in.
func (t *target) dress(c change, from, to int) string {
	if c.asGiven || len(t.crlf) == 0 || !bytes.Contains(c.new, []byte("\n")) {
		return string(c.new)
	}
	next := from
	crlf := t.lineEnd(to)
	var b strings.Builder
	for _, ch := range c.new {
		if ch != '\n' {
			b.WriteByte(ch)
			continue
		}
		if i := bytes.IndexByte(t.norm[next:to], '\n'); i >= 0 {
			crlf = t.isCRLF(next + i)
			next += i + 1
		}
		if crlf {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lineEnd tells how the line at this place ends; the last line as the one before.
func (t *target) lineEnd(at int) bool {
	if i := bytes.IndexByte(t.norm[at:], '\n'); i >= 0 {
		return t.isCRLF(at + i)
	}
	if i := bytes.LastIndexByte(t.norm[:at], '\n'); i >= 0 {
		return t.isCRLF(i)
	}
	return false
}

// splits reports that a match may begin inside a character of a double-byte encoding, whose second byte looks like ASCII.
func (t *target) splits(at int) bool {
	if at == 0 || utf8.Valid(t.norm) {
		return false
	}
	before, first := t.norm[at-1], t.norm[at]
	return before >= utf8.RuneSelf && first >= '0' && first < 0x7f
}

const (
	maxHintLines = 20
	maxHint      = 1500
)

// nearMiss says where old nearly is; empty: nowhere.
func (t *target) nearMiss(old string) string {
	want := squeezed(strings.Split(strings.Trim(old, "\n"), "\n"))
	shown := strings.Split(string(t.norm), "\n")
	have := squeezed(shown)
	for i := 0; i+len(want) <= len(have); i++ {
		if equalLines(have[i:i+len(want)], want) {
			n := min(len(want), maxHintLines)
			return fmt.Sprintf("; lines %d to %d differ from it in white space only:\n%s",
				i+1, i+len(want), limited(strings.Join(shown[i:i+n], "\n")))
		}
	}
	longest := ""
	for _, w := range want {
		if len(w) > len(longest) {
			longest = w
		}
	}
	for i, h := range have {
		if len(longest) > 2 && h == longest {
			from, to := max(0, i-3), min(len(shown), i+4)
			return fmt.Sprintf("; its longest line is line %d, where the file has:\n%s", i+1, limited(strings.Join(shown[from:to], "\n")))
		}
	}
	return ""
}

func limited(s string) string {
	if len(s) > maxHint {
		s = s[:maxHint] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

func squeezed(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Join(strings.Fields(l), " ")
	}
	return out
}

func equalLines(a, b []string) bool {
	blank := true
	for i := range b {
		if a[i] != b[i] {
			return false
		}
		blank = blank && b[i] == ""
	}
	return !blank
}
