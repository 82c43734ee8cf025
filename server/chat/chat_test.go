package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/internal/sse"
	"react-agent/server/chat"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// rig is the interface over an engine with a scripted model, and a client.
type rig struct {
	t      testing.TB
	eng    *engine.Local
	model  *agenttest.Model
	url    string
	client *http.Client
	agent  agent.Agent
	asks   bool
}

type args struct {
	Text string `json:"text"`
}

// tools are the model's: echo says what it is told, after waits until the channel is closed.
func tools(after <-chan struct{}) []agent.Tool {
	return []agent.Tool{
		agent.NewTool("echo", "says it", agent.Reads, func(_ context.Context, a args) (agent.Result, error) {
			return agent.TextResult(a.Text), nil
		}),
		agent.NewTool("after", "waits", agent.Reads, func(ctx context.Context, a args) (agent.Result, error) {
			select {
			case <-after:
			case <-ctx.Done():
			}
			return agent.TextResult(a.Text), ctx.Err()
		}),
	}
}

func newRig(t testing.TB, script []agenttest.Reply, change ...func(*rig, *chat.Options)) *rig {
	t.Helper()
	r := &rig{t: t, model: agenttest.NewModel(script...), client: &http.Client{Transport: &http.Transport{}}}
	r.agent = agent.Agent{Model: r.model, Tools: tools(nil)}
	st := mem.New()
	var err error
	r.eng, err = engine.New(engine.Config{
		Log: st, KV: st, Blobs: st, Beat: 50 * time.Millisecond, Dead: 400 * time.Millisecond,
		Factory: func(_ context.Context, s engine.Spec) (*agent.Agent, error) {
			a := r.agent
			if r.asks {
				a.Ask = s.Ask
			}
			return &a, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := chat.Options{Engine: r.eng, Frames: r.eng.Frames}
	for _, f := range change {
		f(r, &o)
	}
	api := chat.New(o)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat", api.Chat)
	mux.HandleFunc("GET /tasks", api.Tasks)
	mux.HandleFunc("GET /team", api.Team)
	mux.HandleFunc("GET /inbox", api.Inbox)
	mux.HandleFunc("POST /compact", api.Compact)
	srv := httptest.NewServer(mux)
	r.url = srv.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		if err := r.eng.Close(ctx); err != nil {
			t.Error(err)
		}
		r.client.CloseIdleConnections()
		srv.Close()
	})
	return r
}

// post sends a body and gives the open answer.
func (r *rig) post(ctx context.Context, path, body string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// whole is the status and the whole body of an answer.
func (r *rig) whole(path, body string) (int, string) {
	r.t.Helper()
	res := r.post(r.t.Context(), path, body)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

func (r *rig) get(path string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// frames writes frames as they have to be on the wire: type, data, type, data …
func frames(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("event: " + pairs[i] + "\ndata: {\"type\":\"" + pairs[i] + "\",\"data\":" + pairs[i+1] + "}\n\n")
	}
	return b.String()
}

const (
	calling = `{"step":"calling LLM"}`
	packing = `{"step":"auto-compact"}`
)

// The bytes of a turn, whatever the model, its tools and the limits do.
func TestFrames(t *testing.T) {
	long := strings.Repeat("字", 2001)
	for _, c := range []struct {
		name   string
		script []agenttest.Reply
		change func(*rig, *chat.Options)
		want   string
	}{
		{
			"an answer",
			[]agenttest.Reply{agenttest.Say("a < b & \"c\"\n")},
			nil,
			frames("thinking", calling, "message", `{"content":"a < b & \"c\"\n"}`, "done", `{}`),
		},
		{
			"a tool",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`), agenttest.Say("done")},
			nil,
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"hi"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"two tools, one after the other",
			[]agenttest.Reply{agenttest.CallTools("echo", `{"text":"1"}`, "echo", `{"text":"2"}`), agenttest.Say("done")},
			nil,
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"1"}}`, "tool_result", `{"name":"echo","result":"1"}`,
				"tool_call", `{"name":"echo","args":{"text":"2"}}`, "tool_result", `{"name":"echo","result":"2"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"a call that is refused keeps its place",
			[]agenttest.Reply{agenttest.CallTools("echo", `{"text":"1"}`, "nosuch", `{}`, "echo", `{"text":"3"}`, "echo", `{`, "echo", `{"text":"5"}`), agenttest.Say("done")},
			func(r *rig, _ *chat.Options) {
				r.agent.Hooks = []agent.Hook{{Name: "short", AfterTool: func(_ context.Context, _ *agent.Session, _ agent.Call, res *agent.Result) error {
					if res.Error {
						res.Parts = []agent.Part{agent.TextPart("refused")}
					}
					return nil
				}}}
			},
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"1"}}`, "tool_result", `{"name":"echo","result":"1"}`,
				"tool_call", `{"name":"nosuch","args":{}}`, "tool_result", `{"name":"nosuch","result":"refused"}`,
				"tool_call", `{"name":"echo","args":{"text":"3"}}`, "tool_result", `{"name":"echo","result":"3"}`,
				"tool_call", `{"name":"echo","args":"{"}`, "tool_result", `{"name":"echo","result":"refused"}`,
				"tool_call", `{"name":"echo","args":{"text":"5"}}`, "tool_result", `{"name":"echo","result":"5"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"a compaction that fails is told",
			[]agenttest.Reply{agenttest.Say("done")},
			func(r *rig, o *chat.Options) {
				seen, inner := make(chan struct{}), o.Frames // a notice is for those who are there when it comes
				var once sync.Once
				o.Frames = func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]engine.Frame, error] {
					return func(yield func([]engine.Frame, error) bool) {
						for frames, err := range inner(ctx, session, after, live) {
							once.Do(func() { close(seen) })
							if !yield(frames, err) {
								return
							}
						}
					}
				}
				r.agent.Compact = func(ctx context.Context, _ *agent.Session, _ agent.Need) (*agent.Trim, error) {
					select {
					case <-seen:
					case <-ctx.Done():
					}
					return nil, errors.New("no summary")
				}
			},
			frames("notice", `{"text":"no summary"}`, "thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"a result is cut between characters",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"`+long+`"}`), agenttest.Say("done")},
			nil,
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"`+long+`"}}`, "tool_result", `{"name":"echo","result":"`+strings.Repeat("字", 2000)+`..."}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"a result of just that length is not",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"`+long[3:]+`"}`), agenttest.Say("done")},
			nil,
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"`+long[3:]+`"}}`, "tool_result", `{"name":"echo","result":"`+long[3:]+`"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"arguments that are no JSON",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":`), agenttest.Say("done")},
			func(r *rig, _ *chat.Options) {
				r.agent.Tools[0].Doc = "the result's words are the kernel's"
				r.agent.Hooks = []agent.Hook{{Name: "short", AfterTool: func(_ context.Context, _ *agent.Session, _ agent.Call, res *agent.Result) error {
					res.Parts = []agent.Part{agent.TextPart("refused")}
					return nil
				}}}
			},
			frames("thinking", calling, "tool_call", `{"name":"echo","args":"{\"text\":"}`, "tool_result", `{"name":"echo","result":"refused"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"a call that never starts comes with its result",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`), agenttest.Say("done")},
			func(r *rig, _ *chat.Options) {
				r.agent.Hooks = []agent.Hook{{Name: "no", BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
					res := agent.TextResult("answered for it")
					return agent.Decision{Verdict: agent.Answered, Result: &res}, nil
				}}}
			},
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"answered for it"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"the model's own names",
			[]agenttest.Reply{agenttest.CallTool("shout", `{"words":"hi"}`), agenttest.Say("done")},
			func(r *rig, _ *chat.Options) {
				x := &r.agent.Tools[0]
				x.Alias, x.Schema = "shout", json.RawMessage(strings.ReplaceAll(string(x.Schema), "text", "words"))
				x.Rename = func(args json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(strings.ReplaceAll(string(args), "words", "text")), nil
				}
				x.Check = func(json.RawMessage) error { return nil }
			},
			frames("thinking", calling, "tool_call", `{"name":"shout","args":{"words":"hi"}}`, "tool_result", `{"name":"shout","result":"hi"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"text beside calls is no message, every text of an answer is one",
			[]agenttest.Reply{
				{Text: "let me see", Calls: []agent.Call{{Name: "echo", Args: json.RawMessage(`{"text":"hi"}`)}}},
				{Chunks: []agent.Chunk{
					{Part: &agent.Part{Kind: agent.Text, Text: "one"}},
					{Index: 1, Part: &agent.Part{Kind: agent.Thinking, Text: "hm"}},
					{Index: 2, Part: &agent.Part{Kind: agent.Text, Text: "two"}},
					{Stop: agent.StopEnd},
				}},
			},
			nil,
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"hi"}`,
				"thinking", calling, "message", `{"content":"one"}`, "message", `{"content":"two"}`, "done", `{}`),
		},
		{
			"too many rounds",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`)},
			func(r *rig, o *chat.Options) { r.agent.MaxSteps, o.Limit = 1, 1 },
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"hi"}`,
				"error", `{"error":"Agent hit max rounds (1)"}`, "done", `{}`),
		},
		{
			"too many rounds, in words of one's own",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`)},
			func(r *rig, o *chat.Options) { r.agent.MaxSteps, o.Rounds = 1, "no more" },
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"hi"}`,
				"error", `{"error":"no more"}`, "done", `{}`),
		},
		{
			"the vendor refuses",
			[]agenttest.Reply{agenttest.Fail(&agent.ModelError{Kind: agent.ErrBadRequest, Status: 400, Err: errors.New("no such model")})},
			nil,
			frames("thinking", calling, "error", `{"error":"API returned 400: no such model"}`, "done", `{}`),
		},
		{
			"the network fails",
			[]agenttest.Reply{agenttest.Fail(&agent.ModelError{Kind: agent.ErrNetwork, Err: errors.New("cut off")})},
			nil,
			frames("thinking", calling, "error", `{"error":"network: cut off"}`, "done", `{}`),
		},
		{
			"nobody can be asked",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`), agenttest.Say("then not")},
			func(r *rig, _ *chat.Options) { r.agent.Hooks = []agent.Hook{askFirst()} },
			"",
		},
		{
			"the history is made smaller",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`), agenttest.Say("done")},
			func(r *rig, _ *chat.Options) {
				once := false
				r.agent.Compact = func(ctx context.Context, s *agent.Session, _ agent.Need) (*agent.Trim, error) {
					if once || len(s.Messages) < 3 {
						return nil, nil
					}
					once = true
					agent.Progress(ctx, "compact")
					return &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "go")}, From: s.Seq + 1}, nil
				}
			},
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"hi"}`,
				"thinking", packing, "thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
		{
			"clearing old results is silent",
			[]agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`), agenttest.Say("done")},
			func(r *rig, _ *chat.Options) {
				r.agent.Compact = func(_ context.Context, s *agent.Session, _ agent.Need) (*agent.Trim, error) {
					if len(s.Messages) != 3 {
						return nil, nil
					}
					return &agent.Trim{Clear: map[int64]string{s.Messages[2].Seq: "[cleared]"}}, nil
				}
			},
			frames("thinking", calling, "tool_call", `{"name":"echo","args":{"text":"hi"}}`, "tool_result", `{"name":"echo","result":"hi"}`,
				"thinking", calling, "message", `{"content":"done"}`, "done", `{}`),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.script, func(r *rig, o *chat.Options) {
				if c.change != nil {
					c.change(r, o)
				}
			})
			status, got := r.whole("/chat", `{"session_id":"s","message":"go"}`)
			if c.want == "" { // the words are the kernel's
				if status != http.StatusOK || !strings.Contains(got, "event: message\ndata: {\"type\":\"message\",\"data\":{\"content\":\"then not\"}}\n\nevent: error\n") {
					t.Errorf("%d %s", status, got)
				}
				return
			}
			if status != http.StatusOK || got != c.want {
				t.Errorf("%d\n%s\nwant\n%s", status, got, c.want)
			}
		})
	}
}

