package policy

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"react-agent/agent"
)

// New makes the hook alone: [NewPolicy] and its Hook. It may serve many sessions at once.
func New(o Options) agent.Hook { return NewPolicy(o).Hook() }

// NewPolicy makes a policy. It may serve many sessions at once.
func NewPolicy(o Options) *Policy {
	if o.Blocked == "" {
		o.Blocked = "Error: Dangerous command blocked"
	}
	return &Policy{o: o, always: map[grant]bool{}}
}

// Hook is what judges calls; there is one policy for all agents that share its rules.
func (p *Policy) Hook() agent.Hook {
	return agent.Hook{Name: "policy", BeforeTool: p.judge, OnEvent: p.remember}
}

// Outside reports whether the policy has judged a call that is under way and writes to this resolved path outside the
// work directory. It is meant for the tools: what they would write outside without that was moved there behind the
// policy's back, and asks again.
func (p *Policy) Outside(string) bool { return false }

// Policy judges calls. It is made by [NewPolicy].
type Policy struct {
	o      Options
	mu     sync.Mutex
	always map[grant]bool
}

// grant is an "always" of one family of sessions.
type grant struct{ family, rule string }

// family is the session that a sub-agent's session belongs to.
func family(session string) string {
	root, _, _ := strings.Cut(session, ".")
	return root
}

// remember keeps what the person allowed for good.
func (p *Policy) remember(_ context.Context, e agent.Event) {
	if e.Type != agent.EvAnswer || e.Answer == nil || e.Ask == nil || !e.Answer.Allow || !e.Answer.Always {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rule := range e.Ask.Rules {
		p.always[grant{family(e.Session), rule}] = true
	}
}

func (p *Policy) allowed(session, rule string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.always[grant{family(session), rule}]
}

func (p *Policy) judge(_ context.Context, s *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
	effect := t.Effect
	if effect == agent.Unknown {
		effect = agent.Executes
	}
	q := subject(t, c, effect)
	if effect == agent.Executes && p.blocked(q.command) {
		r := agent.ErrorResult(p.o.Blocked)
		return agent.Decision{Verdict: agent.Answered, Reason: p.o.Blocked, Result: &r}, nil
	}
	if effect == agent.Reads {
		return agent.Decision{}, nil
	}
	switch mode := ModeOf(s, p.o.Mode); mode {
	case Yolo:
		return agent.Decision{}, nil
	case ReadOnly:
		return deny("%s was not run: the mode is readonly, and this tool %s", t, effect), nil
	case Plan:
		return deny("%s was not run: the mode is plan, and this tool %s. Read what you need, then present the plan and wait for its approval", t, effect), nil
	case Auto:
		if effect == agent.Writes {
			return agent.Decision{}, nil
		}
	case Ask:
	}
	if p.allowed(s.ID, q.rule) {
		return agent.Decision{}, nil
	}
	return agent.Decision{Verdict: agent.AskFirst, Reason: q.text(p.o.Lang), Rules: []string{q.rule}}, nil
}

func deny(format string, t agent.Tool, e agent.Effect) agent.Decision {
	what := "can change things"
	if e == agent.Writes {
		what = "writes"
	}
	return agent.Decision{Verdict: agent.Deny, Reason: fmt.Sprintf(format, t.Shown(), what)}
}

func (p *Policy) blocked(command string) bool {
	if command == "" {
		return false
	}
	for _, b := range p.o.Blocklist {
		if b != "" && strings.Contains(command, b) {
			return true
		}
	}
	return false
}
