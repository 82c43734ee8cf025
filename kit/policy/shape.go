package policy

import (
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// byShape marks what cannot be listed: names of variables that run commands in their index, builtins that change what
// later commands do, programs of sed and awk.
func (a *analyser) byShape(base string, words []word) (hint *why) {
	switch base {
	case "test", "[":
		return testShape(words)
	case "printf":
		if len(words) > 1 && words[1].mayBeOption() && !words[1].is("--") {
			return strictAll(words, because(msg.PolicyWhyVariables, base))
		}
		return nil
	case ".", "source":
		a.out.moved = true
	}
	bad := shapeOf(base)
	if bad == nil {
		return nil
	}
	for i, w := range words[1:] {
		if s, known := w.static(); bad(w, s, known) {
			words[i+1], hint = w.strictly(), because(msg.PolicyWhyVariables, base)
		}
	}
	return hint
}

// shapeOf gives what tells the words that must be spelled from those that may stand under a star.
func shapeOf(base string) func(w word, s string, known bool) bool {
	switch base {
	case "read":
		return func(_ word, s string, known bool) bool { return !known || evilName(s) }
	case "mapfile", "readarray", "unset", "getopts", "wait":
		return func(w word, s string, known bool) bool { return !known || evilName(s) || w.mayBeOption() }
	case "set":
		return func(w word, s string, _ bool) bool { return w.mayBeUnknownOption() || setsMore(s) }
	case "let", "alias", "hash", "enable", "shopt", "bind", "complete", "compgen", "fc", "history", "jobs", "source", ".":
		return func(word, string, bool) bool { return true }
	case "sed":
		return func(w word, s string, known bool) bool { return w.mayBeUnknownOption() || known && !sedIsPlain(s) }
	case "awk", "gawk", "mawk", "nawk":
		return func(_ word, s string, known bool) bool { return !known || awkReaches(s) }
	}
	return nil
}

// awkReaches reports whether a program of awk may run commands or open files.
func awkReaches(s string) bool {
	return strings.ContainsAny(s, "|>@") || strings.Contains(s, "system") || strings.Contains(s, "getline")
}

// setsMore reports whether an option of set does more than make a script stop, or show itself.
func setsMore(s string) bool {
	return strings.HasPrefix(s, "-") && strings.Trim(s[1:], "euxfno") != ""
}

// evilName reports whether the name of a variable has an index, which is evaluated, or is one that commands heed.
func evilName(s string) bool { return strings.ContainsAny(s, "[$`") || shellVariable(s) }

func strictAll(words []word, hint *why) *why {
	for i := range words {
		words[i] = words[i].strictly()
	}
	return hint
}

// testArgs are the words of a test without its brackets and a not.
func testArgs(words []word) []word {
	args := words[1:]
	if n := len(args); n > 0 && words[0].is("[") && args[n-1].is("]") {
		args = args[:n-1]
	}
	if len(args) > 0 && args[0].is("!") {
		args = args[1:]
	}
	return args
}

// testShape lets those forms of test pass that cannot be test -v with an index that runs commands.
func testShape(words []word) *why {
	args := testArgs(words)
	known := func(w word) bool { s, ok := w.static(); return ok && s != "-v" && s != "-R" }
	one := func(w word) bool { return !w.splits() && !hasGlob(w) }
	fine := !slices.ContainsFunc(args, func(w word) bool { return !known(w) })
	switch len(args) { // how many words there are says what each is
	case 1:
		fine = fine || one(args[0])
	case 2:
		fine = fine || known(args[0]) && one(args[1])
	case 3:
		fine = fine || known(args[1]) && one(args[0]) && one(args[2])
	}
	if fine {
		return nil
	}
	return strictAll(words, because(msg.PolicyWhyVariables, "test"))
}
