package skill

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// tomlCommand is what a file in TOML says of a command; the other keys of a file are passed over.
type tomlCommand struct{ prompt, description string }

// tomlError is what is wrong with a file, at a line.
type tomlError struct {
	line int
	why  error
}

// Error names the line.
func (e *tomlError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.why) }

// Unwrap gives the reason.
func (e *tomlError) Unwrap() error { return e.why }

// tomlReader reads as much of TOML as a command's file has: keys with values, of which only texts are of interest.
// Anything else has to be well formed as far as it takes to find its end.
type tomlReader struct {
	s  string
	at int
}

// readTOML reads a command's file.
func readTOML(s string) (tomlCommand, *tomlError) {
	r := &tomlReader{s: strings.ReplaceAll(s, "\r\n", "\n")}
	var c tomlCommand
	seen := map[string]bool{}
	top := true
	for {
		r.blank(true)
		if r.at >= len(r.s) {
			return c, nil
		}
		if r.s[r.at] == '[' {
			if err := r.table(); err != nil {
				return c, err
			}
			top = false
			continue
		}
		key, err := r.key()
		if err != nil {
			return c, err
		}
		val, isText, err := r.value(0)
		if err == nil {
			err = r.lineEnd()
		}
		if err != nil {
			return c, err
		}
		if !top || key != "prompt" && key != "description" {
			continue
		}
		switch {
		case seen[key]:
			return c, r.fail(msg.TOMLTwice, key)
		case !isText:
			return c, r.fail(msg.TOMLNotText, key)
		case key == "prompt":
			c.prompt = val
		default:
			c.description = val
		}
		seen[key] = true
	}
}

// fail says what is wrong at the present place.
func (r *tomlReader) fail(k msg.Key, args ...any) *tomlError {
	at := min(r.at, len(r.s))
	if at > 0 && at == len(r.s) && r.s[at-1] == '\n' {
		at-- // the end of the file belongs to its last line
	}
	return &tomlError{line: 1 + strings.Count(r.s[:at], "\n"), why: shorter(msg.Errorf(k, args...))}
}

// blank skips blanks, with lines also comments and line ends.
func (r *tomlReader) blank(lines bool) {
	for r.at < len(r.s) {
		switch c := r.s[r.at]; {
		case c == ' ' || c == '\t' || lines && c == '\n':
			r.at++
		case lines && c == '#':
			r.comment()
		default:
			return
		}
	}
}

func (r *tomlReader) comment() {
	if i := strings.IndexByte(r.s[r.at:], '\n'); i >= 0 {
		r.at += i
		return
	}
	r.at = len(r.s)
}

func (r *tomlReader) peek(s string) bool { return strings.HasPrefix(r.s[r.at:], s) }

// lineEnd wants nothing but a comment before the end of the line.
func (r *tomlReader) lineEnd() *tomlError {
	r.blank(false)
	if r.peek("#") {
		r.comment()
	}
	if r.at < len(r.s) && r.s[r.at] != '\n' {
		return r.fail(msg.TOMLBehind)
	}
	return nil
}

// table reads a line such as [name] or [[name]].
func (r *tomlReader) table() *tomlError {
	n := 1
	if r.peek("[[") {
		n = 2
	}
	r.at += n
	if _, err := r.dotted(); err != nil {
		return err
	}
	if !r.peek(strings.Repeat("]", n)) {
		return r.fail(msg.TOMLBracket)
	}
	r.at += n
	return r.lineEnd()
}

// key reads a key and the equals sign behind it.
func (r *tomlReader) key() (string, *tomlError) {
	key, err := r.dotted()
	if err != nil {
		return "", err
	}
	if !r.peek("=") {
		return "", r.fail(msg.TOMLEquals, key)
	}
	r.at++
	r.blank(false)
	return key, nil
}

// dotted reads names with dots between them.
func (r *tomlReader) dotted() (string, *tomlError) {
	var parts []string
	for {
		r.blank(false)
		part, err := r.keyPart()
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
		r.blank(false)
		if !r.peek(".") {
			return strings.Join(parts, "."), nil
		}
		r.at++
	}
}

func (r *tomlReader) keyPart() (string, *tomlError) {
	if r.peek(`"`) || r.peek("'") {
		if r.peek(`"""`) || r.peek("'''") {
			return "", r.fail(msg.TOMLKeyQuotes)
		}
		return r.text()
	}
	start := r.at
	for r.at < len(r.s) && (wordChar(r.s[r.at]) || r.s[r.at] == '-') {
		r.at++
	}
	if r.at == start {
		return "", r.fail(msg.TOMLNoKey)
	}
	return r.s[start:r.at], nil
}

