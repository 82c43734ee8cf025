// Package refusal answers requests that cannot be done, for every interface in one way: which error has which status, and in
// which words. 400 is a mistake, 404 what is not there, 409 what comes too late or belongs to somebody else right now, 413 what
// is too large, 422 what was tried and has failed, 503 a server that stops, 507 a full disk. Everything else is a fault of the
// program: 500, without its words, which may name places on this machine; the log has them. The switches of addresses are read
// here too, so that what is none is refused in one way.
package refusal

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/store"
)

// FailedError is what a command, or another piece of work that was asked for, has met. Its words are for whoever asked.
type FailedError struct{ Err error }

// Error implements error.
func (f FailedError) Error() string { return f.Err.Error() }

// Unwrap gives what is inside.
func (f FailedError) Unwrap() error { return f.Err }

// LateError says that nobody waits for what came any more, or ever did.
type LateError struct{ Err error }

// Error implements error.
func (l LateError) Error() string { return l.Err.Error() }

// Unwrap gives what is inside.
func (l LateError) Unwrap() error { return l.Err }

// Switch reads a switch of an address, such as ?live=0. One that is not there, or is empty, is as usual; what is no switch is
// a mistake.
func Switch(q url.Values, name string, usual bool) (bool, error) {
	v := q.Get(name)
	if v == "" {
		return usual, nil
	}
	on, err := strconv.ParseBool(v)
	if err != nil {
		return false, &command.UsageError{Err: msg.Errorf(msg.NativeSwitch, name, text.Head(v, 40))}
	}
	return on, nil
}

// Write answers a request with what is wrong, in the catalogue's language. A fault of the program is told to the log.
func Write(w http.ResponseWriter, r *http.Request, c msg.Catalogue, log *slog.Logger, err error) {
	status := statusOf(err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if status == http.StatusInternalServerError {
		log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	httpx.Refuse(w, status, c.Err(worded(status, err)))
}

// worded is an error as its reader is to see it.
func worded(status int, err error) error {
	if late, ok := errors.AsType[LateError](err); ok {
		return late.Err
	}
	if busy, ok := errors.AsType[*engine.BusyError](err); ok {
		return msg.Errorf(msg.SessionHeld, busy.Session, busy.PID)
	}
	switch {
	case errors.Is(err, store.ErrFull):
		return msg.Errorf(msg.NativeFull)
	case errors.Is(err, store.ErrTooLarge):
		return msg.Errorf(msg.NativeRecord, store.MaxRecord>>20)
	case errors.Is(err, engine.ErrDropped):
		return msg.Errorf(msg.NativeRemoved)
	case status == http.StatusServiceUnavailable:
		return msg.Errorf(msg.NativeStopping)
	case status == http.StatusInternalServerError:
		return msg.Errorf(msg.NativeFault)
	}
	said, _ := command.Mistaken(err)
	return said
}

// statusOf is the status of a failure.
func statusOf(err error) int {
	_, mistake := command.AsUsage(err)
	_, busy := errors.AsType[*engine.BusyError](err)
	_, late := errors.AsType[LateError](err)
	_, failed := errors.AsType[FailedError](err)
	switch {
	case errors.Is(err, engine.ErrClosed), errors.Is(err, httpx.ErrStopping):
		return http.StatusServiceUnavailable
	case errors.Is(err, store.ErrTooLarge):
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
