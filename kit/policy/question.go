package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/internal/toolname"
)

// question is why a person is asked.
type question struct {
	rules       []finding // rules that want it
	missing     []part    // what no rule allows
	unsandboxed bool
	family      bool // "always" may be offered
}

// Bounds of a question's text, in characters. What is left out is said in it.
const (
	maxShown   = 4000
	maxPart    = 300
	maxReasons = 12
)

// what is the heart of a call, for refusals and questions.
func (q *subject) what() string {
	switch {
	case q.command != "" && q.isCommand:
		return q.command
	case len(q.paths) > 0:
		f := q.paths[0]
		if f.Real != "" && f.Real != f.Given {
			return f.Given + " (" + f.Real + ")"
		}
		return f.Given
	case q.url != "":
		return q.url
	}
	return q.args
}

func (f finding) shownPart() string { return "`" + text.Cut(visible(f.text), maxPart, "") + "`" }

func (p *Policy) ask(q *subject, why question) agent.Decision {
	say := msg.For(msg.Lang(p.o.Lang))
	lines := append([]string{p.headline(say, q)}, p.reasons(say, q, why)...)
	d := agent.Decision{Verdict: agent.AskFirst, Reason: strings.Join(lines, "\n")}
	if why.family {
		d.Rules = p.offers(q, why.missing)
	}
	return d
}

// headline is the question itself.
func (p *Policy) headline(say msg.Catalogue, q *subject) string {
	show := func(s string) string { return text.Cut(visible(s), maxShown, "") }
	if q.isCommand {
		return say.Text(msg.PolicyCommand, show(q.command))
	}
	var lines []string
	for _, f := range q.paths {
		switch {
		case !f.Writes && q.effect == agent.Reads:
			lines = append(lines, say.Text(msg.PolicyRead, q.tool.Shown(), show(f.Given)))
		case f.Inside || f.Real == "":
			lines = append(lines, say.Text(msg.PolicyWrite, q.tool.Shown(), show(f.Given)))
		default:
			lines = append(lines, say.Text(msg.PolicyOutside, q.tool.Shown(), show(f.Given), show(f.Real)))
		}
	}
	if len(lines) == 0 || q.effect == agent.Executes {
		args := q.args
		if slices.Contains(p.o.Whole, q.tool.Name) {
			args = worded(args)
		}
		return say.Text(msg.PolicyTool, q.tool.Shown(), show(args))
	}
	return strings.Join(lines, "\n")
}

// worded is an object of arguments in words, a line for each by name; further lines of a value are indented. What is no
// object stays as it is.
func worded(args string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(args), &fields) != nil || len(fields) == 0 {
		return args
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, ok := fields[name].(string)
		if raw, err := agent.EncodeJSON(fields[name]); !ok && err == nil {
			value = string(raw)
		}
		lines = append(lines, "  "+name+": "+strings.ReplaceAll(value, "\n", "\n    "))
	}
	return strings.Join(lines, "\n")
}

