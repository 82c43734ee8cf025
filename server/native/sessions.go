package native

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/server/refusal"
	"react-agent/store"
)

// How many sessions a page has, and how many it may have.
const (
	pageSize = 50
	pageMost = 500
)

// page is a part of the list of sessions. Next, if it is there, is the "before" of the page that follows.
type page struct {
	Sessions []engine.SessionInfo `json:"sessions"`
	Next     string               `json:"next,omitempty"`
}

// Sessions answers GET /sessions: newest first, those after ?before=ID, at most ?limit=N of them. Children are listed with
// ?all=1 only.
func (a *API) Sessions(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit := pageSize
	if q.Has("limit") {
		s := q.Get("limit")
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > pageMost {
			a.refuse(w, r, &command.UsageError{Err: msg.Errorf(msg.NativeLimit, s, pageMost)})
			return
		}
		limit = n
	}
	all, err := refusal.Switch(q, "all", false)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	p := page{Sessions: []engine.SessionInfo{}}
	before := q.Get("before")
	if q.Has("before") && before == "" {
		a.refuse(w, r, &command.UsageError{Err: msg.Errorf(msg.NativeBefore)})
		return
	}
	for info, err := range a.o.Engine.List(r.Context(), before) {
		if errors.Is(err, store.ErrNotFound) && before != "" {
			err = absent(before)
		}
		if err != nil {
			a.refuse(w, r, err)
			return
		}
		if !all && strings.Contains(info.ID, ".") {
			continue
		}
		if len(p.Sessions) == limit {
			p.Next = p.Sessions[limit-1].ID
			break
		}
		p.Sessions = append(p.Sessions, info)
	}
	httpx.Answer(w, http.StatusOK, p)
}

// detail is all that is known of one session. Queue is there even if nothing waits.
type detail struct {
	engine.SessionInfo
	Queue []engine.Queued `json:"queue"`
	// Asks are the questions that wait for an answer, in the order of their calls.
	Asks []agent.Ask `json:"asks"`
	// State is what features keep: todos, mode, plan and the like.
	State map[string]json.RawMessage `json:"state,omitempty"`
	// Open says that a run has begun and not ended; Stop and Error are those of the last one that has ended.
	Open  bool          `json:"open"`
	Stop  agent.RunStop `json:"stop,omitempty"`
	Error *agent.Error  `json:"error,omitempty"`
	// Steps counts the model calls of the open or last run.
	Steps int    `json:"steps"`
	Model string `json:"model,omitempty"`
}

// Session answers GET /sessions/ID. A session to which nothing was ever said is not there. With ?brief=1 it says no more than
// the list does, and the queue: that costs less.
func (a *API) Session(w http.ResponseWriter, r *http.Request) {
	info, ok := a.session(w, r, false)
	if !ok {
		return
	}
	brief, err := refusal.Switch(r.URL.Query(), "brief", false)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	if brief {
		httpx.Answer(w, http.StatusOK, info)
		return
	}
	d, err := a.detail(r.Context(), info)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	httpx.Answer(w, http.StatusOK, d)
}

func (a *API) detail(ctx context.Context, info engine.SessionInfo) (detail, error) {
	d := detail{SessionInfo: info, Queue: info.Queue, Asks: []agent.Ask{}}
	if d.Queue == nil {
		d.Queue = []engine.Queued{}
	}
	s, last, err := a.stored(ctx, info.ID)
	if err != nil {
		return d, err
	}
	d.Asks = append(d.Asks, openAsks(s)...)
	d.State, d.Open, d.Steps, d.Model = s.State, s.Open, s.Steps, s.Setup.Model
	d.Stop, d.Error = last.Stop, last.Error
	return d, nil
}

// stored is a session as it is stored, and the end of the last run that has ended; of that nothing is known once it was
// taken back.
func (a *API) stored(ctx context.Context, id string) (s *agent.Session, last agent.Event, err error) {
	var end engine.Frame
	lines := func(yield func([]byte, error) bool) {
		for frames, err := range a.o.Frames(ctx, id, 0, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, f := range frames {
				switch f.Type { //nolint:exhaustive // the others leave it as it is
				case agent.EvEnd:
					end = f
				case agent.EvVoid:
					end = engine.Frame{}
				}
				if line, err := f.Line(); !yield(line, err) {
					return
				}
			}
		}
		if ctx.Err() != nil { // that was not all
			yield(nil, context.Cause(ctx))
		}
	}
	s, err = agent.Load(id, lines, engine.Bodies(ctx, a.o.Blobs, nil))
	if err == nil && end.Type != "" {
		last, err = end.Event()
	}
	return s, last, err
}

// openAsks are the questions of a session that wait for an answer.
func openAsks(s *agent.Session) []agent.Ask {
	var list []agent.Ask
	for _, q := range s.Asks {
		list = append(list, q)
	}
	slices.SortFunc(list, func(x, y agent.Ask) int { return strings.Compare(x.ID, y.ID) })
	calls := s.OpenCalls()
	at := func(q agent.Ask) int {
		return slices.IndexFunc(calls, func(c agent.Call) bool { return strings.HasPrefix(q.ID, c.Key+"/") })
	}
	slices.SortStableFunc(list, func(x, y agent.Ask) int { return at(x) - at(y) })
	return list
}

// Delete answers DELETE /sessions/ID: the session's run ends, and it is gone with its children. Where an attempt before has
// failed half way, another one takes away what that has left; 404 says that nothing is there any more.
func (a *API) Delete(w http.ResponseWriter, r *http.Request) {
	info, ok := a.session(w, r, true)
	if !ok {
		return
	}
	_, gone := a.begun(r.Context(), info.ID)
	if gone != nil && !errors.Is(gone, store.ErrNotFound) {
		a.refuse(w, r, gone)
		return
	}
	remove := a.o.Engine.Delete
	if a.o.Delete != nil {
		remove = a.o.Delete
	}
	// A client that does not wait for the answer has said what it wants all the same.
	err := remove(context.WithoutCancel(r.Context()), info.ID)
	if err == nil {
		err = gone
	}
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
