package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/engine"
	"react-agent/engine/enginetest"
	"react-agent/internal/msg"
	"react-agent/server"
)

const token = "0123456789abcdef-of-a-test"

func TestToken(t *testing.T) {
	r := newRig(t, func(o *server.Options) { o.Token = token })
	for name, headers := range map[string][]string{
		"none":             nil,
		"another":          {"Authorization", "Bearer 0123456789abcdef-of-a-tesT"},
		"a part":           {"Authorization", "Bearer 0123456789abcdef"},
		"empty":            {"Authorization", "Bearer "},
		"another scheme":   {"Authorization", "Basic " + token},
		"no scheme":        {"Authorization", token},
		"empty key":        {"X-Api-Key", ""},
		"another key":      {"X-Api-Key", token + "x"},
		"a wrong cookie":   {"Cookie", "react_agent_00000000=" + token},
		"the token itself": {"Cookie", "react_agent=" + token},
	} {
		for _, path := range []string{"/about", "/metrics", "/", "/sessions", "/openapi.json", "/tasks?token=" + token} {
			status, head, body := r.ask("GET", path, "", headers...)
			if status != 401 || head.Get("WWW-Authenticate") != "Bearer" || !saysWhy(body) || strings.Contains(body, token) {
				t.Errorf("%s %s: %d %v %s", name, path, status, head, body)
			}
		}
		if status, _, _ := r.ask("POST", "/chat", say, headers...); status != 401 {
			t.Errorf("%s: %d", name, status)
		}
	}
	r.untouched()
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, _, body := r.ask("GET", path, ""); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, head, _ := r.ask("GET", "/?token=wrong", ""); status != 401 || head.Get("Set-Cookie") != "" {
		t.Errorf("%d %v", status, head)
	}
	for _, method := range []string{"POST", "DELETE"} {
		if _, head, _ := r.ask(method, "/?token="+token, ""); head.Get("Set-Cookie") != "" {
			t.Errorf("%s gives the cookie", method)
		}
	}
	status, head, body := r.ask("GET", "/?token="+token, "")
	res := http.Response{Header: head}
	if status != 200 || len(res.Cookies()) != 1 || !strings.Contains(body, `url=/"`) || strings.Contains(body, token) {
		t.Fatalf("%d %v %s", status, head, body)
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, token) {
		t.Errorf("%+v", c)
	}
	for _, headers := range [][]string{{"Authorization", "Bearer " + token}, {"Authorization", "bearer  " + token}, {"X-Api-Key", token}, {"Cookie", c.Name + "=" + c.Value}} {
		if status, _, body := r.ask("GET", "/tasks", "", headers...); status != 200 {
			t.Errorf("%v: %d %s", headers, status, body)
		}
	}
	if status, _, body := r.ask("GET", "/", "", "Cookie", c.Name+"="+c.Value); status != 200 || !strings.Contains(body, "<") {
		t.Errorf("%d %s", status, body)
	}
}

