package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"react-agent/agent"
	"react-agent/internal/text"
)

const (
	maxDiffed = 512 << 10 // bytes of both texts together that are compared
	maxDiff   = 40000     // characters of a diff that are kept
	around    = 3         // lines shown around a change
)

// diff is the detail for the screen: a unified diff without secrets. nil: nothing changed, or no diff can be shown.
func (e Env) diff(path string, old, now []byte) json.RawMessage {
	return detail(e.unified(path, path, old, now))
}

// unified compares two texts line by line. What both begin and end with is set aside first, so that a small change of a
// large text costs little. Secrets are masked before the comparison: afterwards a value of several lines would have marks
// between them.
func (e Env) unified(from, to string, old, now []byte) string {
	if len(old)+len(now) > maxFile/2 {
		return ""
	}
	a, b := e.mask(shownAs(old)), e.mask(shownAs(now))
	head := commonLines(a, b)
	tail := len(a) - head
	for i, j := len(a), len(b); ; {
		if i == head || j == head || a[i-1] != b[j-1] {
			tail = min(tail, len(a)-i)
			break
		}
		i, j = i-1, j-1
	}
	if n := strings.IndexByte(a[len(a)-tail:], '\n'); n >= 0 { // whole lines only
		tail -= n + 1
	} else {
		tail = 0
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	edits := []udiff.Edit{{End: len(x), New: y}}
	if len(x)+len(y) <= maxDiffed {
		edits = udiff.Strings(x, y)
	}
	for i := range edits {
		edits[i].Start += head
		edits[i].End += head
	}
	d, err := udiff.ToUnified(from, to, a, edits, around)
	if err != nil {
		return "" // only the screen lacks something
	}
	return e.mask(d)
}

// commonLines is the length of the lines that both texts begin with.
func commonLines(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// shownAs is a text for the screen, whatever its encoding.
func shownAs(b []byte) string {
	if bytes.IndexByte(b, 0) >= 0 {
		return "(binary)\n"
	}
	if !utf8.Valid(b) {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(b)
}

func detail(diff string) json.RawMessage {
	if diff == "" {
		return nil
	}
	b, err := agent.EncodeJSON(map[string]string{"diff": text.Cut(diff, maxDiff, "")})
	if err != nil {
		return nil
	}
	return b
}
