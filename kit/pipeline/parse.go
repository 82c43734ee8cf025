package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"react-agent/internal/text"
)

// The bounds of what is read: a block is a page of text.
const (
	maxOutput = 1 << 20 // bytes of an output that may hold a block
	maxLines  = 5000    // of a block
	minBar    = 8       // signs of a line that separates; 72 are usual
	indent    = 9       // blanks before a further line of a field
)

const bar = "━"

// What is wrong with an output. Each is found with errors.Is.
var (
	ErrNoBlock  = errors.New("no block between two lines of ━")
	ErrCutBlock = errors.New("the block is not closed by a line of ━, so a part of it may be missing")
	ErrTooLong  = errors.New("the output is too long for a block")
)

// BlockError is something wrong inside a block.
type BlockError struct {
	Line int // of the output, from 1
	Text string
}

// Error names the line.
func (e *BlockError) Error() string { return fmt.Sprintf("line %d of the output: %s", e.Line, e.Text) }

// Parse finds the block in what a pipeline's program printed. Line ends of all systems, a byte order mark and the colours
// of a terminal are overlooked, and so is how long the separating lines are. Text around the block is kept apart. Of a
// block whose end is missing nothing is used: what it would be without its last lines may be something else.
func Parse(output []byte) (*Block, error) {
	if len(output) > maxOutput {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(output), maxOutput)
	}
	lines := strings.Split(clean(output), "\n")
	begin, end, err := find(lines)
	if err != nil {
		return nil, err
	}
	if end-begin > maxLines {
		return nil, fmt.Errorf("%w: %d lines, at most %d", ErrTooLong, end-begin, maxLines)
	}
	fields, err := fieldsOf(lines[begin+1:end], begin+2)
	if err != nil {
		return nil, err
	}
	b := blockOf(fields)
	b.Outside = outside(lines, begin, end)
	return b, nil
}

// clean makes text of the output: one line end, no colours, no half a character at its end.
func clean(output []byte) string {
	output = bytes.ReplaceAll(output, []byte("\r\n"), []byte("\n"))
	output = bytes.ReplaceAll(output, []byte("\r"), []byte("\n"))
	for cut := range utf8.UTFMax { // a character that was cut off with the rest
		end := output[len(output)-min(cut, len(output)):]
		if len(end) > 0 && utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				output = output[:len(output)-len(end)]
			}
			break
		}
	}
	return strings.ReplaceAll(text.Clean(output), "\ufeff", "")
}

// barLength counts the signs of a separating line; 0: it is none.
func barLength(line string) int {
	line = strings.TrimRight(line, " \t")
	if strings.Trim(line, bar) != "" {
		return 0
	}
	return len(line) / len(bar)
}

// find gives the lines that open and close the block: the first two with a block's labels between them.
func find(lines []string) (begin, end int, err error) {
	last := len(lines) - 1
	for last > 0 && strings.TrimSpace(lines[last]) == "" {
		last--
	}
	begin = -1
	for i, line := range lines {
		n := barLength(line)
		if n < minBar && (i != last || n == 0 || begin < 0) { // one that was cut off can only be the last
			continue
		}
		if begin >= 0 && hasLabels(lines[begin+1:i]) {
			return begin, i, nil
		}
		begin = i
	}
	if begin >= 0 && hasLabels(lines[begin+1:]) {
		return 0, 0, ErrCutBlock
	}
	return 0, 0, ErrNoBlock
}

// hasLabels tells a block from a headline between two lines.
func hasLabels(lines []string) bool {
	for _, line := range lines {
		switch label, _, _ := cutLabel(line); label {
		case "STATE", "STEP", "TYPE":
			return true
		}
	}
	return false
}

// cutLabel divides a line that begins a field: capitals, blanks, a colon, and a blank or nothing behind it.
func cutLabel(line string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(line, ":")
	label = strings.TrimRight(label, " ")
	if !ok || label == "" || strings.Trim(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return "", "", false
	}
	if value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return label, strings.TrimSpace(value), true
}

// fieldsOf reads the lines of a block; first is the number of the first of them.
func fieldsOf(lines []string, first int) ([]Field, error) {
	var fields []Field
	blank := 0 // lines that count if the field goes on behind them
	for i, line := range lines {
		label, value, ok := cutLabel(line)
		switch {
		case ok:
			fields = append(fields, Field{Label: label, Lines: []string{value}})
			blank = 0
		case strings.TrimSpace(line) == "":
			blank++
		case len(fields) == 0:
			return nil, &BlockError{Line: first + i, Text: fmt.Sprintf("a label is expected, such as %q, not %q", "STATE  : ", text.Head(line, 60))}
		default:
			f := &fields[len(fields)-1]
			more, err := further(line, f.Label)
			if err != nil {
				return nil, &BlockError{Line: first + i, Text: err.Error()}
			}
			for ; blank > 0; blank-- {
				f.Lines = append(f.Lines, "")
			}
			f.Lines = append(f.Lines, more)
		}
	}
	return fields, nil
}

// further is what a line that is no label adds to the field above it. In a field that is acted upon it must be indented:
// a stray line there is no command and no path.
func further(line, label string) (string, error) {
	if rest, ok := strings.CutPrefix(line, strings.Repeat(" ", indent)); ok {
		return strings.TrimRight(rest, " \t"), nil
	}
	if line[0] == ' ' || line[0] == '\t' {
		return strings.TrimSpace(line), nil
	}
	switch label {
	case "TYPE", "PROMPT", "INPUT", "OUTPUT", "RUN":
		return "", fmt.Errorf("neither a label nor a further line of %s, which begins with %d blanks: %q", label, indent, text.Head(line, 60))
	}
	return strings.TrimRight(line, " \t"), nil
}

// outside is what stands around the block, without further separating lines.
func outside(lines []string, begin, end int) string {
	var out []string
	for i, line := range lines {
		if (i < begin || i > end) && strings.TrimSpace(line) != "" && barLength(line) == 0 {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Join(out, "\n")
}
