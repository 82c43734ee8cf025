package pipeline

import (
	"slices"
	"strings"
	"unicode"

	"react-agent/internal/text"
)

// maxQuery bounds a question that becomes an argument, in characters.
const maxQuery = 4000

// CleanQuery makes a question harmless for programs that paste it between double quotes: without double quotes, dollar
// signs, back-ticks and backslashes, on one line, with no sign that could pass for a separating line, and not beginning
// like an option.
func CleanQuery(query string) string {
	query = strings.Map(func(r rune) rune {
		switch r {
		case '"', '$', '`', '\\', '━', '\u2028', '\u2029', '\ufeff':
			return ' '
		}
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text.Clean([]byte(query)))
	query = strings.TrimLeft(strings.Join(strings.Fields(query), " "), "- ")
	if short := []rune(query); len(short) > maxQuery {
		query = strings.TrimSpace(string(short[:maxQuery]))
	}
	return query
}

// harmless puts the wide forms, as Chinese keyboards write them, in the place of signs that end a command, begin another
// one, redirect it or hide its rest: a value that is quoted for one shell may reach a second one. People and models read
// them as what they stand for.
func harmless(query string) string {
	return strings.NewReplacer(";", "；", "|", "｜", "&", "＆", "<", "＜", ">", "＞", "#", "＃").Replace(CleanQuery(query))
}

// tame joins texts for a command; see [harmless].
func tame(list []string) string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = harmless(list[i])
	}
	return strings.Join(list, "|")
}

// A place is what a shell makes of the characters at some point of a command.
type place int

const (
	bare place = iota
	inSingle
	inDouble
)

// insert puts values in the place of words in a command, each quoted for where it stands, so that a shell takes it as
// text whatever is in it. The words are looked for from left to right; what was put in is not looked at again.
func insert(command string, words map[string]string) string {
	var out strings.Builder
	at := bare
	for command != "" {
		if word := wordAt(command, words); word != "" {
			out.WriteString(quoteFor(words[word], at))
			command = command[len(word):]
			continue
		}
		n := 1
		switch c := command[0]; {
		case at == inSingle:
			if c == '\'' {
				at = bare
			}
		case c == '\\' && len(command) > 1:
			n = 2
		case c == '\'' && at == bare:
			at = inSingle
		case c == '"' && at == bare:
			at = inDouble
		case c == '"':
			at = bare
		}
		out.WriteString(command[:n])
		command = command[n:]
	}
	return out.String()
}

// wordAt is the longest of the words at the beginning of s.
func wordAt(s string, words map[string]string) string {
	best := ""
	for w := range words {
		if len(w) > len(best) && strings.HasPrefix(s, w) {
			best = w
		}
	}
	return best
}

// quoteFor writes a value for a place in a command.
func quoteFor(value string, at place) string {
	value = strings.ReplaceAll(value, "\x00", "")
	switch at {
	case inSingle:
		return strings.ReplaceAll(value, `'`, `'\''`)
	case inDouble:
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(value)
	case bare:
	}
	if value != "" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-") == "" {
		return value
	}
	return `'` + strings.ReplaceAll(value, `'`, `'\''`) + `'`
}

// quoted writes a program and its arguments for people and shells.
func quoted(args []string) string {
	words := make([]string, 0, len(args))
	for _, a := range args {
		words = append(words, quoteFor(a, bare))
	}
	return strings.Join(words, " ")
}
