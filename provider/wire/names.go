package wire

import (
	"slices"
	"strings"

	"react-agent/agent"
)

// ToolName gives the name of the offered tool that a model means: the very name, else the name without tokens of the
// model's own language, without a prefix such as functions. and a counter such as :0, else the only name that differs
// in case alone. Never a similar one. False: no such tool is offered, and the name is as it came.
func ToolName(name string, tools []agent.Tool) (string, bool) {
	if known(name, tools) {
		return name, true
	}
	for _, clean := range candidates(name) {
		if known(clean, tools) {
			return clean, true
		}
	}
	for _, clean := range append([]string{name}, candidates(name)...) {
		if n, ok := folded(clean, tools); ok {
			return n, true
		}
	}
	return name, false
}

// known reports whether a tool answers to the name.
func known(name string, tools []agent.Tool) bool {
	return slices.ContainsFunc(tools, func(t agent.Tool) bool {
		return name != "" && (t.Shown() == name || t.Name == name || slices.Contains(t.Aliases, name))
	})
}

// folded gives the only tool whose name differs in case alone.
func folded(name string, tools []agent.Tool) (found string, ok bool) {
	for _, t := range tools {
		for _, n := range append([]string{t.Shown(), t.Name}, t.Aliases...) {
			if strings.EqualFold(n, name) && n != found {
				if found != "" {
					return "", false
				}
				found = n
			}
		}
	}
	return found, found != ""
}

// candidates are the name with less and less around it.
func candidates(name string) []string {
	var out []string
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	s := skipTokens(name)
	for _, mark := range []string{"<|", "<｜", "</"} { // a token, whole or cut, and what stands behind it
		s, _, _ = strings.Cut(s, mark)
	}
	s = strings.Trim(s, " \t\r\n\"'`")
	s = strings.TrimSuffix(s, "()")
	add(s)
	for _, prefix := range []string{"functions.", "function.", "functions:", "tools.", "tool.", "default_api.", "default_api:", "functions/", "to=functions."} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			s = rest
			add(s)
		}
	}
	if i := strings.LastIndexByte(s, ':'); i > 0 && i+1 < len(s) && strings.Trim(s[i+1:], "0123456789") == "" {
		add(s[:i])
	}
	return out
}
