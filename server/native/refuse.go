package native

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/store"
)

// refuse answers with what is wrong. A fault of the program is told to the log.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if status == http.StatusInternalServerError {
		a.o.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	if errors.Is(err, engine.ErrClosed) {
		err = msg.Errorf(msg.NativeStopping)
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = msg.Errorf(msg.NativeTooLarge, strconv.FormatFloat(float64(large.Limit)/(1<<20), 'f', -1, 64)+" MiB")
	}
	switch {
	case errors.Is(err, store.ErrFull):
		err = msg.Errorf(msg.NativeFull)
	case errors.Is(err, store.ErrTooLarge):
		err = msg.Errorf(msg.NativeRecord, store.MaxRecord>>20)
	case errors.Is(err, engine.ErrDropped):
		err = msg.Errorf(msg.NativeRemoved)
	case status == http.StatusInternalServerError: // it may name places on this machine
		err = msg.Errorf(msg.NativeFault)
	}
	if busy, ok := errors.AsType[*engine.BusyError](err); ok {
		err = msg.Errorf(msg.SessionHeld, busy.Session, busy.PID)
	}
	if late, ok := errors.AsType[lateError](err); ok {
		err = late.error
	}
	said, _ := command.Mistaken(err)
	httpx.Refuse(w, status, a.o.Msg.Err(said))
}

// commandError is what a command has met.
type commandError struct{ error }

func (f commandError) Unwrap() error { return f.error }

// statusOf is the status of a failure.
func statusOf(err error) int {
	_, mistake := command.AsUsage(err)
	_, busy := errors.AsType[*engine.BusyError](err)
	_, large := errors.AsType[*http.MaxBytesError](err)
	_, late := errors.AsType[lateError](err)
	_, failed := errors.AsType[commandError](err)
	switch {
	case errors.Is(err, engine.ErrClosed), errors.Is(err, httpx.ErrStopping):
		return http.StatusServiceUnavailable
	case large, errors.Is(err, store.ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, engine.ErrGone), errors.Is(err, engine.ErrDropped), busy, late:
		return http.StatusConflict
	case mistake, errors.Is(err, engine.ErrInput), errors.Is(err, store.ErrName):
		return http.StatusBadRequest
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, store.ErrFull):
		return http.StatusInsufficientStorage
	case failed:
		return http.StatusUnprocessableEntity
	case errors.Is(err, context.Canceled):
		return 499 // the client has gone; nobody reads it
	}
	return http.StatusInternalServerError
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
