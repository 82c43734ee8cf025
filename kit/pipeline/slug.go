package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSlug bounds the name of a run folder, in characters.
const maxSlug = 60

// Slug makes the name of a folder of a question: lower-case letters, digits and hyphens, Chinese as pinyin without tones,
// at most 60 characters, cut between words. Where nothing is left it is "run".
func Slug(query string) string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for len(query) > 0 {
		if syllables, n := pinyin(query); n > 0 {
			flush()
			words = append(words, syllables...)
			query = query[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(query)
		query = query[n:]
		switch letter := plainLetter(r); {
		case letter != "":
			word.WriteString(letter)
		case r == '\'' || r == '’': // don't is one word
		case unicode.Is(unicode.Mn, r): // an accent that stands behind its letter
		default:
			flush()
		}
	}
	flush()
	return cutWords(words)
}

// cutWords joins as many words as there is room for.
func cutWords(words []string) string {
	slug := ""
	for _, w := range words {
		if slug == "" {
			slug = w[:min(len(w), maxSlug)]
			continue
		}
		if len(slug)+1+len(w) > maxSlug {
			break
		}
		slug += "-" + w
	}
	if slug == "" {
		return "run"
	}
	return slug
}

// without takes the words out of a slug that hold one of some texts, or make it up together.
func without(slug string, texts []string) string {
	for _, t := range texts {
		for t != "" {
			at := strings.Index(slug, strings.ToLower(t))
			if at < 0 {
				break
			}
			from, to := strings.LastIndexByte(slug[:at+1], '-')+1, at+len(t)
			if end := strings.IndexByte(slug[to:], '-'); end >= 0 {
				to += end
			} else {
				to = len(slug)
			}
			slug = strings.Trim(slug[:min(from, at)]+strings.TrimPrefix(slug[to:], "-"), "-")
		}
	}
	if slug == "" {
		return "run"
	}
	return slug
}

// plainLetter is a letter or digit as it may stand in a slug, without case and accent; empty: it may not.
func plainLetter(r rune) string {
	if r > '\uff00' && r < '\uff5f' { // as Chinese keyboards write them
		r -= '\uff00' - ' '
	}
	r = unicode.ToLower(r)
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return string(r)
	}
	const from, to = "àáâãäåçèéêëìíîïñòóôõöøùúûüýÿ", "aaaaaaceeeeiiiinoooooouuuuyy"
	if i := strings.IndexRune(from, r); i >= 0 {
		return to[utf8.RuneCountInString(from[:i]):][:1]
	}
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	}
	return ""
}

// maxPhrase is the length of the longest phrase, in characters.
const maxPhrase = 4

// pinyin reads the phrase or the character at the beginning of s: its syllables, and how many bytes they stand for; 0: it
// is no Chinese.
func pinyin(s string) (syllables []string, n int) {
	r, size := utf8.DecodeRuneInString(s)
	if r != '〇' && (r < 0x4e00 || r > 0x9fff) {
		return nil, 0
	}
	ends := make([]int, 0, maxPhrase) // where each of the next characters ends
	for i, r := range s {
		if len(ends) == maxPhrase || r == utf8.RuneError {
			break
		}
		ends = append(ends, i+utf8.RuneLen(r))
	}
	for _, end := range slices.Backward(ends) {
		_, line, ok := strings.Cut(pinyinPhrases, "\n"+s[:end]+" ")
		if ok {
			line, _, _ = strings.Cut(line, "\n")
			return strings.Fields(line), end
		}
	}
	at := strings.Index(pinyinTable, s[:size])
	if at < 0 {
		return nil, 0
	}
	line := pinyinTable[strings.LastIndexByte(pinyinTable[:at], '\n')+1 : at]
	return []string{line[:strings.IndexFunc(line+s[:size], func(r rune) bool { return r >= utf8.RuneSelf })]}, size
}
