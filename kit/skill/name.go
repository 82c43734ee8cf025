package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"react-agent/internal/text"
)

// NormalizeSkillName is the form in which names are compared: lower case, and one hyphen for every run of hyphens,
// underscores and blanks.
func NormalizeSkillName(name string) string {
	if normal(name) {
		return name
	}
	var b strings.Builder
	gap := false
	for _, r := range strings.TrimSpace(name) {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if gap {
		b.WriteByte('-')
	}
	return compose(b.String())
}

// normal says quickly that a name is as it should be.
func normal(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i > 0 && name[i-1] == '-') {
			return false
		}
	}
	return true
}

// maxName is the longest name that travels, in characters.
const maxName = 64

// nameLimit is where a name stops to be one: the folder's is taken instead.
const nameLimit = 255

// validName says whether a name is one that every client takes. Underscores pass: they are hyphens to us.
func validName(name string) bool {
	last := '-'
	for _, r := range name {
		if r == '_' {
			r = '-'
		}
		switch {
		case r == '-' && last == '-':
			return false
		case r != '-' && !unicode.IsDigit(r) && !unicode.IsLetter(r) && !unicode.IsMark(r):
			return false
		case unicode.ToLower(r) != r:
			return false
		}
		last = r
	}
	return last != '-'
}

// pathLike says whether a name would mean something else as a part of a path.
func pathLike(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.Trim(name, ".") == ""
}

// clean makes text harmless on a screen and honest in a prompt: no escape sequences, no control characters but line
// breaks, nothing that reorders or hides what stands beside it.
func clean(s string) string {
	if safeASCII(s) {
		return s
	}
	s = text.Clean([]byte(strings.ReplaceAll(s, "\r\n", "\n")))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t' || r == '\r' || r == 0x2028 || r == 0x2029 || r == 0x85:
			return ' '
		case unicode.IsControl(r), hidden(r):
			return -1
		}
		return r
	}, s)
}

func safeASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' || c >= 0x7f {
			return false
		}
	}
	return true
}

// hidden are characters that show nothing themselves. The joiners stay: scripts and emoji need them.
func hidden(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d || r >= 0xe0000 && r <= 0xe0fff
}

// cleanName is clean for one line without blanks at its ends.
func cleanName(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// compose joins letters with marks that follow them, where file systems are known to take them apart: Hangul, kana and the
// common accents of Latin letters.
func compose(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool {
		return r >= 0x300 && r < 0x370 || r >= 0x1100 && r < 0x1200 || r == 0x3099 || r == 0x309a
	})
	if i < 0 {
		return s
	}
	out := make([]rune, 0, utf8.RuneCountInString(s))
	for _, r := range s {
		if n := len(out); n > 0 {
			if c := pair(out[n-1], r); c != 0 {
				out[n-1] = c
				continue
			}
		}
		out = append(out, r)
	}
	return string(out)
}

// pair is the one character for a base and a mark, 0 if there is none.
func pair(base, mark rune) rune {
	switch {
	case mark >= 0x1100 && mark < 0x1200:
		return hangul(base, mark)
	case mark == 0x3099 && strings.ContainsRune("かきくけこさしすせそたちつてとはひふへほカキクケコサシスセソタチツテトハヒフヘホゝヽ", base):
		return base + 1
	case mark == 0x3099 && base == 'ウ':
		return 'ヴ'
	case mark == 0x3099 && base == 'う':
		return 'ゔ'
	case mark == 0x309a && strings.ContainsRune("はひふへほハヒフヘホ", base):
		return base + 2
	}
	list := accents()[mark] // a letter, and what it becomes
	for i, r := range list {
		if r == base && utf8.RuneCountInString(list[:i])%2 == 0 {
			c, _ := utf8.DecodeRuneInString(list[i+utf8.RuneLen(r):])
			return c
		}
	}
	return 0
}

// hangul joins two letters, or a syllable without an end with its end.
func hangul(base, next rune) rune {
	switch {
	case base >= 0x1100 && base < 0x1113 && next >= 0x1161 && next < 0x1176:
		return 0xac00 + ((base-0x1100)*21+(next-0x1161))*28
	case base >= 0xac00 && base < 0xd7a4 && (base-0xac00)%28 == 0 && next > 0x11a7 && next < 0x11c3:
		return base + next - 0x11a7
	}
	return 0
}

func accents() map[rune]string {
	return map[rune]string{
		0x300: "aàeèiìoòuùnǹ",
		0x301: "aáeéiíoóuúyýcćlĺnńrŕsśzź",
		0x302: "aâcĉeêgĝhĥiîjĵoôsŝuûwŵyŷ",
		0x303: "aãiĩnñoõuũ",
		0x304: "aāeēiīoōuū",
		0x306: "aăeĕgğiĭoŏuŭий",
		0x307: "cċeėgġzż",
		0x308: "aäeëiïoöuüyÿеё",
		0x30a: "aåuů",
		0x30b: "oőuű",
		0x30c: "aǎcčdďeěnňrřsštťzž",
		0x327: "cçgģsştţ",
		0x328: "aąeęiįuų",
	}
}
