package policy

import (
	"encoding/json"
	"fmt"

	"react-agent/agent"
)

// Mode says how much the agent may do unasked.
type Mode string

// The five modes.
const (
	Ask      Mode = "ask"      // what only reads runs, everything else asks unless a rule allows it
	Auto     Mode = "auto"     // writes inside the work directory and commands in the sandbox run too
	ReadOnly Mode = "readonly" // what only reads runs, nothing is asked
	Plan     Mode = "plan"     // as ReadOnly, until the plan is approved
	Yolo     Mode = "yolo"     // everything runs but what a deny rule names
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
