package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"react-agent/agent"
)

// Mode says how much the agent may do unasked.
type Mode string

// The five modes.
const (
	Ask      Mode = "ask"      // what only reads runs, everything else asks
	Auto     Mode = "auto"     // writes run too; commands ask until there is a sandbox
	ReadOnly Mode = "readonly" // only what reads runs, nothing is asked
	Plan     Mode = "plan"     // as ReadOnly, until the plan is approved
	Yolo     Mode = "yolo"     // everything runs
)

// ParseMode finds a mode by its name; the error names all of them.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Ask, Auto, ReadOnly, Plan, Yolo:
		return m, nil
	}
	return "", fmt.Errorf("unknown mode %q: it is one of ask, auto, readonly, plan, yolo", s)
}

// StateKey is where the session's own mode is kept in [agent.Session.State], as a JSON string; it wins over Options.Mode.
const StateKey = "mode"

// ModeOf gives a session's mode: its own, else the fallback, else [Ask]. A value that is no mode counts as [Ask].
func ModeOf(s *agent.Session, fallback Mode) Mode {
	raw, ok := s.State[StateKey]
	if !ok || string(raw) == "null" {
		if fallback == "" {
			return Ask
		}
		return fallback
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return Ask
	}
	m, err := ParseMode(name)
	if err != nil {
		return Ask
	}
	return m
}

// Options of [New].
type Options struct {
	// Mode of sessions that have none of their own; empty is [Ask].
	Mode Mode
	// Blocklist refuses commands that contain one of these texts, in every mode.
	Blocklist []string
	// Blocked is the refusal's text; empty is "Error: Dangerous command blocked".
	Blocked string
	// Lang is the language of questions to the person, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// SourceBlocklist is the list of the source profiles.
func SourceBlocklist() []string {
	return []string{"rm -rf /", "sudo", "shutdown", "reboot", "> /dev/"}
}

// New makes the hook. It may serve many sessions at once.
func New(o Options) agent.Hook {
	if o.Blocked == "" {
		o.Blocked = "Error: Dangerous command blocked"
	}
	p := &policy{o: o, always: map[grant]bool{}}
	return agent.Hook{Name: "policy", BeforeTool: p.judge, OnEvent: p.remember}
}

type policy struct {
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
func (p *policy) remember(_ context.Context, e agent.Event) {
	if e.Type != agent.EvAnswer || e.Answer == nil || e.Ask == nil || !e.Answer.Allow || !e.Answer.Always {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rule := range e.Ask.Rules {
		p.always[grant{family(e.Session), rule}] = true
	}
}

func (p *policy) allowed(session, rule string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.always[grant{family(session), rule}]
}

func (p *policy) judge(_ context.Context, s *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
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

func (p *policy) blocked(command string) bool {
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
