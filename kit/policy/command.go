package policy

import (
	"path"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// command judges the words of a simple command. One that only runs another is replaced by that other.
func (a *analyser) command(words []word) {
	if len(words) == 0 {
		return
	}
	name, ok := words[0].static()
	if !ok {
		a.harden(because(msg.PolicyWhyComputed), words...)
		a.asideFrom(words[1:])
		return
	}
	if a.depth++; a.depth > maxDepth {
		a.fail(because(msg.PolicyWhyLong))
	} else {
		a.named(name, words)
	}
	a.depth--
}

func (a *analyser) named(name string, words []word) {
	base := baseName(name)
	if spec, ok := wrapperOf(base); ok && systemPath(name) {
		a.unwrap(base, spec, words)
		return
	}
	switch {
	case slices.Contains(shells(), base):
		a.shell(base, words)
	case base == "eval" || base == "trap" || base == "watch":
		a.evaluates(base, words)
	case base == "find":
		a.find(words)
	case base == "git":
		a.git(words)
	case slices.Contains(runners(), base):
		a.asideFrom(words[1:])
		words[0] = words[0].strictly()
		a.plain(words, because(msg.PolicyWhyRuns, base))
	default:
		if base == "cd" || base == "pushd" || base == "popd" {
			a.out.moved = true
		}
		a.marked(base, words)
	}
}

// baseName is a command's name without its directory.
func baseName(name string) string {
	if foldCase() { // there RM is rm
		name = strings.ToLower(name)
	}
	return strings.TrimSuffix(path.Base(name), ".exe")
}

// systemPath reports whether a command is looked up, or named in one of the system's own directories. ./env is not env.
func systemPath(name string) bool {
	if !strings.Contains(name, "/") {
		return name != ""
	}
	return slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"}, path.Dir(name)) && path.Clean(name) == name
}

// plain adds a command whose words say what it does.
func (a *analyser) plain(words []word, hint *why, code ...string) {
	a.add(segment{text: a.line, words: words, also: a.otherNames(words), hint: hint, code: code})
}

// otherNames gives the command under the name that a rule would have: rm for /bin/rm.
func (a *analyser) otherNames(words []word) [][]word {
	name, ok := words[0].static()
	if !ok {
		name = lastElement(words[0])
	}
	base := baseName(name)
	if base == name || base == "" {
		return nil
	}
	return [][]word{append([]word{literal(base)}, words[1:]...)}
}

// lastElement is what is known of a path after its last slash.
func lastElement(w word) string {
	for i, e := range slices.Backward(w.elems) {
		if e.kind == unknown {
			return ""
		}
		if e.r == '/' {
			s, _ := word{elems: w.elems[i:]}.static()
			return s
		}
	}
	return ""
}

// asideFrom looks at a command that runs inside another one in a way that is not understood in full: wherever it begins,
// deny rules find it.
func (a *analyser) asideFrom(words []word) {
	words = words[:min(len(words), maxSuffixes)]
	was := a.aside
	a.aside = true
	for i, w := range words {
		if s, ok := w.static(); ok && strings.HasPrefix(s, "-") {
			continue
		}
		rest := words[i:]
		if was {
			a.plain(rest, nil)
			continue
		}
		a.command(slices.Clone(rest))
	}
	a.aside = was
}

// maxSuffixes bounds how many places a command inside another is looked for at.
const maxSuffixes = 40

// unwrap replaces a command like timeout by the one that it runs.
func (a *analyser) unwrap(base string, spec wrapper, words []word) {
	o, ok := spec.options.read(words[1:])
	if ok && spec.operands > 0 {
		for range spec.operands {
			if len(o.rest) == 0 || o.rest[0].splits() {
				break
			}
			o.rest = o.rest[1:]
		}
	}
	switch {
	case !ok:
		a.harden(because(msg.PolicyWhyOptions, base), words...)
		a.asideFrom(words[1:])
		return
	case base == "command" && (o.has("v") || o.has("V")), len(o.rest) == 0 && base != "xargs" && base != "env":
		a.plain(words, nil)
		return
	case base == "env":
		a.env(words, o.rest)
		return
	case base == "xargs":
		a.command(xargsWords(o))
		return
	}
	a.command(o.rest)
}

// env judges the variables in front of the command of env.
func (a *analyser) env(words, rest []word) {
	for len(rest) > 0 {
		name, _, assigns := strings.Cut(rest[0].start(), "=")
		if !assigns {
			break
		}
		if !harmlessEnv(name) || rest[0].splits() {
			a.harden(because(msg.PolicyWhySets, name), words...)
			a.asideFrom(rest[1:])
			return
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		a.plain(words, nil)
		return
	}
	a.command(rest)
}

// xargsWords is the command of xargs with what it may get from its input.
func xargsWords(o optionsRead) []word {
	words := slices.Clone(o.rest)
	if len(words) == 0 {
		words = []word{literal("echo")}
	}
	var more word
	more.hole(true)
	mark, replaces := o.value("I")
	if v, ok := o.value("i"); ok {
		mark, replaces = v, true
		if mark == "" {
			mark = "{}"
		}
	}
	if !replaces {
		return append(words, more)
	}
	for i, w := range words {
		words[i] = withHoles(w, mark)
	}
	return words
}

// withHoles gives a word in which a mark will be replaced by something.
func withHoles(w word, mark string) word {
	s, ok := w.static()
	if !ok || mark == "" || !strings.Contains(s, mark) {
		return w
	}
	var out word
	for i, part := range strings.Split(s, mark) {
		if i > 0 {
			out.hole(false)
		}
		out.add(part)
	}
	return out
}

// shell takes apart bash -c and its kin. A shell that reads a file or its input runs what nobody sees.
func (a *analyser) shell(base string, words []word) {
	code, rest, ok := shellCode(words[1:])
	text, known := code.static()
	if ok && known && (base == "bash" || base == "sh" || base == "dash") && baseIsName(words[0]) {
		a.asideFrom(rest)
		a.script(text, base != "bash")
		return
	}
	a.asideFrom(words[1:])
	words[0] = words[0].strictly()
	if ok {
		a.harden(because(msg.PolicyWhyCode, base), words...)
		if known {
			a.out.segments[len(a.out.segments)-1].code = []string{text}
		}
		return
	}
	a.plain(words, because(msg.PolicyWhyCode, base))
}

func baseIsName(w word) bool {
	s, _ := w.static()
	return systemPath(s)
}

// shellCode finds the text behind -c. Only options that do not change how it is read are known.
func shellCode(words []word) (code word, rest []word, ok bool) {
	c := false
	for len(words) > 0 {
		s, known := words[0].static()
		if s == "--" {
			words = words[1:]
			break
		}
		if !known || len(s) < 2 || s[0] != '-' && s[0] != '+' {
			break
		}
		set, takes := strings.CutSuffix(s[1:], "o")
		if strings.Trim(set, "ceuxlfn") != "" {
			return word{}, nil, false
		}
		c = c || strings.Contains(set, "c") && s[0] == '-'
		words = words[1:]
		if takes {
			if len(words) == 0 || !words[0].is("pipefail", "errexit", "nounset", "xtrace", "noglob", "noclobber") {
				return word{}, nil, false
			}
			words = words[1:]
		}
	}
	if !c || len(words) == 0 {
		return word{}, nil, false
	}
	return words[0], words[1:], true
}

// evaluates takes apart builtins and tools whose arguments are a script.
func (a *analyser) evaluates(base string, words []word) {
	o, ok := optionSpec{short: map[string]string{"eval": "", "trap": "", "watch": "n:dbctegq:wx"}[base]}.read(words[1:])
	args := o.rest
	if base == "trap" && len(args) > 0 {
		args = args[:1]
	}
	var parts []string
	for _, w := range args {
		s, known := w.static()
		ok = ok && known
		parts = append(parts, s)
	}
	if !ok || base == "watch" && o.has("x") {
		a.harden(because(msg.PolicyWhyComputed), words...)
		a.asideFrom(words[1:])
		return
	}
	text := strings.Join(parts, " ")
	if strings.TrimSpace(text) == "" || text == "-" {
		a.plain(words, nil)
		return
	}
	if base == "watch" {
		a.plain(words, nil)
	}
	a.script(text, a.posix || base == "watch")
}

// find looks into -exec and keeps what changes files from being covered by a star.
func (a *analyser) find(words []word) {
	var hint *why
	valued, free := false, false // the word before is a test that takes a value; it was one
	for i := 1; i < len(words); i++ {
		s, known := words[i].static()
		switch {
		case !known && words[i].mayBeOption() && (!valued || words[i].splits() || hasGlob(words[i])):
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyUnknown, "find")
		case slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, s):
			a.inner(execWords(words[i+1:]))
		case findWrites(s):
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyOption, s)
		}
		valued, free = !valued && slices.Contains(findTests(), s) && (free || findTakesNone(words[i-1])), valued
	}
	a.plain(words, hint)
}

func findWrites(s string) bool {
	return slices.Contains([]string{"-delete", "-files0-from", "-fls"}, s) || strings.HasPrefix(s, "-fprint")
}

// execWords are the words of the command behind -exec. A plus ends it behind the braces only.
func execWords(words []word) []word {
	for i, w := range words {
		if w.is(";") || i > 0 && w.is("+") && words[i-1].is("{}") {
			return words[:i]
		}
	}
	return words
}

func hasGlob(w word) bool {
	return slices.ContainsFunc(w.elems, func(e elem) bool { return e.glob })
}

// inner judges the command of find -exec, in which {} is a path that is found.
func (a *analyser) inner(words []word) {
	if len(words) == 0 {
		a.harden(because(msg.PolicyWhyComputed))
		return
	}
	in := make([]word, len(words))
	for i, w := range words {
		in[i] = withHoles(w, "{}")
	}
	a.command(in)
}
