// Package native serves the engine's own interface over HTTP: sessions, input, events, attachments.
//
// Every method of [API] is a plain http.HandlerFunc; the name of a session or a blob stands in the request's path value
// "id". Routes, who may come in and how much, are the business of package server.
package native

import (
	"context"
	"iter"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/store"
)

// Options are what the interface is made of. Engine and Blobs are needed.
type Options struct {
	Engine engine.Engine
	Blobs  store.Blobs
	// Frames is Engine.Follow with events encoded once for all, and all that waits at once ([engine.Local.Frames]); nil: they
	// are encoded for each reader.
	Frames func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]engine.Frame, error]
	// Prepare makes ready what a person has said, as a front end on this machine does; nil: it goes in as it is.
	Prepare func(ctx context.Context, session string, m *agent.Message) error
	// Attach says what a file is that was uploaded, and refuses what nobody can use; nil: it is taken at its word.
	Attach func(ctx context.Context, name string, data []byte) (agent.Blob, error)
	// Fill, Board and About give what the page shows beside a conversation, as JSON: what fills the window of a session's
	// model; tasks, team and the lead's inbox, which a look does not drain; what this program is and can do.
	Fill  func(ctx context.Context, session string) (any, error)
	Board func(ctx context.Context) (any, error)
	About func(ctx context.Context, session string) (any, error)
	// Msg says what is wrong with a request. The zero value speaks English.
	Msg msg.Catalogue
}

// API has the handlers. It is safe for concurrent use.
type API struct{ o Options }

// New makes the interface.
func New(o Options) *API { return &API{o: o} }
