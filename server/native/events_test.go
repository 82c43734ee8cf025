package native_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/engine/enginetest"
	"react-agent/internal/httpx"
	"react-agent/internal/sse"
	"react-agent/server/native"
	"react-agent/store/mem"
)

// Who comes back to a session that was removed and begun anew is refused, however long the new one is.
func TestAnotherSession(t *testing.T) {
	s := newSite(t, agenttest.Say("one"), agenttest.Say("two"), agenttest.Say("three"))
	s.o.Span = s.local.Span
	if w := s.ask("GET", "/sessions/a/events?live=0", ""); w.Code != 200 || w.Header().Get("Session-Born") != "" {
		t.Errorf("before it has begun: %d %v", w.Code, w.Header())
	}
	s.want("GET", "/sessions/a/events?after=3", "", 409, "has only 0 events")
	s.want("GET", "/sessions/a/events?live=0&born=yesterday", "", 400, "no time")
	turn := func() (born string, last int) {
		f := enginetest.Follow(t, s.local, "a", 0)
		enginetest.Submit(t, s.local, "a", enginetest.Say("hi"))
		f.Until("the end", enginetest.IsEnd)
		w := s.ask("GET", "/sessions/a/events?live=0", "")
		return w.Header().Get("Session-Born"), len(s.lines("a"))
	}
	old, n := turn()
	s.want("GET", fmt.Sprintf("/sessions/a/events?after=%d", n+1), "", 409, fmt.Sprintf("has only %d events", n))
	s.want("GET", fmt.Sprintf("/sessions/a/events?live=0&after=%d&born=%s", n, old), "", 200, "")
	if err := s.local.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now().UnixMilli(); time.Now().UnixMilli() == begun; { // sessions are told apart by their first millisecond
		runtime.Gosched()
	}
	born, again := turn()
	if born == old || again < n {
		t.Fatalf("%s, then %s", old, born)
	}
	s.want("GET", fmt.Sprintf("/sessions/a/events?live=0&after=%d&born=%s", n, old), "", 409, "begun anew")
	s.want("GET", fmt.Sprintf("/sessions/a/events?live=0&after=%d&born=%s", n, born), "", 200, "")
}

// The stream is the log: each event one line of JSON under its seq, and nothing else but comments.
func TestEvents(t *testing.T) {
	s := newSite(t, agenttest.Say("one"), agenttest.Say("two"))
	f := enginetest.Follow(t, s.local, "a", 0)
	for range 2 {
		enginetest.Submit(t, s.local, "a", enginetest.Say("hi"))
		f.Until("the end", enginetest.IsEnd)
	}
	lines := s.lines("a")
	want := func(header, query string, after int) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/sessions/A/events?live=0"+query, nil)
		if header != "" {
			r.Header.Set("Last-Event-ID", header)
		}
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		var b strings.Builder
		for i, line := range lines[after:] {
			fmt.Fprintf(&b, "id: %d\ndata: %s\n\n", after+i+1, line)
		}
		if w.Code != 200 || w.Body.String() != b.String() {
			t.Errorf("Last-Event-ID %q, %q: %d %s\nwant %s", header, query, w.Code, w.Body, &b)
		}
		if got := w.Header(); got.Get("Content-Type") != "text/event-stream" || got.Get("X-Accel-Buffering") != "no" || got.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", got)
		}
	}
	want("", "", 0)
	want("", "&after=0", 0)
	want("", "&after=3", 3)
	want("2", "&after=3", 2) // a browser that comes back asks with the address it began with
	want("", "&after=1000", len(lines))
	s.o.Frames, s.mux = nil, nil // through the interface alone it is the same
	want("", "", 0)
	want("4", "", 4)
}

