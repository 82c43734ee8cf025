package cli

import "strings"

// block collects a message of several lines: a backslash at the end of a line continues it, and everything between two
// lines of three double quotes is one message.
type block struct {
	lines  []string
	quoted bool
}

const quotes = `"""`

// add takes what was typed and reports whether the message is whole.
func (b *block) add(typed string) bool {
	for line := range strings.SplitSeq(typed, "\n") {
		b.line(line)
	}
	if b.quoted {
		return false
	}
	last := len(b.lines) - 1
	if last >= 0 && strings.HasSuffix(b.lines[last], `\`) && !strings.HasSuffix(b.lines[last], `\\`) {
		b.lines[last] = strings.TrimSuffix(b.lines[last], `\`)
		return false
	}
	return true
}

func (b *block) line(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case !b.quoted && len(b.lines) == 0 && strings.HasPrefix(trimmed, quotes):
		rest := strings.TrimPrefix(trimmed, quotes)
		if text, ok := strings.CutSuffix(rest, quotes); ok {
			b.lines = append(b.lines, text)
			return
		}
		b.quoted = true
		if rest != "" {
			b.lines = append(b.lines, rest)
		}
	case b.quoted && strings.HasSuffix(trimmed, quotes):
		b.quoted = false
		if rest := strings.TrimSuffix(strings.TrimRight(line, " \t"), quotes); rest != "" {
			b.lines = append(b.lines, rest)
		}
	default:
		b.lines = append(b.lines, line)
	}
}

// text is the message.
func (b *block) text() string { return strings.Join(b.lines, "\n") }
