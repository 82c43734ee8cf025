package compact

import (
	"context"

	"react-agent/agent"
	"react-agent/internal/weigh"
)

// The room that is left for an answer where nobody has said how long one may be, in tokens.
const (
	usualAnswer = 8192
	mostAnswer  = 32_000
)

const usualShare = 0.9

// Threshold is the size of a request, in tokens, over which it is made smaller.
func (c *Compact) Threshold() int {
	window := c.window()
	if window <= 0 {
		return or(c.o.At, DefaultAt)
	}
	limit := int(float64(window-c.room(window)) * or(c.o.Share, usualShare))
	if c.o.At > 0 {
		limit = min(limit, c.o.At)
	}
	return max(limit, 1)
}

func (c *Compact) window() int {
	if c.o.Agent.Model == nil {
		return 0
	}
	return c.o.Agent.Model.Info().Context
}

// room is what an answer needs of the window.
func (c *Compact) room(window int) int {
	room := c.o.Agent.MaxOut
	if room == 0 {
		room = min(or(c.o.Agent.Model.Info().MaxOutput, usualAnswer), mostAnswer)
	}
	return min(room, window/3)
}

// Tokens is how large the session's next request is: what the vendor has counted with an estimate of what came since, or an
// estimate of everything (package internal/weigh).
func (c *Compact) Tokens(ctx context.Context, s *agent.Session) int {
	req, changed := c.next(ctx, s)
	return weigh.Window(req, s.Compacted(), changed)
}

// next is what would be asked next; changed says of what no count holds.
func (c *Compact) next(ctx context.Context, s *agent.Session) (req *agent.Request, changed bool) {
	if c.o.Request != nil {
		if sent, changed, err := c.o.Request(ctx, s); err == nil { // else it is never sent, and the run says so itself
			return sent, changed
		}
	}
	return &agent.Request{System: c.o.Agent.System, Tools: c.o.Agent.Tools, Messages: s.Messages}, false
}

// measured is a request as it was before a compaction, in tokens; fixed is what it has beside its messages, as estimated.
type measured struct{ tokens, fixed int }

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