func TestEventsRefused(t *testing.T) {
	s := newSite(t)
	for path, text := range map[string]string{
		"/sessions/..%2fa/events":                              "name",
		"/sessions/con/events":                                 "device",
		"/sessions/a/events?after=x":                           `after is \"x\"`,
		"/sessions/a/events?after=-1":                          "no event's number",
		"/sessions/a/events?after=1e9":                         "no event's number",
		"/sessions/a/events?live=perhap":                       `live cannot be \"perhap\"`,
		"/sessions/a/events?after=" + strings.Repeat("9", 500): "999…",
	} {
		s.want("GET", path, "", 400, text)
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/sessions/a/events", nil)
	r.Header.Set("Last-Event-ID", "latest")
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "Last-Event-ID") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// When the server stops, a stream says so and ends in order.
func TestEventsStop(t *testing.T) {
	s := newSite(t, agenttest.Say("one"))
	ctx, stop := context.WithCancelCause(t.Context())
	begun := make(chan struct{})
	frames := s.o.Frames
	s.o.Frames = func(ctx context.Context, id string, after int64, live bool) iter.Seq2[[]engine.Frame, error] {
		close(begun)
		return frames(ctx, id, after, live)
	}
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/sessions/a/events", nil))
	}()
	<-begun
	stop(httpx.ErrStopping)
	<-done
	if !strings.Contains(w.Body.String(), ": "+httpx.ErrStopping.Error()+"\n\n") {
		t.Errorf("%q", w.Body)
	}
}

func (s *site) lines(id string) (lines []string) {
	for rec, err := range s.store.Read(s.t.Context(), "session/"+id, 0, false) {
		if err != nil {
			s.t.Fatal(err)
		}
		lines = append(lines, string(rec.Data))
	}
	return lines
}

// teller is a model that works through some rounds of a tool, with many small pieces of text before each call.
type teller struct{ rounds, pieces int }

func (teller) Info() agent.ModelInfo { return agent.ModelInfo{Name: "teller"} }

func (m teller) Stream(_ context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		round := 0
		for _, x := range req.Messages {
			if x.Role == agent.Assistant {
				round++
			}
		}
		for i := range m.pieces {
			if !yield(agent.Chunk{Part: &agent.Part{Kind: agent.Text, Text: fmt.Sprintf("round %d, piece %d. ", round, i)}}, nil) {
				return
			}
		}
		if round < m.rounds {
			p := &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: strconv.Itoa(round), Name: "look", Args: []byte("{}")}}
			if !yield(agent.Chunk{Index: 1, Part: p}, nil) {
				return
			}
			yield(agent.Chunk{Stop: agent.StopCalls}, nil)
			return
		}
		yield(agent.Chunk{Stop: agent.StopEnd}, nil)
	}
}

// crowd is a server with many sessions and many who come and go.
type crowd struct {
	t     *testing.T
	site  *site
	url   string
	left  atomic.Int64 // times that somebody left in the middle
	begin chan struct{}
}

// small is a listener whose connections hold little that was sent and not read, so that slow readers are felt.
type small struct{ net.Listener }

func (l small) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = errors.Join(err, tcp.SetWriteBuffer(4<<10))
	}
	return c, err
}

func newCrowd(t *testing.T, model agent.Model) *crowd {
	t.Helper()
	s := &site{t: t, store: mem.New()}
	result := agent.TextResult(strings.Repeat("what was found; ", 200))
	var err error
	s.local, err = engine.New(engine.Config{
		Log: s.store, KV: s.store, Blobs: s.store, Backlog: 32,
		Factory: func(context.Context, engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{Model: model, Tools: []agent.Tool{{
				Name: "look", Schema: []byte(`{"type":"object"}`), Effect: agent.Reads,
				Run: func(context.Context, agent.Call) (agent.Result, error) { return result, nil },
			}}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := native.New(native.Options{Engine: s.local, Blobs: s.store, Frames: s.local.Frames})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sessions/{id}/events", a.Events)
	srv := httptest.NewUnstartedServer(mux)
	srv.Listener = small{srv.Listener}
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := s.local.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &crowd{t: t, site: s, url: srv.URL, begin: make(chan struct{})}
}

// connect opens a stream over a connection of its own; cut ends it, half of the time without a farewell.
func (c *crowd) connect(id, last string, rnd *rand.Rand) (body io.Reader, cut func(), err error) {
	rude := rnd.IntN(2) == 0
	tr := &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4 << 10)
			if rude {
				_ = tcp.SetLinger(0)
			}
		}
		return conn, err
	}}
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.url+"/sessions/"+id+"/events", nil)
	if err != nil {
		return nil, nil, err
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, nil, errors.Join(errors.New(resp.Status), resp.Body.Close())
	}
	return resp.Body, func() { _ = resp.Body.Close() }, nil
}

// reading is what one client has: the durable events, and the id it would come back with.
type reading struct {
	got   []string
	last  string
	ended bool
}

