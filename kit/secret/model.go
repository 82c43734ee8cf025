package secret

import (
	"context"
	"errors"
	"iter"

	"react-agent/agent"
)

// Model wraps a model so that its errors show no known value: some vendors answer a key they do not like with that very
// key. It belongs outside of everything that retries and classifies; what errors.As finds is as before.
func (k *Keeper) Model(m agent.Model) agent.Model { return model{m, k} }

type model struct {
	agent.Model
	k *Keeper
}

// Stream passes on what the model says.
func (m model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for c, err := range m.Model.Stream(ctx, req) {
			if !yield(c, m.k.cleanError(err)) {
				return
			}
		}
	}
}

// cleanError gives err with known values masked in its text.
func (k *Keeper) cleanError(err error) error {
	if err == nil || k.MaskKnown(err.Error()) == err.Error() {
		return err
	}
	var me *agent.ModelError
	if errors.As(err, &me) && me.Err != nil {
		clean := *me
		clean.Err = &maskedError{k.MaskKnown(me.Err.Error()), me.Err}
		return &clean
	}
	return &maskedError{k.MaskKnown(err.Error()), err}
}

// maskedError is an error with other words.
type maskedError struct {
	text string
	err  error
}

// Error is the masked text.
func (e *maskedError) Error() string { return e.text }

// Unwrap gives the error as it was, for errors.Is and errors.As.
func (e *maskedError) Unwrap() error { return e.err }
