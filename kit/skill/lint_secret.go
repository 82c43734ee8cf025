package skill

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"react-agent/internal/msg"
)

// secrets names the lines of a file that look as if a key stood there. This is stricter than what keeps secrets from a
// model, which must not damage what it shows: here a false alarm costs one look, and a key that was missed goes to
// everybody who copies the skill.
func (x *linter) secrets(file, text string) {
	found := map[int]string{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if kind := x.find.keyLike(line); kind != "" {
			found[n] = kind
		}
	}
	if x.o.Secrets != nil {
		for _, s := range x.o.Secrets(text) {
			found[s.Line] = cmp.Or(found[s.Line], s.Kind)
		}
	}
	for line, kind := range found {
		x.note(SecretInside, Error, file, line, msg.Errorf(msg.LintSecret, kind), msg.Errorf(msg.LintFixSecret))
	}
}

// keyLike says what kind of key a line seems to hold; empty: none.
func (p *patterns) keyLike(line string) string {
	if strings.Contains(line, "-----BEGIN ") && strings.Contains(line, "PRIVATE KEY-----") {
		return "private key"
	}
	if len(line) > 64<<10 {
		line = line[:64<<10]
	}
	if !longWord(line) {
		return "" // what most lines have: words
	}
	for _, m := range p.vendorKey.FindAllStringSubmatch(line, -1) {
		if !placeholder(m[1]) && random(m[1]) {
			return m[1][:min(4, len(m[1]))] + "…"
		}
	}
	for _, m := range p.assigned.FindAllStringSubmatch(line, -1) {
		if value := cmp.Or(m[2], m[3]); !placeholder(value) && mixed(value) {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

// longWord says whether eight signs stand together, not all of them small letters. Every value that counts has that, since
// keys have digits.
func longWord(line string) bool {
	n, other := 0, false
	for i := range len(line) {
		switch c := line[i]; {
		case c <= ' ' || c == '"' || c == '\'' || c == '`':
			n, other = 0, false
			continue
		case c < 'a' || c > 'z':
			other = true
		}
		if n++; n >= 8 && other {
			return true
		}
	}
	return false
}

// placeholder says whether a value is one that people write where a key belongs.
func placeholder(value string) bool {
	low := strings.ToLower(value)
	for _, word := range []string{"xxx", "your", "example", "placeholder", "changeme", "change-me", "dummy", "redacted", "insert", "replace", "...", "…", "***", "<", ">", "${", "$(", "{{"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return strings.HasPrefix(value, "$") || strings.HasPrefix(value, "%")
}

// mixed says whether a value has letters and digits, as keys do and words do not.
func mixed(value string) bool {
	return strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter) &&
		!strings.ContainsAny(value, "/().[]{} ")
}

// random says whether a value has a part that is no word: names of CSS classes begin like keys.
func random(value string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return r == '-' || r == '_' || r == '.' }), func(part string) bool {
		return len(part) >= 8 && (strings.ContainsFunc(part, unicode.IsDigit) || len(part) >= 16)
	})
}
