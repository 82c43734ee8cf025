package policy

import (
	"slices"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/toolname"
)

// Rules say what runs, what is asked and what is refused. Of the rules that match, a deny rule wins over an ask rule and
// that over an allow rule, wherever they come from.
type Rules struct{ Allow, Ask, Deny []Rule }

// Rule is one rule, made by [ParseRule]. The zero value matches nothing.
type Rule struct {
	// Origin says where the rule stands ("config.yaml:12"); it is shown in questions and refusals.
	Origin string

	text  string
	tools []string // names of tools; one may hold stars
	spec  string   // between the parentheses
	kind  ruleKind
	cmd   pattern
}

type ruleKind uint8

const (
	nothing ruleKind = iota
	whole            // every call of the tool
	exact            // exactly this command, path or argument
	matched          // what the pattern says
)

// String is the rule as it was written.
func (r Rule) String() string { return r.text }

// shown is the rule with its origin.
func (r Rule) shown() string {
	if r.Origin == "" {
		return visible(r.text)
	}
	return visible(r.text) + " (" + visible(r.Origin) + ")"
}

// Names reports whether the rule speaks of this tool at all, under any of its names. A rule that names none of the tools
// there are is probably misspelt.
func (r Rule) Names(t agent.Tool) bool {
	return toolname.Means(r.tools, append([]string{t.Name, t.Alias}, t.Aliases...)...)
}

// RuleError says what is wrong with the text of a rule, and how to write it.
type RuleError struct {
	Rule   string
	Column int    // in characters, from 1
	Reason string // in English
	Err    error  // the reason for [msg.Catalogue.Err]
}

// Error names the rule, the column and what is wrong, in English.
func (e *RuleError) Error() string { return e.In(msg.For(msg.En)) }

// In is the same in the catalogue's language.
func (e *RuleError) In(c msg.Catalogue) string {
	return c.Text(msg.PolicyRuleAt, e.Rule, e.Column, c.Err(e.Err))
}

// Unwrap gives the reason.
func (e *RuleError) Unwrap() error { return e.Err }

// ParseRule reads a rule: NAME for every call of a tool, or NAME(WHAT) for some; see the package's manual. The error is a
// [*RuleError].
func ParseRule(text string) (Rule, error) {
	fail := func(at int, err error) (Rule, error) {
		return Rule{}, &RuleError{Rule: text, Column: utf8.RuneCountInString(text[:at]) + 1, Reason: err.Error(), Err: err}
	}
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	body := strings.TrimRight(text[start:], " \t\r\n")
	if body == "" {
		return fail(0, msg.Errorf(msg.PolicyRuleEmpty))
	}
	name, _, parens := strings.Cut(body, "(")
	if at, err := checkName(name); err != nil {
		return fail(start+at, err)
	}
	r := Rule{text: body, kind: whole, tools: toolname.All(name)}
	if !parens {
		return r, nil
	}
	open := len(name)
	if !strings.HasSuffix(body, ")") {
		if at := strings.LastIndexByte(body, ')'); at > open {
			return fail(start+at+1, msg.Errorf(msg.PolicyRuleBehind))
		}
		return fail(start+len(body), msg.Errorf(msg.PolicyRuleUnclosed, body))
	}
	r.spec = body[open+1 : len(body)-1]
	at := start + open + 1
	spec := strings.TrimSpace(r.spec)
	switch {
	case spec == "" || spec == "=":
		return fail(at, msg.Errorf(msg.PolicyRuleNothing, name))
	case spec == "*":
		return r, nil
	case strings.HasPrefix(r.spec, "="):
		r.kind, r.spec = exact, r.spec[1:]
		return r, nil
	}
	lead := len(r.spec) - len(strings.TrimLeft(r.spec, " \t"))
	r.kind, r.spec = matched, spec
	p, i, err := r.parsePattern()
	if err != nil {
		return fail(at+lead+i, err)
	}
	r.cmd = p
	return r, nil
}

// checkName finds what does not belong in a tool's name.
func checkName(name string) (at int, err error) {
	if name == "" {
		return 0, msg.Errorf(msg.PolicyRuleNoName)
	}
	const fine = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.*"
	for i, c := range name {
		if !strings.ContainsRune(fine, c) {
			return i, msg.Errorf(msg.PolicyRuleName, c)
		}
	}
	return 0, nil
}

// parsePattern reads what stands between the parentheses as the tool's kind wants it.
func (r Rule) parsePattern() (pattern, int, error) {
	switch {
	case slices.Contains(r.tools, "bash"), slices.Contains(r.tools, "background_run"):
		return commandPattern(r.spec)
	case urlRule(r.tools):
		at, err := checkURL(r.spec)
		return pattern{}, at, err
	case fileRule(r.tools):
		at, err := checkPath(r.spec)
		return pattern{}, at, err
	}
	p, _, err := commandPattern(r.spec)
	if err != nil { // a tool that is not known: only its calls can tell what the rule is about
		return pattern{}, 0, nil //nolint:nilerr // it then compares the arguments as text
	}
	return p, 0, nil
}

func urlRule(tools []string) bool {
	return slices.Contains(tools, "web_fetch") || slices.Contains(tools, "http_request")
}

func fileRule(tools []string) bool {
	return slices.ContainsFunc(tools, func(t string) bool {
		return slices.Contains(toolname.Writers(), t) || slices.Contains(toolname.Readers(), t)
	})
}
