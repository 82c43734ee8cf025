package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/toolname"
)

// subject is a call with what rules and people have to know about it.
type subject struct {
	tool   agent.Tool
	effect agent.Effect
	args   string

	command     string
	isCommand   bool
	unsandboxed bool
	script      script

	paths []Path
	url   string
	named string // the argument "name", or the one that names a skill, for rules like Skill(name)
	own   []Rule // allow beside the configured ones
}

// changes reports whether a call does more with a file than read it: it may write it, or it runs it.
func (q *subject) changes(f Path) bool { return f.Writes || q.effect == agent.Executes }

func (p *Policy) subject(t agent.Tool, c agent.Call) *subject {
	var known struct {
		Command     any `json:"command"`
		Path        any `json:"path"`
		FilePath    any `json:"file_path"`
		URL         any `json:"url"`
		Name        any `json:"name"`
		Skill       any `json:"skill"`
		Unsandboxed any `json:"unsandboxed"`
	}
	// Arguments of another shape are shown as they are.
	_ = json.Unmarshal(c.Args, &known)
	text := func(v any) string { s, _ := v.(string); return s }
	s := &subject{
		tool: t, effect: t.Effect, args: string(c.Args),
		command: text(known.Command), url: text(known.URL), named: text(known.Name), unsandboxed: known.Unsandboxed == true,
	}
	if argument, ok := skillTool(t); ok && argument == "skill" {
		s.named = text(known.Skill)
	}
	if s.effect == agent.Unknown {
		s.effect = agent.Executes
	}
	s.isCommand = s.effect == agent.Executes && s.command != ""
	if s.isCommand {
		s.script = analyse(s.command, p.o.Shell)
		return s
	}
	path := text(known.Path)
	if path == "" {
		path = text(known.FilePath)
	}
	s.paths = p.paths(t, c, path, s.effect)
	return s
}

// paths finds what files a call touches.
func (p *Policy) paths(t agent.Tool, c agent.Call, path string, e agent.Effect) []Path {
	if p.o.Paths != nil {
		if paths, ok := p.o.Paths(t, c); ok {
			return paths
		}
	}
	if path == "" || e == agent.Executes {
		return nil
	}
	return []Path{p.locate(path, e == agent.Writes)}
}

func (p *Policy) locate(given string, writes bool) Path {
	to := Path{Given: given, Writes: writes}
	if full, err := resolve(p.root, given); err == nil && !strings.ContainsRune(given, 0) {
		to.Real, to.Inside = full, within(p.root, full)
	}
	return to
}

// judge is the hook: rules first, then the mode.
func (p *Policy) judge(_ context.Context, s *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
	q := p.subject(t, c)
	if q.isCommand && p.blocked(q.command) {
		r := agent.ErrorResult(p.o.Blocked)
		return agent.Decision{Verdict: agent.Answered, Reason: p.o.Blocked, Result: &r}, nil
	}
	mode := ModeOf(s, p.o.Mode)
	p.meet(c.Key, q)
	d := p.decide(q, mode)
	p.begin(c.Key, mode)
	p.note(c.Key, q, d)
	return d, nil
}

// begin remembers the mode in which a call is judged, and forgets what an earlier look at it has offered.
func (p *Policy) begin(key string, mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modes[key] = mode
	delete(p.offered, key)
}

// note remembers what the call may write or run outside, and what an answer may add.
func (p *Policy) note(key string, q *subject, d agent.Decision) {
	if d.Verdict == agent.Deny {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.under, key)
	for _, f := range q.paths {
		if q.changes(f) && !f.Inside && f.Real != "" {
			p.under[key] = append(p.under[key], f.Real)
		}
	}
	if q.isCommand {
		p.beside[key] = q.script
	}
	if len(d.Rules) > 0 {
		p.offered[key] = append(p.offered[key], d.Rules)
	}
}

