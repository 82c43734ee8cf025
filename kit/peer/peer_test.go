package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/httpx"
	"react-agent/store"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// said is a request as the other program gets it.
type said struct {
	path, auth string
	body       map[string]any
}

// other is another program: answer writes what it says to a request.
type other struct {
	url    string
	mu     sync.Mutex
	heard  []said
	client *http.Client
}

func newOther(t *testing.T, answer func(n int, s said, w http.ResponseWriter, r *http.Request)) *other {
	t.Helper()
	o := &other{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := said{path: r.URL.Path, auth: r.Header.Get("Authorization")}
		raw, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(raw, &s.body) != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v", raw, err)
		}
		o.mu.Lock()
		n := len(o.heard)
		o.heard = append(o.heard, s)
		o.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		answer(n, s, w, r)
	}))
	o.url = srv.URL
	client, err := httpx.NewClient(httpx.Options{Proxy: "off"})
	if err != nil {
		t.Fatal(err)
	}
	o.client = client
	t.Cleanup(func() {
		client.CloseIdleConnections()
		srv.Close()
	})
	return o
}

func (o *other) requests() []said {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]said(nil), o.heard...)
}

// frame writes one frame.
func frame(w http.ResponseWriter, typ, data string) {
	_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,\"data\":%s}\n\n", typ, typ, data)
	_ = http.NewResponseController(w).Flush()
}

// rig is an agent that has the tool.
type rig struct {
	mu       sync.Mutex
	peers    *Peers
	tool     agent.Tool
	progress []string
	asks     []agent.Ask
	answer   agent.Answer
}

func newRig(o *other, kv store.KV, closing func(error) bool) *rig {
	r := &rig{answer: agent.Answer{Allow: true, Text: "yes"}}
	r.peers = New(Options{HTTP: func() (*http.Client, error) { return o.client, nil }, KV: kv, Closing: closing})
	list := []Agent{{Name: "tester", About: "runs\ntests", URL: o.url + "/", Token: "t0ken"}, {Name: "critic"}}
	r.tool = r.peers.Tool(list, func(_ context.Context, c agent.Call, name, prompt string) (agent.Result, error) {
		return agent.TextResult("local " + c.Key + " " + name + ": " + prompt), nil
	})
	return r
}

// call has the model call once, in a session of this name, and gives the result.
func (r *rig) call(ctx context.Context, t *testing.T, s *agent.Session, args string) agent.Result {
	t.Helper()
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTool(ToolName, args), agenttest.Say("end")),
		Tools: []agent.Tool{r.tool}, Hooks: []agent.Hook{r.peers.Hook()},
		Ask: func(_ context.Context, q agent.Ask) (agent.Answer, error) {
			r.mu.Lock() // several questions may be open at once
			r.asks = append(r.asks, q)
			r.mu.Unlock()
			a := r.answer
			a.ID = q.ID
			return a, nil
		},
	}
	var res *agent.Result
	for e, err := range a.Run(ctx, s, agent.Say("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvProgress {
			r.progress = append(r.progress, e.Text)
		}
		if e.Message != nil && e.Message.Role == agent.ToolRole {
			res = e.Message.Result()
		}
	}
	if res == nil {
		t.Fatal("no result")
	}
	return *res
}

const order = `{"agent":"tester","prompt":"run them"}`

const stranger = "agent tester: URL/ does not speak as a react-agent does: check agents.tester.url in the configuration, and what listens there"

