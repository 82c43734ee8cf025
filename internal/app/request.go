package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/kit/shellhook"
)

// errLooked ends a request that was only to be looked at.
var errLooked = errors.New("only looking")

// looker is a transport that sends nothing: it keeps the body of the request.
type looker struct{ body []byte }

// RoundTrip keeps the body and fails.
func (l *looker) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if closeErr := r.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	l.body = body
	return nil, errLooked
}

// request gives the body that the next run would send: the session is loaded, the run is begun in memory with the real
// agent, and ends where the request would leave.
func (p *product) request(ctx context.Context, session, text string) ([]byte, error) {
	s, err := p.fold(ctx, session)
	if err != nil {
		return nil, err
	}
	spec := engine.Spec{Session: session, State: s.State}
	a, err := p.agent(ctx, spec)
	if err != nil {
		return nil, err
	}
	look := &looker{}
	model, err := p.modelVia(ctx, spec, look)
	if err != nil {
		return nil, err
	}
	once := &firstRequest{Model: model}
	a.Model, a.Journal, a.Ask, a.Hooks = once, nil, nil, unseen(a.Hooks)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	once.cancel = cancel
	ctx = withLook(ctx, look)
	for _, err := range a.Run(ctx, s, agent.Say(text)) {
		if err != nil {
			return nil, err
		}
	}
	if look.body != nil {
		return bytes.TrimSpace(look.body), nil
	}
	if once.req == nil {
		return nil, errors.New("the run would end before it calls the model")
	}
	return agent.EncodeJSON(map[string]any{ // a model without a wire: the neutral request
		"model": model.Info().Name, "system": once.req.System, "messages": once.req.Messages, "tools": toolNames(once.req.Tools),
	})
}

// fold is the session as it is stored.
func (p *product) fold(ctx context.Context, session string) (*agent.Session, error) {
	lines := func(yield func([]byte, error) bool) {
		for rec, err := range p.store.Read(ctx, "session/"+session, 0, false) {
			if !yield(rec.Data, err) {
				return
			}
		}
	}
	return agent.Load(session, lines, func(sha string) ([]byte, error) { return p.store.GetBlob(ctx, sha) })
}

// firstRequest is a model that is called once: nothing comes back.
type firstRequest struct {
	agent.Model
	req    *agent.Request
	cancel context.CancelFunc
}

// Stream keeps the request, lets the real model encode it, and cancels the run.
func (f *firstRequest) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		f.req = req
		for _, err := range f.Model.Stream(ctx, req) {
			if err != nil {
				break
			}
		}
		f.cancel()
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrNetwork, Err: errLooked})
	}
}

// unseen leaves out the hooks that others would notice: the log, the person's own commands, and what keeps a choice.
func unseen(hooks []agent.Hook) []agent.Hook {
	var rest []agent.Hook
	for _, h := range hooks {
		if h.Name != "log" && h.Name != shellhook.Name && h.Name != modelKey {
			rest = append(rest, h)
		}
	}
	return rest
}

func toolNames(tools []agent.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Shown())
	}
	return names
}