func TestWhoMayComeIn(t *testing.T) {
	r := newRig(t, func(o *server.Options) {
		o.Hosts, o.Origins = []string{"Agent.Example", "[fd00::1]:80"}, []string{"https://Board.example/"}
	})
	_, port, _ := strings.Cut(r.addr, ":")
	for _, host := range []string{
		"localhost", "LOCALHOST:" + port, "localhost.", "a.localhost:1", "127.0.0.1", "127.9.9.9", "[::1]:" + port, "[::ffff:127.0.0.1]", "agent.example", "AGENT.EXAMPLE:1234", "[fd00::1]",
	} {
		if status, _, body := r.ask("GET", "/tasks", "", "Host", host); status != 200 {
			t.Errorf("%s: %d %s", host, status, body)
		}
	}
	for _, headers := range [][]string{
		{"Origin", "http://" + r.addr},
		{"Origin", "https://agent.example", "Host", "agent.example"},
		{"Origin", "HTTP://" + r.addr},
		{"Sec-Fetch-Site", "same-origin"},
		{"Sec-Fetch-Site", "none"},
		{"Origin", "https://board.example", "Sec-Fetch-Site", "cross-site"},
	} {
		if status, _, body := r.ask("GET", "/tasks", "", headers...); status != 200 {
			t.Errorf("%v: %d %s", headers, status, body)
		}
	}
	if status, _, _ := r.ask("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); status != 200 {
		t.Errorf("a link to the page: %d", status)
	}
	status, head, _ := r.ask("OPTIONS", "/chat", "", "Origin", "https://board.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
	if status != 204 || head.Get("Access-Control-Allow-Origin") != "https://board.example" || head.Get("Vary") != "Origin" ||
		!strings.Contains(head.Get("Access-Control-Allow-Methods"), "POST") || !strings.Contains(head.Get("Access-Control-Allow-Headers"), "Content-Type") {
		t.Errorf("%d %v", status, head)
	}
	if status, head, _ := r.ask("GET", "/tasks", "", "Origin", "https://board.example"); status != 200 || head.Get("Access-Control-Allow-Origin") != "https://board.example" {
		t.Errorf("%d %v", status, head)
	}
	if status, head, _ := r.ask("OPTIONS", "/chat", ""); status != 204 || head.Get("Allow") != "POST, OPTIONS" || head.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", status, head)
	}
	if status, head, _ := r.ask("OPTIONS", "/nothing", ""); status != 204 || head.Get("Allow") == "" {
		t.Errorf("%d %v", status, head)
	}
}

func TestHeadAndPage(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range []string{"/", "/tasks", "/healthz", "/openapi.json", "/sessions/a/events"} {
		if status, head, body := r.ask("HEAD", path, ""); status != 200 || body != "" || head.Get("Content-Type") == "" {
			t.Errorf("HEAD %s: %d %v %q", path, status, head, body)
		}
	}
	status, head, body := r.ask("GET", "/", "")
	if status != 200 || !strings.Contains(body, "<html") {
		t.Errorf("%d %.100s", status, body)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if !strings.Contains(head.Get(name), want) {
			t.Errorf("%s: %q", name, head.Get(name))
		}
	}
	if p := head.Get("Content-Security-Policy"); !strings.Contains(p, "frame-ancestors 'none'") || strings.Contains(p, "unsafe") || strings.Contains(p, "http") {
		t.Error(p)
	}
}

func TestBodiesThatAreRight(t *testing.T) {
	r := newRig(t, nil)
	for body, kind := range map[string]string{
		say: "application/json", " \n" + say + "\n": "application/json; charset=utf-8", `{"message":"你好","session_id":"Ab_1"}`: "Application/JSON;charset=UTF-8",
	} {
		if status, _, answer := r.ask("POST", "/chat", body, "Content-Type", kind); status != 200 || !strings.HasSuffix(answer, "\n\n") {
			t.Errorf("%s %s: %d %s", kind, body, status, answer)
		}
	}
	for _, body := range []string{"", "{}", `{"session_id":"other"}`} {
		if status, _, answer := r.ask("POST", "/compact", body); status != 200 {
			t.Errorf("compact %q: %d %s", body, status, answer)
		}
	}
	if status, _, answer := r.raw(request("POST", "/compact", "")); status != 200 {
		t.Errorf("compact without a type: %d %s", status, answer)
	}
	status, _, answer := r.ask("POST", "/sessions/a/input", `{"message":{"role":"user","parts":[{"kind":"text","text":"hi"},{"kind":"text","opaque":{"origin":"mention","data":{"typed":2}}}]}}`)
	if status != 202 || !strings.Contains(answer, `"pos":`) {
		t.Errorf("%d %s", status, answer)
	}
	if status, _, answer := r.ask("POST", "/sessions/A/input", `{"command":"/help"}`); status != 202 || !strings.Contains(answer, "ran /help") {
		t.Errorf("%d %s", status, answer)
	}
	big := strings.Repeat("a", 9<<20)
	if status, _, answer := r.ask("POST", "/blobs", `{"data":"`+big+`"}`); status != 201 {
		t.Errorf("%d %s", status, answer)
	}
	if _, _, figures := r.ask("GET", "/metrics", ""); !strings.Contains(figures, "\nreact_agent_body_bytes 0\n") {
		t.Error("bodies are still held")
	}
}

