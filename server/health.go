package server

import (
	"net/http"

	"react-agent/internal/httpx"
)

// health says that the program answers.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	httpx.Answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready says whether a message that comes now can be worked on.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	status := http.StatusServiceUnavailable
	switch {
	case s.stopping.Load():
		httpx.Answer(w, status, map[string]string{"status": "stopping"})
		return
	case s.o.Ready == nil:
	default:
		if err := s.o.Ready(r.Context()); err != nil {
			s.o.Logger.Warn("not ready", "error", err) // it may name places on this machine: not for everybody
			httpx.Answer(w, status, map[string]string{"status": "not ready"})
			return
		}
	}
	httpx.Answer(w, http.StatusOK, map[string]string{"status": "ready"})
}
