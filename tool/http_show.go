package tool

import (
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"

	"react-agent/internal/text"
)

// show is a reply in the form of http_request.
func (rep *reply) show(cut int) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight("HTTP "+strconv.Itoa(rep.code)+" "+oneLine(rep.reason), " ") + "\n")
	for _, name := range [...]string{"Content-Type", "Content-Length", "Location", "Set-Cookie"} {
		for _, v := range rep.header.Values(name) {
			b.WriteString(name + ": " + oneLine(v) + "\n")
		}
	}
	b.WriteByte('\n')
	s := rep.text()
	if rep.json() {
		s = indent(rep.body, cut+1)
	}
	head := firstRunes(s, cut)
	b.WriteString(head)
	if rep.more || len(head) < len(s) {
		b.WriteString("... (truncated)")
	}
	return b.String()
}

// notes are what a reader has to know besides.
func (rep *reply) notes() []string {
	var notes []string
	for _, step := range rep.trail {
		notes = append(notes, "redirected: "+step)
	}
	if rep.held != "" {
		notes = append(notes, rep.held)
	}
	if rep.more {
		notes = append(notes, fmt.Sprintf("the body is longer than %d MiB; the rest was not read", maxBody>>20))
	}
	if rep.broken != nil {
		notes = append(notes, fmt.Sprintf("the body ends early, after %d bytes: %s", len(rep.body), rep.broken))
	}
	return notes
}

// mediaType is the type that the server names, lower case and without parameters; "" when it names none.
func (rep *reply) mediaType() string {
	kind, _, err := mime.ParseMediaType(rep.header.Get("Content-Type"))
	if err != nil {
		kind, _, _ = strings.Cut(rep.header.Get("Content-Type"), ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	return kind
}

// json reports that the body is JSON, whole and valid.
func (rep *reply) json() bool {
	kind := rep.mediaType()
	if !strings.HasSuffix(kind, "json") && kind != "" && kind != "text/plain" {
		return false
	}
	if !strings.HasSuffix(kind, "json") && !strings.HasPrefix(strings.TrimLeft(string(rep.body), " \t\r\n"), "{") {
		return false
	}
	return json.Valid(rep.body)
}

// text is the body as text, whatever it is.
func (rep *reply) text() string {
	return text.Clean(toUTF8(rep.body, rep.header.Get("Content-Type"), false))
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(text.Clean([]byte(s))), " ")
}

// firstRunes is the first n characters of s.
func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// indent writes valid JSON with two spaces a level, as json.Indent does, and stops when there is enough: deep nesting would
// make a hundred times as much of it. The result is clean text with at least limit characters, or all.
func indent(src []byte, limit int) string {
	w := indenter{limit: 4 * limit} // bytes of a character
	for i := 0; i < len(src) && len(w.out) < w.limit; i++ {
		w.step(src[i])
	}
	return text.Clean(w.out)
}

type indenter struct {
	out     []byte
	limit   int
	depth   int
	open    bool // the last one was { or [
	quoted  bool
	escaped bool
}

func (w *indenter) step(c byte) {
	if w.quoted {
		w.out = append(w.out, c)
		w.quoted = w.escaped || c != '"'
		w.escaped = !w.escaped && c == '\\'
		return
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return
	case '}', ']':
		w.depth--
		if !w.open {
			w.line()
		}
		w.out = append(w.out, c)
		w.open = false
		return
	}
	if w.open {
		w.line()
		w.open = false
	}
	w.out = append(w.out, c)
	switch c {
	case '"':
		w.quoted = true
	case '{', '[':
		w.depth++
		w.open = true
	case ',':
		w.line()
	case ':':
		w.out = append(w.out, ' ')
	}
}

// line begins a line. One that is wider than all that is wanted needs no more.
func (w *indenter) line() {
	w.out = append(w.out, '\n')
	for range min(2*w.depth, w.limit) {
		w.out = append(w.out, ' ')
	}
}
