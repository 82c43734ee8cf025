package policy

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// New makes the hook alone: [NewPolicy] and its Hook. It may serve many sessions at once.
func New(o Options) agent.Hook { return NewPolicy(o).Hook() }

// NewPolicy makes a policy. It may serve many sessions at once.
func NewPolicy(o Options) *Policy {
	if o.Blocked == "" {
		o.Blocked = "Error: Dangerous command blocked"
	}
	if o.Always == nil {
		o.Always = &memory{}
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Policy{
		o: o, root: resolved(o.Root), home: resolved(o.Home),
		under: map[string][]string{}, offered: map[string][][]string{}, beside: map[string]script{}, modes: map[string]Mode{},
	}
}

// Policy judges calls. It is made by [NewPolicy].
type Policy struct {
	o          Options
	root, home string // without links

	mu      sync.Mutex
	under   map[string][]string   // by key of a call under way: what it writes outside the work directory
	offered map[string][][]string // by key of a call that is asked about: what "always" adds, for each question
	beside  map[string]script     // by key of a call under way: its command
	modes   map[string]Mode       // by key of a call under way: that of its session
}

func resolved(dir string) string {
	if dir == "" {
		return ""
	}
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		return to
	}
	return filepath.Clean(dir)
}

// Hook is what judges calls; there is one policy for all agents that share its rules.
func (p *Policy) Hook() agent.Hook {
	return agent.Hook{Name: "policy", OnSession: p.opened, BeforeTool: p.judge, OnEvent: p.observe}
}

// opened remembers the mode of calls that were judged before a restart and go on now: they are not judged again, and what
// they run by themselves is.
func (p *Policy) opened(_ context.Context, s *agent.Session, start bool) {
	if !start {
		return
	}
	for key := range s.Started {
		p.begin(key, ModeOf(s, p.o.Mode))
	}
}

// Outside reports whether the policy has judged a call that is under way and writes to this resolved path outside the
// work directory, or runs it; a call that was not allowed does not run. It is meant for [react-agent/tool.Env]: what would
// be written or run outside without that was moved there behind the policy's back, and the tool asks.
func (p *Policy) Outside(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, paths := range p.under {
		if slices.Contains(paths, path) {
			return true
		}
	}
	return false
}

// observe keeps what the person allowed for good, and forgets calls that have their result.
func (p *Policy) observe(_ context.Context, e agent.Event) {
	switch e.Type { //nolint:exhaustive // the others say nothing about calls
	case agent.EvAnswer:
		if e.Answer == nil || e.Ask == nil || e.Ask.Call == nil || !e.Answer.Allow || !e.Answer.Always {
			return
		}
		p.mu.Lock()
		rules := e.Ask.Rules
		ours := slices.ContainsFunc(p.offered[e.Ask.Call.Key], func(o []string) bool { return slices.Equal(o, rules) })
		p.mu.Unlock()
		if len(rules) == 0 || !ours { // a question of somebody else
			return
		}
		if err := p.o.Always.Add(rules); err != nil {
			p.o.Warn(msg.Errorf(msg.PolicyAlwaysKept, err))
		}
	case agent.EvMessage:
		if e.Message == nil {
			return
		}
		for _, part := range e.Message.Parts {
			if part.Result != nil {
				p.forget(func(key string) bool { return key == part.Result.Key })
			}
		}
	case agent.EvEnd:
		p.forget(func(key string) bool { return strings.HasPrefix(key, e.Session+"/") })
	}
}

func (p *Policy) forget(gone func(key string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byKey := func(key string, _ []string) bool { return gone(key) }
	maps.DeleteFunc(p.under, byKey)
	maps.DeleteFunc(p.offered, func(key string, _ [][]string) bool { return gone(key) })
	maps.DeleteFunc(p.modes, func(key string, _ Mode) bool { return gone(key) })
	maps.DeleteFunc(p.beside, func(key string, _ script) bool { return gone(key) })
}

// always are the rules that the person made by answers.
func (p *Policy) always() []Rule {
	texts, err := p.o.Always.Load()
	if err != nil {
		p.o.Warn(err)
	}
	rules := make([]Rule, 0, len(texts))
	for _, t := range texts {
		r, err := ParseRule(t)
		if err != nil {
			p.o.Warn(msg.Errorf(msg.PolicyAlwaysOld, err))
			continue
		}
		rules = append(rules, r)
	}
	return rules
}

// memory is a [Store] that ends with the program.
type memory struct {
	mu    sync.Mutex
	rules []string
}

func (m *memory) Load() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.rules), nil
}

func (m *memory) Add(rules []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range rules {
		if !slices.Contains(m.rules, r) {
			m.rules = append(m.rules, r)
		}
	}
	return nil
}
