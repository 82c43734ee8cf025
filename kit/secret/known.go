package secret

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"react-agent/agent"
)

// minKnown is the shortest value that is looked for, in bytes.
const minKnown = 8

// pattern is one way to write a known value.
type pattern struct{ text, kind string }

// matcher finds many texts at once, by looking at two bytes and skipping as far as they allow.
type matcher struct {
	pats    []pattern
	longest int
	skip    [1 << 12]uint8
	ends    map[uint16][]int // patterns by the hash of their bytes minKnown-2 and minKnown-1
}

func newMatcher(known []Known) *matcher {
	m := &matcher{ends: map[uint16][]int{}}
	seen := map[string]bool{}
	for _, k := range known {
		value := strings.TrimSpace(k.Value)
		if len(value) < minKnown || ownWord(value, known) {
			continue
		}
		for _, form := range forms(value) {
			if len(form) >= minKnown && !seen[form] && !ownWord(form, known) {
				seen[form] = true
				m.pats = append(m.pats, pattern{form, kindOf(k.Name)})
			}
		}
	}
	// Of two that begin alike the longer one is tried first.
	slices.SortStableFunc(m.pats, func(a, b pattern) int { return len(b.text) - len(a.text) })
	for i := range m.skip {
		m.skip[i] = minKnown - 1
	}
	for i, p := range m.pats {
		m.longest = max(m.longest, len(p.text))
		for j := 1; j < minKnown; j++ {
			h := pair(p.text[j-1], p.text[j])
			m.skip[h] = min(m.skip[h], uint8(minKnown-1-j))
		}
		h := pair(p.text[minKnown-2], p.text[minKnown-1])
		m.ends[h] = append(m.ends[h], i)
	}
	return m
}

func pair(a, b byte) uint16 { return (uint16(a)<<5 ^ uint16(b)) & (1<<12 - 1) }

// ownWord reports that a value is part of what placeholders are made of.
func ownWord(value string, known []Known) bool {
	if strings.Contains(value, opening) {
		return true
	}
	words := kinds()
	for _, k := range known {
		words = append(words, kindOf(k.Name))
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(opening+w+":", value) })
}

// kindOf makes a name fit for a placeholder.
func kindOf(name string) string {
	kind := []byte(name[:min(len(name), maxKind)])
	for i, c := range kind {
		if !kindByte(c) {
			kind[i] = '_'
		}
	}
	if len(kind) == 0 {
		return "key"
	}
	return string(kind)
}

// forms are the ways in which a value may be written.
func forms(v string) []string {
	inHex := hex.EncodeToString([]byte(v))
	backwards := []byte(v)
	slices.Reverse(backwards)
	out := []string{
		v, strings.ReplaceAll(v, "\n", "\r\n"), url.QueryEscape(v), url.PathEscape(v), inHex, strings.ToUpper(inHex), string(backwards),
	}
	if quoted, err := agent.EncodeJSON(v); err == nil {
		s := string(quoted[1 : len(quoted)-1])
		html := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(s)
		out = append(out, s, html, strings.ReplaceAll(s, "/", `\/`))
	}
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			s := enc.EncodeToString(append(make([]byte, shift), v...))
			// Characters that share bits with a neighbour are not known.
			out = append(out, s[(shift*8+5)/6:(shift+len(v))*8/6])
		}
	}
	return out
}

// find lists the known values of a text.
func (m *matcher) find(text string) []span {
	if len(m.pats) == 0 {
		return nil
	}
	var out []span
	for i := minKnown - 1; i < len(text); {
		h := pair(text[i-1], text[i])
		if s := m.skip[h]; s > 0 {
			i += int(s)
			continue
		}
		from := i - minKnown + 1
		n := 0
		for _, p := range m.ends[h] {
			if strings.HasPrefix(text[from:], m.pats[p].text) {
				n = len(m.pats[p].text)
				out = append(out, span{from, from + n, m.pats[p].kind})
				break
			}
		}
		i += max(n, 1)
	}
	return out
}

// begun is the length of the longest end of text that is the beginning of a known value, without being a whole one.
func (m *matcher) begun(text string) int {
	for n := min(m.longest-1, len(text)); n > 0; n-- {
		end := text[len(text)-n:]
		if slices.ContainsFunc(m.pats, func(p pattern) bool { return len(p.text) > n && strings.HasPrefix(p.text, end) }) {
			return n
		}
	}
	return 0
}
