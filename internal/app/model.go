package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/provider"
	"react-agent/provider/wire"
)

// silence is how long a reply may stay without a byte, comments of the stream included, before it counts as lost.
const silence = 5 * time.Minute

// modelName is the model that runs will use.
func (p *product) modelName() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.name != "":
		return p.name
	case p.c.API == "offline":
		return "offline-rules"
	}
	return p.c.Model
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

// openModel gives the model: the wire, with retries, limits and what stands in when it fails. With a transport of its
// own it is a fresh one that uses that.
func (p *product) openModel(via http.RoundTripper) (agent.Model, error) {
	name := p.modelName()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.model != nil && via == nil {
		return p.model, nil
	}
	if err := p.c.Ready(); err != nil {
		return nil, configError{err}
	}
	client, err := p.client(via)
	if err != nil {
		return nil, err
	}
	model, err := provider.Open(p.spec(p.c.Provider, name, client))
	if err != nil {
		return nil, configError{err}
	}
	if p.c.API == "offline" {
		model = taught{model, p}
	}
	if via != nil {
		return model, nil
	}
	var others []agent.Model
	for _, f := range p.c.Fallback {
		m, err := p.fallback(f, client)
		if err != nil {
			return nil, err
		}
		others = append(others, m)
	}
	if len(others) > 0 {
		model = provider.Fallback(model, others...)
	}
	p.model = model
	return model, nil
}

// client is the HTTP client of all model calls.
func (p *product) client(via http.RoundTripper) (*http.Client, error) {
	if via != nil {
		return &http.Client{Transport: via}, nil
	}
	client, err := httpx.NewClient(httpx.Options{})
	if err != nil {
		return nil, configError{err}
	}
	if p.o.Record == "" {
		return client, nil
	}
	path := p.o.Record
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.c.WorkDir, path)
	}
	if p.record, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, configError{fmt.Errorf("--record: %w", err)}
	}
	var hidden []string
	for _, s := range p.c.SecretEnv() {
		hidden = append(hidden, s.Value)
	}
	client.Transport = provider.Record(p.record, p.c.API, p.c.Provider, client.Transport, hidden...)
	return client, nil
}

// spec describes a model of a vendor.
func (p *product) spec(vendor, name string, client *http.Client) provider.Spec {
	known := p.c.Models[name]
	s := provider.Spec{
		API: p.c.API, Preset: p.preset(vendor), BaseURL: p.c.APIBase, Key: p.c.APIKey, Model: name, HTTP: client,
		Header: p.headers(vendor), Extra: p.extra(vendor, name), Logger: p.log.logger,
		IdleTimeout: silence, RequestTimeout: or(p.c.RequestTimeout, p.face.RequestTimeout), Around: p.meter.Attempt,
		Info: agent.ModelInfo{
			Context: or(p.c.ContextWindow, known.ContextWindow), MaxOutput: known.MaxOutput,
			Vision: known.Vision != nil && *known.Vision, Reasoning: known.Reasoning != nil && *known.Reasoning,
		},
	}
	c := msg.For(p.c.Language)
	s.Retry.Note = func(err *agent.ModelError, wait time.Duration, attempt int) string {
		return c.Text(msg.RetryNote, p.secrets.MaskKnown(err.Error()), wait.Round(100*time.Millisecond), attempt)
	}
	return s
}

// fallback opens a model that stands in, named as MODEL or VENDOR/MODEL.
func (p *product) fallback(name string, client *http.Client) (agent.Model, error) {
	s := p.spec(p.c.Provider, name, client)
	if vendor, model, ok := strings.Cut(name, "/"); ok {
		if preset := p.preset(vendor); preset.Name != "" && vendor != p.c.Provider {
			s = p.spec(vendor, model, client)
			s.API, s.BaseURL, s.Key = or(preset.API, "chat"), preset.BaseURL, p.keyFor(preset)
		}
	}
	m, err := provider.Open(s)
	if err != nil {
		return nil, configError{fmt.Errorf("fallback %q: %w", name, err)}
	}
	return m, nil
}

// keyFor finds the key of a vendor that is not the chosen one.
func (p *product) keyFor(preset wire.Preset) string {
	for _, name := range preset.KeyEnv {
		for _, s := range p.c.SecretEnv() {
			if s.Name == name {
				return s.Value
			}
		}
	}
	return ""
}

// preset is what is known of a vendor: the table, changed by what the configuration says of it.
func (p *product) preset(vendor string) wire.Preset {
	own, ok := p.c.Presets[vendor]
	known, _ := wire.Lookup(or(own.Like, vendor))
	if !ok {
		return known
	}
	known.Name = vendor
	if len(own.KeyEnv) > 0 {
		known.KeyEnv = own.KeyEnv
	}
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&known.API, own.API},
		{&known.BaseURL, own.BaseURL},
		{&known.KeyHeader, own.KeyHeader},
		{&known.DefaultModel, own.DefaultModel},
		{&known.ReasoningField, own.ReasoningField},
		{&known.MaxTokensField, own.MaxTokensField},
	} {
		*f.to = or(f.from, *f.to)
	}
	known.Context, known.MaxOutput = or(own.ContextWindow, known.Context), or(own.MaxOutput, known.MaxOutput)
	set(&known.ReasoningAlways, own.ReasoningAlways)
	set(&known.ThinkInContent, own.ThinkInContent)
	set(&known.NoStreamUsage, own.NoStreamUsage)
	set(&known.EmptyContent, own.EmptyContent)
	return known
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (p *product) headers(vendor string) http.Header {
	h := http.Header{}
	for name, value := range p.c.Presets[vendor].Headers {
		h.Set(name, value)
	}
	return h
}

// extra is merged into every body: what the configuration says of the vendor, then of the model.
func (p *product) extra(vendor, name string) map[string]json.RawMessage {
	merged := map[string]json.RawMessage{}
	for _, fields := range []map[string]any{p.c.Presets[vendor].Extra, p.c.Models[name].Extra} {
		for key, value := range fields {
			if raw, err := agent.EncodeJSON(value); err == nil { // values come from YAML and always encode
				merged[key] = raw
			}
		}
	}
	return merged
}

// vendors is the table of vendors as the configuration wants it.
func vendors() []config.Vendor {
	var list []config.Vendor
	for _, v := range wire.Presets() {
		list = append(list, config.Vendor{
			Name: v.Name, API: v.API, BaseURL: v.BaseURL, KeyEnv: v.KeyEnv, DefaultModel: v.DefaultModel,
		})
	}
	return list
}

// keyNames are the variables of all vendors' keys.
func keyNames() []string {
	var names []string
	for _, v := range wire.Presets() {
		names = append(names, v.KeyEnv...)
	}
	return names
}

// noModel stands where a model would, for those who look at an agent that cannot run.
type noModel struct{}

// Info knows nothing.
func (noModel) Info() agent.ModelInfo { return agent.ModelInfo{} }

// Stream fails.
func (noModel) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrConfig, Err: errors.New("no model is configured")})
	}
}
