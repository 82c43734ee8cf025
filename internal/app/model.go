package app

import (
	"context"
	"net/http"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/provider/completions"
	"react-agent/provider/offline"
	"react-agent/provider/wire"
)

// modelName is the model that runs will use.
func (p *product) modelName() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return or(p.name, p.c.Model)
}

// useModel takes another model from the next run of the session on.
func (p *product) useModel(_ context.Context, session, name string) error {
	if p.c.API == "offline" {
		return msg.Errorf(msg.ModelFixed)
	}
	p.mu.Lock()
	p.name, p.model = name, nil
	p.mu.Unlock()
	p.engine.Refresh(session)
	return nil
}

// openModel opens the model. With a transport of its own it is a fresh one that uses that.
func (p *product) openModel(via http.RoundTripper) (agent.Model, error) {
	name := p.modelName()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.model != nil && via == nil {
		return p.model, nil
	}
	if p.c.API == "offline" {
		return offline.New(), nil
	}
	preset, _ := wire.Lookup(p.c.Provider)
	client := &http.Client{Transport: via}
	if via == nil {
		var err error
		if client, err = httpx.NewClient(httpx.Options{}); err != nil {
			return nil, configError{err}
		}
	}
	m := completions.New(completions.Config{
		BaseURL: p.c.APIBase, Key: p.c.APIKey, Model: name, Preset: preset, HTTP: client, Logger: p.log.logger,
	})
	if via == nil {
		p.model = m
	}
	return m, nil
}
