package wire

import (
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// joiner puts characters together that a server has torn apart: a surrogate pair, or the bytes of one character, at the
// end of one JSON string and the beginning of the next.
type joiner struct{ tail string } // still in JSON's spelling

// text is the value of a JSON string, without a character that has only begun.
func (j *joiner) text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	raw := v.Raw
	if len(raw) < 2 {
		return v.Str
	}
	raw = raw[1 : len(raw)-1]
	n := torn(raw)
	if j.tail == "" && n == 0 {
		return v.Str
	}
	raw = j.tail + raw
	n = torn(raw)
	j.tail = raw[len(raw)-n:]
	return spell(raw[:len(raw)-n])
}

// flush gives what was held back.
func (j *joiner) flush() string {
	s := spell(j.tail)
	j.tail = ""
	return s
}

func spell(raw string) string {
	if raw == "" {
		return ""
	}
	return gjson.Parse(`"` + raw + `"`).Str
}

// torn is the length of the beginning of a character at the end of a raw JSON string.
func torn(raw string) int {
	n := len(raw)
	if n > 0 && raw[n-1] >= utf8.RuneSelf {
		return tornBytes(raw)
	}
	if n < 6 || raw[n-6] != '\\' || raw[n-5] != 'u' || raw[n-4]|0x20 != 'd' || !highHex(raw[n-3]) || !isHex(raw[n-2]) || !isHex(raw[n-1]) {
		return 0
	}
	slashes := 0
	for i := n - 6; i >= 0 && raw[i] == '\\'; i-- {
		slashes++
	}
	if slashes%2 == 0 { // the backslash itself is escaped
		return 0
	}
	return 6
}

// tornBytes is the length of the bytes at the end that make no whole character.
func tornBytes(raw string) int {
	for i := 1; i <= min(3, len(raw)); i++ {
		if tail := raw[len(raw)-i:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRuneInString(tail) {
				return 0
			}
			return i
		}
	}
	return 0
}

// highHex reports whether the second digit makes a high surrogate: d8, d9, da, db.
func highHex(c byte) bool { return c == '8' || c == '9' || c|0x20 == 'a' || c|0x20 == 'b' }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
