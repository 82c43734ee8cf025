package wire

import "strings"

// Quotes follows a JSON text that comes in pieces and tells whether its end stands in a string. The zero value stands at
// the start of a text. Feeding is linear in what is fed; it is not safe for concurrent use.
type Quotes struct {
	open    bool
	escaped bool // a backslash in a string ends the text so far
}

// Feed takes the next piece of the text.
func (q *Quotes) Feed(s string) {
	if q.escaped && s != "" {
		q.escaped, s = false, s[1:]
	}
	for {
		i := strings.IndexAny(s, `"\`)
		switch {
		case i < 0:
			return
		case s[i] == '"':
			q.open = !q.open
		case q.open && i+1 == len(s):
			q.escaped = true
		case q.open:
			i++
		}
		s = s[i+1:]
	}
}

// Open reports whether what comes next stands in a string.
func (q *Quotes) Open() bool { return q.open }

// openString reports whether a JSON text ends inside a string.
func openString(s string) bool {
	var q Quotes
	q.Feed(s)
	return q.Open()
}
