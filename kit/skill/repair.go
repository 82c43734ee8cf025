package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// simple reads the headers that most skills have without the parser: one line a field, plain or plainly quoted, and lists and
// maps of such lines. false: it takes the parser. What it accepts means the same to both.
func simple(header string) (fields, bool) {
	var q quick
	for l := range strings.SplitSeq(strings.TrimSuffix(header, "\n"), "\n") {
		q.line++
		bare := strings.TrimLeft(l, " ")
		if item, ok := strings.CutPrefix(bare, "- "); ok {
			if !q.item(strings.Trim(item, " "), len(l)-len(bare)) {
				return fields{}, false
			}
			continue
		}
		key, text, ok := strings.Cut(bare, ":")
		if !ok || !simpleKey(key) || text != "" && text[0] != ' ' {
			return fields{}, false
		}
		if depth := len(l) - len(bare); depth == 0 {
			ok = q.field(key, strings.Trim(text, " "))
		} else {
			ok = q.pair(key, strings.Trim(text, " "), depth)
		}
		if !ok {
			return fields{}, false
		}
	}
	return q.fields, len(q.list) > 0 && !q.pending()
}

// quick is the state of [simple].
type quick struct {
	fields
	line   int
	indent int // of the lines of the map that is open, one more of those of the list, 0 before the first one
}

// pending says that the last field has no value yet.
func (q *quick) pending() bool {
	n := len(q.list)
	return n > 0 && q.list[n-1].val.kind == mapping && q.indent == 0
}

func (q *quick) field(key, text string) bool {
	if q.pending() || q.has(key) {
		return false
	}
	e := entry{key: key, line: q.line, val: value{kind: mapping, pairs: map[string]string{}}}
	if text != "" {
		val, ok := simpleValue(text)
		if !ok {
			return false
		}
		e.val = value{kind: scalar, text: val}
	}
	q.list, q.indent = append(q.list, e), 0
	return true
}

func (q *quick) pair(key, text string, depth int) bool {
	n := len(q.list)
	if n == 0 || q.list[n-1].val.kind != mapping || q.indent != 0 && q.indent != depth {
		return false
	}
	val, ok := simpleValue(text)
	pairs := q.list[n-1].val.pairs
	if _, twice := pairs[key]; twice || !ok {
		return false
	}
	pairs[key] = val
	q.indent = depth
	return true
}

func (q *quick) item(text string, depth int) bool {
	n := len(q.list)
	if n == 0 || q.list[n-1].val.kind != list && !q.pending() || q.indent != 0 && q.indent != depth+1 {
		return false
	}
	text, ok := simpleValue(text)
	if !ok {
		return false
	}
	v := &q.list[n-1].val
	v.kind, v.pairs = list, nil
	if text != "" {
		v.list = append(v.list, text)
	}
	q.indent = depth + 1
	return true
}

func (f *fields) has(key string) bool {
	for _, e := range f.list {
		if e.key == key {
			return true
		}
	}
	return false
}

func simpleKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return key != ""
}

// simpleValue is the text of a value that can have one meaning only.
func simpleValue(s string) (string, bool) {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfeff }) {
		return "", false
	}
	if q := s[0]; q == '"' || q == '\'' {
		if len(s) < 2 || s[len(s)-1] != q || strings.ContainsAny(s[1:len(s)-1], "\"'\\") {
			return "", false
		}
		return s[1 : len(s)-1], true
	}
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case !unicode.IsLetter(first), s[len(s)-1] == ':', strings.Contains(s, ": "), strings.Contains(s, " #"):
		return "", false
	case strings.EqualFold(s, "null"), strings.EqualFold(s, "nan"):
		return "", false
	}
	return s, true
}

// salvage reads a header line by line when it is no YAML: a field is a line `key: text`, with the indented lines that
// follow it. It makes no fields of maps.
func salvage(header string) fields {
	var f fields
	line := 0
	for l := range strings.SplitSeq(header, "\n") {
		line++
		l = strings.TrimRight(l, " \t\r")
		bare := strings.TrimLeft(l, " \t")
		if bare == "" || bare[0] == '#' {
			continue
		}
		last := len(f.list) - 1
		if item, ok := strings.CutPrefix(bare, "- "); ok && last >= 0 {
			v := &f.list[last].val
			if v.kind == null || v.kind == list {
				v.kind = list
				v.list = append(v.list, unquote(item))
			}
			continue
		}
		if bare != l { // it belongs to the field above
			if last >= 0 && f.list[last].val.kind == scalar {
				v := &f.list[last].val
				v.text = strings.TrimSpace(v.text + " " + bare)
			}
			continue
		}
		key, text, ok := strings.Cut(l, ":")
		if !ok || !simpleKey(key) {
			continue
		}
		f.list = append(f.list, entry{key: key, val: plain(strings.TrimSpace(text)), line: line})
	}
	return f
}

// plain is the value behind a key.
func plain(text string) value {
	switch {
	case text == "":
		return value{}
	case strings.Trim(text, "|>+-0123456789") == "" && (text[0] == '|' || text[0] == '>'):
		return value{kind: scalar} // the text is on the lines below
	}
	return value{kind: scalar, text: unquote(text)}
}

func unquote(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
