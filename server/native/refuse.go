package native

import (
	"context"
	"net/http"
	"strings"

	"react-agent/engine"
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

// begun is how a session stands. One to which nothing was ever said is not there.
func (a *API) begun(ctx context.Context, id string) (engine.SessionInfo, error) {
	info, err := a.o.Engine.Info(ctx, id)
	if err == nil && info.Seq == 0 && !info.Running && len(info.Queue) == 0 {
		err = absent(id)
	}
	return info, err
}

// absent says that there is no such session.
func absent(id string) error { return absentError{msg.Errorf(msg.NativeNoSession, id)} }

type absentError struct{ error }

func (e absentError) Unwrap() []error { return []error{e.error, store.ErrNotFound} }

// session is the session in the path, its name in its one spelling. With mayBegin it need not be there, and only its name is
// told; but nobody other than its parent begins a sub-agent's. false: the request was refused.
func (a *API) session(w http.ResponseWriter, r *http.Request, mayBegin bool) (info engine.SessionInfo, ok bool) {
	id, err := store.CleanID(r.PathValue("id"))
	if info.ID = id; err == nil && (!mayBegin || strings.Contains(id, ".")) {
		info, err = a.begun(r.Context(), id)
	}
	if err != nil {
		a.refuse(w, r, err)
	}
	return info, err == nil
}
