package native_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/engine/enginetest"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/server/native"
	"react-agent/store"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is the interface with an engine behind it.
type site struct {
	t     *testing.T
	store *mem.Store
	gate  *enginetest.Gate
	local *engine.Local
	o     native.Options
	mux   *http.ServeMux
}

func newSite(t *testing.T, script ...agenttest.Reply) *site {
	t.Helper()
	s := &site{t: t, store: mem.New(), gate: enginetest.NewGate()}
	model := agenttest.NewModel(script...)
	var err error
	s.local, err = engine.New(engine.Config{
		Log: s.store, KV: s.store, Blobs: s.store,
		Factory: func(_ context.Context, spec engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{Model: model, Tools: []agent.Tool{s.gate.Tool("work")}, Hooks: []agent.Hook{enginetest.AskBefore("work")}, Ask: spec.Ask}, nil
		},
		Commands: func(_ context.Context, _, line string) (engine.Reply, error) {
			if line == "/bad" {
				return engine.Reply{}, errors.New("it went wrong")
			}
			return engine.Reply{Text: "did " + line}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		if err := s.local.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	s.o = native.Options{Engine: s.local, Blobs: s.store, Frames: s.local.Frames}
	return s
}

// handler has the routes as package server gives them.
func (s *site) handler() http.Handler {
	if s.mux != nil {
		return s.mux
	}
	a := native.New(s.o)
	s.mux = http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"GET /sessions": a.Sessions, "GET /sessions/{id}": a.Session, "DELETE /sessions/{id}": a.Delete, "POST /sessions/{id}/input": a.Input,
		"GET /sessions/{id}/events": a.Events, "GET /sessions/{id}/context": a.Context, "POST /blobs": a.PutBlob, "GET /blobs/{id}": a.GetBlob,
		"GET /board": a.Board, "GET /about": a.About,
	} {
		s.mux.HandleFunc(path, h)
	}
	return s.mux
}

func (s *site) ask(method, path, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body)))
	return w
}

// want asks, and wants a status and a text in the answer.
func (s *site) want(method, path, body string, status int, text string) string {
	s.t.Helper()
	w := s.ask(method, path, body)
	if w.Code != status || !strings.Contains(w.Body.String(), text) {
		s.t.Errorf("%s %s %s: %d %s, want %d %s", method, path, body, w.Code, w.Body.String(), status, text)
	}
	return w.Body.String()
}

