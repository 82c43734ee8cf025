package wire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// repair reads one object that is not quite JSON, with nothing but stray tokens around it.
func repair(raw string) (json.RawMessage, bool) {
	raw = strings.TrimPrefix(skipTokens(raw), "```json")
	raw = strings.TrimSpace(strings.TrimPrefix(raw, "```"))
	if raw == "" || raw[0] != '{' && raw[0] != '"' {
		return nil, false
	}
	f := fixer{in: raw}
	if !f.value(0) || !leftovers(f.in[f.pos:]) || !json.Valid(f.out) {
		return nil, false
	}
	return f.out, true
}

// skipTokens drops white space and tokens of a model's own language from the front.
func skipTokens(s string) string {
	for {
		s = strings.TrimSpace(s)
		n := token(s)
		if n == 0 {
			return s
		}
		s = s[n:]
	}
}

// leftovers reports whether s holds nothing that could have been meant: tokens, closing braces, the end of a fence.
func leftovers(s string) bool {
	for {
		s = strings.TrimLeft(skipTokens(s), "}]`")
		s = strings.TrimSpace(s)
		for strings.HasPrefix(s, `\n`) || strings.HasPrefix(s, `\r`) || strings.HasPrefix(s, `\t`) {
			s = strings.TrimSpace(s[2:])
		}
		if s == "" {
			return true
		}
		if token(s) == 0 {
			return false
		}
	}
}

// token is the length of the token of a model's own language at the start of s, 0 if there is none: <|…|>, <｜…｜>, a
// closing tag, or the beginning of one that ends the text.
func token(s string) int {
	for _, bar := range []string{"|", "｜"} {
		if !strings.HasPrefix(s, "<"+bar) {
			continue
		}
		end := strings.Index(s[1:], ">")
		if end < 0 {
			return len(s)
		}
		if strings.HasSuffix(s[:1+end], bar) && end < 80 {
			return end + 2
		}
	}
	if strings.HasPrefix(s, "</") {
		end := strings.IndexByte(s, '>')
		if end < 0 {
			end = len(s) - 1
		}
		name := strings.TrimSuffix(s[2:end+1], ">")
		for i := range len(name) {
			if c := name[i]; !isName(c) && c != ':' {
				return 0
			}
		}
		return end + 1
	}
	return 0
}

func isName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// fixer copies a value to out as strict JSON. It fails at everything that has more than one reading.
type fixer struct {
	in  string
	pos int
	out []byte
}

func (f *fixer) peek() byte {
	f.space()
	if f.pos < len(f.in) {
		return f.in[f.pos]
	}
	return 0
}

// space skips white space, also the written form \n that some servers put between tokens.
func (f *fixer) space() {
	for f.pos < len(f.in) {
		switch c := f.in[f.pos]; c {
		case ' ', '\t', '\r', '\n':
			f.pos++
		case '\\':
			if f.pos+1 >= len(f.in) || strings.IndexByte("nrt", f.in[f.pos+1]) < 0 {
				return
			}
			f.pos += 2
		default:
			return
		}
	}
}

func (f *fixer) take(c byte) bool {
	if f.peek() != c {
		return false
	}
	f.pos++
	f.out = append(f.out, c)
	return true
}

func (f *fixer) value(depth int) bool {
	switch c := f.peek(); {
	case depth > 200 || c == 0:
		return false
	case c == '{':
		return f.list('{', '}', func() bool { return f.key() && f.take(':') && f.value(depth+1) })
	case c == '[':
		return f.list('[', ']', func() bool { return f.value(depth + 1) })
	case c == '"':
		return f.double()
	case c == '\'':
		return f.single()
	}
	return f.word()
}

// list copies members with commas between them; one comma may be too many at the end.
func (f *fixer) list(open, end byte, member func() bool) bool {
	if !f.take(open) {
		return false
	}
	for n := 0; ; n++ {
		if f.take(end) {
			return true
		}
		if n > 0 {
			if !f.take(',') {
				return false
			}
			if f.peek() == end {
				f.out = f.out[:len(f.out)-1]
				continue
			}
		}
		if !member() {
			return false
		}
	}
}

func (f *fixer) key() bool {
	switch c := f.peek(); {
	case c == '"':
		return f.double()
	case c == '\'':
		return f.single()
	case isName(c):
		start := f.pos
		for f.pos < len(f.in) && isName(f.in[f.pos]) {
			f.pos++
		}
		f.out = strconv.AppendQuote(f.out, f.in[start:f.pos])
		return true
	}
	return false
}

// word copies a number, true, false or null, or what Python writes for them.
func (f *fixer) word() bool {
	start := f.pos
	for f.pos < len(f.in) && (isName(f.in[f.pos]) || f.in[f.pos] == '+' || f.in[f.pos] == '.') {
		f.pos++
	}
	w := f.in[start:f.pos]
	switch w {
	case "True", "False":
		w = strings.ToLower(w)
	case "None":
		w = "null"
	}
	if w == "" || !json.Valid([]byte(w)) {
		return false
	}
	f.out = append(f.out, w...)
	return true
}

// double copies a string in double quotes. A backslash that means nothing in JSON stands for itself.
func (f *fixer) double() bool {
	f.pos++
	f.out = append(f.out, '"')
	for f.pos < len(f.in) {
		c := f.in[f.pos]
		f.pos++
		switch {
		case c == '"':
			f.out = append(f.out, '"')
			return true
		case c == '\\' && f.escape():
			f.out = append(f.out, '\\', f.in[f.pos])
			f.pos++
		default:
			f.plain(c)
		}
	}
	return false
}

// escape reports whether what follows a backslash is one of JSON's escapes.
func (f *fixer) escape() bool {
	if f.pos >= len(f.in) {
		return false
	}
	if f.in[f.pos] != 'u' {
		return strings.IndexByte(`"\/bfnrt`, f.in[f.pos]) >= 0
	}
	if f.pos+5 > len(f.in) {
		return false
	}
	_, err := strconv.ParseUint(f.in[f.pos+1:f.pos+5], 16, 16)
	return err == nil
}

// single copies a string in single quotes, as Python writes it.
func (f *fixer) single() bool {
	f.pos++
	f.out = append(f.out, '"')
	for f.pos < len(f.in) {
		c := f.in[f.pos]
		f.pos++
		switch {
		case c == '\'':
			f.out = append(f.out, '"')
			return true
		case c == '\\' && f.pos < len(f.in) && f.in[f.pos] == '\'':
			f.out = append(f.out, '\'')
			f.pos++
		case c == '\\' && f.escape():
			f.out = append(f.out, '\\', f.in[f.pos])
			f.pos++
		default:
			f.plain(c)
		}
	}
	return false
}

// plain copies a byte of a string that stands for itself.
func (f *fixer) plain(c byte) {
	switch {
	case c == '"' || c == '\\':
		f.out = append(f.out, '\\', c)
	case c == '\n':
		f.out = append(f.out, `\n`...)
	case c == '\t':
		f.out = append(f.out, `\t`...)
	case c == '\r':
		f.out = append(f.out, `\r`...)
	case c < ' ':
		f.out = append(f.out, `\u00`...)
		f.out = append(f.out, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	default:
		f.out = append(f.out, c)
	}
}
