package tool

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// pattern is what a line must have. It may be used by many at once.
type pattern struct {
	re   *regexp.Regexp
	tree *syntax.Regexp // the same, for those who look at its parts
	// needles are texts of which every match has at least one; none: nothing is known. fold says that they are in small
	// letters and are to be looked for in such.
	needles []string
	fold    bool
	// keepCR says that the pattern speaks of carriage returns itself; else the one at the end of a line is no part of it.
	keepCR bool
	// begins and ends say that a match may depend on what is before or behind it.
	begins, ends bool
}

// compile makes a pattern, or explains what is wrong with it and where.
func compile(a grepArgs) (*pattern, error) {
	if a.Pattern == "" {
		return nil, errors.New("pattern is empty: to list files use glob")
	}
	if !utf8.ValidString(a.Pattern) {
		return nil, errors.New("pattern is not UTF-8")
	}
	text, flags := a.Pattern, syntax.Perl
	if a.Literal {
		text = regexp.QuoteMeta(text)
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return nil, explainPattern(text, err)
	}
	if a.IgnoreCase {
		text = "(?i)" + text
		if tree, err = syntax.Parse(text, flags); err != nil {
			return nil, explainPattern(a.Pattern, err)
		}
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, explainPattern(text, err)
	}
	p := &pattern{re: re, tree: tree}
	if needsNewline(p.tree) {
		return nil, errors.New("pattern holds a line end, but each line is searched by itself: search for one of the lines, and set context to see those around it")
	}
	p.look(p.tree)
	p.needles = needles(p.tree)
	if p.fold = slices.ContainsFunc(p.needles, func(n string) bool { return strings.HasPrefix(n, foldMark) }); p.fold {
		for i, n := range p.needles {
			p.needles[i] = string(lower(nil, []byte(strings.TrimPrefix(n, foldMark))))
		}
	}
	return p, nil
}

// explainPattern says what is wrong with a regular expression, where, and what may help.
func explainPattern(text string, err error) error {
	bad, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("pattern %q: %w", text, err)
	}
	hint := "to search for the text as it is, set literal"
	switch bad.Code {
	case syntax.ErrInvalidPerlOp:
		hint = "there is no look-ahead, look-behind or atomic group here: search for less and narrow it down afterwards"
	case syntax.ErrInvalidEscape:
		if len(bad.Expr) > 1 && bad.Expr[1] >= '1' && bad.Expr[1] <= '9' {
			hint = "there are no back-references here"
		} else {
			hint = `write \\ for a backslash; to search for the text as it is, set literal`
		}
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		hint = "make it smaller"
	default:
	}
	return fmt.Errorf("pattern: %s at character %d of %q: %s", describeCode(bad), faultAt(text, bad), text, hint)
}

func describeCode(bad *syntax.Error) string {
	switch bad.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrLarge, syntax.ErrNestingDepth:
		return bad.Code.String()
	default:
	}
	return bad.Code.String() + " `" + bad.Expr + "`"
}

// faultAt is the character, from 1, at which a pattern is wrong.
func faultAt(text string, bad *syntax.Error) int {
	at := max(0, strings.LastIndex(text, bad.Expr))
	if bad.Code == syntax.ErrMissingParen || bad.Code == syntax.ErrUnexpectedParen {
		at = oddParen(text)
	}
	return utf8.RuneCountInString(text[:at]) + 1
}

// oddParen finds the bracket without a partner.
func oddParen(text string) int {
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			if _, n := parseSet(text[i:]); n > 0 {
				i += n - 1
			}
		case '(':
			open = append(open, i)
		case ')':
			if len(open) == 0 {
				return i
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[0]
	}
	return 0
}

// look notes what kinds of parts there are.
func (p *pattern) look(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText:
		p.begins = true
	case syntax.OpEndLine, syntax.OpEndText:
		p.ends = true
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		p.begins, p.ends = true, true
	case syntax.OpLiteral:
		p.keepCR = p.keepCR || slices.Contains(re.Rune, '\r')
	case syntax.OpCharClass: // of one that has the other white space too, nobody thinks of line ends
		p.keepCR = p.keepCR || inClass(re.Rune, '\r') && !inClass(re.Rune, '\t')
	default:
	}
	for _, sub := range re.Sub {
		p.look(sub)
	}
}

func inClass(ranges []rune, r rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

// needsNewline reports whether no match can do without a line end.
func needsNewline(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		return len(re.Rune) == 2 && re.Rune[0] == '\n' && re.Rune[1] == '\n'
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		return slices.ContainsFunc(re.Sub, needsNewline)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !needsNewline(s) })
	case syntax.OpRepeat:
		return re.Min > 0 && needsNewline(re.Sub[0])
	default:
	}
	return false
}

// foldMark stands before a needle whose letters may be small or capital.
const foldMark = "\xff"

// maxNeedles is how many texts are looked for one after the other.
const maxNeedles = 8

// needles finds texts of which every match has at least one.
func needles(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if n := needle(re); n != "" {
			return []string{n}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needles(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needles(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if n := needles(sub); shortest(n) > shortest(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needles(sub)
			if len(n) == 0 || len(all)+len(n) > maxNeedles {
				return nil
			}
			all = append(all, n...)
		}
		return all
	default:
	}
	return nil
}

func shortest(list []string) int {
	least := 0
	for i, n := range list {
		if size := len(strings.TrimPrefix(n, foldMark)); i == 0 || size < least {
			least = size
		}
	}
	return least
}

// needle is the longest piece of a literal that stands in a text byte for byte. What stands for a broken character is none,
// and neither is, when capitals do not matter, a letter that has relatives beyond ASCII.
func needle(re *syntax.Regexp) string {
	fold := re.Flags&syntax.FoldCase != 0
	pieces := strings.FieldsFunc(string(re.Rune), func(r rune) bool {
		return r == utf8.RuneError || fold && (r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r))
	})
	longest := ""
	for _, p := range pieces {
		if len(p) > len(longest) {
			longest = p
		}
	}
	if fold && longest != "" {
		return foldMark + longest
	}
	return longest
}

// lower appends b to out with small letters for the capitals of ASCII.
func lower(out, b []byte) []byte {
	at := len(out)
	out = append(out, b...)
	for i, c := range out[at:] {
		if c-'A' < 26 {
			out[at+i] = c + 'a' - 'A'
		}
	}
	return out
}

// line is a line as the pattern sees it.
func (p *pattern) line(b []byte) []byte {
	if p.keepCR {
		return b
	}
	return bytes.TrimSuffix(b, []byte("\r"))
}