// deepest bounds lists within lists.
const deepest = 64

// value reads any value; only a text is kept.
func (r *tomlReader) value(depth int) (val string, isText bool, err *tomlError) {
	switch {
	case depth > deepest:
		return "", false, r.fail(msg.TOMLDeep)
	case r.peek(`"`) || r.peek("'"):
		val, err = r.text()
		return val, true, err
	case r.peek("["):
		return "", false, r.list("]", func() *tomlError {
			_, _, err := r.value(depth + 1)
			return err
		})
	case r.peek("{"):
		return "", false, r.list("}", func() *tomlError {
			if _, err := r.key(); err != nil {
				return err
			}
			_, _, err := r.value(depth + 1)
			return err
		})
	}
	return "", false, r.scalar()
}

// scalar reads a number, a date, true or false.
func (r *tomlReader) scalar() *tomlError {
	start := r.at
	for r.at < len(r.s) && (wordChar(r.s[r.at]) || strings.IndexByte("+-.:", r.s[r.at]) >= 0) {
		r.at++
	}
	word := r.s[start:r.at]
	switch {
	case word == "":
		return r.fail(msg.TOMLNoValue)
	case word == "true", word == "false", word == "inf", word == "nan", strings.IndexByte("+-0123456789", word[0]) >= 0:
		return nil
	}
	r.at = start
	return r.fail(msg.TOMLQuotes)
}

// list reads what stands between brackets.
func (r *tomlReader) list(end string, item func() *tomlError) *tomlError {
	r.at++
	for {
		r.blank(true)
		if r.peek(end) {
			r.at++
			return nil
		}
		if r.at >= len(r.s) {
			return r.fail(msg.TOMLBracket)
		}
		if err := item(); err != nil {
			return err
		}
		r.blank(true)
		switch {
		case r.peek(","):
			r.at++
		case r.at < len(r.s) && !r.peek(end):
			return r.fail(msg.TOMLComma)
		}
	}
}

// text reads a text in any of the four kinds of quotes.
func (r *tomlReader) text() (string, *tomlError) {
	quote := r.s[r.at : r.at+1]
	long := r.peek(strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	open := *r
	r.at += len(quote)
	if long && r.peek("\n") {
		r.at++
	}
	var b strings.Builder
	for r.at < len(r.s) {
		if r.peek(quote) {
			r.at += len(quote)
			for n := 0; long && n < 2 && r.peek(quote[:1]); n++ { // up to two quotes may stand before the end
				b.WriteString(quote[:1])
				r.at++
			}
			return b.String(), nil
		}
		if err := r.char(&b, quote, long); err != nil {
			return "", err
		}
	}
	return "", open.fail(msg.TOMLOpen)
}

// char reads one character of a text.
func (r *tomlReader) char(b *strings.Builder, quote string, long bool) *tomlError {
	switch c := r.s[r.at]; {
	case c == '\n' && !long:
		return r.fail(msg.TOMLOpenLine)
	case c == '\\' && quote[0] == '"':
		return r.escape(b, long)
	case c < ' ' && c != '\t' && c != '\n' || c == 0x7f:
		return r.fail(msg.TOMLControl)
	default:
		b.WriteByte(c)
		r.at++
		return nil
	}
}

// escape reads what stands behind a backslash.
func (r *tomlReader) escape(b *strings.Builder, long bool) *tomlError {
	if long {
		rest := strings.TrimLeft(r.s[r.at+1:], " \t")
		if strings.HasPrefix(rest, "\n") { // the line goes on at the next word
			r.at = len(r.s) - len(strings.TrimLeft(rest, " \t\n"))
			return nil
		}
	}
	if r.at+1 >= len(r.s) {
		return r.fail(msg.TOMLOpen)
	}
	c := r.s[r.at+1]
	if i := strings.IndexByte(`btnfre"\`, c); i >= 0 {
		b.WriteByte("\b\t\n\f\r\x1b\"\\"[i])
		r.at += 2
		return nil
	}
	n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if n > 0 && r.at+2+n <= len(r.s) {
		v, err := strconv.ParseUint(r.s[r.at+2:r.at+2+n], 16, 32)
		if err == nil && v <= utf8.MaxRune && utf8.ValidRune(rune(v)) {
			b.WriteRune(rune(v))
			r.at += 2 + n
			return nil
		}
	}
	return r.fail(msg.TOMLEscape)
}
