package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/toolname"
)

// finding is a part of a call that a deny or ask rule speaks of. maybe: whether it does is only known when it runs.
type finding struct {
	text  string
	rule  Rule
	maybe bool
}

// part is a part of a call that needs an approval.
type part struct {
	segment *segment
	path    Path
}

func (r Rule) shellRule() bool { return slices.Contains(r.tools, "bash") }

// find lists what the deny or ask rules say about a call: all that is certain, else all that is possible.
func (p *Policy) find(rules []Rule, q *subject) []finding {
	var sure, possible []finding
	for _, r := range rules {
		var found []finding
		if q.isCommand {
			found = p.findInCommand(r, q)
		} else if p.speaksOf(r, q) {
			found = []finding{{text: q.what(), rule: r}}
		}
		for _, f := range found {
			if f.maybe {
				possible = append(possible, f)
			} else {
				sure = append(sure, f)
			}
		}
	}
	if len(sure) > 0 {
		return sure
	}
	return possible
}

// Meets reports whether a call is what a rule means, as a deny rule would: for sure, or maybe, where only running it would
// tell. A text that is no rule means nothing.
func (p *Policy) Meets(rule string, t agent.Tool, c agent.Call) (sure, maybe bool) {
	r, err := ParseRule(rule)
	if err != nil {
		return false, false
	}
	found := p.find([]Rule{r}, p.subject(t, c))
	sure = slices.ContainsFunc(found, func(f finding) bool { return !f.maybe })
	return sure, len(found) > 0 && !sure
}

// speaksOf reports whether a deny or ask rule means this call of a tool that runs no command.
func (p *Policy) speaksOf(r Rule, q *subject) bool {
	named := r.Names(q.tool)
	switch r.kind {
	case whole:
		return named
	case exact:
		return named && p.isExactly(r, q)
	case matched:
		switch {
		case len(q.paths) > 0 && fileRule(r.tools):
			return slices.ContainsFunc(q.paths, func(f Path) bool { return (named || r.means(f)) && p.pathMatches(r, f, true) })
		case q.url != "" && urlRule(r.tools):
			return p.matchesText(r, q, true)
		}
		return named && p.matchesText(r, q, true)
	case nothing:
	}
	return false
}

// means reports whether a rule about one tool that writes, or reads, speaks of files that others write, or read: what
// must not be written with one tool must not be written with another.
func (r Rule) means(f Path) bool {
	tools := toolname.Readers()
	if f.Writes {
		tools = toolname.Writers()
	}
	return slices.ContainsFunc(r.tools, func(t string) bool { return slices.Contains(tools, t) })
}

// findInCommand looks for one deny or ask rule in all parts of a command.
func (p *Policy) findInCommand(r Rule, q *subject) []finding {
	mine := r.shellRule() || r.Names(q.tool)
	if mine && (r.kind == whole || r.kind == exact && r.spec == q.command) {
		return []finding{{text: q.command, rule: r}}
	}
	var found []finding
	if mine && r.kind == matched && q.script.bad != nil {
		found = append(found, finding{text: q.command, rule: r, maybe: !r.cmd.inText(q.command)})
	}
	for i := range q.script.segments {
		s := &q.script.segments[i]
		var hit, maybe bool
		switch {
		case s.kind != runs:
			hit, maybe = p.redirectHits(r, s, q.script.moved)
		case mine:
			hit, maybe = r.hits(s, q.command)
		}
		if hit {
			found = append(found, finding{text: s.text, rule: r, maybe: maybe})
		}
	}
	return found
}

// hits compares a deny or ask rule with a simple command of a command line. Where a part is not understood, the rule is
// looked for in the whole text.
func (r Rule) hits(s *segment, line string) (hit, maybe bool) {
	switch r.kind {
	case exact:
		return r.spec == s.text, false
	case matched:
	case whole, nothing:
		return false, false
	}
	for _, words := range append([][]word{s.words}, s.also...) {
		if len(words) == 0 {
			continue
		}
		if r.cmd.matches(plainly(sentence(words, false)), false) {
			return true, false
		}
		if r.cmd.matches(sentence(words, true), true) {
			if !slices.ContainsFunc(words, func(w word) bool { _, known := w.static(); return !known }) {
				return true, false
			}
			maybe = true
		}
	}
	maybe = maybe || s.hides() || (s.hard != nil || s.hint != nil) && r.cmd.inText(line)
	maybe = maybe || slices.ContainsFunc(s.code, r.cmd.inText)
	return maybe, maybe
}

// hides reports whether a segment can run any command, with no word of it to be seen.
func (s *segment) hides() bool {
	return s.words == nil && s.hard != nil && (s.hard.key == msg.PolicyWhyComputed || s.hard.key == msg.PolicyWhyArithmetic)
}

// plainly drops the marks that only allow rules mind.
func plainly(s []elem) []elem {
	for i := range s {
		s[i].strict = false
	}
	return s
}

