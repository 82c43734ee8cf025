package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"react-agent/internal/msg"
)

// redirect judges one redirection and says whether to look inside.
func (a *analyser) redirect(r *syntax.Redirect) bool {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789&") != "" {
		a.line = a.source(r)
		if name := strings.Trim(r.N.Value, "{}"); shellVariable(name) || strings.ContainsAny(name, "[$`") {
			a.harden(because(msg.PolicyWhySets, name))
		}
	}
	target := wordOf(r.Word, a.posix)
	seg := segment{kind: writes, text: a.source(r), path: target}
	switch r.Op { //nolint:exhaustive // the others write
	case syntax.Hdoc, syntax.DashHdoc:
		if !quotedDelimiter(r.Word) && r.Hdoc != nil {
			a.quotes(r.Hdoc)
			syntax.Walk(r.Hdoc, a.node)
		}
		return false
	case syntax.WordHdoc:
		return true
	case syntax.RdrIn:
		seg.kind = reads
	case syntax.DplIn, syntax.DplOut:
		if s, ok := target.static(); ok && strings.Trim(s, "0123456789-") == "" {
			return true
		}
	}
	if mayBe(target, "/dev/tcp/", "/dev/udp/") {
		seg.hard = because(msg.PolicyWhyNetwork)
	}
	if !target.is("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr") {
		a.add(seg)
	}
	return true
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// mayBe reports whether the word might begin with one of these.
func mayBe(w word, beginnings ...string) bool {
	start := w.start()
	for _, b := range beginnings {
		if strings.HasPrefix(start, b) {
			return true
		}
		if _, known := w.static(); !known && strings.HasPrefix(b, start) {
			return true
		}
	}
	return false
}
