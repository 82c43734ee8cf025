package native

import (
	"context"
	"net/http"
	"strings"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/server/refusal"
	"react-agent/store"
)

// refuse answers with what is wrong.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, err error) {
	refusal.Write(w, r, a.o.Msg, a.o.Logger, err)
}

// missing refuses what is not there.
func (a *API) missing(w http.ResponseWriter, key msg.Key, args ...any) {
	httpx.Refuse(w, http.StatusNotFound, a.o.Msg.Text(key, args...))
}

// begun refuses a session to which nothing was ever said.
func (a *API) begun(ctx context.Context, id string) error {
	info, err := a.o.Engine.Info(ctx, id)
	if err == nil && info.Seq == 0 && !info.Running && len(info.Queue) == 0 {
		return absentError{msg.Errorf(msg.NativeNoSession, id)}
	}
	return err
}

// absentError says that something is not there.
type absentError struct{ error }

func (e absentError) Unwrap() []error { return []error{e.error, store.ErrNotFound} }

// session is the name of the session in the path, in its one spelling. Nobody but its parent makes a sub-agent's session, so
// one that is not there is refused. false: the request was refused.
func (a *API) session(w http.ResponseWriter, r *http.Request) (id string, ok bool) {
	id, err := store.CleanID(r.PathValue("id"))
	if err != nil {
		a.refuse(w, r, err)
		return id, false
	}
	if strings.Contains(id, ".") {
		info, err := a.o.Engine.Info(r.Context(), id)
		switch {
		case err != nil:
			a.refuse(w, r, err)
			return id, false
		case info.Seq == 0 && !info.Running:
			a.missing(w, msg.NativeNoSession, id)
			return id, false
		}
	}
	return id, true
}
