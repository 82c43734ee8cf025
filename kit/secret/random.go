package secret

import (
	"math"
	"strings"
)

// isRandom reports that no person has made up this text: letters and digits change as they do in random text, and no
// character is much more frequent than others.
func isRandom(s string) bool {
	if len(s) < 16 || sequence(s) {
		return false
	}
	st := look(s)
	if st.digits < 2 || st.letters < 3 || st.inWords*2 >= len(s) && st.numbers <= 2 {
		return false
	}
	return float64(st.changes) >= 0.22*float64(len(s)-1) && entropy(s) >= min(3.5, 0.85*math.Log2(float64(len(s))))
}

// stats is what tells random text from words.
type stats struct {
	digits, letters int
	numbers         int // rows of digits
	changes         int // between small letters, capitals, digits and others; not from a capital to the rest of its word
	inWords         int // letters in what may be words
}

func look(s string) stats {
	var st stats
	last := byte(0)
	row := 0 // of letters that may be one word
	for _, c := range []byte(s) {
		class := classOf(c)
		switch class {
		case 'd':
			st.digits++
			if last != 'd' {
				st.numbers++
			}
		case 'l', 'u':
			st.letters++
		}
		goesOn := class == last || last == 'u' && class == 'l'
		if last != 0 && !goesOn {
			st.changes++
		}
		if !goesOn {
			row = 0
		}
		if row++; class == 'l' && row == 4 {
			st.inWords += 4
		} else if class == 'l' && row > 4 {
			st.inWords++
		}
		last = class
	}
	return st
}

// sequence reports rows that people type when they need a key for an example.
func sequence(s string) bool {
	low := strings.ToLower(s)
	for _, row := range []string{"01234567", "12345678", "abcdefgh", "qwertyui", "a1b2c3d4", "0a1b2c3d", "deadbeef", "cafebabe"} {
		if strings.Contains(low, row) {
			return true
		}
	}
	return false
}

func classOf(c byte) byte {
	switch {
	case isDigit(c):
		return 'd'
	case isLower(c):
		return 'l'
	case isUpper(c):
		return 'u'
	}
	return 'o'
}

// entropy of the bytes of a text, in bits for each.
func entropy(s string) float64 {
	var count [256]int
	for _, c := range []byte(s) {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// isHexText reports a text of hexadecimal digits only.
func isHexText(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return s != ""
}

// isUUID reports 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !isHex(c) {
			return false
		}
	}
	return true
}

// exampleWords are what examples consist of.
type exampleWords struct {
	inside []string        // anywhere
	whole  map[string]bool // between separators
}

func newExampleWords() exampleWords {
	e := exampleWords{
		inside: []string{
			"example", "placeholder", "redacted", "changeme", "change-me", "change_me", "replace", "insert", "sample",
			"dummy", "xxxx", "****", "....", "goes-here", "goes_here", "your-", "your_", "my-key", "lorem", "[masked",
		},
		whole: map[string]bool{},
	}
	for w := range strings.FieldsSeq("your my mine the key token secret password here fake test tests testing demo foo bar baz todo none null nil") {
		e.whole[w] = true
	}
	return e
}

// like reports that a token is made up for a text about tokens: one character again and again, or words.
func (e exampleWords) like(s string) bool {
	if monotonous(s) {
		return true
	}
	low := strings.ToLower(s)
	for _, w := range e.inside {
		if strings.Contains(low, w) {
			return true
		}
	}
	words := strings.FieldsFunc(low, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' })
	made := 0
	for _, w := range words {
		if e.whole[w] {
			made++
		}
	}
	return made > 0 && made*2 >= len(words)
}

// monotonous reports few different characters, or one many times in a row.
func monotonous(s string) bool {
	var seen [256]bool
	different, row := 0, 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			different++
		}
		if row++; i > 0 && s[i] != s[i-1] {
			row = 1
		}
		if row >= 6 && s[i] != '=' {
			return true
		}
	}
	return different < 6 && len(s) >= 12
}

// word undoes the usual ways of writing letters as digits and signs.
func word(s string) string {
	return strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "l").
		Replace(strings.ToLower(s))
}
