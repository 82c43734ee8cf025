// Package native serves the engine's own interface over HTTP: sessions, input, events, attachments.
//
// Every method of [API] is a plain http.HandlerFunc; the name of a session or a blob stands in the request's path value
// "id". Routes, who may come in and how much, are the business of package server.
//
// What is wrong with a request is answered as {"error": text}, in the words of the engine and the server's language, with the
// statuses of package refusal.
package native

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/store"
)

// Options are what the interface is made of. Engine and Blobs are needed.
type Options struct {
	Engine engine.Engine
	Blobs  store.Blobs
	// Msg says what is wrong with a request. The zero value speaks English.
	Msg msg.Catalogue
	// Logger is told of faults of the program; nil: nobody is.
	Logger *slog.Logger
	// Frames is Engine.Follow with events encoded once for all, and all that waits at once ([engine.Local.Frames]); nil: those
	// of [engine.FramesOf].
	Frames func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]engine.Frame, error]
	// Span tells when the first event of a session was stored and which number the last one has ([engine.Local.Span]); nil: nobody
	// who comes back is told that the session is another one by now.
	Span func(ctx context.Context, session string) (born time.Time, last int64, err error)
	// Prepare makes ready what was said, as a front end on this machine does, and may change what it is; typed says that a
	// person has typed the message, which may then call commands and skills. done is called once the input is handed in. nil:
	// everything goes in as it is.
	Prepare func(ctx context.Context, session string, in *engine.Input, typed bool) (done func(), err error)
	// Attach says what a file is that was uploaded, and refuses what nobody can use; nil: it is taken at its word.
	Attach func(ctx context.Context, name string, data []byte) (agent.Blob, error)
	// Files and Bytes are how many uploads one message may refer to, and how many bytes those may have together, each counted as
	// often as it is referred to; 0: any.
	Files, Bytes int
	// Delete removes a session with all that is kept of it, or what is left of one; nil: Engine.Delete does.
	Delete func(ctx context.Context, session string) error
	// Fill, Board and About give what the page shows beside a conversation, as JSON: what fills the window of a session's
	// model; tasks, team and the lead's inbox, which a look does not drain; what this program is and can do. nil: 404.
	Fill  func(ctx context.Context, session string) (any, error)
	Board func(ctx context.Context) (any, error)
	About func(ctx context.Context, session string) (any, error)
}

// API has the handlers. It is safe for concurrent use.
type API struct{ o Options }

// New makes the interface.
func New(o Options) *API {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Frames == nil {
		o.Frames = engine.FramesOf(o.Engine)
	}
	return &API{o: o}
}