func read[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// detail is what GET /sessions/ID gives.
type detail struct {
	ID    string                     `json:"id"`
	Seq   int64                      `json:"seq"`
	Queue []engine.Queued            `json:"queue"`
	Asks  []agent.Ask                `json:"asks"`
	State map[string]json.RawMessage `json:"state"`
	Open  bool                       `json:"open"`
	Stop  agent.RunStop              `json:"stop"`
	Steps int                        `json:"steps"`
	Model string                     `json:"model"`
}

// A session is told from its first word to its end: what is asked, what waits, what it came to.
func TestSession(t *testing.T) {
	s := newSite(t, agenttest.CallTools("work", "{}", "work", "{}"), agenttest.Say("done"), agenttest.Say("later"))
	s.want("GET", "/sessions/a", "", http.StatusNotFound, "a")
	s.want("GET", "/sessions/a?brief=1", "", http.StatusNotFound, "a")
	f := enginetest.Follow(t, s.local, "a", 0)
	r := read[engine.Receipt](t, s.want("POST", "/sessions/A/input", `{"id":"x","message":"go"}`, http.StatusAccepted, `"pos":`))
	if again := read[engine.Receipt](t, s.want("POST", "/sessions/a/input", `{"id":"x","message":"go"}`, http.StatusAccepted, `"again":true`)); again.Pos != r.Pos {
		t.Errorf("%+v %+v", r, again)
	}
	ask := f.UntilType(agent.EvAsk).Ask
	d := read[detail](t, s.want("GET", "/sessions/a", "", http.StatusOK, "may it?"))
	if len(d.Asks) != 1 || !d.Open || d.Stop != "" || d.Steps != 1 || d.Model == "" || d.Queue == nil {
		t.Errorf("%+v", d)
	}
	allow := func(id string) {
		s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"answer":{"id":%q,"allow":true}}`, id), http.StatusAccepted, "")
		f.UntilType(agent.EvAnswer)
	}
	allow(ask.ID)
	allow(f.UntilType(agent.EvAsk).Ask.ID)
	s.gate.Wait(t)
	q := read[engine.Receipt](t, s.want("POST", "/sessions/a/input", `{"message":{"parts":[{"kind":"text","text":"then"}]},"queue":true}`, http.StatusAccepted, ""))
	if d := read[detail](t, s.want("GET", "/sessions/a", "", http.StatusOK, "then")); len(d.Queue) != 1 || d.Queue[0].Pos != q.Pos || !d.Queue[0].Queue {
		t.Errorf("%+v", d)
	}
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"edit":%d,"message":"then this"}`, q.Pos), http.StatusAccepted, fmt.Sprintf(`"edit":%d`, q.Pos))
	s.gate.Open <- struct{}{}
	s.gate.Open <- struct{}{}
	f.Until("the first end", enginetest.IsEnd)
	f.Until("the second end", enginetest.IsEnd)
	enginetest.WantTexts(t, f.Seen, agent.User, "go", "then this")
	enginetest.WaitIdle(t, s.local, "a")
	if d := read[detail](t, s.want("GET", "/sessions/a", "", http.StatusOK, "")); d.Open || d.Stop != agent.RunEnd || len(d.Asks) != 0 {
		t.Errorf("%+v", d)
	}
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"edit":%d,"message":"too late"}`, q.Pos), http.StatusConflict, "")
	s.want("GET", "/sessions/a?brief=1", "", http.StatusOK, `"seq"`)
	if err := s.local.Do(t.Context(), "a", func(ctx context.Context, a *agent.Agent, x *agent.Session, _ func(agent.Event)) error {
		return a.Append(ctx, x, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: 1, To: x.Seq}})
	}); err != nil {
		t.Fatal(err)
	}
	if d := read[detail](t, s.want("GET", "/sessions/a", "", http.StatusOK, "")); d.Stop != "" {
		t.Errorf("what was taken back has ended %s", d.Stop)
	}
	if w := s.ask("DELETE", "/sessions/a", ""); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s.want("DELETE", "/sessions/a", "", http.StatusNotFound, "no session")
	s.want("GET", "/sessions/a", "", http.StatusNotFound, "")
}

// What a removal that has failed half way has left is taken away by the next one; a sub-agent's session that nobody has begun
// is left to its parent.
func TestRemovalInPieces(t *testing.T) {
	s := newSite(t, agenttest.Say("hello"))
	left, calls := 2, 0
	s.o.Delete = func(ctx context.Context, id string) error {
		calls++
		if err := s.local.Delete(ctx, id); err != nil {
			return err
		}
		if left > 0 {
			left--
			return errors.New("a fault")
		}
		return nil
	}
	s.want("POST", "/sessions/a/input", `{"message":"hi"}`, http.StatusAccepted, "")
	enginetest.WaitIdle(t, s.local, "a")
	s.want("DELETE", "/sessions/a", "", http.StatusInternalServerError, "")
	s.want("GET", "/sessions/a", "", http.StatusNotFound, "")
	s.want("DELETE", "/sessions/a", "", http.StatusInternalServerError, "")
	s.want("DELETE", "/sessions/a", "", http.StatusNotFound, "no session")
	s.want("DELETE", "/sessions/a.1", "", http.StatusNotFound, "no session")
	if left != 0 || calls != 3 {
		t.Errorf("%d calls, and %d pieces are left", calls, left)
	}
}

// An answer in words is read as a person's line: of an approval, anything but a yes is a no.
func TestAnswersInWords(t *testing.T) {
	s := newSite(t, agenttest.CallTool("work", "{}"), agenttest.Say("done"))
	f := enginetest.Follow(t, s.local, "a", 0)
	s.want("POST", "/sessions/a/input", `{"message":"go"}`, http.StatusAccepted, "")
	ask := f.UntilType(agent.EvAsk).Ask
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"answer":{"id":%q,"text":"rather not"}}`, ask.ID), http.StatusAccepted, "")
	if a := f.UntilType(agent.EvAnswer).Answer; a.Allow || a.Text != "rather not" {
		t.Errorf("%+v", a)
	}
	f.Until("the end", enginetest.IsEnd)
}

