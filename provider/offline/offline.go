// Package offline is a model that is none: a fixed table of rules that recognises a few questions and answers them by
// really calling tools, in the same loop as any model. It is there to try the program without a key and to test whole
// turns without a script. It says what it is, and for a question outside of the table it says that too.
package offline

import (
	"context"
	"iter"
	"runtime"

	"react-agent/agent"
)

// Model answers from a table of rules. It is deterministic and safe for many runs at once.
type Model struct {
	rules []Rule
	goos  string
}

// New makes the model from its own rules; those given come first.
func New(rules ...Rule) *Model { return &Model{rules: rules, goos: runtime.GOOS} }

// Info says that this is the offline table.
func (m *Model) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "offline", Preset: "offline", Name: "offline-rules", Tools: true}
}

// Stream answers the last message of the person, or goes on after the results of the tools that it called.
func (m *Model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	panic("wip")
}

// Rule is one entry of the table.
type Rule struct {
	Name string `json:"name"`
}

// ParseRules reads rules from JSON; errors name the rule and the field.
func ParseRules(data []byte) ([]Rule, error) { panic("wip") }
