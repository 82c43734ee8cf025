package policy

import (
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// A trait lists the options of a command by which it runs other commands, writes files or reads its orders from
// elsewhere. A star of a rule does not stand for them: a rule must spell them.
type trait struct {
	long  []string // --NAME, also shortened
	short string   // letters, alone or bundled
	dash  []string // -NAME, as find and go write them
	plain string   // what a word that is no option must not hold
	code  bool     // operands are programs in a language of their own
	value []string // options whose next word is a value, whatever it is
	flags []string // options that take no value, so that one of value behind them is an option indeed
}

func (t trait) empty() bool {
	return len(t.long) == 0 && t.short == "" && len(t.dash) == 0 && t.plain == ""
}

// marked adds a command whose dangerous options must be spelled.
func (a *analyser) marked(base string, words []word) {
	t := traitOf(base)
	hint := a.byShape(base, words)
	var code []string
	if t.code {
		for _, w := range words[1:] {
			code = append(code, w.start())
		}
	}
	if !t.empty() {
		if w := t.mark(base, words); w != nil {
			hint = w
		}
	}
	if t.code || opaque(base) {
		words[0] = words[0].strictly()
	}
	a.plain(words, hint, code...)
}

// mark makes those words strict that are, or may be, dangerous options. What stands behind one of t.value is no option.
func (t trait) mark(name string, words []word) (hint *why) {
	valued, free := false, false // the word before takes a value; it was one
	for i := 1; i < len(words); i++ {
		s, known := words[i].static()
		value := valued && !words[i].splits() && !hasGlob(words[i])
		valued, free = !valued && slices.Contains(t.value, s) && (free || t.takesNone(words[i-1])), valued
		switch {
		case t.dangerous(words[i].start()):
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyOption, shown(words[i]))
			if i+1 < len(words) && !strings.Contains(s, "=") {
				words[i+1] = words[i+1].strictly()
			}
		case !known && !value && words[i].mayBeOption():
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyUnknown, name)
		}
	}
	return hint
}

// takesNone reports whether the word behind w is surely no value of it.
func (t trait) takesNone(w word) bool {
	s, known := w.static()
	return known && (!strings.HasPrefix(s, "-") || strings.Contains(s, "=") || slices.Contains(t.flags, s))
}

// dangerous reports whether a word is one of the options, however it is shortened, bundled or joined to its value.
func (t trait) dangerous(s string) bool {
	if t.plain != "" && strings.ContainsAny(s, t.plain) && !strings.HasPrefix(s, "-") {
		return true
	}
	if !strings.HasPrefix(s, "-") || s == "-" || s == "--" {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(s, "-"), "=")
	if slices.Contains(t.dash, name) {
		return true
	}
	if strings.HasPrefix(s, "--") {
		return name != "" && slices.ContainsFunc(t.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return t.short != "" && strings.ContainsAny(s[1:], t.short)
}

// traitOf gives what is known of a command.
func traitOf(name string) trait {
	if t, ok := traits()[likeOther(name)]; ok {
		return t
	}
	return trait{code: interpreter(name)}
}
