package secret

import "strings"

// shapes knows what secrets look like. A text is gone over once: only a few bytes can begin one.
type shapes struct {
	hot      [256]bool
	byFirst  [256][]prefix // rules for tokens that begin with this byte
	names    nameWords
	examples exampleWords
}

func newShapes() *shapes {
	s := &shapes{names: newNameWords(), examples: newExampleWords()}
	for _, p := range prefixes() {
		first := p.text[0]
		s.byFirst[first] = append(s.byFirst[first], p)
		s.hot[first] = true
	}
	for _, c := range []byte("[=:-") {
		s.hot[c] = true
	}
	return s
}

// kinds are the names of all shapes.
func kinds() []string {
	out := []string{kindPEM, kindURL, kindSecret, kindPassword, kindBearer, kindBasic, kindJWT}
	for _, p := range prefixes() {
		out = append(out, p.kind)
	}
	return out
}

// The kinds of shapes that are no tokens with a prefix.
const (
	kindPEM      = "private-key"
	kindURL      = "url-password"
	kindSecret   = "secret"
	kindPassword = "password"
	kindBearer   = "bearer-token"
	kindBasic    = "basic-auth"
	kindJWT      = "jwt"
)

// find lists what looks like a secret in a text, in order of where it was noticed.
func (s *shapes) find(text string) []span {
	var out []span
	add := func(found span, ok bool) {
		if ok {
			out = append(out, found)
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !s.hot[c] {
			continue
		}
		switch c {
		case '[':
			if n := placeholderLen(text[i:]); n > 0 {
				i += n - 1
			}
		case '=', ':':
			if c == ':' && strings.HasPrefix(text[i:], "://") {
				add(s.urlPassword(text, i+3))
				continue
			}
			add(s.assigned(text, i))
		case '-':
			if strings.HasPrefix(text[i:], "-----") {
				found, ok, skip := s.pem(text, i)
				add(found, ok)
				i += skip
			}
		default:
			if begins(text, i) {
				add(s.token(text, i))
			}
		}
	}
	return out
}

// begins reports whether a word begins at i. In JSON and in URLs an escape may stand before it: \n, \u0022, %22.
func begins(text string, i int) bool {
	if i == 0 || !isWord(text[i-1]) {
		return true
	}
	before := text[i-1]
	if i >= 2 && text[i-2] == '\\' {
		return before == 'n' || before == 't' || before == 'r'
	}
	if !isHex(before) {
		return false
	}
	return i >= 3 && text[i-3] == '%' && isHex(text[i-2]) || i >= 6 && text[i-6] == '\\' && text[i-5] == 'u'
}