// askFirst asks before every call.
func askFirst() agent.Hook {
	return agent.Hook{Name: "ask", BeforeTool: func(_ context.Context, s *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
		return agent.Decision{Verdict: agent.AskFirst, Reason: "may it?"}, nil
	}}
}

// TestEventsOneByOne: without frames of its own an engine serves all the same.
func TestEventsOneByOne(t *testing.T) {
	r := newRig(t, []agenttest.Reply{agenttest.Say("hello")}, func(_ *rig, o *chat.Options) { o.Frames = nil })
	if status, got := r.whole("/chat", `{"message":"go"}`); status != http.StatusOK || got != frames("thinking", calling, "message", `{"content":"hello"}`, "done", `{}`) {
		t.Errorf("%d %s", status, got)
	}
	if i, err := r.eng.Info(t.Context(), chat.Default); err != nil || i.Seq == 0 {
		t.Errorf("a request without a session is for %q: %+v %v", chat.Default, i, err)
	}
}

// reader reads frames one by one.
type reader struct {
	t testing.TB
	r *sse.Reader
}

func (r *rig) open(ctx context.Context, path, body string) (*reader, func()) {
	r.t.Helper()
	res := r.post(ctx, path, body)
	return &reader{t: r.t, r: sse.NewReader(res.Body)}, func() { _ = res.Body.Close() }
}