// An answer to what nobody has asked, or what has its answer, is refused with what waits; said again under its id it counted.
func TestAnswersToNothing(t *testing.T) {
	s := newSite(t, agenttest.CallTool("work", "{}"), agenttest.Say("done"))
	f := enginetest.Follow(t, s.local, "a", 0)
	s.want("POST", "/sessions/a/input", `{"answer":{"id":"nosuch","allow":true}}`, http.StatusNotFound, "no session")
	s.want("GET", "/sessions/a", "", http.StatusNotFound, "GET /sessions lists")
	s.want("POST", "/sessions/a/input", `{"message":"go"}`, http.StatusAccepted, "")
	ask := f.UntilType(agent.EvAsk).Ask
	s.want("POST", "/sessions/a/input", `{"answer":{"id":"nosuch","text":"yes"}}`, http.StatusConflict, "those that wait: "+ask.ID)
	s.want("POST", "/sessions/a/input", `{"answer":{"id":""}}`, http.StatusBadRequest, "")
	answer := fmt.Sprintf(`{"id":"once","answer":{"id":%q,"allow":false}}`, ask.ID)
	s.want("POST", "/sessions/a/input", answer, http.StatusAccepted, "")
	f.UntilType(agent.EvAnswer)
	s.want("POST", "/sessions/a/input", answer, http.StatusAccepted, `"again":true`)
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"answer":{"id":%q,"allow":true}}`, ask.ID), http.StatusConflict, ask.ID)
	f.Until("the end", enginetest.IsEnd)
}

// What is refused is said in words that a person who speaks HTTP can use, and nothing of the inside shows.
func TestRefusalsInWords(t *testing.T) {
	s := newSite(t)
	s.want("GET", "/sessions?limit=", "", http.StatusBadRequest, `limit=\"\"`)
	s.want("GET", "/sessions?before=", "", http.StatusBadRequest, "before is empty")
	s.want("GET", "/sessions?all=some", "", http.StatusBadRequest, `all cannot be \"some\"`)
	enginetest.Submit(t, s.local, "a", enginetest.Say("hi"))
	s.want("GET", "/sessions/a?brief=some", "", http.StatusBadRequest, `brief cannot be \"some\"`)
	if got := s.want("GET", "/sessions/a?brief=true", "", http.StatusOK, `"id":"a"`); strings.Contains(got, "asks") {
		t.Error(got)
	}
	s.want("GET", "/sessions?before=nosuch", "", http.StatusNotFound, "GET /sessions lists")
	s.want("POST", "/blobs", `{"name":"a","data":"!!"}`, http.StatusBadRequest, "data is no base64: character 1")
	for _, path := range []string{"/sessions/bad%20name", "/sessions/bad%20name/events", "/sessions/a.x", "/sessions?before=bad%20name", "/about?session=-"} {
		if got := s.want("GET", path, "", http.StatusBadRequest, "id"); strings.Contains(got, "store") || strings.Contains(got, "bad name:") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Newest first, in pages that meet without a gap; children are hidden unless they are asked for.
func TestSessions(t *testing.T) {
	s := newSite(t)
	if got := s.want("GET", "/sessions", "", http.StatusOK, ""); strings.TrimSpace(got) != `{"sessions":[]}` {
		t.Errorf("%s", got)
	}
	for _, id := range []string{"a", "b", "b.1", "c"} { // the script of the model is over: an error each
		f := enginetest.Follow(t, s.local, id, 0)
		enginetest.Submit(t, s.local, id, enginetest.Say("hi "+id))
		f.Until("the end", enginetest.IsEnd)
		enginetest.WaitIdle(t, s.local, id)
	}
	type page struct {
		Sessions []engine.SessionInfo
		Next     string
	}
	list := func(query string) (got string) {
		p := read[page](t, s.want("GET", "/sessions"+query, "", http.StatusOK, ""))
		for _, i := range p.Sessions {
			got += i.ID + " "
		}
		return got + "> " + p.Next
	}
	for query, want := range map[string]string{
		"": "c b a > ", "?all=1": "c b.1 b a > ", "?limit=2": "c b > b", "?limit=2&before=b": "a > ", "?limit=1&before=b.1": "b > b", "?limit=3": "c b a > ",
	} {
		if got := list(query); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	for query, status := range map[string]int{"?limit=0": 400, "?limit=x": 400, "?limit=501": 400, "?before=..": 400, "?before=nobody": 404} {
		s.want("GET", "/sessions"+query, "", status, `"error":`)
	}
}

// What is wrong is said in the words of the engine, in the server's language, with a status that says whose fault it is.
func TestRefusals(t *testing.T) {
	s := newSite(t)
	s.o.Msg = msg.For(msg.Zh)
	for _, c := range []struct {
		method, path, body string
		status             int
		text               string
	}{
		{"POST", "/sessions/a/input", `{}`, 400, "没有 message"},
		{"POST", "/sessions/a/input", `{"mesage":"x"}`, 400, "mesage"},
		{"POST", "/sessions/a/input", ``, 400, "JSON"},
		{"POST", "/sessions/a/input", `{"message":{"role":"tool","parts":[]}}`, 400, "role 应该是 user"},
		{"POST", "/sessions/a/input", `{"message":"x","cancel":true}`, 400, ""},
		{"POST", "/sessions/a/input", `{"edit":7,"message":"x"}`, 409, ""},
		{"POST", "/sessions/..%2f/input", `{"message":"x"}`, 400, ""},
		{"POST", "/sessions/a/input", `{"command":"/bad"}`, 422, "it went wrong"},
		{"POST", "/sessions/a/input", `{"message":{"parts":[{"kind":"blob","blob":{"mime":"image/png","sha256":"00"}}]}}`, 400, "POST /blobs"},
		{"POST", "/blobs", `{"data":"no base64!"}`, 400, "base64"},
		{"POST", "/blobs", `{"data":""}`, 400, "空"},
		{"POST", "/blobs", `{"file":""}`, 400, "file"},
		{"GET", "/blobs/nothing", ``, 404, "nothing"},
		{"GET", "/sessions/%20", ``, 400, ""},
		{"DELETE", "/sessions/%20", ``, 400, ""},
		{"GET", "/sessions/%20/context", ``, 400, ""},
		{"GET", "/sessions/a/context", ``, 404, "/sessions/a/context"},
		{"GET", "/sessions/nobody", ``, 404, "没有会话 \\\"nobody\\\""},
		{"GET", "/sessions?before=nobody", ``, 404, "没有会话"},
		{"GET", "/sessions/a.1/context", ``, 404, "没有会话"},
		{"GET", "/board", ``, 404, "/board"},
		{"GET", "/about", ``, 404, "/about"},
		{"GET", "/about?session=%20", ``, 400, ""},
	} {
		text := s.want(c.method, c.path, c.body, c.status, c.text)
		if said := read[struct{ Error string }](t, text); said.Error == "" {
			t.Errorf("%s %s: %s", c.method, c.path, text)
		}
	}
	s.want("POST", "/sessions/a/input", `{"command":"/good"}`, http.StatusAccepted, "did /good")
}

// Faults that are nobody's mistake have a status that says what they are; only what is nobody's at all is in the log.
func TestFaults(t *testing.T) {
	var log bytes.Buffer
	s := newSite(t, agenttest.Say("hello"))
	var err error
	s.o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s.o.Delete = func(context.Context, string) error { return err }
	s.o.About = func(context.Context, string) (any, error) { return nil, err }
	s.want("POST", "/sessions/a/input", `{"message":"hi"}`, http.StatusAccepted, "")
	enginetest.WaitIdle(t, s.local, "a")
	for _, c := range []struct {
		err    error
		status int
		text   string
	}{
		{engine.ErrClosed, 503, "stopping"},
		{httpx.ErrStopping, 503, ""},
		{&engine.BusyError{Session: "a", PID: 7}, 409, "7"},
		{store.ErrFull, 507, ""},
		{store.ErrTooLarge, 413, ""},
		{store.ErrNotFound, 404, ""},
		{context.Canceled, 499, ""},
		{&command.UsageError{Err: msg.Errorf(msg.NoSuchSession, "a")}, 400, "no session \\\"a\\\""},
		{engine.ErrDropped, 409, "removed meanwhile"},
		{errors.New("a fault"), 500, "its log has more"},
	} {
		err = c.err
		s.want("DELETE", "/sessions/a", "", c.status, c.text)
		w := s.ask("GET", "/about", "")
		if w.Code != c.status || c.status == 503 && w.Header().Get("Retry-After") == "" {
			t.Errorf("%v: %d %v", c.err, w.Code, w.Header())
		}
	}
	if n := strings.Count(log.String(), "request failed"); n != 2 {
		t.Errorf("%d lines: %s", n, &log)
	}
}

// What the page looks at is handed on as it is, for the session that is named.
func TestLooks(t *testing.T) {
	s := newSite(t, agenttest.Say("hello"))
	s.o.Fill = func(_ context.Context, id string) (any, error) { return "fill of " + id, nil }
	s.o.Board = func(context.Context) (any, error) { return map[string]any{"tasks": []int{1}}, nil }
	s.o.About = func(_ context.Context, id string) (any, error) { return "about " + id, nil }
	s.want("GET", "/sessions/A/context", "", 200, `"fill of a"`) // what it would be filled with
	s.want("POST", "/sessions/a/input", `{"message":"hi"}`, http.StatusAccepted, "")
	enginetest.WaitIdle(t, s.local, "a")
	s.want("GET", "/sessions/A/context", "", 200, `"fill of a"`)
	s.want("GET", "/board", "", 200, `{"tasks":[1]}`)
	s.want("GET", "/about", "", 200, `"about "`)
	s.want("GET", "/about?session=A", "", 200, `"about a"`)
}

// What was typed is made ready by the product, which may make a command of it; what is attached is what it is, not what it is
// said to be.
func TestPrepare(t *testing.T) {
	s := newSite(t, agenttest.Say("ok"))
	done := 0
	s.o.Attach = func(_ context.Context, name string, data []byte) (agent.Blob, error) {
		if name == "bad" {
			return agent.Blob{}, errors.New("bad is of no use")
		}
		return agent.Blob{MIME: "image/png", Name: name, Data: data}, nil
	}
	s.o.Prepare = func(_ context.Context, _ string, in *engine.Input, typed bool) (func(), error) {
		switch {
		case in.Message != nil && typed && in.Message.Text() == "/go":
			in.Command, in.Message = "/go", nil
		case in.Message != nil && in.Message.Text() == "never":
			return nil, &command.UsageError{Err: errors.New("not that")}
		}
		return func() { done++ }, nil
	}
	s.want("POST", "/sessions/a/input", `{"message":"/go"}`, 202, "did /go")
	s.want("POST", "/sessions/a/input", `{"message":"never"}`, 400, "not that")
	if done != 1 {
		t.Errorf("%d inputs were handed in", done)
	}
	s.want("POST", "/blobs", `{"name":"bad","data":"eA=="}`, 400, "bad is of no use")
	up := read[struct {
		SHA256, MIME, Name string
		Size               int
	}](t, s.want("POST", "/blobs", `{"name":"C:\\x\\y.png","mime":"text/html","data":"eA=="}`, 201, ""))
	if up.MIME != "image/png" || up.Name != "y.png" || up.Size != 1 || len(up.SHA256) != 64 {
		t.Errorf("%+v", up)
	}
	f := enginetest.Follow(t, s.local, "a", 0)
	s.want("POST", "/sessions/a/input", `{"message":{"parts":[{"kind":"text","text":"look"},{"kind":"blob","blob":{"mime":"text/html","name":"y.png","sha256":"`+up.SHA256+`"}}]}}`, 202, "")
	m := f.UntilType(agent.EvMessage).Message
	if len(m.Parts) != 2 || m.Parts[1].Blob.MIME != "image/png" {
		t.Errorf("%+v", m)
	}
	f.Until("the end", enginetest.IsEnd)
	s.want("POST", "/sessions/a/input", `{"message":{"parts":[{"kind":"blob","blob":{"mime":"x","name":"bad","sha256":"`+up.SHA256+`"}}]}}`, 400, "bad is of no use")
}

// countedBlobs counts how often a blob is loaded.
type countedBlobs struct {
	store.Blobs
	loads int
}

func (c *countedBlobs) GetBlob(ctx context.Context, sha string) ([]byte, error) {
	c.loads++
	return c.Blobs.GetBlob(ctx, sha)
}

// A short request that refers to one upload over and over is refused before all of it is in memory; what is taken is loaded
// once, and is known in each of its places.
func TestManyReferences(t *testing.T) {
	s := newSite(t, agenttest.Say("ok"))
	blobs := &countedBlobs{Blobs: s.store}
	s.o.Blobs, s.o.Files, s.o.Bytes = blobs, 20, 2<<20
	s.o.Attach = func(_ context.Context, name string, _ []byte) (agent.Blob, error) {
		return agent.Blob{MIME: "text/" + name}, nil
	}
	up := read[struct{ SHA256 string }](t, s.want("POST", "/blobs", `{"data":"`+base64.StdEncoding.EncodeToString(make([]byte, 1<<20))+`"}`, 201, ""))
	small := read[struct{ SHA256 string }](t, s.want("POST", "/blobs", `{"data":"eA=="}`, 201, ""))
	many := func(n int, sha string) string {
		var parts strings.Builder
		for i := range n {
			fmt.Fprintf(&parts, `,{"kind":"blob","blob":{"mime":"text/plain","name":"n%d","sha256":%q}}`, i, sha)
		}
		return `{"message":{"parts":[{"kind":"text","text":"look"}` + parts.String() + `]}}`
	}
	loads := func(want int) {
		t.Helper()
		if blobs.loads != want {
			t.Errorf("%d loads, want %d", blobs.loads, want)
		}
		blobs.loads = 0
	}
	s.want("POST", "/sessions/a/input", many(900, small.SHA256), 400, "20 files")
	loads(0)
	s.want("POST", "/sessions/a/input", many(20, up.SHA256), 400, "2 MB")
	loads(1)
	f := enginetest.Follow(t, s.local, "a", 0)
	s.want("POST", "/sessions/a/input", many(2, up.SHA256), 202, "")
	loads(1)
	if m := f.UntilType(agent.EvMessage).Message; len(m.Parts) != 3 || m.Parts[1].Blob.MIME != "text/n0" || m.Parts[2].Blob.MIME != "text/n1" {
		t.Errorf("%+v", m)
	}
	f.Until("the end", enginetest.IsEnd)
}

// A browser shows a picture and stores everything else; a page among the blobs never runs.
func TestBlobs(t *testing.T) {
	s := newSite(t)
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ data, kind, how string }{
		{b.String(), "image/png", "inline"},
		{"<html><script>alert(1)</script>", "application/octet-stream", "attachment"},
		{"<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>", "application/octet-stream", "attachment"},
		{"%PDF-1.4", "application/octet-stream", "attachment"},
	} {
		up := read[struct{ SHA256 string }](t, s.want("POST", "/blobs", `{"name":"x","data":"`+base64.StdEncoding.EncodeToString([]byte(c.data))+`"}`, 201, ""))
		w := s.ask("GET", "/blobs/"+up.SHA256, "")
		h := w.Header()
		if w.Code != 200 || w.Body.String() != c.data || h.Get("Content-Type") != c.kind || !strings.HasPrefix(h.Get("Content-Disposition"), c.how) || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%q: %d %v", c.data, w.Code, h)
		}
	}
}