// TestLimits: what is too much is refused with the time after which to come again, and what is at work can still be steered.
func TestLimits(t *testing.T) {
	r := newRig(t, func(o *server.Options) { o.Limits = server.Limits{Sessions: 1, Streams: 3, Each: 2} })
	r.model.wait = make(chan struct{})
	busy := func(status int, head http.Header, body string) {
		t.Helper()
		if after, err := strconv.Atoi(head.Get("Retry-After")); status != 429 || err != nil || after < 1 || !saysWhy(body) {
			t.Errorf("%d %v %s", status, head, body)
		}
	}
	if status, _, body := r.ask("POST", "/sessions/a/input", say); status != 202 {
		t.Fatal(status, body)
	}
	r.until("a session works", func(f string) bool { return strings.Contains(f, "\nreact_agent_sessions_working 1\n") })
	busy(r.ask("POST", "/sessions/b/input", say))
	busy(r.ask("POST", "/chat", say))
	if status, _, body := r.ask("POST", "/sessions/a/input", `{"message":"more"}`); status != 202 {
		t.Errorf("steering: %d %s", status, body)
	}
	var open []io.Closer
	for _, id := range []string{"a", "a", "b"} {
		open = append(open, r.open(id))
	}
	busy(r.ask("GET", "/sessions/c/events", ""))
	_ = open[2].Close()
	r.until("a stream ends", func(f string) bool { return strings.Contains(f, "\nreact_agent_streams_open 2\n") })
	busy(r.ask("GET", "/sessions/a/events", "")) // it has its two
	if status, _, body := r.ask("GET", "/sessions/b/events?live=0", ""); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := r.ask("POST", "/sessions/a/input", `{"cancel":true}`); status != 202 {
		t.Errorf("cancelling: %d %s", status, body)
	}
	close(r.model.wait)
	for _, c := range open {
		_ = c.Close()
	}
	r.until("nothing works", func(f string) bool {
		return strings.Contains(f, "\nreact_agent_sessions_working 0\n") && strings.Contains(f, "\nreact_agent_streams_open 0\n")
	})
	if status, _, body := r.ask("POST", "/chat", say); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

// open opens an event stream.
func (r *rig) open(session string) io.ReadCloser {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), "GET", "http://"+r.addr+"/sessions/"+session+"/events", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.client.Do(req)
	if err != nil || res.StatusCode != 200 {
		r.t.Fatal(res, err)
	}
	return res.Body
}