// next reads frames until one of this type, and gives its data.
func (x *reader) next(typ string) string {
	x.t.Helper()
	for {
		e, err := x.r.Next()
		if err != nil {
			x.t.Fatalf("no %s: %v", typ, err)
		}
		if string(e.Type) == typ {
			return string(bytes.Clone(e.Data))
		}
	}
}

// TestDeltas: who asks for them, in the body or in the address, sees the pieces, and what was taken back.
func TestDeltas(t *testing.T) {
	script := func() []agenttest.Reply {
		return []agenttest.Reply{{Chunks: []agent.Chunk{
			{Part: &agent.Part{Kind: agent.Text, Text: "wro"}},
			{Reset: true},
			{Part: &agent.Part{Kind: agent.Text, Text: "ri"}},
			{Part: &agent.Part{Kind: agent.Text, Text: "ght"}},
			{Stop: agent.StopEnd},
		}}}
	}
	want := frames("thinking", calling, "delta", `{"text":"wro"}`, "retry", `{}`, "delta", `{"text":"ri"}`, "delta", `{"text":"ght"}`,
		"message", `{"content":"right"}`, "done", `{}`)
	// The model waits until the reader follows: one that comes later gets the pieces in one.
	for path, body := range map[string]string{"/chat": `{"message":"go","stream":true}`, "/chat?stream=1": `{"message":"go"}`} {
		joined := make(chan struct{})
		s := script()
		s[0].Wait = func(ctx context.Context) {
			select {
			case <-joined:
			case <-ctx.Done():
			}
		}
		r := newRig(t, s)
		res := r.post(t.Context(), path, body)
		head := make([]byte, len(frames("thinking", calling)))
		if _, err := io.ReadFull(res.Body, head); err != nil {
			t.Fatal(err)
		}
		close(joined)
		rest, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if got := string(head) + string(rest); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", path, err, got, want)
		}
	}
}

