package text

import (
	"strings"
	"unicode"
)

// Width is the number of columns of a character on a terminal: 2 for East Asian wide ones and emoji, 0 for marks.
func Width(r rune) int {
	if r < 0x300 {
		return 1
	}
	within := func(ranges ...rune) bool {
		for i := 0; i < len(ranges); i += 2 {
			if r >= ranges[i] && r <= ranges[i+1] {
				return true
			}
		}
		return false
	}
	switch {
	case within(0x300, 0x36f, 0x200d, 0x200d, 0xfe00, 0xfe0f, 0x1f3fb, 0x1f3ff):
		return 0
	case within(
		0x1100, 0x115f, 0x2e80, 0x303e, 0x3041, 0xa4cf, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe30, 0xfe6f, 0xff00, 0xff60,
		0xffe0, 0xffe6, 0x1f300, 0x1faff, 0x20000, 0x3fffd,
	):
		return 2
	}
	return 1
}

// Columns is how wide a line of text is on a terminal.
func Columns(s string) (n int) {
	for _, r := range s {
		n += Width(r)
	}
	return n
}

// Wrap breaks the lines of a text that are wider than that many columns, at blanks and between ideographs. What goes on
// below begins where its line's text does: behind the indent, or in the second column of a table, which two blanks set off.
// Where that leaves no room for a word, it begins further to the left; a word that is wider than a line stays whole. Without
// columns the text stays as it is.
func Wrap(s string, columns int) string {
	if columns <= 0 {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = wrapLine(line, columns)
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, columns int) string {
	lead, column := hang(line)
	var b strings.Builder
	for at := breakAt(line, columns); at < len(line); at = breakAt(line, columns) {
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		rest := strings.TrimLeft(line[at:], " ")
		word := Columns(strings.TrimRight(rest[:breakAt(rest, 0)], " "))
		indent := 0
		switch room := func(indent int) bool { return indent <= columns/2 && indent+word <= columns }; {
		case room(column):
			indent = column
		case room(lead):
			indent = lead
		}
		line = strings.Repeat(" ", indent) + rest
	}
	return b.String() + line
}

// hang gives the columns of a line's indent, and of where its text begins.
func hang(line string) (lead, column int) {
	text := strings.TrimLeft(line, " ")
	lead = len(line) - len(text)
	if gap := strings.Index(text, "  "); gap >= 0 && lead > 0 {
		rest := strings.TrimLeft(text[gap:], " ")
		return lead, Columns(line[:len(line)-len(rest)])
	}
	return lead, lead
}

// breakAt finds the last place in a line at which it may go on below and before which all fits; else the first such place.
func breakAt(line string, columns int) (at int) {
	wide, solid, before := 0, 0, ' ' // solid is without the blanks behind
	for i, r := range line {
		if solid > 0 && breaks(before, r) {
			if at > 0 && solid > columns {
				return at
			}
			at = i
		}
		if wide += Width(r); r != ' ' {
			solid = wide
		}
		before = r
	}
	if at == 0 || solid <= columns {
		return len(line)
	}
	return at
}

// breaks reports whether a line may be broken between two characters.
func breaks(before, after rune) bool {
	switch {
	case before == ' ':
		return after != ' '
	case Width(before) < 2 && Width(after) < 2, after == ' ', Width(after) == 0:
		return false
	}
	return !unicode.In(before, unicode.Ps, unicode.Pi) && !unicode.In(after, unicode.Pe, unicode.Pf) && !strings.ContainsRune("，。、；：！？…,.;:!?%", after)
}
