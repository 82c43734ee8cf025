package skill

import "strings"

// piece is a stretch of a skill's text; with a command, text is how it is written there.
type piece struct{ text, command string }

// findCommands takes a text apart: !`command` at the beginning of a line or behind a blank, and fences that open with
// three backticks and an exclamation mark. What stands in other fences is an example and stays text.
func findCommands(body string) []piece {
	if !strings.Contains(body, "!") {
		return []piece{{text: body}}
	}
	var out []piece
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, piece{text: plain.String()})
			plain.Reset()
		}
	}
	fence := "" // that of an open block
	for rest := body; rest != ""; {
		line := lineOf(rest)
		mark := fenceOf(line)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(line), fence[:1]) == "" {
				fence = ""
			}
			plain.WriteString(line)
		case strings.TrimSpace(line) == "```!":
			text, command, ok := fenced(rest)
			if ok && command != "" {
				flush()
				out = append(out, piece{text: text, command: command})
				rest = rest[len(text):]
				continue
			}
			fence = mark
			plain.WriteString(line)
		case mark != "":
			fence = mark
			plain.WriteString(line)
		default:
			for _, p := range inline(line) {
				if p.command != "" {
					flush()
					out = append(out, p)
					continue
				}
				plain.WriteString(p.text)
			}
		}
		rest = rest[len(line):]
	}
	flush()
	return out
}

// lineOf is the first line with its end.
func lineOf(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// fenceOf is the run of at least three backticks or tildes that a line begins with.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 {
		return ""
	}
	return line[:n]
}

// fenced reads a block of commands; text goes to the end of the closing fence, without its line end.
func fenced(s string) (text, command string, ok bool) {
	first := lineOf(s)
	at := len(first)
	for at < len(s) {
		line := lineOf(s[at:])
		if strings.TrimSpace(line) == "```" {
			end := at + len(strings.TrimRight(line, "\n"))
			return s[:end], strings.TrimSpace(s[len(first):at]), true
		}
		at += len(line)
	}
	return "", "", false
}

// inline finds the commands of one line.
func inline(line string) []piece {
	var out []piece
	start := 0
	for i := 0; i+1 < len(line); i++ {
		if line[i] != '!' || line[i+1] != '`' || i > 0 && line[i-1] != ' ' && line[i-1] != '\t' {
			continue
		}
		end := strings.IndexByte(line[i+2:], '`')
		if end < 0 {
			break
		}
		command := strings.TrimSpace(line[i+2 : i+2+end])
		if command == "" {
			continue
		}
		if i > start {
			out = append(out, piece{text: line[start:i]})
		}
		out = append(out, piece{text: line[i : i+3+end], command: command})
		start = i + 3 + end
		i = start - 1
	}
	if start < len(line) {
		out = append(out, piece{text: line[start:]})
	}
	return out
}
