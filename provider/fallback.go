package provider

import (
	"context"
	"fmt"
	"iter"

	"react-agent/agent"
)

// Fallback tries models in order: when one fails for a reason of its own (no credit, no key, overloaded, unreachable),
// what it said is withdrawn and the next one is asked. A request that is at fault itself (too long, refused, malformed)
// is not tried elsewhere. Info is the first model's.
func Fallback(first agent.Model, others ...agent.Model) agent.Model {
	if len(others) == 0 {
		return first
	}
	return &fallback{Model: first, others: others}
}

type fallback struct {
	agent.Model
	others []agent.Model
}

// Stream asks one model after the other.
func (f *fallback) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		err, left := forward(f.Model.Stream(ctx, req), yield)
		for _, m := range f.others {
			if err == nil || left {
				return
			}
			if !elsewhere(err.Kind) || ctx.Err() != nil {
				break
			}
			note := fmt.Sprintf("%s; going on with %s", err.Error(), m.Info().Name)
			if !yield(agent.Chunk{Reset: true, Note: note, Model: m.Info().Name}, nil) {
				return
			}
			err, left = forward(m.Stream(ctx, req), yield)
		}
		if err != nil && !left {
			yield(agent.Chunk{}, err)
		}
	}
}

// elsewhere reports whether another model may do better.
func elsewhere(k agent.ErrorKind) bool {
	switch k {
	case agent.ErrContextLength, agent.ErrContentFilter, agent.ErrBadRequest, agent.ErrInternal:
		return false
	case agent.ErrRateLimit, agent.ErrAuth, agent.ErrQuota, agent.ErrServer, agent.ErrNetwork, agent.ErrTruncated,
		agent.ErrTimeout, agent.ErrInvalidResponse, agent.ErrConfig:
	}
	return true
}
