package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unseen says whether a character steers a screen instead of being shown on it: control characters but for line ends and
// tabs, and those that turn the direction of writing round.
func unseen(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Visible shows on a screen what must not steer it, without losing that it is there: the escape character is ␛. Line ends and
// tabs stay, a carriage return goes. Anything that may come from elsewhere has to pass here before it is printed for a person.
func Visible(s string) string {
	if strings.IndexFunc(s, unseen) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return -1
		case !unseen(r):
			return r
		case r < ' ':
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		}
		return utf8.RuneError
	}, s)
}

// VisibleJSON is the same JSON with the characters that steer a screen written as escapes.
func VisibleJSON(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0x7f && unseen(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) && r >= 0x7f { // JSON has none of the others
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// longestName bounds a name that [Name] shows, in characters.
const longestName = 200

// Name shows a name that somebody else chose, so that it cannot pass for anything but one name in a list on one line: with
// anything in it that is no ordinary part of a name it stands in quotes, and a long one is cut.
func Name(s string) string {
	cut := ""
	if utf8.RuneCountInString(s) > longestName {
		s, cut = string([]rune(s)[:longestName]), "…"
	}
	if q := strconv.Quote(s); q[1:len(q)-1] != s || strings.ContainsAny(s, ",;:()") || strings.TrimSpace(s) != s || s == "" {
		return q + cut
	}
	return s + cut
}