// inText reports whether a command that the pattern means might stand anywhere in a text that cannot be read. Each word
// that could begin a command is tried.
func (p pattern) inText(text string) bool {
	const most, length = 2000, 24
	tried := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n;|&(){}[]`$<>\"',!=:", r) }) {
		fields := strings.Fields(line)
		for i := range fields {
			if tried++; tried > most {
				return true
			}
			words := make([]word, 0, length)
			for _, f := range fields[i:min(len(fields), i+length)] {
				words = append(words, literal(f))
			}
			words[0] = literal(baseName(fields[i]))
			if p.matches(sentence(words, true), true) {
				return true
			}
		}
	}
	return false
}

// redirectHits compares a rule about files with a redirection.
func (p *Policy) redirectHits(r Rule, s *segment, moved bool) (hit, maybe bool) {
	f := Path{Writes: s.kind == writes}
	if r.kind != matched || !r.means(f) {
		return false, false
	}
	f, known := p.redirected(s, moved)
	if !known {
		return true, true
	}
	return p.pathMatches(r, f, true), false
}

// redirected finds the file of a redirection; known is false when only running it would tell.
func (p *Policy) redirected(s *segment, moved bool) (f Path, known bool) {
	given, ok := s.path.static()
	if ok && s.path.tilde {
		rest := strings.TrimPrefix(given, "~")
		ok = p.home != "" && (rest == "" || rest[0] == '/')
		given = p.home + rest
	}
	if !ok || moved && !filepath.IsAbs(given) {
		return Path{Given: given, Writes: s.kind == writes}, false
	}
	f = p.locate(given, s.kind == writes)
	return f, f.Real != ""
}

// uncovered lists the parts of a command that no allow rule covers. inside says that files in the work directory may be
// written without a rule.
func (p *Policy) uncovered(q *subject, rules []Rule, inside bool) []part {
	if w := q.script.whole(); w != nil {
		return []part{{segment: &segment{text: q.command, hard: w}}}
	}
	var parts []part
	seen := false
	for i := range q.script.segments {
		s := &q.script.segments[i]
		if s.aside || s.kind == reads && s.hard == nil {
			continue
		}
		seen = true
		var f Path
		covered := false
		if s.kind == runs {
			covered = slices.ContainsFunc(rules, func(r Rule) bool { return r.covers(s, q.tool) })
		} else if s.hard == nil {
			var known bool
			f, known = p.redirected(s, q.script.moved)
			known = known && !q.script.relinked
			covered = known && (inside && f.Inside || p.pathAllowed(rules, agent.Tool{Name: "write_file"}, f))
			if !known {
				f = Path{}
			}
		}
		if !covered {
			parts = append(parts, part{segment: s, path: f})
		}
	}
	if !seen { // it only opens a file for reading
		return []part{{segment: &segment{text: q.command, hard: because(msg.PolicyWhyNothing)}}}
	}
	return parts
}

// covers reports whether an allow rule spells all that a simple command does.
func (r Rule) covers(s *segment, t agent.Tool) bool {
	if r.kind != matched || s.hard != nil || len(s.words) == 0 {
		return false
	}
	if !r.allowsTool(t) {
		return false
	}
	return r.cmd.matches(sentence(s.words, false), false) || s.spelled != nil && r.cmd.matches(sentence(s.spelled, false), false)
}

// pathAllowed reports whether an allow rule names a file for this tool.
func (p *Policy) pathAllowed(rules []Rule, t agent.Tool, f Path) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool {
		switch r.kind {
		case whole:
			return r.Names(t) && (f.Inside || strings.Contains(r.text, "*"))
		case matched, exact:
			return r.Names(t) && f.Real != "" && p.pathMatches(r, f, false)
		case nothing:
		}
		return false
	})
}

// pathMatches compares a file with a rule. An allow rule must mean the file that is really there; for the others (loose)
// its name counts as well, and so does a directory above it.
func (p *Policy) pathMatches(r Rule, f Path, loose bool) bool {
	names := []string{f.Real}
	if loose {
		given := f.Given
		if !filepath.IsAbs(given) {
			given = p.root + "/" + given
		}
		names = append(names, filepath.Clean(given))
	}
	for _, pattern := range p.pathPatterns(r, loose) {
		for _, n := range names {
			n = filepath.ToSlash(n)
			if loose && foldCase() {
				n, pattern = strings.ToLower(n), strings.ToLower(pattern)
			}
			if n != "" && matchPath(pattern, n, loose) {
				return true
			}
		}
	}
	return false
}

// pathPatterns are the absolute forms of a rule about files.
func (p *Policy) pathPatterns(r Rule, loose bool) []string {
	spec := r.spec
	if r.kind == exact {
		spec = escapePath(spec)
	}
	root, home := escapePath(filepath.ToSlash(p.root)), escapePath(filepath.ToSlash(p.home))
	switch {
	case spec == "~" || strings.HasPrefix(spec, "~/"):
		if p.home == "" {
			return nil
		}
		return []string{home + spec[1:], escapePath(filepath.ToSlash(p.o.Home)) + spec[1:]}
	case strings.HasPrefix(spec, "//"):
		spec = spec[1:]
		fallthrough
	case strings.HasPrefix(spec, "/"), filepath.IsAbs(spec):
		return append([]string{spec}, realPattern(spec, p.root)...)
	case !strings.Contains(spec, "/") && r.kind != exact:
		if loose {
			return []string{"/**/" + spec, root + "/" + spec}
		}
		return []string{root + "/**/" + spec}
	case p.root == "":
		return nil
	}
	return []string{root + "/" + strings.TrimPrefix(spec, "./")}
}

// realPattern is an absolute pattern with its first directory resolved: /tmp may be a link. Further down links do not
// count, for there the agent could make them.
func realPattern(spec, root string) []string {
	first, rest, more := strings.Cut(strings.TrimPrefix(spec, "/"), "/")
	if !more || strings.ContainsAny(first, `*?\`) || within(root, filepath.FromSlash("/"+first)) {
		return nil
	}
	to, err := filepath.EvalSymlinks(filepath.FromSlash("/" + first))
	if err != nil || filepath.ToSlash(to) == "/"+first {
		return nil
	}
	return []string{escapePath(filepath.ToSlash(to)) + "/" + rest}
}
