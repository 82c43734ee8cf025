package refusal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/server/refusal"
	"react-agent/store"
)

// Whatever is met has the status of its kind and words for its reader; only what is nobody's fault but ours is in the log.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{engine.ErrClosed, 503, "the server is stopping"},
		{httpx.ErrStopping, 503, "the server is stopping"},
		{&engine.BusyError{Session: "a", PID: 7}, 409, "7"},
		{engine.ErrDropped, 409, "removed meanwhile"},
		{engine.ErrGone, 409, "waits no more"},
		{refusal.LateError{Err: errors.New("nobody waits")}, 409, "nobody waits"},
		{store.ErrFull, 507, "disk is full"},
		{store.ErrTooLarge, 413, "too large to be stored"},
		{store.ErrNotFound, 404, "not found"},
		{store.ErrName, 400, "bad name"},
		{engine.ErrInput, 400, ""},
		{&command.UsageError{Err: msg.Errorf(msg.NoSuchSession, "a")}, 400, "no session"},
		{refusal.FailedError{Err: &command.UsageError{Err: errors.New("no such thing")}}, 400, "no such thing"},
		{refusal.FailedError{Err: errors.New("the model has failed")}, 422, "the model has failed"},
		{refusal.FailedError{Err: store.ErrFull}, 507, "disk is full"},
		{context.Canceled, 499, ""},
		{errors.New("/home/me: out of order"), 500, "its log has more"},
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		err := fmt.Errorf("around it: %w", c.err)
		refusal.Write(w, httptest.NewRequestWithContext(t.Context(), "POST", "/x", nil), msg.Catalogue{}, slog.New(slog.NewTextHandler(&log, nil)), err)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%v: %d %s", err, w.Code, w.Body)
		}
		if later := w.Header().Get("Retry-After") != ""; later != (c.status == 503) {
			t.Errorf("%v: Retry-After %v", err, later)
		}
		if logged := strings.Contains(log.String(), "out of order"); logged != (c.status == 500) || logged && strings.Contains(w.Body.String(), "/home") {
			t.Errorf("%v: logged %v, said %s", err, logged, w.Body)
		}
	}
}
