package secret

import "strings"

const (
	dashes   = "-----"
	maxPEM   = 32 << 10
	minPEM   = 40 // characters of base64 that make a key
	minLines = 2  // of a key whose beginning is out of sight
)

// pem judges what dashes at i begin: a private key up to its end, or the end of one whose beginning is out of sight. skip
// is how far the caller may move on.
func (s *shapes) pem(text string, i int) (found span, ok bool, skip int) {
	line := text[i+len(dashes):]
	n := strings.Index(line[:min(len(line), 80)], dashes)
	if n < 0 {
		return span{}, false, len(dashes) - 1
	}
	label := line[:n]
	if !strings.HasSuffix(label, "PRIVATE KEY") && !strings.HasSuffix(label, "PRIVATE KEY BLOCK") {
		return span{}, false, len(dashes) - 1
	}
	skip = len(dashes) + n + len(dashes) - 1
	if strings.HasPrefix(label, "END ") {
		found, ok = pemAbove(text, i)
		return found, ok, skip
	}
	if !strings.HasPrefix(label, "BEGIN ") {
		return span{}, false, skip
	}
	from := i + skip + 1
	to := min(len(text), from+maxPEM)
	if end := strings.Index(text[from:to], dashes+"END "); end >= 0 {
		to = from + end
	} else {
		to = from + keyText(text[from:to])
	}
	from, to = trimBreaks(text, from, to)
	if !isKeyText(text[from:to]) {
		return span{}, false, skip
	}
	return span{from, to, kindPEM}, true, to - 1 - i
}

// keyText is the length of what belongs to a key at the beginning of a text that does not show its end.
func keyText(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		header := strings.HasPrefix(bare, "Proc-Type:") || strings.HasPrefix(bare, "DEK-Info:") || strings.HasPrefix(bare, "Version:") || strings.HasPrefix(bare, "Comment:")
		if !header && !keyLine(strings.ReplaceAll(bare, `\n`, "")) {
			break
		}
		n += len(line)
	}
	return n
}

func keyLine(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '+' && s[i] != '/' && s[i] != '=' {
			return false
		}
	}
	return true
}

// trimBreaks leaves the line breaks at both ends of a key outside, also those that JSON writes as \n.
func trimBreaks(text string, from, to int) (int, int) {
	for from < to {
		switch {
		case text[from] <= ' ':
			from++
		case text[from] == '\\' && from+1 < to && (text[from+1] == 'n' || text[from+1] == 'r'):
			from += 2
		default:
			for to > from {
				switch {
				case text[to-1] <= ' ':
					to--
				case to-2 >= from && text[to-2] == '\\' && (text[to-1] == 'n' || text[to-1] == 'r'):
					to -= 2
				default:
					return from, to
				}
			}
		}
	}
	return from, to
}

// isKeyText reports that nearly everything between the lines of dashes is base64, and enough of it.
func isKeyText(body string) bool {
	var seen [256]bool
	good, different := 0, 0
	for i := range len(body) {
		c := body[i]
		if isAlnum(c) || c == '+' || c == '/' {
			good++
			if !seen[c] {
				seen[c] = true
				different++
			}
		}
	}
	return good >= minPEM && different >= 16 && good*10 >= len(body)*8 && !strings.Contains(body, opening)
}

// pemAbove finds the lines of a key above its last line at i.
func pemAbove(text string, i int) (span, bool) {
	to := len(strings.TrimRight(text[:i], " \t\r\n"))
	from, lines := to, 0
	for end := to; to-end < maxPEM; {
		start := strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSpace(text[start:end])
		if line == "" || len(line) > 80 || lines > 0 && len(line) < 60 || !keyLine(line) {
			break
		}
		lines++
		from, end = start, start-1
		if start == 0 {
			break
		}
	}
	for from < to && text[from] <= ' ' {
		from++
	}
	if lines < minLines || !isKeyText(text[from:to]) {
		return span{}, false
	}
	return span{from, to, kindPEM}, true
}
