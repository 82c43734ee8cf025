// Package chat serves one turn a request: POST /chat answers with the frames of the turn as they happen, and four smaller
// routes look at the team's work. It is the interface of the oldest of the source systems, to the letter.
//
// Every method of [API] is a plain http.HandlerFunc. Routes, who may come in and how much, are the business of package
// server.
package chat

import (
	"context"
	"encoding/json"

	"react-agent/engine"
)

// Options are what the interface is made of. Engine is needed.
type Options struct {
	Engine engine.Engine
	// Tasks and Team give the words of the tools task_list and list_teammates.
	Tasks func(ctx context.Context) (string, error)
	Team  func(ctx context.Context) (string, error)
	// Inbox takes what waits for the lead, as a JSON array.
	Inbox func(ctx context.Context) (json.RawMessage, error)
	// Compact makes a session's history smaller now.
	Compact func(ctx context.Context, session string) error
	// Rounds says how the end of a run at its step limit is worded, with %d, the limit.
	Rounds string
}

// API has the handlers. It is safe for concurrent use.
type API struct{ o Options }

// New makes the interface.
func New(o Options) *API { return &API{o: o} }