func TestTooManyRequests(t *testing.T) {
	var answered []int
	hold, entered := make(chan struct{}), make(chan struct{})
	r := newRig(t, func(o *server.Options) {
		o.Limits = server.Limits{Requests: 1}
		o.Native.About = func(context.Context, string) (any, error) {
			close(entered)
			<-hold
			return map[string]int{}, nil
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		status, _, _ := r.ask("GET", "/about", "")
		answered = append(answered, status)
	}()
	<-entered
	status, head, body := r.ask("GET", "/tasks", "")
	if status != 429 || head.Get("Retry-After") != "1" {
		t.Errorf("%d %v %s", status, head, body)
	}
	close(hold)
	<-done
	if status, _, _ := r.ask("GET", "/tasks", ""); status != 200 || answered[0] != 200 {
		t.Errorf("%d %v", status, answered)
	}
}

// What waits for the end of a run keeps nobody from steering it, and a full house is no reason to call the program ill.
func TestWhatWaitsLeavesRoom(t *testing.T) {
	hold, entered := make(chan struct{}), make(chan struct{}, 10)
	r := newRig(t, func(o *server.Options) {
		o.Limits = server.Limits{Requests: 1, Each: 2}
		o.Chat.Compact = func(context.Context, string) (bool, error) {
			entered <- struct{}{}
			<-hold
			return true, nil
		}
		o.Native.Prepare = func(_ context.Context, _ string, in *engine.Input, _ bool) (func(), error) {
			if in.Command != "" || in.Message != nil && strings.Contains(in.Message.Text(), "/compact") {
				entered <- struct{}{}
				<-hold
			}
			return func() {}, nil
		}
		o.Native.About = func(context.Context, string) (any, error) {
			entered <- struct{}{}
			<-hold
			return map[string]int{}, nil
		}
	})
	r.model.wait = make(chan struct{})
	if status, _, body := r.ask("POST", "/sessions/a/input", say); status != 202 {
		t.Fatal(status, body)
	}
	var waiting sync.WaitGroup
	start := func(method, path, body string) {
		waiting.Go(func() { _, _, _ = r.ask(method, path, body) })
		<-entered
	}
	start("POST", "/compact", `{"session_id":"a"}`)
	start("POST", "/sessions/a/input", `{"command":"/compact"}`)
	start("POST", "/sessions/b/input", `{"message":" /compact"}`)
	if status, _, body := r.ask("POST", "/compact", `{"session_id":"a"}`); status != 429 || !saysWhy(body) {
		t.Errorf("a third one that waits: %d %s", status, body)
	}
	if status, _, body := r.ask("POST", "/sessions/a/input", `{"cancel":true}`); status != 202 {
		t.Errorf("cancelling: %d %s", status, body)
	}
	start("GET", "/about", "") // the one seat
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, _, body := r.ask("GET", path, ""); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	close(hold)
	close(r.model.wait)
	waiting.Wait()
}

// Who guesses at the token is seen, and cannot fill the log.
func TestGuessesAreLogged(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, func(o *server.Options) { o.Token, o.Logger = token, slog.New(slog.NewTextHandler(&log, nil)) })
	r.ask("GET", "/about", "")
	r.ask("GET", "/about", "", "Authorization", "Bearer "+token)
	quiet := log.Len()
	r.ask("GET", "/about", "", "Authorization", "Bearer guess-of-a-test")
	r.ask("GET", "/?token=guess-of-a-test", "")
	_ = r.stop()
	said := log.String()
	if n := strings.Count(said, "a wrong token"); quiet > 0 || n < 1 || n > 2 || !strings.Contains(said, "from=127.0.0.1:") || strings.Contains(said, "guess-of") {
		t.Errorf("%d bytes for nothing; %s", quiet, said)
	}
}

// TestStopping: the run comes to something durable, who follows is told, nobody else comes in.
func TestStopping(t *testing.T) {
	r := newRig(t, nil)
	r.model.wait = make(chan struct{})
	if status, _, body := r.ask("POST", "/sessions/a/input", say); status != 202 {
		t.Fatal(status, body)
	}
	stream := r.open("a")
	first := make([]byte, 1)
	if _, err := stream.Read(first); err != nil { // whoever comes when the server stops finds nothing any more
		t.Fatal(err)
	}
	r.until("the model is asked", func(string) bool { return r.model.calls.Load() == 1 })
	read := make(chan string)
	go func() {
		data, _ := io.ReadAll(stream)
		read <- string(first) + string(data)
	}()
	stopped := make(chan error)
	go func() { stopped <- r.stop() }()
	for r.server.Ready() {
		<-time.After(time.Millisecond)
	}
	w := httptest.NewRecorder() // a connection that was there already
	r.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/tasks", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	w = httptest.NewRecorder()
	r.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/readyz", nil))
	if w.Code != 503 || !strings.Contains(w.Body.String(), "stopping") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	close(r.model.wait)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	got := <-read
	if !strings.Contains(got, `"hello"`) {
		t.Errorf("the answer is not there: %s", got)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, ":") {
		t.Errorf("the last line is no comment: %s", last)
	}
	if _, err := r.engine.Submit(t.Context(), "a", engine.Input{Cancel: true}); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
}

// TestStoppingWhileABodyDrips: who sends its body in drops does not hold the end of the server.
func TestStoppingWhileABodyDrips(t *testing.T) {
	r := newTimedRig(t, (*server.Server).Linger, nil)
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, strings.ReplaceAll(post("/chat", "", "Content-Length: 1000000")+"{", "{HOST}", r.addr)); err != nil {
		t.Fatal(err)
	}
	r.until("the body is read", func(figures string) bool { return strings.Contains(figures, "react_agent_body_bytes 1\n") })
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	late := time.After(30 * time.Second)
	for {
		_, _ = io.WriteString(c, " ") // until the other end is gone
		select {
		case <-time.After(10 * time.Millisecond):
		case err := <-stopped:
			if err != nil {
				t.Error(err)
			}
			return
		case <-late:
			_ = c.Close()
			t.Fatal("the server waits for the body")
		}
	}
}