// reasons say which parts of the call need the approval, and why.
func (p *Policy) reasons(say msg.Catalogue, q *subject, why question) []string {
	var lines []string
	add := func(line string) {
		if line = "- " + line; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if why.unsandboxed {
		add(say.Text(msg.PolicyUnsandboxed))
	}
	for _, f := range why.rules {
		key := msg.PolicyAsks
		if f.maybe {
			key = msg.PolicyMayBe
		}
		add(say.Text(key, f.shownPart(), f.rule.shown()))
		if bad := q.script.bad; f.maybe && bad != nil {
			add(say.Text(bad.key, bad.args...))
		}
	}
	for _, m := range why.missing {
		s := m.segment
		if s == nil {
			continue
		}
		name := finding{text: s.text}.shownPart()
		if s.kind == writes && m.path.Real != "" && !m.path.Inside {
			name = say.Text(msg.PolicyWritesTo, name, visible(m.path.Real))
		}
		reason := s.hard
		if reason == nil {
			reason = s.hint
		}
		if reason == nil {
			add(say.Text(msg.PolicyNoRule, name))
		} else {
			add(say.Text(msg.PolicyNoRuleWhy, name, say.Text(reason.key, reason.args...)))
		}
	}
	if extra := len(lines) - maxReasons; extra > 0 {
		lines = append(lines[:maxReasons], "- "+say.Text(msg.PolicyMore, extra))
	}
	return lines
}

// offers are the rules that "always" adds: a family where that is safe, else exactly this call.
func (p *Policy) offers(q *subject, missing []part) []string {
	if !q.isCommand {
		return p.offerCall(q, missing)
	}
	tool := "bash"
	if strings.HasPrefix(q.tool.Name, "mcp__") {
		tool = q.tool.Name
	}
	if strings.TrimSpace(q.command) == "" {
		return nil
	}
	only := []string{tool + "(=" + q.command + ")"}
	var rules []string
	for _, m := range missing {
		rule := ""
		switch {
		case m.segment.kind == runs:
			if spec := familyOf(m.segment); spec != "" {
				rule = tool + "(" + spec + ")"
			}
		case m.path.Real != "" && m.segment.hard == nil:
			rule = p.offerPath("Edit", agent.Tool{Name: "write_file"}, m.path)
		}
		if rule == "" {
			return only
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

func (p *Policy) offerCall(q *subject, missing []part) []string {
	if slices.Contains(p.o.Whole, q.tool.Name) && len(q.paths) == 0 {
		return []string{q.tool.Name}
	}
	var rules []string
	for _, m := range missing {
		if m.path.Real == "" {
			continue
		}
		name := q.tool.Name
		if slices.Contains(toolname.Writers(), name) {
			name = "Edit"
		}
		rule := p.offerPath(name, q.tool, m.path)
		if rule == "" {
			return []string{q.tool.Name + "(=" + q.args + ")"}
		}
		rules = append(rules, rule)
	}
	if len(q.paths) > 0 {
		return rules
	}
	return []string{q.tool.Name + "(=" + q.args + ")"}
}

// offerPath is a rule about one file, "" when no rule could allow it: an answer that does not hold is worse than none.
func (p *Policy) offerPath(name string, t agent.Tool, f Path) string {
	rule := name + "(" + p.relative(f) + ")"
	if r, err := ParseRule(rule); err != nil || !p.pathAllowed([]Rule{r}, t, f) {
		return ""
	}
	return rule
}

// relative is a path as a rule has it.
func (p *Policy) relative(f Path) string {
	if f.Inside && p.root != "" {
		if rel, err := filepath.Rel(p.root, f.Real); err == nil && !strings.HasPrefix(rel, "..") {
			return "./" + escapePath(filepath.ToSlash(rel))
		}
	}
	return escapePath(filepath.ToSlash(f.Real))
}

// familyOf is what an approval of a simple command stands for; "" when for nothing but itself.
func familyOf(s *segment) string {
	if s.hard != nil || s.hint != nil || len(s.words) == 0 {
		return ""
	}
	name, ok := s.words[0].static()
	if !ok || !plainName(name) || exactly(baseName(name)) {
		return ""
	}
	if !slices.Contains(twoWords(), baseName(name)) {
		return name + " *"
	}
	second := nameAt(s.words, 1)
	switch {
	case second == "":
		return ""
	case second == "run" && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name): // the third word says what it runs
		if third := nameAt(s.words, 2); third != "" {
			return name + " run " + third + " *"
		}
		return ""
	case exactSecond(second):
		return ""
	}
	return name + " " + second + " *"
}

// nameAt is a word that can stand in a rule as it is, and is no option; else "".
func nameAt(words []word, i int) string {
	if i >= len(words) {
		return ""
	}
	if s, known := words[i].static(); known && plainName(s) && !strings.HasPrefix(s, "-") {
		return s
	}
	return ""
}

// plainName reports whether a word can stand in a rule as it is.
func plainName(s string) bool {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/+:@"
	return s != "" && strings.Trim(s, chars) == "" && !strings.HasSuffix(s, ":")
}

// shown is a word as far as it is known.
func shown(w word) string {
	if s, ok := w.static(); ok {
		return s
	}
	return w.start() + "…"
}

// visible shows every character that a terminal would act on instead of showing it, so that a command cannot hide.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
