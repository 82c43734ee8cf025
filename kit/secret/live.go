package secret

import (
	"strings"
)

const (
	maxWord    = 1 << 10  // what is kept back of a word
	maxHeld    = 16 << 10 // what is kept back at all
	maxContext = 256      // what is remembered of what was shown: the name in front of a value
)

// Live masks a text that comes in pieces: give every piece to the function, show what it returns, which may be empty. An
// end that may be the beginning of a secret is kept back until more comes, up to 16 kB, so that no secret is shown in two
// halves; what is kept back at the end of the text is never shown. The function is for one stream and one goroutine.
func (k *Keeper) Live() func(piece string) string {
	before, held := "", ""
	return func(piece string) string {
		text := before + held + piece
		from := len(before)
		spans := k.find(text, true)
		cut := k.cut(text, spans)
		if cut < from || len(text)-cut > maxHeld {
			cut = len(text)
		}
		var b strings.Builder
		at := from
		for _, s := range spans {
			if s.to <= at || s.from >= cut {
				continue
			}
			b.WriteString(text[at:max(at, s.from)])
			b.WriteString(k.placeholder(s.kind, text[max(at, s.from):s.to]))
			at = s.to
		}
		cut = max(cut, at)
		b.WriteString(text[at:cut])
		before, held = text[max(0, cut-maxContext):cut], text[cut:]
		return k.Mask(b.String())
	}
}

// cut is where the end of a text begins that may be the beginning of a secret.
func (k *Keeper) cut(text string, spans []span) int {
	cut := len(text) - k.unsure(text)
	for _, s := range spans {
		if s.from < cut && cut < s.to {
			return s.from
		}
	}
	return cut
}

// unsure is how much of the end of a text may be the beginning of a secret: a word, what a known value begins with, a
// private key without its end.
func (k *Keeper) unsure(text string) int {
	n := k.known.begun(text)
	word := strings.LastIndexAny(text, " \t\r\n") + 1
	if w := len(text) - word; w <= maxWord {
		n = max(n, w)
	}
	if i := strings.LastIndex(text, dashes+"BEGIN "); i >= 0 && openPEM(text[i:]) {
		n = max(n, len(text)-i)
	}
	return n
}

// openPEM reports that the end of a private key, or of its first line, is still to come.
func openPEM(text string) bool {
	line, body, whole := strings.Cut(text, "\n")
	if !whole {
		return len(line) < 80
	}
	if !strings.Contains(line, "PRIVATE KEY") {
		return false
	}
	rest := body[keyText(body):]
	return rest == "" || strings.HasPrefix(dashes+"END ", rest)
}
