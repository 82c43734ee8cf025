package policy

import "strings"

// sedIsPlain reports whether a word of sed is no program, or one that neither runs commands nor writes files.
func sedIsPlain(s string) bool {
	if strings.HasPrefix(s, "-") {
		return strings.Trim(strings.TrimSuffix(s[1:], "e"), "nrEsuz") == ""
	}
	for s != "" {
		s = strings.TrimLeft(s, " \t\n;{}!0123456789,$~+")
		rest, ok := sedStep(s)
		if !ok {
			return sedIsFile(s)
		}
		s = rest
	}
	return true
}

// sedStep takes one address or one harmless command off a program.
func sedStep(s string) (rest string, ok bool) {
	if s == "" {
		return "", true
	}
	switch c := s[0]; {
	case c == '/':
		rest, ok = cutDelimited(s[1:], '/')
		return strings.TrimLeft(rest, "IM"), ok
	case strings.IndexByte("pPdDqQ=nNgGhHxl", c) >= 0:
		return s[1:], endsCommand(s[1:])
	case (c == 's' || c == 'y') && len(s) > 1 && strings.IndexByte("/|,#:@%!+_=~", s[1]) >= 0:
		if rest, ok = cutDelimited(s[2:], s[1]); ok {
			rest, ok = cutDelimited(rest, s[1])
		}
		rest = strings.TrimLeft(rest, "gpiI0123456789")
		return rest, ok && endsCommand(rest)
	}
	return s, false
}

func endsCommand(s string) bool { return s == "" || strings.IndexByte(" \t\n;}", s[0]) >= 0 }

// sedIsFile reports whether a word is surely no program that does harm: those begin with some letters, or are an s with
// its three delimiters.
func sedIsFile(s string) bool {
	const name = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"
	if len(s) < 3 || strings.IndexByte("ewrWR", s[0]) >= 0 || strings.Trim(s, name) != "" {
		return false
	}
	return s[0] != 's' && s[0] != 'y' || strings.Count(s[2:], s[1:2]) < 2
}

// cutDelimited gives what follows the next delimiter.
func cutDelimited(s string, d byte) (after string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			return "", false // what a bracket holds needs more than this
		case d:
			return s[i+1:], true
		}
	}
	return "", false
}
