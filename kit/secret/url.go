package secret

import "strings"

// urlPassword judges SCHEME://USER:PASSWORD@HOST; what stands behind the slashes begins at i.
func (s *shapes) urlPassword(text string, i int) (span, bool) {
	const maxAuthority = 512
	at, end := -1, i
	for ; end < len(text) && end-i < maxAuthority; end++ {
		c := text[end]
		if c <= ' ' || strings.IndexByte("/?#\"'`<>()[]}|\\,;", c) >= 0 {
			break
		}
		if c == '@' {
			at = end
		}
	}
	if at < 0 || at+1 == end && !strings.HasPrefix(text[end:], "[") { // the host may be an address in brackets
		return span{}, false
	}
	user, pass, ok := strings.Cut(text[i:at], ":")
	if !ok || !realPassword(user, pass) || s.examples.like(pass) {
		return span{}, false
	}
	return span{at - len(pass), at, kindURL}, true
}

// realPassword reports a password that is no reference and no word of examples.
func realPassword(user, pass string) bool {
	if len(pass) < 6 || strings.EqualFold(user, pass) || reference(pass) {
		return false
	}
	return !commonPassword(pass)
}
