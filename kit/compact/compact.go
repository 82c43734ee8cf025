package compact

import (
	"context"

	"react-agent/agent"
)

// Compact makes the history of one agent's sessions smaller. It may be used by one run at a time.
type Compact struct{ o Options }

// New makes it.
func New(o Options) *Compact { return &Compact{o: o} }

// Trim is [agent.Agent.Compact].
func (c *Compact) Trim(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
	return nil, nil
}

// Micro clears old results and does nothing else; nil: there is none to clear.
func (c *Compact) Micro(s *agent.Session) *agent.Trim { return nil }

// Threshold is the size of a request, in tokens, over which it is made smaller.
func (c *Compact) Threshold() int { return DefaultAt }

// Tokens is how large the next request is about: what the vendor reported last with an estimate of what came after it, or
// an estimate of everything.
func (c *Compact) Tokens(s *agent.Session) int { return 0 }

// Hook tells Options.After of compactions.
func (c *Compact) Hook() agent.Hook { return agent.Hook{Name: Name} }

// Tool is the tool compress, with which the model asks for a compaction after its round.
func (c *Compact) Tool() agent.Tool { return agent.Tool{Name: "compress"} }
