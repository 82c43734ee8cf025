// Package completions is the wire of Chat Completions, the protocol most vendors speak.
package completions

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// Config says which model to talk to, and how.
type Config struct {
	BaseURL     string
	Key, Model  string
	Preset      wire.Preset
	HTTP        *http.Client
	IdleTimeout time.Duration
	Header      http.Header
	Extra       map[string]json.RawMessage
	Logger      *slog.Logger
}

// New makes a model.
func New(c Config) agent.Model { return &model{c: c} }

type model struct{ c Config }

func (m *model) Info() agent.ModelInfo { return agent.ModelInfo{} }

func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	panic("wip")
}