// TestBusySessionQueues: each of two requests sees its own turn and nothing of the other.
func TestBusySessionQueues(t *testing.T) {
	free := make(chan struct{})
	r := newRig(t, []agenttest.Reply{
		agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("first"), agenttest.Say("second"),
	}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(free) })
	one, done := r.open(t.Context(), "/chat", `{"session_id":"s","message":"one"}`)
	defer done()
	one.next("tool_call")
	var wg sync.WaitGroup
	var second string
	wg.Go(func() { _, second = r.whole("/chat", `{"session_id":"S","message":"two"}`) }) // the same session
	r.queued("s", 1)
	close(free)
	if got := one.next("message"); !strings.Contains(got, "first") {
		t.Errorf("%s", got)
	}
	one.next("done")
	wg.Wait()
	if want := frames("thinking", calling, "message", `{"content":"second"}`, "done", `{}`); second != want {
		t.Errorf("%s\nwant\n%s", second, want)
	}
}

// queued waits until so many messages wait.
func (r *rig) queued(session string, n int) {
	r.t.Helper()
	r.until(session, func(i engine.SessionInfo) bool { return len(i.Queue) == n })
}

func (r *rig) until(session string, ok func(engine.SessionInfo) bool) {
	r.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		i, err := r.eng.Info(r.t.Context(), session)
		if err != nil {
			r.t.Fatal(err)
		}
		if ok(i) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			r.t.Fatalf("%+v", i)
		}
	}
}

// ends waits for the end of the run of a session, and gives it.
func (r *rig) ends(session string) agent.Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for e, err := range r.eng.Follow(ctx, session, 0, true) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Type == agent.EvEnd {
			return e
		}
	}
	r.t.Fatal("no end")
	return agent.Event{}
}

// TestClientLeaves: the turn goes on, unless the body said otherwise.
func TestClientLeaves(t *testing.T) {
	for _, c := range []struct {
		body string
		want agent.RunStop
	}{
		{`{"session_id":"s","message":"go"}`, agent.RunEnd},
		{`{"session_id":"s","message":"go","cancel_on_disconnect":true}`, agent.RunCancelled},
	} {
		free := make(chan struct{})
		r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("done")}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(free) })
		ctx, leave := context.WithCancel(t.Context())
		x, done := r.open(ctx, "/chat", c.body)
		x.next("tool_call")
		leave()
		done()
		if c.want == agent.RunEnd {
			close(free)
		}
		if e := r.ends("s"); e.Stop != c.want {
			t.Errorf("%s: %s", c.body, e.Stop)
		}
	}
}

