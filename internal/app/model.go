package app

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/provider"
	"react-agent/provider/wire"
)

// silence is how long a reply may stay without a byte, comments of the stream included, before it counts as lost.
const silence = 5 * time.Minute

// offlineAPI is the wire of the table of rules.
const offlineAPI = "offline"

// modelName is the model that runs of a new session will use.
func (p *product) modelName() string {
	if p.c.API == offlineAPI {
		return "offline-rules"
	}
	return p.c.Model
}

// client is the HTTP client of model calls: one for all, so that connections are used again. What is recorded says of
// whom it is. Who only looks gets nothing sent.
func (p *product) client(t config.Target) (*http.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shared, err := p.pooled()
	if err != nil {
		return nil, err
	}
	client := *shared
	if p.o.Record == "" {
		client.Transport = lookable{p.http.Transport}
		return &client, nil
	}
	if p.record == nil {
		path := p.o.Record
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.c.WorkDir, path)
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, configError{fmt.Errorf("--record: %w", err)}
		}
		p.record = file
	}
	var hidden []string
	for _, s := range p.c.SecretEnv() {
		hidden = append(hidden, s.Value)
	}
	client.Transport = lookable{provider.Record(p.record, t.API, t.Provider, p.http.Transport, hidden...)}
	return &client, nil
}

// openTarget opens the model that is asked at a place.
func (p *product) openTarget(t config.Target) (agent.Model, error) {
	client, err := p.client(t)
	if err != nil {
		return nil, err
	}
	m, err := p.opened(p.spec(t, client))
	if err != nil {
		return nil, configError{err}
	}
	return m, nil
}

// spec describes a model.
func (p *product) spec(t config.Target, client *http.Client) provider.Spec {
	s := provider.Spec{
		API: t.API, Preset: p.preset(t.Provider), BaseURL: t.BaseURL, Key: t.Key, Model: t.Model, HTTP: client,
		Header: p.headers(t.Provider), Extra: p.extra(t.Provider, t.Model), Logger: p.log.logger,
		IdleTimeout: silence, RequestTimeout: or(p.c.RequestTimeout, p.face.RequestTimeout),
		Info: p.info(t), Refused: p.refused(),
	}
	s.Around = func(m agent.Model) agent.Model { return uncounted{p.meter.Attempt(p.keyed(t, m)), m} }
	p.surround(&s)
	c := msg.For(p.c.Language)
	s.Retry.Note = func(err *agent.ModelError, wait time.Duration, attempt int) string {
		return c.Text(msg.RetryNote, p.failure(err), wait.Round(100*time.Millisecond), attempt)
	}
	return s
}

// info is what is known of a model before it is asked: what the configuration says, else the vendor's entry, else the list
// of prices. The setting context_window is about the model of the configuration alone.
func (p *product) info(t config.Target) agent.ModelInfo {
	own := p.settings(t.Provider, t.Model)
	i := agent.ModelInfo{Context: own.ContextWindow, MaxOutput: own.MaxOutput}
	if t.Provider == p.c.Provider && t.Model == p.c.Model {
		i.Context = or(p.c.ContextWindow, i.Context)
	}
	preset := p.preset(t.Provider)
	if t.Model == preset.DefaultModel {
		i.Context, i.MaxOutput = or(i.Context, preset.Context), or(i.MaxOutput, preset.MaxOutput)
	}
	listed, ok := p.listed(t.Provider, t.Model)
	if ok {
		i.Context, i.MaxOutput = or(i.Context, listed.Context), or(i.MaxOutput, listed.MaxOutput)
		i.Vision, i.Reasoning = listed.Vision, listed.Reasoning
	}
	set(&i.Vision, own.Vision)
	set(&i.Files, own.Files)
	set(&i.Audio, own.Audio)
	set(&i.Reasoning, own.Reasoning)
	return i
}

// preset is what is known of a vendor: the table, changed by what the configuration says of it. The key is no part of it.
func (p *product) preset(vendor string) wire.Preset {
	own, ok := p.c.Presets[vendor]
	known, listed := wire.Lookup(or(own.Like, vendor))
	if !ok {
		return known
	}
	if !listed {
		known, _ = wire.Lookup("generic")
	}
	if own.API == commandAPI || len(own.Command) > 0 {
		known = programPreset(own, known)
	}
	known = known.First(own.API)
	known.Name = vendor
	if own.BaseURL != "" { // all its wires are there
		known = known.At(own.BaseURL)
	}
	for _, f := range []struct {
		to   *string
		from string
	}{
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
	if rule, ok := wire.IDRuleNamed(own.IDs); ok {
		known.IDs = rule
	}
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
	for _, fields := range []map[string]any{p.c.Presets[vendor].Extra, p.settings(vendor, name).Extra} {
		for key, value := range fields {
			if raw, err := agent.EncodeJSON(value); err == nil { // values come from YAML and always encode
				merged[key] = raw
			}
		}
	}
	return merged
}

// vendors is the table of vendors as the configuration wants it.
func vendors(env []string) []config.Vendor {
	var list []config.Vendor
	for _, v := range wire.Presets() {
		v = hosted(v, env)
		c := config.Vendor{
			Name: v.Name, API: v.API, BaseURL: v.BaseURL, Form: v.Form, KeyEnv: v.KeyEnv, DefaultModel: v.DefaultModel, Local: v.Local != "",
			SlashIDs: v.SlashIDs,
		}
		if v.CLI != nil {
			c.Programs = append(v.CLI.Command[:1:1], v.CLI.Aliases...)
		}
		if len(v.Also) > 0 {
			c.Also = make(map[string]config.Place, len(v.Also))
			for api, at := range v.Also {
				c.Also[api] = config.Place{BaseURL: at.BaseURL, Form: or(at.Form, v.Form)}
			}
		}
		list = append(list, c)
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

// noModel stands where a model would, for those who look at an agent that cannot run; err says why it cannot.
type noModel struct{ err error }

// Info knows nothing.
func (noModel) Info() agent.ModelInfo { return agent.ModelInfo{} }

// Stream fails.
func (m noModel) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrConfig, Err: m.err})
	}
}
