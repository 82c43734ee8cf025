package secret

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// nameWords are the parts of names that tell secrets from other values.
type nameWords struct {
	secret   map[string]bool // the value is a secret
	password map[string]bool // chosen by a person
	keyOf    map[string]bool // words that make a key a secret one
	not      map[string]bool // anywhere: it is something else
	last     map[string]bool // at the end: it is about the secret, not the secret
}

func newNameWords() nameWords {
	set := func(words string) map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	}
	return nameWords{
		secret:   set("secret secrets token apikey accesskey secretkey privatekey authkey authtoken accesstoken credential credentials passkey pat"),
		password: set("password passwd pwd passphrase passcode userpassword dbpassword"),
		keyOf:    set("api access secret private auth encryption encrypt signing sign master service account license licence shared admin storage app application deploy client webhook jwt hmac session cookie crypto root base"),
		not: set("page next cursor continuation continue sync csrf xsrf resume idempotency public pub cache sort primary foreign partition " +
			"row map verification hash digest sha sha1 sha256 sha512 checksum sum commit fingerprint integrity etag nonce lock tokenizer " +
			"design special vocab eos bos pad unk mask stop start end request image"),
		last: set("name names id ids count counts type types url uri path paths file files filename dir length len size limit max min expiry expires expiration ttl " +
			"field fields header headers class env var prefix suffix pattern regex regexp label title text usage policy hint position offset index list kind " +
			"budget version endpoint algorithm alg format style age date time created updated rotation source ref reference arn store manager provider alias"),
	}
}

// class says what a name promises: "" nothing, "secret", "key" (a weak one), or "password".
func (n nameWords) class(name string) string {
	words := splitName(name)
	if len(words) == 0 || n.last[words[len(words)-1]] {
		return ""
	}
	class, before := "", ""
	for _, w := range words {
		if n.not[w] {
			return ""
		}
		switch {
		case n.password[w] || w == "pass" && len(words) > 1:
			class = kindPassword
		case n.secret[w] || w == "key" && n.keyOf[before]:
			class = kindSecret
		case w == "key" && before != "" && class == "" && strings.ToUpper(name) == name:
			class = weakKey
		}
		before = w
	}
	return class
}

const weakKey = "key"

// splitName gives the words of a name in lower case: at separators, and where a capital follows a small letter.
func splitName(name string) []string {
	var words []string
	from := 0
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(name[from:to]))
		}
		from = to
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !isAlnum(c):
			cut(i)
			from = i + 1
		case i > 0 && isUpper(c) && (isLower(name[i-1]) || isUpper(name[i-1]) && i+1 < len(name) && isLower(name[i+1])):
			cut(i)
		}
	}
	cut(len(name))
	return words
}

const (
	maxName  = 64
	maxValue = 1024
)

// assigned judges NAME=value, NAME: value, "NAME": "value" and their like; the sign stands at i.
func (s *shapes) assigned(text string, i int) (span, bool) {
	name := nameBefore(text, i)
	if !promising(name) {
		return span{}, false
	}
	class := s.names.class(name)
	if class == "" {
		return span{}, false
	}
	from, to, quoted := valueAfter(text, i)
	if to-from < minKnown || to-from > maxValue {
		return span{}, false
	}
	if !s.secretValue(text[from:to], class, quoted) {
		return span{}, false
	}
	kind := kindSecret
	if class == kindPassword {
		kind = kindPassword
	}
	return span{from, to, kind}, true
}

// promising is a cheap look at a name before its words are taken apart.
func promising(name string) bool {
	if len(name) < 3 || len(name) > maxName {
		return false
	}
	var low [maxName]byte
	for i := range len(name) {
		low[i] = name[i] | 0x20
	}
	b := low[:len(name)]
	for _, w := range [...]string{"key", "token", "secret", "pass", "pwd", "cred", "pat"} {
		if bytes.Contains(b, []byte(w)) {
			return true
		}
	}
	return false
}

// nameBefore is the name in front of an assignment at i, with its quotes gone.
func nameBefore(text string, i int) string {
	if i > 0 && strings.IndexByte("=!<>~", text[i-1]) >= 0 || strings.HasPrefix(text[i:], "==") {
		return "" // a comparison
	}
	i = skipBack(text, i, ":+?")
	i = skipBack(text, i, " \t")
	if i > 0 && isQuote(text[i-1]) {
		i = skipBack(text, i-1, "\\")
	}
	from := i
	for from > 0 && i-from <= maxName && kindByte(text[from-1]) {
		from--
	}
	if i-from > maxName {
		return ""
	}
	return text[from:i]
}

