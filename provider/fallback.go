package provider

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Fallback tries models in order, for each call anew: when one fails for a reason of its own (no credit, no key,
// overloaded, unreachable), what it said is withdrawn and the next one is asked. A request that is at fault itself
// (refused, malformed) is not tried elsewhere; one that is too long goes to a model whose window is known to be larger, and
// passes by those whose is not. Info is the first model's. A message names the model that wrote it, and opaque data go back
// to that one alone. When all have failed the error is the last one's, with what the others said before.
func Fallback(first agent.Model, others ...agent.Model) agent.Model {
	return FallbackWith(nil, first, others...)
}

// FallbackWith is [Fallback] with words for the person; nil is English.
func FallbackWith(note func(err *agent.ModelError, next agent.ModelInfo) string, first agent.Model, others ...agent.Model) agent.Model {
	if len(others) == 0 {
		return first
	}
	if note == nil {
		note = func(err *agent.ModelError, next agent.ModelInfo) string {
			return fmt.Sprintf("%s; going on with %s", err.Error(), next.Name)
		}
	}
	return &fallback{Model: first, others: others, note: note}
}

type fallback struct {
	agent.Model
	others []agent.Model
	note   func(err *agent.ModelError, next agent.ModelInfo) string
}

// Stream asks one model after the other.
func (f *fallback) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		asked := f.Info()
		err, left := forward(f.Model.Stream(ctx, req), yield)
		var before earlier
		for _, m := range f.others {
			if err == nil || left || ctx.Err() != nil {
				break
			}
			next := m.Info()
			if !elsewhere(err.Kind, asked, next) {
				continue
			}
			if !yield(agent.Chunk{Reset: true, Note: f.note(err, next)}, nil) {
				return
			}
			before, asked = append(before, failed{asked.Name, err}), next
			err, left = forward(signed(m.Stream(ctx, req), next.Name), yield)
		}
		if err != nil && !left {
			yield(agent.Chunk{}, after(err, before))
		}
	}
}

// elsewhere reports whether another model may do better.
func elsewhere(k agent.ErrorKind, asked, next agent.ModelInfo) bool {
	switch k {
	case agent.ErrContextLength:
		return asked.Context > 0 && next.Context > asked.Context
	case agent.ErrContentFilter, agent.ErrBadRequest, agent.ErrInternal:
		return false
	case agent.ErrRateLimit, agent.ErrAuth, agent.ErrQuota, agent.ErrServer, agent.ErrNetwork, agent.ErrTruncated,
		agent.ErrTimeout, agent.ErrInvalidResponse, agent.ErrConfig:
	}
	return true
}

// signed names the model at the end of a message whose vendor did not: else it would be taken for the first one's.
func signed(seq iter.Seq2[agent.Chunk, error], name string) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		named := false
		for c, err := range seq {
			named = !c.Reset && (named || c.Model != "")
			if c.Stop != "" && !named {
				c.Model = name
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// failed is what became of a model, earlier of those that were asked before.
type (
	failed struct {
		name string
		err  *agent.ModelError
	}
	earlier []failed
)

// In says it in the catalogue's language.
func (e earlier) In(c msg.Catalogue) string {
	list := make([]string, len(e))
	for i, f := range e {
		list[i] = f.name + ": " + c.Failure(f.err.Provider, string(f.err.Kind), f.err.Status, c.Err(f.err.Err))
	}
	return strings.Join(list, "; ")
}

// after adds to the last error what the models before had said.
func after(err *agent.ModelError, before earlier) *agent.ModelError {
	if len(before) == 0 {
		return err
	}
	e := *err
	if e.Err == nil {
		e.Err = msg.Errorf(msg.ModelFailed)
	}
	e.Err = msg.Errorf(msg.ModelBefore, e.Err, before)
	return &e
}