// read takes events until the end of the run, or of the body.
func (g *reading) read(body io.Reader) error {
	in := sse.NewReader(body)
	for !g.ended {
		e, err := in.Next()
		if err != nil || e.Tail {
			return err
		}
		if len(e.Type) > 0 || len(e.ID) == 0 {
			return fmt.Errorf("an event of type %q with id %q", e.Type, e.ID)
		}
		if !bytes.HasPrefix(e.Data, []byte(`{"seq":`+string(e.ID)+`,"type":"`)) {
			return fmt.Errorf("id %s of %.60s", e.ID, e.Data)
		}
		typ, _, _ := bytes.Cut(e.Data[len(`{"seq":`)+len(e.ID)+len(`,"type":"`):], []byte{'"'})
		g.last = string(e.ID)
		if agent.EventType(typ).Durable() {
			g.got = append(g.got, string(e.Data))
			g.ended = string(typ) == string(agent.EvEnd)
		}
	}
	return nil
}

// roam comes and goes until it has left times often and seen the end. It gives each whole reading.
func (c *crowd) roam(id string, rnd *rand.Rand, times int) (all [][]string, err error) {
	<-c.begin
	for g := (&reading{}); ; {
		body, cut, err := c.connect(id, g.last, rnd)
		if err != nil {
			return nil, err
		}
		most := int64(1 << 40)
		if times > 0 {
			most = rnd.Int64N(30_000)
		}
		err = g.read(io.LimitReader(body, most))
		cut()
		times--
		switch {
		case g.ended:
			if all = append(all, g.got); times <= 0 {
				return all, nil
			}
			g = &reading{} // and once more from the beginning
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		default:
			c.left.Add(1)
		}
	}
}

// dawdle takes the first bytes, then nothing until the run has ended, then the rest.
func (c *crowd) dawdle(id string, rnd *rand.Rand, ended <-chan struct{}) ([]string, error) {
	body, cut, err := c.connect(id, "", rnd)
	if err != nil {
		return nil, err
	}
	defer cut()
	<-ended
	var g reading
	err = g.read(body)
	return g.got, err
}

// A thousand times somebody leaves, anywhere in the stream and with or without a farewell, and comes back with the last id it
// has seen; others take nothing for as long as the run lasts. All end with the same events, which are those of the log.
func TestAThousandDisconnects(t *testing.T) {
	const sessions, roamers, times = 20, 10, 8
	c := newCrowd(t, teller{rounds: 12, pieces: 60})
	var wg sync.WaitGroup
	var mu sync.Mutex
	readings := map[string][][]string{}
	keep := func(id, who string, all [][]string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Errorf("%s, %s: %v", id, who, err)
		}
		readings[id] = append(readings[id], all...)
	}
	var ready sync.WaitGroup
	for i := range sessions {
		id := "s" + strconv.Itoa(i)
		ended := make(chan struct{})
		ready.Add(1)
		wg.Go(func() {
			defer close(ended)
			rnd := rand.New(rand.NewPCG(uint64(i), 0))
			body, cut, err := c.connect(id, "", rnd)
			ready.Done()
			if err != nil {
				keep(id, "steady", nil, err)
				return
			}
			defer cut()
			var g reading
			err = g.read(body)
			keep(id, "steady", [][]string{g.got}, err)
		})
		for k := range roamers {
			wg.Go(func() {
				all, err := c.roam(id, rand.New(rand.NewPCG(uint64(i), uint64(k+1))), times)
				keep(id, "roamer", all, err)
			})
		}
		for k := range 2 {
			wg.Go(func() {
				got, err := c.dawdle(id, rand.New(rand.NewPCG(uint64(i), uint64(k+100))), ended)
				keep(id, "slow reader", [][]string{got}, err)
			})
		}
	}
	ready.Wait()
	close(c.begin)
	for i := range sessions {
		enginetest.Submit(t, c.site.local, "s"+strconv.Itoa(i), enginetest.Say("go"))
	}
	wg.Wait()
	for id, all := range readings {
		want := c.site.lines(id)
		for _, got := range all {
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: a reader has %d events of %d, or others", id, len(got), len(want))
			}
		}
	}
	if n := c.left.Load(); n < 1000 {
		t.Errorf("readers have left %d times, want 1000", n)
	}
}
