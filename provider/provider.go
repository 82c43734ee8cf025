// Package provider opens models: it picks the wire, and puts around it what every wire needs, as models over models.
//
//	m, err := provider.Open(provider.Spec{Preset: preset, Key: key, Model: "some-model"})
//
// From the inside out: the wire (one attempt, never retries), what the caller puts around an attempt, [Retry] (withdraws a
// failed attempt and sends the same bytes again), [Attachments] (shows a model what it can take, and goes on without what
// its vendor refuses), [Limit] (how long one call may take in all). [Fallback] joins several opened models. [Record] is a
// transport that writes replies down as test cases.
package provider

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/provider/anthropic"
	"react-agent/provider/completions"
	"react-agent/provider/gemini"
	"react-agent/provider/offline"
	"react-agent/provider/responses"
	"react-agent/provider/texttag"
	"react-agent/provider/wire"
)

// Spec says which model to open. Only a preset is required, and a base URL where the preset has none.
type Spec struct {
	API     string // the wire, one of [Wires]; "" = the preset's first
	Preset  wire.Preset
	BaseURL string // "" = the preset's
	Key     string
	Model   string // "" = the preset's default
	Info    agent.ModelInfo
	Header  http.Header                // sent with every request
	Extra   map[string]json.RawMessage // merged into every body
	HTTP    *http.Client               // nil = [http.DefaultClient]
	// IdleTimeout ends an attempt that stays silent for so long; RequestTimeout a call with all its attempts. 0 = none.
	IdleTimeout, RequestTimeout time.Duration
	// Around is put around the model that makes one attempt, below retries; nil = nothing.
	Around func(agent.Model) agent.Model
	Retry  RetryPolicy
	Rules  offline.Lines // more rules for the offline table
	// Tags puts tools into the text, for a model that does not know them; nil = as the wire has them. Programs always do.
	Tags    *texttag.Options
	Program Program // of the api command
	Logger  *slog.Logger
	// Refused words that a vendor has refused attachments; nil = English.
	Refused AttachmentNote
}

// offlineAPI is the table of rules, which needs nobody.
const offlineAPI = "offline"

// overHTTP are the wires to servers, by name.
func overHTTP() map[string]func(wire.Config) agent.Model {
	return map[string]func(wire.Config) agent.Model{
		"anthropic": anthropic.New,
		"chat":      completions.New,
		"gemini":    gemini.New,
		"responses": responses.New,
	}
}

// Wires lists the wires that [Open] knows, sorted.
func Wires() []string {
	return slices.Sorted(maps.Keys(overHTTP()))
}

// Open makes the model. It does not connect. A wire that is unknown, or that the vendor does not speak, and a missing base
// URL are errors that say what to set.
func Open(s Spec) (agent.Model, error) {
	if s.API == "" {
		s.API = s.Preset.API
	}
	if s.API == offlineAPI {
		return offline.New(s.Rules), nil
	}
	m, err := s.attempt()
	if err != nil {
		return nil, err
	}
	if s.Around != nil {
		m = s.Around(m)
	}
	return Limit(Attachments(Retry(m, s.Retry), s.Refused), s.RequestTimeout), nil
}

// attempt is the model that asks once.
func (s Spec) attempt() (agent.Model, error) {
	if s.API == commandAPI {
		return s.program(), nil
	}
	open, ok := overHTTP()[s.API]
	if !ok {
		return nil, fmt.Errorf("api %q is unknown; there are %s, %s and %s", s.API, strings.Join(Wires(), ", "), commandAPI, offlineAPI)
	}
	c, err := s.config()
	if err != nil {
		return nil, err
	}
	return s.tagged(open(c)), nil
}

// config is what a wire over HTTP is made of.
func (s Spec) config() (wire.Config, error) {
	p, err := s.Preset.For(s.API)
	if err != nil && s.BaseURL == "" { // whoever names a server knows what it speaks
		return wire.Config{}, err
	}
	c := wire.Config{
		BaseURL: s.BaseURL, Key: s.Key, Model: s.Model, Preset: p, HTTP: s.HTTP, IdleTimeout: s.IdleTimeout,
		Header: s.Header, Extra: s.Extra, Info: s.Info, Logger: s.Logger,
	}
	if c.BaseURL == "" {
		c.BaseURL = p.BaseURL
	}
	if c.BaseURL == "" {
		return c, noBase(p)
	}
	if c.Model == "" {
		c.Model = p.DefaultModel
	}
	if c.Info.Context == 0 && c.Model == p.DefaultModel {
		c.Info.Context, c.Info.MaxOutput = p.Context, p.MaxOutput
	}
	c.Info.Tools = true
	c.Info.Files = c.Info.Files || c.Info.Vision && p.ReadsFiles()
	c.Info.Audio = c.Info.Audio || c.Info.Vision && p.Hears()
	if len(p.Header) > 0 {
		c.Header = http.Header{}
		for name, value := range p.Header {
			c.Header.Set(name, value)
		}
		maps.Copy(c.Header, s.Header)
	}
	if len(p.Body) > 0 {
		c.Extra = maps.Clone(p.Body)
		maps.Copy(c.Extra, s.Extra)
	}
	return c, nil
}

func noBase(p wire.Preset) error {
	if p.Form == "" {
		return fmt.Errorf("provider %q needs a base URL (api_base)", p.Name)
	}
	return fmt.Errorf("provider %q needs a base URL (api_base) such as %s", p.Name, p.Form)
}
