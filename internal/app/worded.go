package app

import (
	"context"
	"errors"
	"iter"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// failure is an error of a model in the person's language, without secrets.
func (p *product) failure(err *agent.ModelError) string {
	c := msg.For(p.c.Language)
	return p.secrets.MaskKnown(c.Failure(err.Provider, string(err.Kind), err.Status, c.Err(err.Err)))
}

// worded is a model whose errors speak the person's language as far as the words are ours. It belongs outside of everything
// that looks at errors.
func (p *product) worded(m agent.Model) agent.Model {
	if c := msg.For(p.c.Language); c.Lang() == msg.Zh {
		return wordedModel{m, c}
	}
	return m
}

type wordedModel struct {
	agent.Model
	c msg.Catalogue
}

// Stream passes on what the model says.
func (m wordedModel) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for c, err := range m.Model.Stream(ctx, req) {
			if me, ok := errors.AsType[*agent.ModelError](err); ok && me.Err != nil {
				told := *me
				told.Err = inWords(m.c, me.Err)
				err = &told
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// inWords is err with its text in a language.
func inWords(c msg.Catalogue, err error) error {
	if err == nil {
		return nil
	}
	if text := c.Err(err); text != err.Error() {
		return wordedError{text, err}
	}
	return err
}

type wordedError struct {
	text string
	err  error
}

// Error is the text.
func (e wordedError) Error() string { return e.text }

// In is the text in whichever language.
func (e wordedError) In(c msg.Catalogue) string { return c.Err(e.err) }

// Unwrap gives the error as it was.
func (e wordedError) Unwrap() error { return e.err }