// TestClientLeavesTheQueue: what waits is taken back, and the turn of somebody else goes on.
func TestClientLeavesTheQueue(t *testing.T) {
	free := make(chan struct{})
	r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("done")}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(free) })
	x, done := r.open(t.Context(), "/chat", `{"session_id":"s","message":"go"}`)
	defer done()
	x.next("tool_call")
	ctx, leave := context.WithCancel(t.Context())
	_, gone := r.open(ctx, "/chat", `{"session_id":"s","message":"later","cancel_on_disconnect":true}`)
	r.queued("s", 1)
	leave()
	gone()
	r.queued("s", 0)
	close(free)
	if got := x.next("message"); !strings.Contains(got, "done") {
		t.Errorf("%s", got)
	}
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
}

// TestTakenBack: somebody else removes the message while it waits, and who waits for its turn is told.
func TestTakenBack(t *testing.T) {
	free := make(chan struct{})
	r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("done")}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(free) })
	x, done := r.open(t.Context(), "/chat", `{"session_id":"s","message":"go"}`)
	defer done()
	x.next("tool_call")
	later, gone := r.open(t.Context(), "/chat", `{"session_id":"s","message":"later"}`)
	defer gone()
	r.queued("s", 1)
	i, err := r.eng.Info(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	nothing := agent.Message{Role: agent.User}
	if _, err := r.eng.Submit(t.Context(), "s", engine.Input{Edit: i.Queue[0].Pos, Message: &nothing}); err != nil {
		t.Fatal(err)
	}
	close(free)
	x.next("done")
	if got, want := later.next("error"), msg.For(msg.En).Text(msg.ChatRemoved); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	later.next("done")
}

// TestLateButTaken: a server that is seconds late with events does not take a message for lost whose turn is over already.
func TestLateButTaken(t *testing.T) {
	r := newRig(t, []agenttest.Reply{agenttest.Say("hello")}, func(r *rig, o *chat.Options) {
		var late atomic.Bool
		o.Frames = func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]engine.Frame, error] {
			if live && !late.Swap(true) {
				return func(func([]engine.Frame, error) bool) { <-ctx.Done() }
			}
			return r.eng.Frames(ctx, session, after, live)
		}
	})
	if _, got := r.whole("/chat", `{"message":"go"}`); got != frames("thinking", calling, "message", `{"content":"hello"}`, "done", `{}`) {
		t.Errorf("%s", got)
	}
}

// TestQuestion: who only sees frames learns that somebody is asked; the answer comes through the session's input.
func TestQuestion(t *testing.T) {
	r := newRig(t, []agenttest.Reply{agenttest.CallTool("echo", `{"text":"hi"}`), agenttest.Say("done")}, func(r *rig, _ *chat.Options) {
		r.asks, r.agent.Hooks = true, []agent.Hook{askFirst()}
	})
	x, done := r.open(t.Context(), "/chat", `{"session_id":"s","message":"go"}`)
	defer done()
	var f struct {
		Data struct {
			ID, Text string
			Choices  []string
		}
	}
	if err := json.Unmarshal([]byte(x.next("ask")), &f); err != nil || f.Data.ID == "" || f.Data.Text == "" || f.Data.Choices == nil {
		t.Fatalf("%+v %v", f, err)
	}
	if _, err := r.eng.Submit(t.Context(), "s", engine.Input{Answer: &agent.Answer{ID: f.Data.ID, Allow: true}}); err != nil {
		t.Fatal(err)
	}
	if got := x.next("tool_result"); !strings.Contains(got, `"hi"`) {
		t.Errorf("%s", got)
	}
	x.next("done")
}