// skipBack gives where the bytes of set that end at i begin, 16 at most.
func skipBack(text string, i int, set string) int {
	for n := 0; i > 0 && n < 16 && strings.IndexByte(set, text[i-1]) >= 0; n++ {
		i--
	}
	return i
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// valueAfter finds the value behind an assignment at i: what is in quotes, or everything up to the next separator.
func valueAfter(text string, i int) (from, to int, quoted bool) {
	if i++; text[i-1] == '=' && strings.HasPrefix(text[i:], ">") { // Ruby, PHP
		i++
	}
	for n := 0; i < len(text) && n < 16 && (text[i] == ' ' || text[i] == '\t'); n++ {
		i++
	}
	escaped := i+1 < len(text) && text[i] == '\\' && isQuote(text[i+1])
	if escaped {
		i++
	}
	if i < len(text) && isQuote(text[i]) {
		return i + 1, quotedEnd(text, i+1, text[i], escaped), true
	}
	to = i + bareLen(text[i:])
	if to < len(text) && strings.IndexByte("([{", text[to]) >= 0 {
		return i, i, false // code
	}
	return i, i + len(strings.TrimRight(text[i:to], ".:")), false
}

// quotedEnd is where a value that begins behind a quote ends: at the next quote or at the end of the line.
func quotedEnd(text string, i int, quote byte, escaped bool) int {
	for end := min(len(text), i+maxValue+1); i < end; i++ {
		switch text[i] {
		case quote, '\n':
			return i
		case '\\':
			if escaped {
				return i
			}
			i++
		}
	}
	return min(i, len(text))
}

// bareLen is the length of a value without quotes.
func bareLen(text string) int {
	n := 0
	for n < len(text) && n <= maxValue && text[n] > ' ' && text[n] < 0x7f && strings.IndexByte("\"'`,;&<>(){}[]|\\", text[n]) < 0 {
		n++
	}
	return n
}

// secretValue reports that a value of such a name is a secret, and no reference, hash, example or word.
func (s *shapes) secretValue(v, class string, quoted bool) bool {
	switch {
	case !utf8.ValidString(v), strings.ContainsAny(v, " \t\n"), reference(v), s.examples.like(v):
		return false
	case !quoted && selector(v):
		return false
	case isUUID(v):
		return class == kindPassword || class == kindSecret
	case isHexText(v):
		return class != weakKey && len(v) >= 32 && mixed(v)
	case class == kindPassword:
		return isRandom(v) || strongPassword(v) && (quoted || !strings.ContainsAny(v, "=.:/"))
	}
	return isRandom(v)
}

// selector reports pkg.Name or object.field.name of a program.
func selector(v string) bool {
	i := strings.LastIndexByte(v, '.')
	if i < 1 || len(v)-i < 4 {
		return false
	}
	for _, c := range []byte(v[i+1:]) {
		if !isWord(c) || isDigit(c) {
			return false
		}
	}
	return !strings.ContainsAny(v, "+/=-")
}

// reference reports a value that says where the secret is, or is a hash, a path, an address.
func reference(v string) bool {
	for _, p := range []string{"$", "%", "{", "<", "*", "/", "./", "../", "~/", "@", "!", "#", "sha1", "sha256", "sha384", "sha512", "md5", "SHA256:", "arn:", "file:", "env:", "process.env", "os.", "ssh-", "data:", "urn:", "did:"} {
		if strings.HasPrefix(v, p) {
			return len(v) != 40 || p != "/" || strings.ContainsAny(v, ".-_") // keys of AWS may begin with a slash
		}
	}
	for _, p := range []string{"://", "${", "{{", "$(", "<", "%s", "…"} {
		if strings.Contains(v, p) {
			return true
		}
	}
	return len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
}

// strongPassword reports at least three of small letters, capitals, digits and signs, and no common word in disguise.
func strongPassword(v string) bool {
	if len(v) < 8 || commonPassword(v) {
		return false
	}
	var l, u, d, o int
	for _, c := range []byte(v) {
		switch classOf(c) {
		case 'l':
			l = 1
		case 'u':
			u = 1
		case 'd':
			d = 1
		default:
			o = 1
		}
	}
	return d == 1 && l+u+d+o >= 3
}

func commonPassword(v string) bool {
	low := word(v)
	for _, w := range []string{"passw", "passphrase", "secret", "test", "example", "admin", "changeme", "letmein", "qwerty", "hunter", "welcome", "foobar", "mypass", "dummy", "token", "key", "user", "demo", "lzeas", "l2eas"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}
