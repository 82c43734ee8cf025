package server

import (
	"time"
)

// Hurry gives clients little time.
func (s *Server) Hurry() {
	const soon = 150 * time.Millisecond
	s.times = times{head: soon, pause: soon, body: 4 * soon, write: soon, idle: time.Minute}
}

// Document is the description of the routes.
func Document() []byte { return document }

// Routes lists method and path of all routes, as the document writes them.
func (s *Server) Routes() (all [][2]string) {
	for _, x := range s.routes() {
		all = append(all, [2]string{x.method, pathOf(x.path)})
	}
	return all
}

// Ready reports whether the server has not begun to stop.
func (s *Server) Ready() bool { return !s.stopping.Load() }
