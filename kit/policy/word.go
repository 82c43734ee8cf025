package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An elem is one character of a word as the command will get it, the border between two words, or a stretch that is only
// known when the command runs.
type elem struct {
	r      rune
	kind   elemKind
	splits bool // an unknown stretch that may become several words, or none
	glob   bool // an unknown stretch that may become several words, all of them with the same beginning
	strict bool // no star of an allow rule may stand for it
}

type elemKind uint8

const (
	char elemKind = iota
	border
	unknown
)

// word is one word of a command after quotes are taken away.
type word struct {
	elems []elem
	tilde bool // begins with an unquoted ~
}

// static reports whether the word is known before the command runs, and then what it is.
func (w word) static() (string, bool) {
	var b strings.Builder
	for _, e := range w.elems {
		if e.kind == unknown {
			return "", false
		}
		b.WriteRune(e.r)
	}
	return b.String(), true
}

// is reports whether the word is known to be one of these.
func (w word) is(texts ...string) bool {
	s, ok := w.static()
	return ok && slices.Contains(texts, s)
}

// start is what is known of the word's beginning.
func (w word) start() string {
	var b strings.Builder
	for _, e := range w.elems {
		if e.kind == unknown {
			break
		}
		b.WriteRune(e.r)
	}
	return b.String()
}

// splits reports whether the word may become several words, or none.
func (w word) splits() bool {
	for _, e := range w.elems {
		if e.splits {
			return true
		}
	}
	return false
}

// mayBeOption reports whether the word, or a part of it, might begin with a dash when the command runs.
func (w word) mayBeOption() bool {
	if len(w.elems) == 0 {
		return false
	}
	return w.splits() || w.elems[0].kind == unknown || w.elems[0].r == '-'
}

// strictly gives the word so that only a rule that spells it out covers it.
func (w word) strictly() word {
	out := word{elems: make([]elem, len(w.elems)), tilde: w.tilde}
	for i, e := range w.elems {
		e.strict = true
		out.elems[i] = e
	}
	return out
}

// literal makes a word of known text.
func literal(s string) word {
	var w word
	w.add(s)
	return w
}

func (w *word) add(s string) {
	for _, r := range s {
		w.elems = append(w.elems, elem{r: r})
	}
}

func (w *word) hole(splits bool) {
	w.elems = append(w.elems, elem{kind: unknown, splits: splits})
}

// wordOf takes the quotes off a word of the syntax tree. posix says that the shell may know neither $'…' nor braces.
func wordOf(sw *syntax.Word, posix bool) word {
	var w word
	if sw == nil {
		return w
	}
	if hasBraces(sw) {
		w.hole(true)
		return w
	}
	for i, p := range sw.Parts {
		if lit, ok := p.(*syntax.Lit); ok && i == 0 && strings.HasPrefix(lit.Value, "~") {
			w.tilde = true
		}
		w.part(p, posix)
	}
	return w
}

func (w *word) part(p syntax.WordPart, posix bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		w.bare(p.Value)
	case *syntax.SglQuoted:
		if !p.Dollar {
			w.add(p.Value)
			return
		}
		s, ok := ansiC(p.Value)
		if !ok || posix {
			w.hole(posix)
			return
		}
		w.add(s)
	case *syntax.DblQuoted:
		w.quoted(p)
	case *syntax.ProcSubst:
		w.add("/dev/fd/")
		w.hole(false)
	default:
		w.hole(true)
	}
}

// bare takes unquoted text: a backslash makes the next character mean itself, a wildcard may become anything.
func (w *word) bare(s string) {
	escaped := false
	for i, r := range s {
		switch {
		case escaped:
			escaped = false
			if r != '\n' {
				w.add(string(r))
			}
		case r == '\\':
			escaped = true
		case r == '*', r == '?', r == '[' && strings.Contains(s[i:], "]"):
			w.elems = append(w.elems, elem{kind: unknown, glob: true})
		default:
			w.add(string(r))
		}
	}
	if escaped {
		w.add(`\`)
	}
}

func (w *word) quoted(q *syntax.DblQuoted) {
	for _, p := range q.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if q.Dollar { // a translation may say anything
				w.hole(false)
				continue
			}
			w.inQuotes(p.Value)
		case *syntax.ParamExp:
			w.hole(manyWords(p))
		default:
			w.hole(false)
		}
	}
}

// inQuotes takes text of double quotes, where a backslash means itself before most characters.
func (w *word) inQuotes(s string) {
	escaped := false
	for _, r := range s {
		if escaped {
			escaped = false
			if !strings.ContainsRune("$`\"\\\n", r) {
				w.add(`\`)
			}
			if r != '\n' {
				w.add(string(r))
			}
			continue
		}
		if r == '\\' {
			escaped = true
			continue
		}
		w.add(string(r))
	}
	if escaped {
		w.add(`\`)
	}
}

// manyWords reports whether an expansion in double quotes may still become several words, or none: "$@", "${a[@]}" and
// whatever else might have a list in it.
func manyWords(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" || p.Excl || p.Names != 0 || p.Index != nil {
		return true
	}
	return p.Exp != nil || p.Repl != nil || p.Slice != nil
}

// hasBraces reports whether the word might be expanded by its braces.
func hasBraces(sw *syntax.Word) bool {
	var b strings.Builder
	for _, p := range sw.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		} else {
			b.WriteByte('x')
		}
	}
	s := b.String()
	_, after, open := strings.Cut(s, "{")
	return open && strings.Contains(after, "}") && (strings.Contains(after, ",") || strings.Contains(after, ".."))
}

// ansiC reads $'…'. Escapes whose reading differs between shells, and bytes that are no ASCII, are not known.
func ansiC(s string) (string, bool) {
	if !strings.Contains(s, `\`) {
		return s, true
	}
	simple := map[byte]string{'\\': `\`, '\'': "'", '"': `"`, '?': "?", 'n': "\n", 't': "\t"}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		if to, ok := simple[s[i]]; ok {
			b.WriteString(to)
			continue
		}
		n, value := numeric(s[i:])
		if n == 0 || value < ' ' || value > '~' {
			return "", false
		}
		b.WriteByte(byte(value))
		i += n - 1
	}
	return b.String(), true
}

// numeric reads xHH or OOO with all its digits.
func numeric(s string) (length, value int) {
	digits, base := "01234567", 8
	if s[0] == 'x' {
		digits, base, length = "0123456789abcdef", 16, 1
	}
	want := length + 3
	if base == 16 {
		want = length + 2
	}
	for length < want {
		if length == len(s) {
			return 0, 0
		}
		d := strings.IndexByte(digits, s[length]|0x20)
		if base == 8 {
			d = strings.IndexByte(digits, s[length])
		}
		if d < 0 {
			return 0, 0
		}
		value = value*base + d
		length++
	}
	return length, value
}
