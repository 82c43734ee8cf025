package tool

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rustRegex writes a regular expression in the dialect of ripgrep. It matches in every line in which the original does,
// and in some more: only the plainest means are used. The dialects differ in what \w, $ and a broken character are, and of
// places without a width old versions only get ^ at the very beginning right; the others are taken to hold. false: it
// cannot be written.
func rustRegex(re *syntax.Regexp) (string, bool) {
	w := rustWriter{ok: true}
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op == syntax.OpConcat && (re.Sub[0].Op == syntax.OpBeginText || re.Sub[0].Op == syntax.OpBeginLine) {
		w.WriteString("^")
	}
	w.write(re)
	return w.String(), w.ok && w.Len() < 32<<10
}

type rustWriter struct {
	strings.Builder
	ok bool
}

// brokenByte stands for a byte that is no UTF-8; Go takes it for U+FFFD.
const brokenByte = `(?-u:[\x80-\xff])`

func (w *rustWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		w.literal(re)
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		w.class([]rune{0, unicode.MaxRune})
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpBeginLine, syntax.OpBeginText,
		syntax.OpEndLine, syntax.OpEndText:
		w.WriteString("(?:)")
	case syntax.OpCapture, syntax.OpConcat:
		w.group(re.Sub, "", "")
	case syntax.OpAlternate:
		w.group(re.Sub, "|", "")
	default:
		w.repeat(re)
	}
}

func (w *rustWriter) repeat(re *syntax.Regexp) {
	times := ""
	switch re.Op {
	case syntax.OpStar:
		times = "*"
	case syntax.OpPlus:
		times = "+"
	case syntax.OpQuest:
		times = "?"
	case syntax.OpRepeat:
		times = fmt.Sprintf("{%d,%d}", re.Min, re.Max)
		if re.Max < 0 {
			times = fmt.Sprintf("{%d,}", re.Min)
		}
	default:
		w.ok = false
	}
	w.group(re.Sub, "", times)
}

func (w *rustWriter) group(subs []*syntax.Regexp, between, times string) {
	w.WriteString("(?:")
	for i, sub := range subs {
		if i > 0 {
			w.WriteString(between)
		}
		w.write(sub)
	}
	w.WriteString(")" + times)
}

func (w *rustWriter) literal(re *syntax.Regexp) {
	for _, r := range re.Rune {
		if re.Flags&syntax.FoldCase == 0 {
			w.class([]rune{r, r})
			continue
		}
		all := []rune{r, r}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			all = append(all, other, other)
		}
		w.class(all)
	}
}

// class writes a set of characters, given as pairs of first and last. A line end is in no line.
func (w *rustWriter) class(ranges []rune) {
	var set strings.Builder
	one := len(ranges) == 2 && ranges[0] == ranges[1]
	broken := false
	for pair := range slices.Chunk(ranges, 2) {
		from, to := pair[0], pair[1]
		broken = broken || from <= utf8.RuneError && utf8.RuneError <= to
		for _, hole := range [...][2]rune{{'\n', '\n'}, {0xd800, 0xdfff}} {
			if from < hole[0] && to >= hole[0] {
				rustRange(&set, from, hole[0]-1)
			}
			if from <= hole[1] && to >= hole[0] {
				from = hole[1] + 1
			}
		}
		if from <= to {
			rustRange(&set, from, to)
		}
	}
	switch {
	case set.Len() == 0:
		w.ok = false
	case broken:
		w.WriteString("(?:[" + set.String() + "]|" + brokenByte + ")")
	case one:
		fmt.Fprintf(w, `\x{%x}`, ranges[0])
	default:
		w.WriteString("[" + set.String() + "]")
	}
}

func rustRange(w *strings.Builder, from, to rune) {
	fmt.Fprintf(w, `\x{%x}-\x{%x}`, from, to)
}
