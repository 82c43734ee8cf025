package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"react-agent/internal/msg"
)

// quotes hardens text in double quotes with quotes in its expansions: where such a text ends, shells do not agree on.
func (a *analyser) quotes(n syntax.Node) {
	in, found := 0, false
	syntax.Walk(n, func(m syntax.Node) bool {
		switch m.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst: // there begins a text of its own
			return false
		case *syntax.ParamExp:
			in++
		case *syntax.SglQuoted, *syntax.DblQuoted:
			found = found || in > 0
		}
		return true
	})
	if found {
		a.line = a.source(n)
		a.harden(because(msg.PolicyWhyComputed))
	}
}

// trap says why a node that is no simple command may run what nobody sees.
func (a *analyser) trap(n syntax.Node) *why {
	switch n := n.(type) {
	case *syntax.ExtGlob, *syntax.CoprocClause:
		return because(msg.PolicyWhyComputed)
	case *syntax.ParamExp:
		return a.expansion(n)
	case *syntax.WordIter:
		return unless(!shellVariable(n.Name.Value), because(msg.PolicyWhySets, n.Name.Value))
	}
	return unless(!evaluatesNames(n), because(msg.PolicyWhyArithmetic))
}

// evaluatesNames finds arithmetic with more in it than numbers.
func evaluatesNames(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		return !plainSum(n.X)
	case *syntax.ArithmCmd:
		return !plainSum(n.X)
	case *syntax.LetClause, *syntax.CStyleLoop:
		return true
	case *syntax.Assign:
		return !plainIndex(n.Index)
	case *syntax.ArrayElem:
		return !plainIndex(n.Index)
	case *syntax.UnaryTest:
		return n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
	case *syntax.BinaryTest:
		if n.Op < syntax.TsEql || n.Op > syntax.TsGtr {
			return false
		}
		x, okX := n.X.(*syntax.Word)
		y, okY := n.Y.(*syntax.Word)
		return !okX || !okY || !plainSum(x) || !plainSum(y)
	}
	return false
}

func plainIndex(x syntax.ArithmExpr) bool { return x == nil || plainSum(x) }

func unless(fine bool, w *why) *why {
	if fine {
		return nil
	}
	return w
}

// expansion finds what runs commands hidden in a variable's value, and what sets variables.
func (a *analyser) expansion(p *syntax.ParamExp) *why {
	plain := plainIndex(p.Index) || allElements(p.Index)
	if p.Slice != nil {
		plain = plain && plainIndex(p.Slice.Offset) && plainIndex(p.Slice.Length)
	}
	switch {
	case !plain:
		return because(msg.PolicyWhyArithmetic)
	case p.Excl && p.Names == 0:
		return because(msg.PolicyWhyComputed)
	case p.Exp == nil:
		return nil
	}
	switch op := p.Exp.Op; op { //nolint:exhaustive // the others only change how the value is written
	case syntax.OtherParamOps:
		return unless(p.Exp.Word.Lit() != "P", because(msg.PolicyWhyComputed))
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return unless(p.Param != nil && !shellVariable(p.Param.Value), because(msg.PolicyWhySets, a.source(p)))
	}
	return nil
}

func allElements(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// plainSum reports whether an arithmetic expression has numbers only. A name in it is evaluated in its turn, and then so
// is what its value says, commands included.
func plainSum(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		s, ok := wordOf(x, false).static()
		return ok && s != "" && strings.Trim(s, "0123456789") == ""
	case *syntax.BinaryArithm:
		return plainSum(x.X) && plainSum(x.Y)
	case *syntax.UnaryArithm:
		return plainSum(x.X)
	case *syntax.ParenArithm:
		return plainSum(x.X)
	}
	return false
}

// hidesCode reports whether text that counts as plain holds the beginning of a substitution.
func hidesCode(s string) bool {
	escaped := false
	for i := range len(s) {
		switch {
		case escaped:
			escaped = false
		case s[i] == '\\':
			escaped = true
		case s[i] == '`':
			return true
		case i+1 < len(s) && (s[i] == '$' && strings.IndexByte("({[", s[i+1]) >= 0 || s[i+1] == '(' && (s[i] == '<' || s[i] == '>')):
			return true
		}
	}
	return false
}
