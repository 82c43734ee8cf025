package skill

import "strings"

// Words divides what was typed as a shell does: at blanks that are not quoted, with the quotes taken off. A quote that is
// not closed holds to the end.
func Words(s string) []string {
	var out []string
	var b strings.Builder
	open := false // a word has begun
	var q byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case q == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if open {
				out = append(out, b.String())
				b.Reset()
				open = false
			}
			continue
		case q == 0 && (c == '"' || c == '\''):
			q = c
		case c == q:
			q = 0
		case c == '\\' && q != '\'' && i+1 < len(s) && (q == 0 || strings.IndexByte("\"\\", s[i+1]) >= 0):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
		open = true
	}
	if open {
		out = append(out, b.String())
	}
	return out
}

// quoting follows the quotes of a command for a POSIX shell, so that a value that is put in stays one value.
type quoting struct {
	in   byte // the open quote, 0 if none
	bare bool // the next character is kept by a backslash
}

// see takes the next character of the command.
func (q *quoting) see(c byte) {
	switch {
	case q.bare:
		q.bare = false
	case c == '\\' && q.in != '\'':
		q.bare = true
	case q.in == 0 && (c == '"' || c == '\''):
		q.in = c
	case c == q.in:
		q.in = 0
	}
}

// skip is told of a backslash that went away.
func (q *quoting) skip() { q.bare = false }

// quote is a value as it has to be written here.
func (q *quoting) quote(v string) string {
	v = strings.ReplaceAll(v, "\x00", "")
	single := strings.ReplaceAll(v, "'", `'\''`)
	switch q.in {
	case '\'':
		return single
	case '"': // leave the double quotes for a moment: within them nothing can be trusted
		return `"'` + single + `'"`
	}
	if q.bare { // a backslash stands before: it must not take our quote
		q.bare = false
		return "\n'" + single + "'"
	}
	return "'" + single + "'"
}
