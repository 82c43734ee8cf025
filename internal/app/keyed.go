package app

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// keyed is a model whose errors name the server where its vendor is not known, and say of a key that is refused where it
// came from.
type keyed struct {
	agent.Model
	host string
	// text adds to what the server said; nil: the model needs no key of ours.
	text func(said string) string
}

// keyed words the errors of a model at a place.
func (p *product) keyed(t config.Target, m agent.Model) agent.Model {
	u, err := url.Parse(or(t.BaseURL, p.preset(t.Provider).BaseURL))
	if err != nil || u.Host == "" || t.API == commandAPI {
		return m
	}
	c, host := msg.For(p.c.Language), httpx.Shown(u.Scheme+"://"+u.Host)
	return keyed{m, u.Host, func(said string) string {
		if t.Key == "" {
			return c.Text(msg.AuthNoKey, said, host, strings.Join(append([]string{"REACT_AGENT_API_KEY"}, p.preset(t.Provider).KeyEnv...), " / "))
		}
		return c.Text(msg.AuthKey, said, host, p.keyOrigin(t))
	}}
}

// keyOrigin says where the key of a place came from.
func (p *product) keyOrigin(t config.Target) string {
	c := msg.For(p.c.Language)
	if t.Key == p.c.APIKey {
		return p.c.Origin("api_key").In(c)
	}
	for _, s := range p.c.SecretEnv() {
		if s.Value == t.Key && s.Name != "" {
			return s.Name
		}
	}
	return "api_key"
}

// Stream is the model's own, with its errors in other words.
func (k keyed) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for chunk, err := range k.Model.Stream(ctx, req) {
			if err != nil {
				err = k.worded(err)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

func (k keyed) worded(err error) error {
	me, ok := errors.AsType[*agent.ModelError](err)
	if !ok {
		return err
	}
	e := *me
	if e.Provider == "generic" {
		e.Provider = k.host
	}
	if e.Kind == agent.ErrAuth && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) {
		e.Err = rewordedError{k.text(saidBy(&e)), e.Err}
	}
	return &e
}

func saidBy(e *agent.ModelError) string {
	if e.Err == nil {
		return http.StatusText(e.Status)
	}
	return e.Err.Error()
}

// rewordedError is an error in other words.
type rewordedError struct {
	text string
	err  error
}

// Error is the text.
func (e rewordedError) Error() string { return e.text }

// Unwrap gives the error itself.
func (e rewordedError) Unwrap() error { return e.err }
