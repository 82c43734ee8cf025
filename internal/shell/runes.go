package shell

import "unicode/utf8"

// wholeStart drops what is left of a character at the beginning of b: at most three bytes that continue one.
func wholeStart(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax-1; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	if len(b) >= utf8.UTFMax && utf8.RuneStart(b[utf8.UTFMax-1]) {
		return b[utf8.UTFMax-1:]
	}
	return b // no UTF-8 anyway
}

// wholeEnd drops the beginning of a character at the end of b that has not come completely. Bytes that cannot become a
// character are kept.
func wholeEnd(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		c := b[len(b)-i]
		if !utf8.RuneStart(c) {
			continue
		}
		if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
			return b[:len(b)-i]
		}
		return b
	}
	return b
}
