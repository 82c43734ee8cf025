package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// Spec is what a child is. It is written once, before the child starts, and says everything that is needed to make its
// agent in another process.
type Spec struct {
	Path string `json:"path"` // Agent.Name
	Key  string `json:"key"`
	Type string `json:"type,omitempty"`
	// System is the system prompt, Text the only message.
	System string `json:"system,omitempty"`
	Text   string `json:"text"`
	// Tools are our names of the tools that it has.
	Tools  []string `json:"tools,omitempty"`
	Model  string   `json:"model,omitempty"`
	Effort string   `json:"effort,omitempty"`
	Steps  int      `json:"steps"`
	// Mate is the name of a teammate, Role what it is there for; empty: it is none.
	Mate string `json:"mate,omitempty"`
	Role string `json:"role,omitempty"`
	// Background children have nobody to ask.
	Background bool          `json:"background,omitempty"`
	Timeout    time.Duration `json:"timeout,omitempty"`
	Output     string        `json:"output,omitempty"`
	Tokens     bool          `json:"tokens,omitempty"`
	// State is what it takes over from its parent.
	State map[string]json.RawMessage `json:"state,omitempty"`
}

// Spec gives what a child's session is to be made of; nil: the session is nobody's child. A session that looks like a
// child of which nothing is known is an error.
func (t *Team) Spec(ctx context.Context, session string) (*Spec, error) {
	if !strings.Contains(session, ".") {
		return nil, nil
	}
	doc, err := t.o.KV.Get(ctx, specKey(session))
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("nothing is known of the sub-agent %s", session)
	}
	if err != nil {
		return nil, fmt.Errorf("sub-agent %s: %w", session, err)
	}
	var s Spec
	if err := json.Unmarshal(doc.Data, &s); err != nil {
		return nil, fmt.Errorf("sub-agent %s: its document is broken: %w", session, err)
	}
	return &s, nil
}

// putSpec writes down what a child is.
func (t *Team) putSpec(ctx context.Context, id string, s *Spec) error {
	err := store.Change(ctx, t.o.KV, specKey(id), func([]byte) ([]byte, error) { return json.Marshal(s) })
	if err != nil {
		return fmt.Errorf("sub-agent %s: %w", id, err)
	}
	return nil
}

// FromAgent is the From of what an agent tells its sub-agent to do.
const FromAgent = "agent"

// message is what the child is told.
func (s *Spec) message() *agent.Message {
	m := agent.TextMessage(agent.User, s.Text)
	m.From = FromAgent
	return &m
}