// What a turn there comes to here.
func TestTurns(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string
		failed bool
	}{
		"answer": {func(w http.ResponseWriter) {
			frame(w, "thinking", `{"step":"calling LLM"}`)
			frame(w, "tool_call", `{"name":"bash","args":{"command":"go test"}}`)
			frame(w, "tool_result", `{"name":"bash","result":"ok"}`)
			frame(w, "message", `{"content":"all"}`)
			frame(w, "message", `{"content":"green"}`)
			frame(w, "done", `{}`)
		}, "all\ngreen", false},
		"silence": {func(w http.ResponseWriter) { frame(w, "done", `{}`) }, "(no answer)", false},
		"error": {func(w http.ResponseWriter) {
			frame(w, "message", `{"content":"half"}`)
			frame(w, "error", `{"error":"Agent hit max rounds (50)"}`)
			frame(w, "done", `{}`)
		}, "agent tester: Agent hit max rounds (50)\nIts last words:\nhalf", true},
		"refused": {
			func(w http.ResponseWriter) { httpx.Refuse(w, 401, "a token is needed") },
			"agent tester: URL/ answered 401: a token is needed (the token is agents.tester.token in the configuration)", true,
		},
		"busy": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "7")
			httpx.Refuse(w, 429, "too many sessions")
		}, "agent tester: URL/ answered 429: too many sessions (try again in 7 s)", true},
		"page": {func(w http.ResponseWriter) { http.Error(w, "<html>", 404) }, "agent tester: URL/ answered 404: <html>", true},
		"no frames": {
			func(w http.ResponseWriter) { _, _ = io.WriteString(w, "data: hello\n\n") },
			stranger, true,
		},
		"another shape": {func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, "data: {\"type\":\"message\",\"data\":\"hello\"}\n\n")
		}, stranger, true},
		"a page that is there": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, stranger, true},
		"questions without end": {func(w http.ResponseWriter) {
			for i := range 1000 {
				frame(w, "ask", fmt.Sprintf(`{"id":"q%d","text":"why?"}`, i))
			}
			frame(w, "done", `{}`)
		}, "agent tester: URL/ has asked more than 16 questions in one turn", true},
		"words without end": {func(w http.ResponseWriter) {
			for range 40 {
				frame(w, "tool_result", `{"name":"bash","result":"`+strings.Repeat("x", 1<<20)+`"}`)
			}
			frame(w, "done", `{}`)
		}, "agent tester: URL/ has sent more than 32 MiB in one turn", true},
		"cut": {
			func(w http.ResponseWriter) { frame(w, "message", `{"content":"half"}`) },
			"agent tester: the connection to URL/ broke, the work there may have been done, or still go on: unexpected EOF\nIts last words:\nhalf", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOther(t, func(_ int, _ said, w http.ResponseWriter, _ *http.Request) { c.answer(w) })
			r := newRig(o, mem.New(), nil)
			res := r.call(t.Context(), t, agent.NewSession("s"), order)
			if got := strings.ReplaceAll(res.Text(), o.url, "URL"); got != c.want || res.Error != c.failed {
				t.Errorf("%q %v", got, res.Error)
			}
			h := o.requests()
			turns := 0
			for _, s := range h {
				if s.path == "/chat" {
					turns++
				}
			}
			if turns != 1 || h[0].path != "/chat" || h[0].auth != "Bearer t0ken" || h[0].body["message"] != "run them" || h[0].body["session_id"] != "call-1-"+h[0].body["id"].(string) {
				t.Errorf("%+v", h)
			}
			if name == "answer" && (len(r.progress) != 1 || r.progress[0] != `[tester] · bash {"command":"go test"}`) {
				t.Errorf("%q", r.progress)
			}
		})
	}
}

// The tool's list, its own agents, and calls that are no calls.
func TestTool(t *testing.T) {
	o := newOther(t, nil)
	r := newRig(o, mem.New(), nil)
	if r.tool.Doc != "Have another agent do a piece of work, and get its answer. The agents are:\n- tester: runs tests\n- critic" || !r.tool.Resume ||
		r.tool.Effect != agent.Executes || !strings.Contains(string(r.tool.Schema), `"enum":["tester","critic"]`) {
		t.Errorf("%+v %s", r.tool, r.tool.Schema)
	}
	if own := r.peers.Tool([]Agent{{Name: "critic"}}, nil); own.Effect != agent.Reads {
		t.Errorf("%v", own.Effect)
	}
	for args, want := range map[string]string{
		`{"agent":"critic","prompt":"look"}`: "local s/3.1 critic: look",
		`{"agent":"tester","prompt":" "}`:    "the prompt is empty: say what the agent is to do",
	} {
		if got := r.call(t.Context(), t, agent.NewSession("s"), args); got.Text() != want {
			t.Errorf("%s: %q", args, got.Text())
		}
	}
	if res, err := r.tool.Run(t.Context(), agent.Call{Key: "s/1.1", Args: json.RawMessage(`{"agent":"x","prompt":"y"}`)}); err != nil || res.Text() != `there is no agent "x"; the agents are: tester, critic` {
		t.Errorf("%+v %v", res, err)
	}
	gone := &other{url: "http://127.0.0.1:1", client: o.client}
	res := newRig(gone, mem.New(), nil).call(t.Context(), t, agent.NewSession("s"), order)
	if !res.Error || !strings.HasPrefix(res.Text(), "agent tester: http://127.0.0.1:1/ cannot be reached: ") {
		t.Errorf("%q", res.Text())
	}
}

// A connection that breaks is looked for again, with the same session and the same id, where the server knows ids; what it
// says then is the whole turn.
func TestBrokenConnection(t *testing.T) {
	o := newOther(t, func(n int, s said, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(Header, s.body["id"].(string))
		if n == 1 {
			httpx.Refuse(w, 503, "the server stops")
			return
		}
		frame(w, "message", `{"content":"all green"}`)
		if n == 2 {
			frame(w, "done", `{}`)
		}
	})
	r := newRig(o, mem.New(), nil)
	if res := r.call(t.Context(), t, agent.NewSession("s"), order); res.Text() != "all green" || res.Error {
		t.Errorf("%+v", res)
	}
	h := o.requests()
	if len(h) != 3 || h[0].body["id"] != h[2].body["id"] || h[0].body["session_id"] != h[1].body["session_id"] {
		t.Errorf("%+v", h)
	}
}