// meet finds what commands that may run at the same time do to each other: while one makes links, the files that another
// writes by a redirection may be any. What runs in the background may do so at any time.
func (p *Policy) meet(key string, q *subject) {
	if !q.isCommand {
		return
	}
	if q.tool.Name != "bash" {
		q.script.relinked = true
		q.script.races = q.script.relinks && slices.ContainsFunc(p.o.Rules.Allow, func(r Rule) bool { return r.means(Path{Writes: true}) })
	}
	writesFiles := func(s script) bool {
		return slices.ContainsFunc(s.segments, func(s segment) bool { return s.kind == writes })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for other, s := range p.beside {
		if other == key {
			continue
		}
		q.script.relinked = q.script.relinked || s.relinks
		q.script.races = q.script.races || q.script.relinks && writesFiles(s)
	}
}

func (p *Policy) blocked(command string) bool {
	for _, b := range p.o.Blocklist {
		if b != "" && strings.Contains(command, b) {
			return true
		}
	}
	return false
}

func (p *Policy) decide(q *subject, mode Mode) agent.Decision {
	denied := p.find(p.o.Rules.Deny, q)
	for _, f := range denied {
		if !f.maybe {
			return refuse("%s was not run: %s is refused by the deny rule %s", q.tool.Shown(), f.shownPart(), f.rule.shown())
		}
	}
	if mode == ReadOnly || mode == Plan {
		return p.quiet(q, mode, denied)
	}
	var open []finding // what has to be asked, whatever is allowed
	open = append(open, denied...)
	if mode != Yolo {
		open = append(open, p.find(p.o.Rules.Ask, q)...)
	}
	if len(open) > 0 {
		return p.ask(q, question{rules: open})
	}
	switch {
	case mode == Yolo, q.effect == agent.Reads, mode == Auto && p.autoAllows(q):
		return agent.Decision{}
	}
	if q.isCommand && q.unsandboxed && p.o.Sandboxed {
		return p.ask(q, question{unsandboxed: true})
	}
	missing, ok := p.missing(q, mode)
	if ok {
		return agent.Decision{}
	}
	return p.ask(q, question{missing: missing, family: true})
}

// quiet decides in the modes that ask nothing.
func (p *Policy) quiet(q *subject, mode Mode, maybe []finding) agent.Decision {
	if q.effect == agent.Reads {
		for _, f := range append(maybe, p.find(p.o.Rules.Ask, q)...) {
			return refuse("%s was not run: the rule %s wants %s asked, and in mode %s nothing is asked", q.tool.Shown(), f.rule.shown(), f.shownPart(), mode)
		}
		return agent.Decision{}
	}
	what := "can change things"
	if q.effect == agent.Writes {
		what = "writes"
	}
	if mode == Plan {
		return refuse("%s was not run: the mode is plan, and this tool %s. Read what you need, then present the plan and wait for its approval", q.tool.Shown(), what)
	}
	return refuse("%s was not run: the mode is readonly, and this tool %s", q.tool.Shown(), what)
}

func refuse(format string, args ...any) agent.Decision {
	return agent.Decision{Verdict: agent.Deny, Reason: fmt.Sprintf(format, args...)}
}

// autoAllows reports what mode auto lets through: writes inside the work directory, and commands in the sandbox.
func (p *Policy) autoAllows(q *subject) bool {
	if q.effect == agent.Executes {
		ours := !strings.HasPrefix(q.tool.Name, "mcp__") // what others run is in no sandbox of ours
		return q.isCommand && ours && p.o.Sandboxed && !q.unsandboxed
	}
	for _, f := range q.paths {
		if f.Writes && !f.Inside && f.Real != "" {
			return false
		}
	}
	return true
}

// missing lists the parts of a call that no rule allows; ok says that there are none.
func (p *Policy) missing(q *subject, mode Mode) (parts []part, ok bool) {
	rules := slices.Concat(q.own, p.always(), p.o.Rules.Allow)
	for _, r := range rules {
		if p.allowsAll(r, q) {
			return nil, true
		}
	}
	if q.isCommand {
		parts = p.uncovered(q, rules, mode == Auto)
		return parts, len(parts) == 0
	}
	for _, f := range q.paths {
		if f.Writes && !p.pathAllowed(rules, q.tool, f) {
			parts = append(parts, part{path: f})
		}
	}
	if len(parts) == 0 && (len(q.paths) == 0 || q.effect == agent.Executes) {
		return []part{{}}, false
	}
	return parts, len(parts) == 0
}

// allowsAll reports whether one allow rule covers a whole call, whatever is in it.
func (p *Policy) allowsAll(r Rule, q *subject) bool {
	if q.isCommand {
		if !r.allowsTool(q.tool) {
			return false
		}
		return r.kind == exact && r.spec == q.command || r.kind == whole && q.script.bad == nil
	}
	if !r.Names(q.tool) {
		return false
	}
	switch r.kind {
	case exact:
		return p.isExactly(r, q)
	case whole: // to write or run outside, a rule must say where
		return strings.Contains(r.text, "*") || !slices.ContainsFunc(q.paths, func(f Path) bool { return q.changes(f) && !f.Inside })
	case matched:
		return len(q.paths) == 0 && p.matchesText(r, q, false)
	case nothing:
	}
	return false
}

// isExactly compares all arguments of a call, or its name.
func (p *Policy) isExactly(r Rule, q *subject) bool {
	if _, ok := skillTool(q.tool); ok && q.named != "" && p.skillName(r.spec) == p.skillName(q.named) {
		return true
	}
	return r.spec == q.args || len(q.paths) == 0 && r.spec == q.named && r.spec != ""
}

// allowsTool reports whether an allow rule speaks of the commands of this tool. What a server of others calls a command
// is not known to be one.
func (r Rule) allowsTool(t agent.Tool) bool {
	return r.Names(t) || r.shellRule() && !strings.HasPrefix(t.Name, "mcp__")
}

// matchesText compares the arguments of calls that are neither commands nor about files.
func (p *Policy) matchesText(r Rule, q *subject, loose bool) bool {
	switch {
	case q.url != "" && (strings.Contains(r.spec, "://") || strings.HasPrefix(r.spec, "domain:")):
		return matchURL(r.spec, q.url, loose)
	case p.isNamed(r, q):
		return true
	}
	return toolname.Match(r.spec, q.args)
}