// TestEndsWithoutAnEnd: a session that is removed, and an engine that closes, leave nobody waiting.
func TestEndsWithoutAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*rig) error
		want string
	}{
		"removed": {func(r *rig) error { return r.eng.Delete(r.t.Context(), "s") }, "was deleted"},
		"closed": {func(r *rig) error {
			ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Millisecond)
			defer cancel()
			return r.eng.Close(ctx)
		}, "goes on when it is back, see GET /sessions/s/events?after="},
		"cancelled": {func(r *rig) error {
			_, err := r.eng.Submit(r.t.Context(), "s", engine.Input{Cancel: true})
			return err
		}, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			free := make(chan struct{})
			r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`)}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(free) })
			x, done := r.open(t.Context(), "/chat", `{"session_id":"s","message":"go"}`)
			defer done()
			x.next("tool_call")
			if err := c.do(r); err != nil {
				t.Fatal(err)
			}
			if got := x.next("error"); !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
			x.next("done")
		})
	}
}

// Requests that are wrong are refused before anything is stored.
func TestRefused(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/chat", ``, 400, `{"error":"invalid request: `},
		{"/chat", `{`, 400, `{"error":"invalid request: `},
		{"/chat", `[]`, 400, `{"error":"invalid request: `},
		{"/chat", `{"message":7}`, 400, `{"error":"invalid request: `},
		{"/chat", `{"message":"a"} x`, 400, `{"error":"invalid request: `},
		{"/chat", `{}`, 400, `{"error":"message is required"}`},
		{"/chat?stream=please", `{"message":"go"}`, 400, `{"error":"stream cannot be `},
		{"/chat", `{"session_id":"s","message":" \n"}`, 400, `{"error":"message is required"}`},
		{"/chat", `{"session_id":"../x","message":"go"}`, 400, `{"error":"session_id: `},
		{"/chat", `{"session_id":"con","message":"go"}`, 400, `{"error":"session_id: `},
		{"/chat", `{"session_id":"s.1","message":"go"}`, 400, `{"error":"session_id: `},
		{"/chat", `{"message":"go","id":"` + strings.Repeat("x", 201) + `"}`, 400, `{"error":"the id is too long (201`},
		{"/compact", `{"session_id":""`, 400, `{"error":"invalid request: `},
		{"/compact", `{"session_id":"a/b"}`, 400, `{"error":"session_id: `},
	} {
		if status, got := r.whole(c.path, c.body); status != c.status || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %.60s: %d %s, want %d %s", c.path, c.body, status, got, c.status, c.want)
		}
	}
	for i, err := range r.eng.List(t.Context(), "") {
		t.Errorf("a session was begun: %+v %v", i, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.eng.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if status, got := r.whole("/chat", `{"message":"go"}`); status != http.StatusServiceUnavailable || !strings.HasPrefix(got, `{"error":`) {
		t.Errorf("a closed engine: %d %s", status, got)
	}
}

// TestNeighbours: the four smaller routes, with something to show, with nothing, and with a fault.
func TestNeighbours(t *testing.T) {
	none := newRig(t, nil)
	for path, want := range map[string]string{"/tasks": `{"tasks":"No tasks."}`, "/team": `{"team":"No teammates."}`, "/inbox": `{"inbox":[]}`} {
		if got := none.get(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	var packed []string
	fault := errors.New("out of order")
	some := newRig(t, nil, func(_ *rig, o *chat.Options) {
		o.Tasks = func(context.Context) (string, error) { return "[ ] #1: x", nil }
		o.Team = func(context.Context) (string, error) { return "", fault }
		o.Inbox = func(context.Context) (json.RawMessage, error) { return json.RawMessage(`[{"type":"message"}]`), nil }
		o.Compact = func(_ context.Context, session string) (bool, error) {
			packed = append(packed, session)
			switch session {
			case "short":
				return false, nil
			case "bad":
				return false, fault
			case "late":
				return false, httpx.ErrStopping
			}
			return true, nil
		}
	})
	for path, want := range map[string]string{"/tasks": `{"tasks":"[ ] #1: x"}`, "/team": `{"error":"the server could not read or store the session; its log has more"}`, "/inbox": `{"inbox":[{"type":"message"}]}`} {
		if got := some.get(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{``, 200, `{"status":"compacted"}`},
		{`{}`, 200, `{"status":"compacted"}`},
		{`{"session_id":"s"}`, 200, `{"status":"compacted"}`},
		{`{"session_id":"short"}`, 200, `{"status":"there is nothing to compact"}`},
		{`{"session_id":"bad"}`, 422, `{"error":"out of order"}`},
		{`{"session_id":"late"}`, 503, `{"error":"the server is stopping; try again in a moment"}`},
	} {
		if status, got := some.whole("/compact", c.body); status != c.status || strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %d %s", c.body, status, got)
		}
	}
	if got := strings.Join(packed, " "); got != "default default s short bad late" {
		t.Errorf("compacted are %s", got)
	}
}
