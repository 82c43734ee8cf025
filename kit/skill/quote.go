package skill

import (
	"strconv"
	"strings"
)

// Words divides what was typed as a shell does: at blanks that are not quoted, with the quotes taken off. A quote that is
// not closed holds to the end.
func Words(s string) []string {
	var out []string
	var b strings.Builder
	open := false // a word has begun
	var q quoting
	for i := range len(s) {
		c, was := s[i], q
		q.see(c)
		switch {
		case was.in == 0 && !was.bare && strings.IndexByte(" \t\n\r", c) >= 0:
			if open {
				out = append(out, b.String())
				b.Reset()
			}
			open = false
			continue
		case was.bare:
			if was.in == '"' && c != '"' && c != '\\' { // there a backslash means itself
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case q == was:
			b.WriteByte(c)
		}
		open = true
	}
	if q.bare {
		b.WriteByte('\\')
	}
	if open {
		out = append(out, b.String())
	}
	return out
}

// quoting follows the quotes of a command.
type quoting struct {
	in   byte // the open quote, 0 if none
	bare bool // the next character is kept by a backslash
}

// see takes the next character.
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

// variables carry values into a command: the command names them, so that no value is ever read as a part of it, however
// its quotes are nested. As with any variable, blanks divide it where it is not quoted.
type variables struct {
	power bool // PowerShell
	set   strings.Builder
	n     int
}

// add gives what stands for a value at a place with these quotes.
func (v *variables) add(val string, q quoting) string {
	val = strings.ReplaceAll(val, "\x00", "")
	v.n++
	name := "skill_arg_" + strconv.Itoa(v.n)
	use := "${" + name + "}"
	if v.power {
		v.set.WriteString("$" + name + " = '" + strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018", "\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b", "\u201b\u201b").Replace(val) + "'\n")
	} else {
		v.set.WriteString(name + "='" + strings.ReplaceAll(val, "'", `'\''`) + "'\n")
		if q.in == '\'' {
			return `'"` + use + `"'`
		}
	}
	return use
}
