// Package provider opens models: it picks the wire, and puts around it what every wire needs, as models over models.
//
//	m, err := provider.Open(provider.Spec{API: "chat", Preset: preset, Key: key, Model: "some-model"})
//
// From the inside out: the wire (one attempt, never retries), [Retry] (withdraws a failed attempt and sends the same
// bytes again), [Limit] (how long one call may take in all). [Fallback] joins several opened models. [Record] is a
// transport that writes replies down as test cases.
package provider

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"react-agent/agent"
	"react-agent/provider/completions"
	"react-agent/provider/offline"
	"react-agent/provider/wire"
)

// Spec says which model to open. Only API is required, and for a vendor's wire a base URL, here or in the preset.
type Spec struct {
	API     string // chat, offline
	Preset  wire.Preset
	BaseURL string // "" = the preset's
	Key     string
	Model   string // "" = the preset's default
	Info    agent.ModelInfo
	Header  http.Header
	Extra   map[string]json.RawMessage // merged into every body
	HTTP    *http.Client               // nil = [http.DefaultClient]
	// IdleTimeout ends an attempt that stays silent for so long; RequestTimeout a call with all its attempts. 0 = none.
	IdleTimeout, RequestTimeout time.Duration
	Retry                       RetryPolicy
	Rules                       offline.Lines // more rules for the offline table
	Logger                      *slog.Logger
}

// Open makes the model. It does not connect. An unknown API or a missing base URL is an error that says what to set.
func Open(s Spec) (agent.Model, error) {
	if s.API == "offline" {
		return offline.New(s.Rules), nil
	}
	if s.API != "chat" {
		return nil, fmt.Errorf("api %q is unknown; there are chat and offline", s.API)
	}
	if s.BaseURL == "" {
		s.BaseURL = s.Preset.BaseURL
	}
	if s.BaseURL == "" {
		return nil, fmt.Errorf("provider %q needs a base URL (api_base)", s.Preset.Name)
	}
	if s.Model == "" {
		s.Model = s.Preset.DefaultModel
	}
	if s.Info.Context == 0 && s.Model == s.Preset.DefaultModel {
		s.Info.Context, s.Info.MaxOutput = s.Preset.Context, s.Preset.MaxOutput
	}
	s.Info.Tools = true
	m := completions.New(wire.Config{
		BaseURL: s.BaseURL, Key: s.Key, Model: s.Model, Preset: s.Preset, HTTP: s.HTTP, IdleTimeout: s.IdleTimeout,
		Header: s.Header, Extra: s.Extra, Info: s.Info, Logger: s.Logger,
	})
	return Limit(Retry(m, s.Retry), s.RequestTimeout), nil
}
