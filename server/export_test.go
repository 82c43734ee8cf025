package server

import (
	"time"
)

// Hurry gives clients little time.
func (s *Server) Hurry() {
	const soon = 150 * time.Millisecond
	s.times = times{head: soon, pause: soon, body: 4 * soon, write: soon, idle: time.Minute, stop: stopTime, end: endTime}
}

// Linger gives clients all the time they want, until the server stops.
func (s *Server) Linger() {
	const long, soon = time.Hour, 50 * time.Millisecond
	s.times = times{head: long, pause: long, body: long, write: long, idle: long, stop: soon, end: soon}
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
