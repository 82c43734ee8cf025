package secret

import (
	"slices"
	"strings"
)

// span is a stretch of a text that must not be seen.
type span struct {
	from, to int
	kind     string
}

// find lists what has to be masked, in order, without overlaps. Spans that overlap become one.
func (k *Keeper) find(text string, shapes bool) []span {
	spans := k.known.find(text)
	if shapes {
		spans = append(spans, k.shapes.find(text)...)
	}
	if len(spans) == 0 {
		return nil
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if s.from >= last.to {
			out = append(out, s)
			continue
		}
		last.to = max(last.to, s.to)
		if last.kind == kindSecret || last.kind == kindPassword || last.kind == kindURL { // the other one knows more
			last.kind = s.kind
		}
	}
	return apart(out, placeholders(text))
}

// apart drops the spans that overlap a placeholder. Both lists are in order.
func apart(spans, marks []span) []span {
	if len(marks) == 0 {
		return spans
	}
	out := spans[:0]
	for _, s := range spans {
		for len(marks) > 0 && marks[0].to <= s.from {
			marks = marks[1:]
		}
		if len(marks) == 0 || s.to <= marks[0].from {
			out = append(out, s)
		}
	}
	return out
}

const (
	opening = "[masked:"
	hashLen = 8
	maxKind = 64
)

// placeholders lists the placeholders of a text.
func placeholders(text string) []span {
	var out []span
	for at := 0; ; {
		i := strings.Index(text[at:], opening)
		if i < 0 {
			return out
		}
		from := at + i
		at = from + len(opening)
		if n := placeholderLen(text[from:]); n > 0 {
			out = append(out, span{from: from, to: from + n})
			at = from + n
		}
	}
}

// placeholderLen is the length of the placeholder that text begins with, 0 if it does not.
func placeholderLen(text string) int {
	rest, ok := strings.CutPrefix(text, opening)
	if !ok {
		return 0
	}
	n := 0
	for n < len(rest) && n <= maxKind && kindByte(rest[n]) {
		n++
	}
	end := n + 1 + hashLen
	if n == 0 || n > maxKind || len(rest) <= end || rest[n] != ':' || rest[end] != ']' {
		return 0
	}
	for _, c := range []byte(rest[n+1 : end]) {
		if !isDigit(c) && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return len(opening) + end + 1
}

func kindByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool { return isDigit(c) || isLower(c) || isUpper(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