// A call that is run again after a crash is the same one there; a new call is another one, and one of a new session with an
// old name, too.
func TestRunAgain(t *testing.T) {
	o := newOther(t, func(_ int, _ said, w http.ResponseWriter, _ *http.Request) { frame(w, "done", `{}`) })
	kv := mem.New()
	run := func(key string) {
		t.Helper()
		if _, err := newRig(o, kv, nil).tool.Run(t.Context(), agent.Call{Key: key, Args: json.RawMessage(order)}); err != nil {
			t.Fatal(err)
		}
	}
	run("s/4.1")
	run("s/4.1")
	run("s.2/4.1")
	if err := New(Options{KV: kv}).Forget(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	run("s/4.1")
	var ids []any
	for _, h := range o.requests() {
		ids = append(ids, h.body["id"])
	}
	if len(ids) != 4 || ids[0] != ids[1] || ids[1] == ids[2] || ids[3] == ids[0] {
		t.Errorf("%v", ids)
	}
}

// A call that is run again waits for the other program to come up; a new one to somebody who is not there does not.
func TestRunAgainWaits(t *testing.T) {
	kv := mem.New()
	o := newOther(t, func(_ int, s said, w http.ResponseWriter, _ *http.Request) {
		frame(w, "message", `{"content":"`+s.body["id"].(string)+`"}`)
		frame(w, "done", `{}`)
	})
	up := &rising{late: 2, to: o.client.Transport}
	o.client.Transport = up
	tool := newRig(o, kv, nil).tool
	c := agent.Call{Key: "s/4.1", Args: json.RawMessage(order)}
	if res, err := tool.Run(t.Context(), c); err != nil || !res.Error || !strings.Contains(res.Text(), "cannot be reached") || up.tries != 1 {
		t.Errorf("%q %v, %d tries", res.Text(), err, up.tries)
	}
	if res, err := tool.Run(t.Context(), c); err != nil || res.Error || up.tries != 3 {
		t.Errorf("%q %v, %d tries", res.Text(), err, up.tries)
	}
}

// rising is a place where at first nobody listens.
type rising struct {
	late, tries int
	to          http.RoundTripper
}

func (r *rising) RoundTrip(q *http.Request) (*http.Response, error) {
	if r.tries++; r.tries <= r.late {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	return r.to.RoundTrip(q)
}

// A cancelled call cancels the turn there; the end of the program does not.
func TestCancel(t *testing.T) {
	for _, closing := range []bool{false, true} {
		reached := make(chan struct{})
		cancelled := make(chan said, 1)
		o := newOther(t, func(_ int, s said, w http.ResponseWriter, r *http.Request) {
			if s.path != "/chat" {
				cancelled <- s
				w.WriteHeader(http.StatusAccepted)
				return
			}
			frame(w, "thinking", `{}`)
			close(reached)
			<-r.Context().Done()
		})
		r := newRig(o, mem.New(), func(error) bool { return closing })
		ctx, stop := context.WithCancelCause(t.Context())
		over := make(chan error, 1)
		go func() {
			_, err := r.tool.Run(ctx, agent.Call{Key: "s/4.1", Args: json.RawMessage(order)})
			over <- err
		}()
		<-reached
		why := errors.New("stop")
		stop(why)
		if err := <-over; !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
		select {
		case s := <-cancelled:
			if closing || s.path != "/sessions/"+o.requests()[0].body["session_id"].(string)+"/input" || s.body["cancel"] != true || s.auth != "Bearer t0ken" {
				t.Errorf("%v %+v", closing, s)
			}
		default:
			if !closing {
				t.Error("nobody told the other program")
			}
		}
	}
}

// What the other agent asks is asked here once, however often it is told, and answered there.
func TestQuestions(t *testing.T) {
	answered := make(chan said, 2)
	o := newOther(t, func(n int, s said, w http.ResponseWriter, _ *http.Request) {
		if s.path != "/chat" {
			w.WriteHeader(http.StatusAccepted)
			answered <- s
			return
		}
		w.Header().Set(Header, s.body["id"].(string))
		frame(w, "ask", `{"id":"q/1","text":"may it?","choices":["yes","no"]}`)
		if n == 0 { // the answer goes out while the connection is gone
			return
		}
		a := <-answered
		frame(w, "message", `{"content":"`+fmt.Sprint(a.body["answer"])+`"}`)
		frame(w, "done", `{}`)
	})
	r := newRig(o, mem.New(), nil)
	res := r.call(t.Context(), t, agent.NewSession("s"), order)
	if res.Text() != "map[allow:true id:q/1 text:yes]" || len(r.asks) != 1 || r.asks[0].Text != "[tester] may it?" || len(r.asks[0].Choices) != 2 {
		t.Errorf("%q %+v", res.Text(), r.asks)
	}
}

// Depth and number are bounded, and the person's word begins a new count.
func TestBounds(t *testing.T) {
	o := newOther(t, func(_ int, _ said, w http.ResponseWriter, _ *http.Request) { frame(w, "done", `{}`) })
	for session, want := range map[string]int{"s": 16, "call-1-0123456789abcdef": 4, "call-2-0123456789abcdef": 1, "call-x": 16, "call-12-a": 16} {
		r := newRig(o, mem.New(), nil)
		s := agent.NewSession(session)
		run := func(of string, n int) string {
			res, err := r.tool.Run(t.Context(), agent.Call{Key: fmt.Sprintf("%s/%d.1", of, n), Args: json.RawMessage(order)})
			if err != nil {
				t.Fatal(err)
			}
			return res.Text()
		}
		was := len(o.requests())
		for n := range want {
			of := session
			if n%2 == 1 {
				of += ".3.1" // its sub-agents count with it
			}
			if got := run(of, n+1); got != textSilent {
				t.Fatalf("%s, call %d: %s", session, n, got)
			}
		}
		if got := run(session, 90); got != fmt.Sprintf(textTooMany, want) {
			t.Errorf("%s: %s", session, got)
		}
		if got := run(session, 1); got != textSilent {
			t.Errorf("%s, a call that was begun: %s", session, got)
		}
		for _, h := range o.requests()[was:] {
			if id := h.body["session_id"].(string); above(id) != above(session)+1 {
				t.Errorf("%s calls as %s", session, id)
			}
		}
		s.Seq = 7 // it is no new one
		if err := r.peers.Hook().OnInput(t.Context(), s, &agent.Message{}); err != nil {
			t.Fatal(err)
		}
		if got := run(session, 91); got != textSilent {
			t.Errorf("%s, after the person has spoken: %s", session, got)
		}
	}
	r := newRig(o, mem.New(), nil)
	res, err := r.tool.Run(t.Context(), agent.Call{Key: "call-3-0123456789abcdef.2/4.1", Args: json.RawMessage(order)})
	if err != nil || res.Text() != fmt.Sprintf(textTooDeep, Depth) {
		t.Errorf("%+v %v", res, err)
	}
}

// A ledger that cannot be read sends nothing twice, and does not keep the person from speaking.
func TestBrokenLedger(t *testing.T) {
	kv, ctx := mem.New(), t.Context()
	var told []error
	p := New(Options{KV: kv, Warn: func(err error) { told = append(told, err) }})
	if _, err := kv.Put(ctx, store.Doc{Key: docOf("s"), Data: []byte("{\"since\":")}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.enter(ctx, "s", "s/3.1", most); !errors.Is(err, errBroken) {
		t.Errorf("a call: %v", err)
	}
	s := agent.NewSession("s")
	s.Seq = 1
	for range 2 {
		if err := p.Hook().OnInput(ctx, s, &agent.Message{}); err != nil || len(told) != 1 || !strings.Contains(told[0].Error(), "session s") {
			t.Errorf("the person speaks: %v, is told %v", err, told)
		}
	}
	if _, again, err := p.enter(ctx, "s", "s/5.1", most); err != nil || again {
		t.Errorf("a call: %v %v", again, err)
	}
}

// The ledger does not grow for ever, and what may still be run again stays in it.
func TestLedgerIsBounded(t *testing.T) {
	p, ctx := New(Options{KV: mem.New()}), t.Context()
	s := agent.NewSession("s")
	s.Seq = 1
	for n := range 3 * maxKept {
		if _, _, err := p.enter(ctx, "s", fmt.Sprintf("s/%d.1", n), most); err != nil {
			t.Fatal(err)
		}
		if n%most == most-1 {
			if err := p.Hook().OnInput(ctx, s, &agent.Message{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var l ledger
	if err := p.update(ctx, "s", func(x *ledger) error { l = *x; return store.ErrSame }); err != nil || len(l.Calls) > maxKept+most || l.Calls[len(l.Calls)-1].Key != "s/599.1" {
		t.Errorf("%d %v", len(l.Calls), err)
	}
	s.Seq = 0
	p.Hook().OnSession(ctx, s, true)
	if err := p.update(ctx, "s", func(x *ledger) error { l = *x; return store.ErrSame }); err != nil || len(l.Calls) != 0 {
		t.Errorf("%d %v", len(l.Calls), err)
	}
}
