// Package chat serves one turn a request: POST /chat answers with the frames of the turn as they happen, and four smaller
// routes look at the team's work. It is the interface of the oldest of the source systems, to the letter.
//
//	event: TYPE
//	data: {"type":TYPE,"data":{…}}
//
//	thinking     {"step":"calling LLM"} before each model call, {"step":"auto-compact"} when the history is made smaller
//	tool_call    {"name","args"} before a tool runs, in the model's own words; that of a call that never started comes with its result
//	tool_result  {"name","result"}, cut to 2000 characters and "..."
//	message      {"content"}, one for each text of an answer
//	error        {"error"} when the turn did not end with an answer
//	done         {}, always last
//
// Four frames are ours: ask {"id","text","choices"} when the turn waits for a person, who answers through the session's
// input; where the body says "stream":true (or the address ?stream=1), delta {"text"} for each piece of an answer and retry {"text"?}
// where the pieces since the last frame but a notice no longer count; and notice {"text"} for what a person should know and is no
// part of the answer, such as a compaction that has failed.
//
// A session has one turn at a time: a message for one that is busy waits. Who leaves does not end the turn, unless the body
// says "cancel_on_disconnect":true; then a message that waits is taken back, and a turn that runs is cancelled.
//
// A message may have an "id": sent again with the same one it is not said again, but its turn is shown from the beginning, at
// work or done. The header Input-Id says so. Where the server stops in the middle of such a turn, its frames end without
// done: whoever sends it again sees how it went on.
//
// Every method of [API] is a plain http.HandlerFunc. Routes, who may come in and how much, are the business of package
// server.
package chat

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"strings"

	"react-agent/engine"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/server/refusal"
	"react-agent/store"
)

// Options are what the interface is made of. Engine is needed.
type Options struct {
	Engine engine.Engine
	// Frames is Engine.Follow with events encoded once for all, and all that waits at once ([engine.Local.Frames]); nil: those
	// of [engine.FramesOf].
	Frames func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]engine.Frame, error]
	// Tasks and Team give the words of the tools task_list and list_teammates; nil: there are none.
	Tasks func(ctx context.Context) (string, error)
	Team  func(ctx context.Context) (string, error)
	// Inbox takes what waits for the lead, as a JSON array; nil: nothing waits.
	Inbox func(ctx context.Context) (json.RawMessage, error)
	// Compact makes a session's history smaller now, when its run has ended; false: there was nothing to do.
	Compact func(ctx context.Context, session string) (bool, error)
	// Rounds says how the end of a run at its step limit is worded, with %d, the limit; "" takes the source system's words.
	Rounds string
	// Limit is that step limit; 0: how many steps the run had.
	Limit int
	// Msg says what the source system has no words for. The zero value speaks English.
	Msg msg.Catalogue
	// Logger is told of faults of the program; nil: nobody is.
	Logger *slog.Logger
}

// Default is the session of a request that names none.
const Default = "default"

// API has the handlers. It is safe for concurrent use.
type API struct{ o Options }

// New makes the interface.
func New(o Options) *API {
	if o.Rounds == "" {
		o.Rounds = "Agent hit max rounds (%d)"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Frames == nil {
		o.Frames = engine.FramesOf(o.Engine)
	}
	return &API{o: o}
}

// order is the body of a request.
type order struct {
	Session string `json:"session_id"`
	Message string `json:"message"`
	Stream  bool   `json:"stream"`
	Cancel  bool   `json:"cancel_on_disconnect"`
	ID      string `json:"id"`
}

// read reads the body; false: it was refused.
func (a *API) read(w http.ResponseWriter, r *http.Request, mayBeEmpty bool) (o order, ok bool) {
	raw, err := io.ReadAll(r.Body)
	if empty := len(strings.TrimSpace(string(raw))) == 0; err == nil && (!empty || !mayBeEmpty) {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		httpx.Refuse(w, http.StatusBadRequest, "invalid request: "+err.Error())
		return o, false
	}
	if o.Session == "" {
		o.Session = Default
	}
	id, err := store.CleanID(o.Session)
	switch {
	case err != nil:
		httpx.Refuse(w, http.StatusBadRequest, a.o.Msg.Text(msg.ChatSession, err))
	case strings.Contains(id, "."):
		httpx.Refuse(w, http.StatusBadRequest, a.o.Msg.Text(msg.ChatChild, o.Session))
	default:
		o.Session = id
		return o, true
	}
	return o, false
}

// Tasks answers GET /tasks.
func (a *API) Tasks(w http.ResponseWriter, r *http.Request) {
	a.say(w, r, "tasks", a.o.Tasks, "No tasks.")
}

// Team answers GET /team.
func (a *API) Team(w http.ResponseWriter, r *http.Request) {
	a.say(w, r, "team", a.o.Team, "No teammates.")
}

func (a *API) say(w http.ResponseWriter, r *http.Request, name string, words func(context.Context) (string, error), none string) {
	text := none
	if words != nil {
		var err error
		if text, err = words(r.Context()); err != nil {
			a.fail(w, r, err)
			return
		}
	}
	httpx.Answer(w, http.StatusOK, map[string]string{name: text})
}

// Inbox answers GET /inbox: what it gives is taken out.
func (a *API) Inbox(w http.ResponseWriter, r *http.Request) {
	list := json.RawMessage("[]")
	if a.o.Inbox != nil {
		var err error
		if list, err = a.o.Inbox(r.Context()); err != nil {
			a.fail(w, r, err)
			return
		}
	}
	if s := strings.TrimSpace(string(list)); s == "" || s == "null" {
		list = json.RawMessage("[]")
	}
	httpx.Answer(w, http.StatusOK, map[string]json.RawMessage{"inbox": list})
}

// Compact answers POST /compact. It waits for the end of a run.
func (a *API) Compact(w http.ResponseWriter, r *http.Request) {
	o, ok := a.read(w, r, true)
	if !ok {
		return
	}
	done := false
	if a.o.Compact != nil {
		var err error
		if done, err = a.o.Compact(r.Context(), o.Session); err != nil {
			a.fail(w, r, refusal.FailedError{Err: err}) // as the command has
			return
		}
	}
	status := "compacted"
	if !done {
		status = a.o.Msg.Text(msg.CompactNothing)
	}
	httpx.Answer(w, http.StatusOK, map[string]string{"status": status})
}

// fail answers a request that cannot be done.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	refusal.Write(w, r, a.o.Msg, a.o.Logger, err)
}
