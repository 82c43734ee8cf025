// Package server puts the HTTP surfaces together: routes, who may come in, how much, health and figures, and an end that
// loses nothing. It is the only package that knows Gin; the surfaces themselves (chat, native, web) are plain handlers.
package server

import (
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"

	"react-agent/server/chat"
	"react-agent/server/native"
	"react-agent/server/web"
)

// Options are what a server is made of.
type Options struct {
	Native native.Options
	Chat   chat.Options
	// Token opens the door from other machines, and is needed where the address is not a loopback one.
	Token string
	// Hosts and Origins are further names under which the server may be asked for, and pages that may ask.
	Hosts, Origins []string
	// Version is the program's version.
	Version string
	Logger  *slog.Logger
}

// Server serves one engine. It is safe for concurrent use.
type Server struct {
	o      Options
	router *gin.Engine
	chat   *chat.API
	native *native.API
}

// New makes a server that listens to nobody yet.
func New(o Options) *Server {
	gin.SetMode(gin.ReleaseMode)
	s := &Server{o: o, router: gin.New(), chat: chat.New(o.Chat), native: native.New(o.Native)}
	s.router.NoRoute(gin.WrapH(web.Handler()))
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }
