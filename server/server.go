// Package server puts the HTTP surfaces together: routes, who may come in, how much, health and figures, and an end that
// loses nothing. It is the only package that knows Gin; the surfaces themselves (chat, native, web) are plain handlers.
//
// A request passes, in this order: the name it was sent to (another site's page may have its own name lead here), the page
// it comes from, the token, the id of its session, the limits, its body. Whatever is refused there has started nothing.
// Bodies are JSON objects with the keys that openapi.json knows, no others: the document is what the server goes by, and a
// test compares it with the routes.
//
// An answer has a deadline for each write, an event stream sets its own; a body has to arrive within [bodyTime]. So nobody
// holds a connection for long who does not take part, and a stream may still last for days.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"react-agent/internal/msg"
	"react-agent/server/chat"
	"react-agent/server/native"
	"react-agent/server/web"
)

// Options are what a server is made of.
type Options struct {
	Native native.Options
	Chat   chat.Options
	// Token opens the door. Where it is set everybody needs it; it has to be where the address is not a loopback one.
	Token string
	// Hosts and Origins are further names under which the server may be asked for, and pages that may ask.
	Hosts, Origins []string
	Limits         Limits
	// Load tells how many sessions are at work, and whether one of them is the session; nil: nobody counts.
	Load func(session string) (working int, here bool)
	// Ready says why no message can be worked on, nil if one can; Ready itself may be nil.
	Ready func(ctx context.Context) error
	// Drain lets runs come to their next durable event and ends what follows them, when the server stops; nil: nothing is
	// waited for. When ctx ends it gives up waiting.
	Drain func(ctx context.Context) error
	// Version is the program's version.
	Version string
	// Msg is the language in which requests are refused.
	Msg    msg.Catalogue
	Logger *slog.Logger // nil: silent
}

// Server serves one engine. It is safe for concurrent use.
type Server struct {
	o        Options
	router   *gin.Engine
	chat     *chat.API
	native   *native.API
	page     http.Handler
	keys     map[string]*node // of bodies, by method and path
	known    []string         // methods that any route has
	door     door
	rooms    rooms
	figures  figures
	times    times
	stopping atomic.Bool
	guess    atomic.Int64 // when a wrong token was logged, in nanoseconds
}

// times bound how long clients may take.
type times struct {
	head  time.Duration // for the head of a request to arrive
	pause time.Duration // between two pieces of a body
	body  time.Duration // for the whole of it
	write time.Duration // that what is written may be left
	idle  time.Duration // that a connection may be kept between two requests
	stop  time.Duration // for runs to come to their next durable event, when the server stops
	end   time.Duration // for answers to end then
}

// New makes a server that listens to nobody yet.
func New(o Options) (*Server, error) {
	gin.SetMode(gin.ReleaseMode)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Limits = o.Limits.orUsual()
	s := &Server{
		o: o, router: gin.New(), chat: chat.New(o.Chat), native: native.New(o.Native), page: web.Handler(),
		door: newDoor(o), rooms: rooms{limits: o.Limits},
		figures: figures{began: time.Now(), version: o.Version},
		times: times{
			head: 10 * time.Second, pause: 15 * time.Second, body: bodyTime, write: time.Minute, idle: 2 * time.Minute,
			stop: stopTime, end: endTime,
		},
	}
	table := s.routes()
	s.known = methods(table)
	var err error
	if s.keys, err = bodyKeys(); err != nil {
		return nil, err
	}
	r := s.router
	r.RedirectTrailingSlash, r.HandleMethodNotAllowed, r.ForwardedByClientIP = false, true, false
	r.Use(s.caught, s.counted, s.drained, s.headed, s.admit)
	for _, x := range table {
		r.Handle(x.method, x.path, s.serve(x))
		if x.method == http.MethodGet && !x.takes {
			r.Handle(http.MethodHead, x.path, s.serve(x))
		}
	}
	r.NoMethod(s.noMethod)
	r.NoRoute(s.noRoute)
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }
