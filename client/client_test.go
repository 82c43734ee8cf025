package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/client"
	"react-agent/engine"
	"react-agent/engine/enginetest"
	"react-agent/internal/msg"
	"react-agent/server"
	"react-agent/server/chat"
	"react-agent/server/native"
	"react-agent/store"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// remote is an engine behind a server, as a product has it.
type remote struct {
	t     testing.TB
	store *mem.Store
	gate  *enginetest.Gate
	model *agenttest.Model
	local *engine.Local
	http  *httptest.Server
	token string
}

func newRemote(t testing.TB, script ...agenttest.Reply) *remote {
	t.Helper()
	r := &remote{t: t, store: mem.New(), gate: enginetest.NewGate(), model: agenttest.NewModel(script...)}
	r.local = r.engine()
	return r
}

func (r *remote) engine() *engine.Local {
	r.t.Helper()
	e, err := engine.New(engine.Config{
		Log: r.store, KV: r.store, Blobs: r.store, Beat: 50 * time.Millisecond, Dead: 400 * time.Millisecond,
		Factory: func(_ context.Context, s engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{
				Model: r.model, Tools: []agent.Tool{r.gate.Tool("work")}, Hooks: []agent.Hook{enginetest.AskBefore("work")}, Ask: s.Ask,
			}, nil
		},
		Commands: func(_ context.Context, session, line string) (engine.Reply, error) {
			if line == "/bad" {
				return engine.Reply{}, errors.New("no such command")
			}
			return engine.Reply{Text: session + " heard " + line}, nil
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

// options are those of the interface; what needs the product is made up.
func (r *remote) options() server.Options {
	return server.Options{
		Native: native.Options{
			Engine: r.local, Blobs: r.store, Frames: r.local.Frames, Span: r.local.Span,
			About: func(_ context.Context, session string) (any, error) {
				return map[string]any{"name": "react-agent", "version": "v1", "model": "m of " + session, "mode": "ask"}, nil
			},
		},
		Chat: chat.Options{Engine: r.local}, Token: r.token,
	}
}

// serve begins to serve; the server ends with the test.
func (r *remote) serve() {
	r.t.Helper()
	s, err := server.New(r.options())
	if err != nil {
		r.t.Fatal(err)
	}
	r.http = httptest.NewServer(s)
	r.t.Cleanup(r.stop)
}

// stop ends server and engine, as a process does that ends.
func (r *remote) stop() {
	r.http.CloseClientConnections()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if err := r.local.Close(ctx); err != nil {
		r.t.Error(err)
	}
	r.http.Close()
}

func (r *remote) client(o client.Options) *client.Client {
	r.t.Helper()
	if o.URL == "" {
		o.URL = r.http.URL
	}
	c, err := client.New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

// The script runs against any Engine: here one on the other side of a server.
func TestScript(t *testing.T) {
	r := newRemote(t, enginetest.Replies()...)
	r.serve()
	enginetest.Script(t, r.client(client.Options{}), r.gate)
}

// Over connections that break in the middle of a stream, and lose requests before and behind the server, it is the same
// script.
func TestScriptOverBadConnections(t *testing.T) {
	r := newRemote(t, enginetest.Replies()...)
	r.serve()
	bad := &bad{RoundTripper: http.DefaultTransport.(*http.Transport).Clone()}
	defer bad.RoundTripper.(*http.Transport).CloseIdleConnections()
	enginetest.Script(t, r.client(client.Options{HTTP: &http.Client{Transport: bad}, Lost: "gone", Back: "here"}), r.gate)
	if bad.cuts.Load() == 0 || bad.lost.Load() == 0 {
		t.Errorf("%d streams and %d requests were lost", bad.cuts.Load(), bad.lost.Load())
	}
}

// What is asked for over a token needs it; the address may have it too.
func TestToken(t *testing.T) {
	r := newRemote(t)
	r.token = "a-token-of-this-test"
	r.serve()
	for _, c := range []struct {
		o    client.Options
		want error
	}{
		{client.Options{}, client.ErrToken},
		{client.Options{Token: "another"}, client.ErrToken},
		{client.Options{Token: r.token}, nil},
		{client.Options{URL: r.http.URL + "?token=" + r.token}, nil},
	} {
		_, err := r.client(c.o).Info(t.Context(), "s")
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
		if err == nil {
			continue
		}
		if said := msg.For(msg.Zh).Err(err); !strings.Contains(said, "REACT_AGENT_TOKEN") || strings.Contains(said, "another") {
			t.Error(said)
		}
		for _, err := range r.client(c.o).Follow(t.Context(), "s", 0, true) {
			if !errors.Is(err, client.ErrToken) {
				t.Error(err)
			}
		}
	}
}

// What a server says of itself, for a session; what is no server of ours is told from one.
func TestAbout(t *testing.T) {
	r := newRemote(t)
	r.serve()
	a, err := r.client(client.Options{}).About(t.Context(), "s1")
	if err != nil || a.Version != "v1" || a.Model != "m of s1" || a.Mode != "ask" {
		t.Errorf("%+v %v", a, err)
	}
	for name, h := range map[string]http.HandlerFunc{
		"a page":     func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"other JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"name":"else"}`) },
		"not there":  http.NotFound,
		"somewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/x?token=y", http.StatusFound)
		},
		"out of order": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	} {
		srv := httptest.NewServer(h)
		_, err := r.client(client.Options{URL: srv.URL}).About(t.Context(), "")
		if err == nil || !strings.Contains(err.Error(), srv.URL) || strings.Contains(err.Error(), "token") {
			t.Errorf("%s: %v", name, err)
		}
		srv.Close()
	}
}

// Addresses that are none are refused at once.
func TestAddresses(t *testing.T) {
	for _, url := range []string{"", "localhost:8080", "ftp://x", "http://", "http://x y?token=secret", "://"} {
		if _, err := client.New(client.Options{URL: url}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	c, err := client.New(client.Options{URL: "https://host:1/behind?token=t#x"})
	if err != nil || c.URL() != "https://host:1/behind" || c.BlobURL("abc") != "https://host:1/behind/blobs/abc" {
		t.Errorf("%v %v", c, err)
	}
}

// Nobody at the other end is an error that says so, once the time for that is over.
func TestUnreachable(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	r := &remote{t: t}
	c := r.client(client.Options{URL: srv.URL, Retry: 300 * time.Millisecond})
	_, err := c.Submit(t.Context(), "s", enginetest.Say("x"))
	if !errors.Is(err, client.ErrUnreachable) || !strings.Contains(msg.For(msg.Zh).Err(err), "连不上 "+srv.URL) {
		t.Error(err)
	}
	n := 0
	for _, err := range c.Follow(t.Context(), "s", 0, true) {
		if n++; !errors.Is(err, client.ErrUnreachable) {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
}

// A server that answers nothing is not waited for; one that is asked too much is asked again when it says.
func TestPatience(t *testing.T) {
	hang := make(chan struct{})
	asked := make(chan struct{}, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		switch {
		case strings.HasPrefix(r.URL.Path, "/sessions/hang"):
			<-hang
		case len(asked) < 3:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			fmt.Fprint(w, `{"id":"busy","seq":7}`)
		}
	}))
	defer srv.Close()
	defer close(hang)
	r := &remote{t: t}
	c := r.client(client.Options{URL: srv.URL, Wait: 50 * time.Millisecond, Retry: 10 * time.Millisecond})
	if _, err := c.Info(t.Context(), "hang"); !errors.Is(err, client.ErrUnreachable) || !strings.Contains(err.Error(), "in time") {
		t.Error(err)
	}
	if info, err := r.client(client.Options{URL: srv.URL}).Info(t.Context(), "busy"); err != nil || info.Seq != 7 {
		t.Errorf("%+v %v", info, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Info(ctx, "hang"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A list has everything once, over any number of pages, whatever happens between them.
func TestListOverPages(t *testing.T) {
	all := []string{"e", "d", "c", "b", "a"}
	moved := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if before := r.URL.Query().Get("before"); before != "" {
			if !moved { // the last of the page before is gone, and another one is the newest now
				moved = true
				all = []string{"a", "e", "c", "b"}
			}
			if from = slices.Index(all, before) + 1; from == 0 {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"error":"it is gone"}`)
				return
			}
		}
		page := all[from:min(from+2, len(all))]
		next := ""
		if from+2 < len(all) {
			next = fmt.Sprintf(`,"next":%q`, page[1])
		}
		fmt.Fprintf(w, `{"sessions":[{"id":"%s"}]%s}`, strings.Join(page, `"},{"id":"`), next)
	}))
	defer srv.Close()
	c := (&remote{t: t}).client(client.Options{URL: srv.URL})
	var got []string
	for info, err := range c.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.ID)
	}
	if strings.Join(got, "") != "edacb" {
		t.Errorf("%q", got)
	}
	for _, err := range c.List(t.Context(), "nobody") {
		if !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	}
}

// A command that may have begun is not sent twice, whoever says that it has met something; one that was not taken is.
func TestCommandsAreSentOnce(t *testing.T) {
	var status, asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > 1 {
			fmt.Fprint(w, `{"text":"done"}`)
			return
		}
		w.WriteHeader(int(status.Load()))
	}))
	defer srv.Close()
	c := (&remote{t: t}).client(client.Options{URL: srv.URL})
	for _, x := range []struct{ status, command, message int64 }{{429, 2, 2}, {502, 1, 2}, {503, 1, 2}, {504, 1, 2}} {
		for in, want := range map[*engine.Input]int64{{Command: "/x"}: x.command, new(enginetest.Say("x")): x.message} {
			status.Store(x.status)
			asked.Store(0)
			if _, err := c.Submit(t.Context(), "s", *in); (err == nil) != (want == 2) || asked.Load() != want {
				t.Errorf("%d %+v: asked %d times, want %d: %v", x.status, in, asked.Load(), want, err)
			}
		}
	}
}

// Refusals are what the engine's own errors are, and say what the server says.
func TestRefusals(t *testing.T) {
	status, body := 0, ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer srv.Close()
	c := (&remote{t: t}).client(client.Options{URL: srv.URL, Retry: time.Millisecond})
	for _, x := range []struct {
		status int
		in     engine.Input
		is     error
		not    error
	}{
		{http.StatusBadRequest, enginetest.Say("x"), engine.ErrInput, engine.ErrGone},
		{http.StatusConflict, engine.Input{Edit: 3}, engine.ErrGone, store.ErrNotFound},
		{http.StatusConflict, enginetest.Say("x"), nil, engine.ErrGone},
		{http.StatusUnprocessableEntity, engine.Input{Command: "/x"}, engine.ErrInput, nil},
		{http.StatusNotFound, enginetest.Say("x"), store.ErrNotFound, engine.ErrInput},
		{http.StatusRequestEntityTooLarge, enginetest.Say("x"), store.ErrTooLarge, engine.ErrInput},
		{http.StatusServiceUnavailable, enginetest.Say("x"), engine.ErrClosed, engine.ErrInput},
		{http.StatusInsufficientStorage, enginetest.Say("x"), store.ErrFull, engine.ErrInput},
		{http.StatusUnauthorized, enginetest.Say("x"), client.ErrToken, engine.ErrInput},
	} {
		status, body = x.status, `{"error":"说得清楚"}`
		_, err := c.Submit(t.Context(), "s", x.in)
		e, ok := errors.AsType[*client.Error](err)
		if !ok || e.Status != x.status || x.is != nil && !errors.Is(err, x.is) || x.not != nil && errors.Is(err, x.not) {
			t.Errorf("%d: %v", x.status, err)
		}
		if ok && x.status != http.StatusUnauthorized && err.Error() != "说得清楚" {
			t.Errorf("%d: %q", x.status, err)
		}
		body = "<html>"
		if _, err := c.Submit(t.Context(), "s", x.in); err == nil || !strings.Contains(err.Error(), srv.URL) {
			t.Errorf("%d without words: %v", x.status, err)
		}
	}
}
