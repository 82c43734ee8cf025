package policy

import (
	"strings"
	"unicode"

	"react-agent/internal/msg"
)

// A pattern is what a rule says about a command: words, and stars that stand for any characters and words.
type pattern struct {
	elems []patternElem
	rest  bool // more words may follow, or none
}

type patternElem struct {
	r    rune
	kind patternKind
}

type patternKind uint8

const (
	patChar patternKind = iota
	patBorder
	patStar
)

// commandPattern reads the words of a rule. The error says what is wrong with the character at byte at.
func commandPattern(s string) (p pattern, at int, err error) {
	if head, ok := strings.CutSuffix(s, ":*"); ok {
		s, p.rest = head, true
	} else if head, ok := strings.CutSuffix(s, " *"); ok {
		s, p.rest = strings.TrimRight(head, " "), true
	}
	escaped := false
	for i, r := range s {
		switch {
		case escaped:
			escaped = false
			p.char(r)
		case r == '\\':
			escaped = true
		case r == '*':
			p.elems = append(p.elems, patternElem{kind: patStar})
		case r == '"' || r == '\'':
			return pattern{}, i, msg.Errorf(msg.PolicyRuleQuote, r)
		case r == ' ':
			if n := len(p.elems); n > 0 && p.elems[n-1].kind != patBorder {
				p.elems = append(p.elems, patternElem{kind: patBorder})
			}
		case unicode.IsControl(r):
			return pattern{}, i, msg.Errorf(msg.PolicyRuleControl, r)
		default:
			p.char(r)
		}
	}
	if escaped {
		return pattern{}, len(s) - 1, msg.Errorf(msg.PolicyRuleBackslash)
	}
	return p, 0, nil
}

func (p *pattern) char(r rune) { p.elems = append(p.elems, patternElem{r: r}) }

// sentence is a command's words with the borders between them. For a loose match, a word that may be no word at all may
// also stand for the borders around it.
func sentence(words []word, loose bool) []elem {
	var s []elem
	free := true // no border is needed before the next word
	for _, w := range words {
		vanishes := loose && len(w.elems) > 0
		for _, e := range w.elems {
			vanishes = vanishes && e.splits
		}
		if !free && !vanishes {
			s = append(s, elem{kind: border})
		}
		s = append(s, w.elems...)
		free = vanishes
	}
	return s
}

// matches reports whether a command is one that the pattern means. In an allow rule (loose false) every character must be
// known or stand under a star, and a star stands for nothing strict. Where the question is whether the command might be
// one of those (loose), what is unknown may be anything.
func (p pattern) matches(s []elem, loose bool) bool {
	// now[j]: the first j elements of the command are matched by the elements of the pattern so far.
	now := make([]bool, len(s)+1)
	now[0] = true
	skipUnknown(now, s, loose)
	for _, e := range p.elems {
		now = p.step(e, now, s, loose)
	}
	if now[len(s)] {
		return true
	}
	if !p.rest {
		return false
	}
	for j, ok := range now {
		if ok && (j == len(s) || startsWord(s, j, loose)) && coverable(s[j:], loose) {
			return true
		}
	}
	return false
}

// startsWord reports whether more words follow at j: a border, or what may hold one.
func startsWord(s []elem, j int, loose bool) bool {
	return isBorder(s[j], loose) || loose && (s[j].many() || j > 0 && s[j-1].many())
}

func (e elem) many() bool { return e.splits || e.glob }

func coverable(s []elem, loose bool) bool {
	for _, e := range s {
		if e.strict && !loose {
			return false
		}
	}
	return true
}

// step gives where the command may be after one more element of the pattern.
func (p pattern) step(e patternElem, now []bool, s []elem, loose bool) []bool {
	if e.kind == patStar {
		return star(now, s, loose)
	}
	next := make([]bool, len(s)+1)
	for j, ok := range now[:len(s)] {
		if !ok {
			continue
		}
		if s[j].kind != unknown {
			next[j+1] = next[j+1] || e.is(s[j], loose)
		} else if loose && (e.kind == patChar || s[j].many()) { // it stands for this, and perhaps for more
			next[j], next[j+1] = true, true
		}
	}
	skipUnknown(next, s, loose)
	return next
}

// star lets a star stand for anything that may stand under it.
func star(now []bool, s []elem, loose bool) []bool {
	next := make([]bool, len(s)+1)
	open := false
	for j := range next {
		if j > 0 && s[j-1].strict && !loose {
			open = false
		}
		open = open || now[j]
		next[j] = open
	}
	return next
}

// is compares with what is known.
func (e patternElem) is(s elem, loose bool) bool {
	if e.kind == patBorder {
		return isBorder(s, loose)
	}
	return s.kind == char && s.r == e.r
}

func isBorder(e elem, loose bool) bool {
	return e.kind == border || loose && e.kind == char && unicode.IsSpace(e.r)
}

// skipUnknown lets what is unknown be nothing.
func skipUnknown(at []bool, s []elem, loose bool) {
	if !loose {
		return
	}
	for j, e := range s {
		if at[j] && e.kind == unknown {
			at[j+1] = true
		}
	}
}
