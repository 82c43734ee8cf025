package server_test

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/server"
	"react-agent/server/chat"
	"react-agent/server/native"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model says the same to everybody, and counts. With wait it first waits for the end of a call, or for somebody to open.
type model struct {
	calls atomic.Int64
	wait  chan struct{}
}

func (*model) Info() agent.ModelInfo { return agent.ModelInfo{Name: "m", Context: 100_000} }

func (m *model) Stream(ctx context.Context, _ *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		m.calls.Add(1)
		if m.wait != nil {
			select {
			case <-m.wait:
			case <-ctx.Done():
				yield(agent.Chunk{}, ctx.Err())
				return
			}
		}
		part := agent.TextPart("hello")
		_ = yield(agent.Chunk{Part: &part}, nil) && yield(agent.Chunk{Stop: agent.StopEnd}, nil)
	}
}

// rig is a server over real TCP.
type rig struct {
	t      *testing.T
	model  *model
	engine *engine.Local
	server *server.Server
	addr   string
	client *http.Client
	stop   func() error
}

func newRig(t *testing.T, change func(*server.Options)) *rig {
	t.Helper()
	return newTimedRig(t, (*server.Server).Hurry, change)
}

// newTimedRig is newRig with other times for clients.
func newTimedRig(t *testing.T, times func(*server.Server), change func(*server.Options)) *rig {
	t.Helper()
	r := &rig{t: t, model: &model{}}
	st := mem.New()
	var err error
	r.engine, err = engine.New(engine.Config{
		Log: st, KV: st, Blobs: st, NoSync: true,
		Factory: func(context.Context, engine.Spec) (*agent.Agent, error) { return &agent.Agent{Model: r.model}, nil },
		Commands: func(_ context.Context, _, line string) (engine.Reply, error) {
			if line == "/panic" {
				panic("a fault")
			}
			return engine.Reply{Text: "ran " + line}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o := server.Options{
		Native: native.Options{Engine: r.engine, Blobs: st, Frames: r.engine.Frames, Span: r.engine.Span},
		Chat:   chat.Options{Engine: r.engine, Frames: r.engine.Frames},
		Load:   r.engine.Load, Drain: r.engine.Close, Version: "test",
	}
	if change != nil {
		change(&o)
	}
	if r.server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	times(r.server)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.server.Serve(ctx, l) }()
	transport := &http.Transport{}
	r.client = &http.Client{Transport: transport}
	stopped := false
	r.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		err := <-done
		transport.CloseIdleConnections()
		return err
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if err := r.engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// raw sends bytes as they are, with the server's address for {HOST}, and gives status and body of the answer; 0: there is none.
func (r *rig) raw(text string) (status int, head http.Header, body string) {
	r.t.Helper()
	c, err := new(net.Dialer).DialContext(r.t.Context(), "tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	go func() { _, _ = io.WriteString(c, strings.ReplaceAll(text, "{HOST}", r.addr)) }() // an early answer may come first
	return answer(c)
}

func answer(c net.Conn) (status int, head http.Header, body string) {
	res, err := http.ReadResponse(newReader(c), nil)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res.StatusCode, res.Header, ""
	}
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(data)
}

// ask sends an ordinary request.
func (r *rig) ask(method, path, body string, headers ...string) (status int, head http.Header, answer string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.addr+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

// untouched says that nothing has come of all that was sent: no call of the model, no session.
func (r *rig) untouched() {
	r.t.Helper()
	if n := r.model.calls.Load(); n != 0 {
		r.t.Errorf("the model was called %d times", n)
	}
	for info, err := range r.engine.List(r.t.Context(), "") {
		r.t.Errorf("there is a session: %+v %v", info, err)
	}
}

// saysWhy reports whether a body is the one in which we refuse.
func saysWhy(body string) bool {
	var e map[string]string
	return json.Unmarshal([]byte(body), &e) == nil && len(e) == 1 && e["error"] != ""
}
