package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
)

// Known is a secret that is known by value: one of the agent's own keys.
type Known struct {
	Name  string // what the placeholder calls it, such as the variable's name
	Value string
}

// Options of [New]. The zero value masks common shapes and knows no value.
type Options struct {
	// Known values are found exactly, wherever they stand. Values under 8 bytes, and plain words that placeholders are
	// made of, are not looked for: that would damage ordinary text.
	Known []Known
	// Salt makes the hashes in placeholders useless to whoever guesses at values. It has to be the same after a restart,
	// and secret; 16 random bytes kept with the state are right. Empty: a random one, so that placeholders from before a
	// restart stand for nothing. It is asked for once, when a placeholder is made for the first time; nil: a random one.
	Salt func() []byte
}

// Keeper finds, masks and puts back secrets. It does not change after New and may be used by many goroutines at once.
type Keeper struct {
	salt   func() []byte
	known  *matcher
	shapes *shapes
}

// New makes a keeper. It is meant to be made once for a process.
func New(o Options) *Keeper {
	return &Keeper{salt: sync.OnceValue(func() []byte { return saltOf(o.Salt) }), known: newMatcher(o.Known), shapes: newShapes()}
}

func saltOf(ask func() []byte) []byte {
	if ask != nil {
		if salt := ask(); len(salt) > 0 {
			return salt
		}
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	return salt
}

// Mask puts placeholders in the place of known values and of what has the shape of a secret. A text without any comes
// back as it is. Masking a second time changes nothing.
func (k *Keeper) Mask(text string) string { return k.mask(text, true, nil) }

// MaskKnown does the same for known values only.
func (k *Keeper) MaskKnown(text string) string { return k.mask(text, false, nil) }

// mask goes over a text until nothing is found any more: what stands beside a placeholder may have become a word of its
// own. seen, if not nil, is told what was masked.
func (k *Keeper) mask(text string, shapes bool, seen func(placeholder, value string)) string {
	for {
		spans := k.find(text, shapes)
		if len(spans) == 0 {
			return text
		}
		var b strings.Builder
		b.Grow(len(text))
		at := 0
		for _, s := range spans {
			value := text[s.from:s.to]
			p := k.placeholder(s.kind, value)
			if seen != nil {
				seen(p, value)
			}
			b.WriteString(text[at:s.from])
			b.WriteString(p)
			at = s.to
		}
		b.WriteString(text[at:])
		text = b.String()
	}
}

// placeholder stands for a value. Line ends do not count: a file may have CRLF where the model sees LF.
func (k *Keeper) placeholder(kind, value string) string {
	h := hmac.New(sha256.New, k.salt())
	_, _ = h.Write([]byte(lf(value))) // never fails
	return opening + kind + ":" + hex.EncodeToString(h.Sum(nil)[:hashLen/2]) + "]"
}

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// Restore puts values back into text that is about to be written over current. A placeholder in text must stand for a
// value in current, or stand in current itself; an error names one that does neither, or does both. Values come back as
// they stand in current, but for line ends: text with LF only gets no CRLF.
func (k *Keeper) Restore(current []byte, text string) (string, error) {
	marks := placeholders(text)
	if len(marks) == 0 {
		return text, nil
	}
	now := string(current)
	values := map[string]string{}
	torn := map[string]bool{} // stands for two values
	k.mask(now, true, func(placeholder, value string) {
		if old, ok := values[placeholder]; ok && old != value {
			torn[placeholder] = true
		}
		values[placeholder] = value
	})
	plain := strings.Contains(text, "\n") && !strings.Contains(text, "\r\n") && strings.Count(now, "\n") == strings.Count(now, "\r\n")
	var b strings.Builder
	at := 0
	for _, m := range marks {
		p := text[m.from:m.to]
		value, ok := values[p]
		switch {
		case torn[p] || ok && strings.Contains(now, p):
			return "", fmt.Errorf("%s stands for more than one thing in the file: change other lines only, with edit_file", p)
		case !ok && !strings.Contains(now, p):
			return "", fmt.Errorf("%s stands for a secret that is not in this file, so it cannot be written there, and writing "+
				"the placeholder itself would put nonsense in its place: leave that part out, or copy the value with a command "+
				"that reads it from where it is", p)
		case !ok:
			value = p
		case plain:
			value = lf(value)
		}
		b.WriteString(text[at:m.from])
		b.WriteString(value)
		at = m.to
	}
	b.WriteString(text[at:])
	return b.String(), nil
}