// A client that leaves in the middle of its request has said nothing; one that leaves right behind it has.
func TestClientThatLeaves(t *testing.T) {
	s := newSite(t, agenttest.Say("ok"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := enginetest.Follow(t, s.local, "a", 0)
	s.handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "POST", "/sessions/a/input", strings.NewReader(`{"message":"x"}`)))
	f.Until("the end", enginetest.IsEnd)
	enginetest.WantTexts(t, f.Seen, agent.Assistant, "ok")
}

// A stream that was to end with what is stored is not ended in order where it could not be read to its end.
func TestAStreamThatIsCutIsNotWhole(t *testing.T) {
	s := newSite(t)
	s.o.Frames = nil
	s.o.Engine = failing{s.local}
	srv := httptest.NewServer(s.handler())
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/sessions/a/events?live=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if data, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%q is whole", data)
	}
	http.DefaultClient.CloseIdleConnections()
}

type failing struct{ *engine.Local }

// Follow fails behind the first event.
func (failing) Follow(context.Context, string, int64, bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if yield(agent.Event{Seq: 1, Type: agent.EvState}, nil) {
			yield(agent.Event{}, errors.New("the log is broken"))
		}
	}
}

// What is uploaded is a picture by its bytes, and a name is one line.
func TestUploadsThatAreWrong(t *testing.T) {
	s := newSite(t)
	broken := []byte("\x89PNG\r\n\x1a\nno more")
	s.o.Attach = func(_ context.Context, name string, data []byte) (agent.Blob, error) {
		if bytes.HasPrefix(data, broken[:8]) {
			return agent.Blob{}, errors.New("broken picture")
		}
		return agent.Blob{MIME: "text/plain", Name: name, Data: data}, nil
	}
	for _, name := range []string{"", "a.txt"} {
		s.want("POST", "/blobs", fmt.Sprintf(`{"name":%q,"data":%q}`, name, base64.StdEncoding.EncodeToString(broken)), 400, "broken picture")
	}
	s.want("POST", "/blobs", `{"mime":"so what","data":"YQ=="}`, 400, "no type")
	up := read[struct {
		SHA  string `json:"sha256"`
		Name string `json:"name"`
	}](t, s.want("POST", "/blobs", `{"name":"../a\u0000\nb`+strings.Repeat("é", 200)+`","data":"YWJj"}`, 201, ""))
	if !strings.HasPrefix(up.Name, "abé") || len(up.Name) > 200 {
		t.Errorf("%q", up.Name)
	}
}

// A cancel that names a message is taken as one thing, and is for that message alone.
func TestCancelOfOneMessage(t *testing.T) {
	s := newSite(t, agenttest.CallTool("work", "{}"), agenttest.Say("done"))
	f := enginetest.Follow(t, s.local, "a", 0)
	s.want("POST", "/sessions/a/input", `{"message":"go"}`, http.StatusAccepted, "")
	ask := f.UntilType(agent.EvAsk).Ask
	at := read[engine.Receipt](t, s.want("POST", "/sessions/a/input", `{"message":"later","queue":true}`, http.StatusAccepted, "")).Pos
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"cancel":true,"edit":%d,"message":"x"}`, at), http.StatusBadRequest, "")
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"cancel":true,"edit":%d}`, at), http.StatusAccepted, "")
	enginetest.WaitQueue(t, s.local, "a", 0)
	s.want("POST", "/sessions/a/input", fmt.Sprintf(`{"answer":{"id":%q,"allow":false}}`, ask.ID), http.StatusAccepted, "")
	if end := f.Until("the end", enginetest.IsEnd); end.Stop != agent.RunEnd {
		t.Errorf("%s", end.Stop)
	}
}