// TestABodyThatWasReadIsHeldNoMore: an open stream takes no room from the bodies of others.
func TestABodyThatWasReadIsHeldNoMore(t *testing.T) {
	r := newRig(t, nil)
	r.model.wait = make(chan struct{})
	done := make(chan string)
	go func() {
		_, _, body := r.ask("POST", "/chat", `{"message":"`+strings.Repeat("a", 1<<20)+`"}`)
		done <- body
	}()
	r.until("the model is asked", func(string) bool { return r.model.calls.Load() == 1 })
	_, _, figures := r.ask("GET", "/metrics", "")
	if !strings.Contains(figures, "react_agent_body_bytes 0\n") || !strings.Contains(figures, "react_agent_streams_open 1\n") {
		t.Error(figures)
	}
	close(r.model.wait)
	if body := <-done; !strings.Contains(body, "event: done") {
		t.Error(body)
	}
}

func TestFaults(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, func(o *server.Options) {
		o.Msg = msg.For(msg.Zh)
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.Ready = func(context.Context) error { return errors.New("no key in /secret/place") }
		o.Native.About = func(context.Context, string) (any, error) { panic("a fault") }
		o.Chat.Compact = func(context.Context, string) (bool, error) {
			return false, errors.New("too short")
		}
	})
	if status, _, body := r.ask("GET", "/about", ""); status != 500 || body != `{"error":"程序出错，详情在日志里"}`+"\n" {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := r.ask("GET", "/readyz", ""); status != 503 || strings.Contains(body, "secret") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := r.ask("GET", "/nothing", ""); status != 404 || !strings.Contains(body, "什么也没有") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := r.ask("POST", "/compact", "{}"); status != 422 || !strings.Contains(body, "too short") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := r.ask("GET", "/board", ""); status != 404 || !saysWhy(body) {
		t.Errorf("%d %s", status, body)
	}
	_ = r.stop()
	if !strings.Contains(log.String(), "a fault") || !strings.Contains(log.String(), "server_test.go") || !strings.Contains(log.String(), "/secret/place") {
		t.Error(log.String())
	}
}

func TestFigures(t *testing.T) {
	r := newRig(t, nil)
	r.ask("POST", "/chat", say)
	enginetest.WaitIdle(t, r.engine, "default")
	r.ask("GET", "/tasks", "")
	r.ask("GET", "/tasks", "")
	r.ask("GET", "/nothing/at/all", "")
	r.ask("PROPFIND", "/tasks", "")
	_, head, body := r.ask("GET", "/metrics", "")
	if !strings.HasPrefix(head.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Error(head)
	}
	for _, want := range []string{
		`react_agent_build_info{version="test",go="go`, "\nreact_agent_streams_open 0\n", "\nreact_agent_sessions_working 0\n",
		`react_agent_http_request_seconds_count{method="GET",path="/tasks",status="200"} 2`,
		`react_agent_http_request_seconds_bucket{method="POST",path="/chat",status="200",le="+Inf"} 1`,
		`react_agent_http_request_seconds_count{method="GET",path="other",status="404"} 1`,
		`react_agent_http_request_seconds_count{method="other",path="other",status="405"} 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in\n%s", want, body)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(body) { // as a collector reads it
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ = strings.Cut(name, " ")
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			t.Errorf("no sample: %q", line)
		} else if _, err := strconv.ParseFloat(line[at+1:], 64); err != nil {
			t.Errorf("no number: %q", line)
		}
	}
}

// TestRefusalsReachTheirSender: who sends too much, or what is not wanted, can send it to its end and reads why it is refused.
func TestRefusalsReachTheirSender(t *testing.T) {
	r := newTimedRig(t, (*server.Server).Linger, nil)
	for path, want := range map[string]int{"/chat": 413, "/nothing": 404} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		head := strings.ReplaceAll(post(path, "", "Content-Length: 25000000"), "{HOST}", r.addr)
		if _, err := io.WriteString(c, head+strings.Repeat(" ", 25_000_000)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if status, _, body := answer(c); status != want || !saysWhy(body) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		_ = c.Close()
	}
}
