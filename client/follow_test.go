package client_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/client"
	"react-agent/engine"
	"react-agent/engine/enginetest"
	"react-agent/server"
	"react-agent/store/mem"
)

// streams is a server that plays event streams one after the other; one that ends in "!" breaks off. Then nothing comes.
type streams struct {
	list  []string
	after []string // Last-Event-ID of each request for events
	mu    sync.Mutex
}

// ServeHTTP answers. Blobs are given out with the second stream only; whatever else is asked for is not there.
func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	first := len(s.after) < 2
	s.mu.Unlock()
	switch {
	case strings.HasPrefix(r.URL.Path, "/blobs/"):
		if first {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, strings.Repeat("b", 3))
		return
	case !strings.HasSuffix(r.URL.Path, "/events"):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"nobody needs it"}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	next, ok := s.play(r.Header.Get("Last-Event-ID"))
	if !ok {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	text, broken := strings.CutSuffix(next, "!")
	fmt.Fprint(w, text)
	_ = http.NewResponseController(w).Flush()
	if broken {
		panic(http.ErrAbortHandler)
	}
}

// play takes the next stream.
func (s *streams) play(after string) (next string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = append(s.after, after)
	if len(s.list) == 0 {
		return "", false
	}
	next, s.list = s.list[0], s.list[1:]
	return next, true
}

func data(id int, rest string) string {
	return fmt.Sprintf("id: %d\ndata: {\"seq\":%d,%s}\n\n", id, id, rest)
}

// followed follows until n events were seen, or the end, and says what was: number, type and text.
func followed(t *testing.T, c *client.Client, after int64, live bool, n int) (seen []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Patience)
	defer cancel()
	for e, ferr := range c.Follow(ctx, "s", after, live) {
		if ferr != nil {
			return seen, ferr
		}
		text := e.Text
		if e.Chunk != nil && e.Chunk.Part != nil {
			text = e.Chunk.Part.Text
		}
		if e.Message != nil {
			text = e.Message.Text()
		}
		seen = append(seen, strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Seq, e.Type, text)))
		if len(seen) == n {
			break
		}
	}
	if ctx.Err() != nil {
		t.Errorf("only %q came", seen)
	}
	return seen, nil
}

// Wherever a stream breaks off, it is taken up behind the last durable event: what comes again is not shown again, and what
// was shown of an unfinished message is withdrawn.
func TestStreamsAreTakenUp(t *testing.T) {
	message := func(seq int, text string) string {
		return data(seq, `"type":"message","message":{"role":"assistant","parts":[{"kind":"text","text":"`+text+`"}]}`)
	}
	chunk := func(seq, n int, text string) string {
		return data(seq, fmt.Sprintf(`"type":"chunk","n":%d,"chunk":{"index":0,"part":{"kind":"text","text":%q}}`, n, text))
	}
	const state = `"type":"state","state":{"x":1}`
	sha := "3e744b9dc39389baf0c5a0660589b8402f3dbb49b89b3e75f2c9355852a3c677" // of bbb
	for name, c := range map[string]struct {
		list  []string
		live  bool
		want  []string
		after []string
	}{
		"between events": {
			list: []string{data(1, state) + ": alive\n\n!", data(2, state)}, live: true,
			want: []string{"1 state", "2 state"}, after: []string{"0", "1"},
		},
		"in an event": {
			list: []string{data(1, state) + "id: 2\ndata: {\"seq\":2,\"ty!", data(1, state) + data(2, state)}, live: true,
			want: []string{"1 state", "2 state"}, after: []string{"0", "1"},
		},
		"in a message": {
			list: []string{data(1, state) + chunk(1, 1, "hel") + "!", chunk(0, 9, "old") + message(2, "hello")}, live: true,
			want: []string{"1 state", "1 chunk hel", "1 retry", "2 message hello"}, after: []string{"0", "1"},
		},
		"in a message that goes on": {
			list: []string{chunk(0, 1, "hel") + "!", data(0, `"type":"retry","n":5`) + chunk(0, 5, "hello") + message(1, "hello")}, live: true,
			want: []string{"0 chunk hel", "0 retry", "0 retry", "0 chunk hello", "1 message hello"}, after: []string{"0", "0"},
		},
		"behind a message that was withdrawn": {
			list: []string{chunk(0, 1, "hel") + data(0, `"type":"retry","n":2`) + "!", message(1, "hello")}, live: true,
			want: []string{"0 chunk hel", "0 retry", "1 message hello"}, after: []string{"0", "0"},
		},
		"at the end of what is stored": {list: []string{data(1, state) + data(2, state)}, want: []string{"1 state", "2 state"}, after: []string{"0"}},
		"before that": {
			list: []string{data(1, state) + "!", data(2, state)}, want: []string{"1 state", "2 state"}, after: []string{"0", "1"},
		},
		"on the way to a large body": {
			list: []string{message(1, "x") + strings.Replace(message(2, "y"), `"y"`, `{"$blob":"`+sha+`","size":3}`, 1), strings.Replace(message(2, "y"), `"y"`, `{"$blob":"`+sha+`","size":3}`, 1)},
			live: true, want: []string{"1 message x", "2 message bbb"}, after: []string{"0", "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &streams{list: c.list}
			srv := httptest.NewServer(s)
			defer srv.Close()
			cl := (&remote{t: t}).client(client.Options{URL: srv.URL, Retry: 20 * time.Millisecond})
			n := len(c.want)
			if !c.live {
				n = -1
			}
			got, err := followed(t, cl, 0, c.live, n)
			if err != nil || !slices.Equal(got, c.want) || !slices.Equal(s.after, c.after) {
				t.Errorf("%q, asked behind %q, %v", got, s.after, err)
			}
		})
	}
}

