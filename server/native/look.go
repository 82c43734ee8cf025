package native

import (
	"net/http"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/store"
)

// Context answers GET /sessions/ID/context: what fills the window of the session's model, of one that has not begun what would.
// Nothing is asked and nothing is stored.
func (a *API) Context(w http.ResponseWriter, r *http.Request) {
	info, ok := a.session(w, r, true)
	if !ok {
		return
	}
	if a.o.Fill == nil {
		a.missing(w, msg.NativeNotServed, r.URL.Path)
		return
	}
	v, err := a.o.Fill(r.Context(), info.ID)
	a.shown(w, r, v, err)
}

// Board answers GET /board: tasks, team and inbox, as they are; nothing is taken.
func (a *API) Board(w http.ResponseWriter, r *http.Request) {
	if a.o.Board == nil {
		a.missing(w, msg.NativeNotServed, r.URL.Path)
		return
	}
	v, err := a.o.Board(r.Context())
	a.shown(w, r, v, err)
}

// About answers GET /about: what the program is, with which profile, model and commands; with ?session=ID as it is for that
// session.
func (a *API) About(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("session")
	if id != "" {
		var err error
		if id, err = store.CleanID(id); err != nil {
			a.refuse(w, r, err)
			return
		}
	}
	if a.o.About == nil {
		a.missing(w, msg.NativeNotServed, r.URL.Path)
		return
	}
	v, err := a.o.About(r.Context(), id)
	a.shown(w, r, v, err)
}

func (a *API) shown(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	httpx.Answer(w, http.StatusOK, v)
}
