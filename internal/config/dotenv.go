package config

import "strings"

// setting is one line of a .env file.
type setting struct {
	name, value string
	line        int
}

// badLine is a line of a .env file that is no setting. name is what it seems to be about.
type badLine struct {
	name string
	line int
}

// parseDotEnv reads NAME=VALUE lines: optional export, comments, single quotes (as written), double quotes (\n \t \r
// \" \\ \$), values over several lines inside quotes. Nothing is expanded. Lines that make no sense are given back, so
// that the caller can decide: the file may belong to another program.
func parseDotEnv(data string) (list []setting, bad []badLine) {
	data = strings.ReplaceAll(strings.TrimPrefix(data, "\ufeff"), "\r\n", "\n")
	line := 0
	for data != "" {
		line++
		raw, rest, _ := strings.Cut(data, "\n")
		name, value, ok := strings.Cut(raw, "=")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name)+" ", "export "))
		switch {
		case strings.TrimSpace(raw) == "" || strings.HasPrefix(strings.TrimSpace(raw), "#"):
			data = rest
			continue
		case !ok || !isName(name):
			bad = append(bad, badLine{name: name, line: line})
			data = rest
			continue
		}
		value = strings.TrimLeft(value, " \t")
		if value == "" || value[0] != '"' && value[0] != '\'' {
			list = append(list, setting{name: name, value: plainValue(value), line: line})
			data = rest
			continue
		}
		tail := data[len(raw)-len(value):] // from the quote on, over the line's end
		text, after, ok := quotedValue(tail)
		if !ok {
			bad = append(bad, badLine{name: name, line: line})
			data = rest
			continue
		}
		list = append(list, setting{name: name, value: text, line: line})
		line += strings.Count(tail[:len(tail)-len(after)], "\n")
		_, data, _ = strings.Cut(after, "\n") // what follows the quote is a comment
	}
	return list, bad
}

func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// plainValue ends at a comment, which needs a space before it.
func plainValue(s string) string {
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			s = s[:i]
			break
		}
	}
	return strings.TrimSpace(s)
}

// quotedValue reads from a quote to its partner.
func quotedValue(s string) (value, after string, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			i++
			b.WriteString(unescape(s[i]))
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '"', '\\', '$':
		return string(c)
	}
	return `\` + string(c)
}
