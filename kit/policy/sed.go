package policy

import "strings"

// sedIsPlain reports whether a word of sed is no program, or one that neither runs commands nor writes files.
func sedIsPlain(s string) bool {
	if strings.HasPrefix(s, "-") {
		return strings.Trim(strings.TrimSuffix(s[1:], "e"), "nrEsuz") == ""
	}
	for s != "" {
		s = strings.TrimLeft(s, " \t\n;{}!0123456789,$~+")
		if s == "" {
			return true
		}
		switch c := s[0]; {
		case c == '/':
			_, rest, ok := cutDelimited(s[1:], '/')
			if !ok {
				return sedIsFile(s)
			}
			s = strings.TrimLeft(rest, "IM")
		case strings.IndexByte("pPdDqQ=nNgGhHxl", c) >= 0 && (len(s) == 1 || strings.IndexByte(" \t\n;}", s[1]) >= 0):
			s = s[1:]
		case (c == 's' || c == 'y') && len(s) > 1 && strings.IndexByte("/|,#:@%!+_=~", s[1]) >= 0:
			_, rest, ok := cutDelimited(s[2:], s[1])
			if ok {
				_, rest, ok = cutDelimited(rest, s[1])
			}
			if !ok {
				return false
			}
			s = strings.TrimLeft(rest, "gpiI0123456789")
			if s != "" && strings.IndexByte(" \t\n;}", s[0]) < 0 {
				return false
			}
		default:
			return sedIsFile(s)
		}
	}
	return true
}

// sedIsFile reports whether a word is surely no program that does harm: those begin with some letters, or are an s with
// its three delimiters.
func sedIsFile(s string) bool {
	const name = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"
	if len(s) < 3 || strings.IndexByte("ewrWR", s[0]) >= 0 || strings.Trim(s, name) != "" {
		return false
	}
	return s[0] != 's' && s[0] != 'y' || strings.Count(s[2:], s[1:2]) < 2
}

func cutDelimited(s string, d byte) (before, after string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			return "", "", false // what a bracket holds needs more than this
		case d:
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}