// way leads to a server, and can be cut and led elsewhere.
type way struct {
	to atomic.Pointer[httptest.Server]
}

// client is one that goes this way.
func (w *way) client(r *remote, o client.Options) *client.Client {
	o.HTTP = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		srv := w.to.Load()
		if srv == nil {
			return nil, errBad
		}
		return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
	}}}
	return r.client(o)
}

// cut takes the server away; it goes on.
func (w *way) cut() {
	if srv := w.to.Swap(nil); srv != nil {
		srv.CloseClientConnections()
	}
}

// A session that was deleted while its follower was away has no more events, also when another one has its name by now, be
// that as long.
func TestFollowOfADeletedSession(t *testing.T) {
	for name, turns := range map[string][2]int{"gone": {1, 0}, "begun anew": {2, 1}, "begun anew and as long": {1, 1}} {
		t.Run(name, func(t *testing.T) {
			r := newRemote(t, agenttest.Say("one"), agenttest.Say("two"), agenttest.Say("three"))
			r.serve()
			talk := func(turns int) int64 {
				for range turns {
					enginetest.Submit(t, r.local, "s", enginetest.Say("hi"))
					enginetest.WaitIdle(t, r.local, "s")
				}
				info, err := r.local.Info(t.Context(), "s")
				if err != nil {
					t.Fatal(err)
				}
				return info.Seq
			}
			last := talk(turns[0])
			var w way
			w.to.Store(r.http)
			f := enginetest.Follow(t, w.client(r, client.Options{}), "s", 0)
			f.Until("the last event", func(e agent.Event) bool { return e.Seq == last })
			w.cut()
			if err := r.local.Delete(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			if now := talk(turns[1]); now > last || turns[0] == turns[1] && now < last {
				t.Fatalf("it had %d events and has %d", last, now)
			}
			w.to.Store(r.http)
			for e := range f.Got { // until the stream ends
				if e.Type != agent.EvNotice {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// What is no event, and a refusal, end it with an error.
func TestFollowFails(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "data: so\n\n") },
		"refused": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":"not from here"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(h)
			defer srv.Close()
			if got, err := followed(t, (&remote{t: t}).client(client.Options{URL: srv.URL}), 0, true, -1); err == nil || len(got) > 0 {
				t.Errorf("%q %v", got, err)
			}
		})
	}
	for _, err := range (&remote{t: t}).client(client.Options{URL: "http://127.0.0.1:1"}).Follow(t.Context(), "..", 0, true) {
		if err == nil {
			t.Error("a name that is none")
		}
	}
}

// A stream on which nothing comes, not even a comment, is dead.
func TestSilence(t *testing.T) {
	s := &streams{}
	asked := make(chan struct{}, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		s.ServeHTTP(w, r)
	}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range (&remote{t: t}).client(client.Options{URL: srv.URL, Idle: 30 * time.Millisecond}).Follow(ctx, "s", 0, true) {
			continue
		}
	}()
	for range 3 {
		<-asked
	}
	cancel()
	<-done
}

// halting is a model that says the beginning of its answer, and comes no further in its first life.
type halting struct {
	begun chan struct{}
	calls atomic.Int64
}

func (*halting) Info() agent.ModelInfo { return agent.ModelInfo{Name: "halting", Context: 100_000} }

func (h *halting) Stream(ctx context.Context, _ *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		text := func(s string) agent.Chunk { return agent.Chunk{Part: &agent.Part{Kind: agent.Text, Text: s}} }
		if !yield(text("half"), nil) {
			return
		}
		if h.calls.Add(1) == 1 {
			close(h.begun)
			<-ctx.Done()
			yield(agent.Chunk{}, ctx.Err())
			return
		}
		if yield(text(" and whole"), nil) {
			yield(agent.Chunk{Stop: agent.StopEnd}, nil)
		}
	}
}

