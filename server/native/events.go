package native

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/internal/sse"
	"react-agent/server/refusal"
	"react-agent/store"
)

// Events streams what happens in a session: the stored events behind a position, then what comes. The position is the
// header Last-Event-ID, which a browser sends when it comes back, else the parameter after, else the beginning. With live=0
// the stream ends with what is stored.
//
// Each event is one line of JSON in data, with its seq as id; no event has a type of its own, so that one handler sees all.
// Who comes back to a session that was removed and begun anew meanwhile is refused (409): it was further than the session is,
// or the parameter born has not the value that the header Session-Born had, or the time of event 1.
//
// A live event has the seq of the durable one before it: coming back with it brings the durable ones that were missed. A
// session that does not exist yet has no events yet.
func (a *API) Events(w http.ResponseWriter, r *http.Request) {
	ask, err := streamOf(r)
	if err != nil {
		httpx.Refuse(w, http.StatusBadRequest, a.o.Msg.Err(err))
		return
	}
	if !a.sameSession(w, r, ask) {
		return
	}
	out := sse.NewWriter(w)
	defer out.Close() //nolint:errcheck // the reader is gone if this fails
	id := strconv.AppendInt(make([]byte, 0, 20), ask.after, 10)
	for frames, err := range a.o.Frames(r.Context(), ask.session, ask.after, ask.live) {
		for i := range frames {
			var line []byte
			if line, err = frames[i].Line(); err != nil {
				break
			}
			id = strconv.AppendInt(id[:0], frames[i].Seq, 10)
			out.Add(sse.Event{ID: id, Data: line})
		}
		if err != nil {
			if errors.Is(err, engine.ErrClosed) {
				out.Comment(a.o.Msg.Err(err))
			} else {
				out.Add(sse.Event{ID: id, Data: a.failed(ask.session, string(id), err)})
				_ = out.Flush() // the reader is told, if it is there
			}
			cut(ask)
			return
		}
		if out.Flush() != nil {
			return
		}
	}
	if cause := context.Cause(r.Context()); errors.Is(cause, httpx.ErrStopping) {
		out.Comment(cause.Error())
		cut(ask)
	}
}

// failed is the notice that a session cannot be followed any further.
func (a *API) failed(session, last string, err error) []byte {
	seq, _ := strconv.ParseInt(last, 10, 64) // it was written by us
	line, err := agent.EncodeJSON(agent.Event{
		Seq: seq, Type: agent.EvNotice, Time: time.Now().UTC().Round(0), Session: session,
		Error: &agent.Error{Kind: agent.ErrInternal, Message: a.o.Msg.Err(err)},
	})
	if err != nil { // there is nothing in it that could not be encoded
		return nil
	}
	return line
}

// sameSession refuses a reader who was further than the session is, or has read another one of this name: it was removed
// and begun anew. The header Session-Born says which one this is, for the parameter born of who comes back.
func (a *API) sameSession(w http.ResponseWriter, r *http.Request, ask stream) bool {
	if a.o.Span == nil {
		return true
	}
	born, last, err := a.o.Span(r.Context(), ask.session)
	switch {
	case err != nil:
		a.refuse(w, r, err)
		return false
	case ask.after > last, !ask.born.IsZero() && !born.IsZero() && !ask.born.Equal(born):
		httpx.Refuse(w, http.StatusConflict, a.o.Msg.Text(msg.StreamOther, ask.session, last))
		return false
	case !born.IsZero():
		w.Header().Set("Session-Born", born.Format(time.RFC3339Nano))
	}
	return true
}

// cut breaks a stream off that was to end with what is stored: its client must not take it for whole.
func cut(s stream) {
	if !s.live {
		panic(http.ErrAbortHandler)
	}
}

// stream is what a request for events asks for.
type stream struct {
	session string
	after   int64
	live    bool
	born    time.Time // of the session that the reader knows; zero: it knows none
}

func streamOf(r *http.Request) (s stream, err error) {
	if s.session, err = store.CleanID(r.PathValue("id")); err != nil {
		return s, msg.Errorf(msg.StreamSession, err)
	}
	query, after := r.URL.Query(), []int64(nil)
	for _, p := range []struct{ name, value string }{{"Last-Event-ID", r.Header.Get("Last-Event-ID")}, {"after", query.Get("after")}} {
		if p.value == "" {
			continue
		}
		n, err := strconv.ParseInt(p.value, 10, 64)
		if err != nil || n < 0 {
			return s, msg.Errorf(msg.StreamAfter, p.name, clip(p.value))
		}
		after = append(after, n)
	}
	if len(after) > 0 {
		s.after = after[0]
	}
	if at := query.Get("born"); at != "" {
		if s.born, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return s, msg.Errorf(msg.StreamBorn, clip(at))
		}
	}
	s.live, err = refusal.Switch(query, "live", true)
	return s, err
}

// clip keeps what a stranger sent short in an answer.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