// A server that ends in the middle of an answer and comes back is followed on: the half is withdrawn, the run goes on, and
// every durable event comes once.
func TestServerRestarts(t *testing.T) {
	model := &halting{begun: make(chan struct{})}
	r := &remote{t: t, store: mem.New()}
	var w way
	start := func() {
		e, err := engine.New(engine.Config{Log: r.store, KV: r.store, Blobs: r.store, Factory: func(context.Context, engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{Model: model}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.local = e
		s, err := server.New(r.options())
		if err != nil {
			t.Fatal(err)
		}
		r.http = httptest.NewServer(s)
		w.to.Store(r.http)
	}
	start()
	c := w.client(r, client.Options{Lost: "lost", Back: "back"})
	f := enginetest.Follow(t, c, "s", 0)
	enginetest.Submit(t, c, "s", enginetest.Say("hi"))
	<-model.begun
	f.Until("half of the answer", func(e agent.Event) bool { return e.Chunk != nil && e.Chunk.Part != nil && e.Chunk.Part.Text == "half" })
	w.cut() // before it ends: a server that is about to end would take the client in once more
	r.stop()
	f.Until("word of the loss", func(e agent.Event) bool { return e.Type == agent.EvNotice && e.Text == "lost" })
	start()
	defer r.stop()
	if err := r.local.Resume(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	f.UntilType(agent.EvRetry)
	f.Until("word of the end of it", func(e agent.Event) bool { return e.Type == agent.EvNotice && e.Text == "back" })
	f.Until("the end", enginetest.IsEnd)
	all := enginetest.Durable(f.Seen)
	for i, e := range all {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
	enginetest.WantTexts(t, all, agent.Assistant, "half and whole")
}

// A server that stays away is given up, with an error that says so.
func TestServerStaysAway(t *testing.T) {
	s := &streams{list: []string{data(1, `"type":"state","state":{}`) + "!"}}
	srv := httptest.NewServer(s)
	c := (&remote{t: t}).client(client.Options{URL: srv.URL, Patience: 400 * time.Millisecond, Retry: time.Millisecond, Lost: "lost"})
	var seen []string
	var last error
	for e, err := range c.Follow(t.Context(), "s", 0, true) {
		if last = err; err == nil {
			seen = append(seen, string(e.Type)+e.Text)
		}
		srv.Close()
	}
	if !errors.Is(last, client.ErrUnreachable) || !slices.Equal(seen, []string{"state", "noticelost"}) {
		t.Errorf("%q %v", seen, last)
	}
}

// Whoever waits for a server that cannot be reached is told so once for each request, before the first pause; an answer that
// refuses is no such case.
func TestTryingIsTold(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	told := 0
	c := (&remote{t: t}).client(client.Options{URL: srv.URL, Retry: 500 * time.Millisecond, Trying: func() { told++ }})
	if _, err := c.Info(t.Context(), "s"); err == nil || told != 0 {
		t.Errorf("told %d times, %v", told, err)
	}
	srv.Close()
	for want := range 2 {
		if _, err := c.Submit(t.Context(), "s", enginetest.Say("hi")); !errors.Is(err, client.ErrUnreachable) || told != want+1 {
			t.Errorf("told %d times, %v", told, err)
		}
	}
}
