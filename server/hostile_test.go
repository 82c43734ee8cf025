package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/server"
)

func newReader(c net.Conn) *bufio.Reader { return bufio.NewReader(c) }

// hostile is a request that must be refused with one of the statuses; 0: the connection ends without an answer.
type hostile struct {
	name string
	raw  string
	want []int
	// theirs says that package net/http answers, in its own words.
	theirs bool
}

func get(path string, headers ...string) string { return request("GET", path, "", headers...) }

// post is a request whose body is right unless a header says otherwise.
func post(path, body string, headers ...string) string {
	return request("POST", path, body, append([]string{"Content-Type: application/json"}, headers...)...)
}

// request writes a request. A header "Host:" or "Content-Type:" takes the place of the usual one; "-Name" leaves one out.
func request(method, path, body string, headers ...string) string {
	all := []string{"Host: {HOST}"}
	if body != "" {
		all = append(all, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	for _, h := range headers {
		name, _, _ := strings.Cut(strings.TrimPrefix(h, "-"), ":")
		all = slices.DeleteFunc(all, func(old string) bool { return strings.HasPrefix(old, name+":") })
		if !strings.HasPrefix(h, "-") {
			all = append(all, h)
		}
	}
	return method + " " + path + " HTTP/1.1\r\n" + strings.Join(append(all, "Connection: close"), "\r\n") + "\r\n\r\n" + body
}

const say = `{"message":"hi"}`

func hostiles() []hostile {
	var all []hostile
	add := func(name, raw string, want ...int) { all = append(all, hostile{name: name, raw: raw, want: want}) }
	theirs := func(name, raw string, want ...int) {
		all = append(all, hostile{name: name, raw: raw, want: want, theirs: true})
	}

	// who is asked for
	for _, host := range []string{
		"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io", "notlocalhost",
		"[::1", "::1", "..localhost", "a..localhost", "localhost..", ".localhost", "localhost:99999999", "localhost:x", "[::1]x", "127.0.0.1:8080:8080", "[127.0.0.1]",
		"0.0.0.0", "169.254.169.254", "[fe80::1]", "10.0.0.1", "2130706433", "0x7f.1",
	} {
		add("host "+host, post("/chat", say, "Host: "+host), 403)
	}
	add("empty host", post("/chat", say, "Host: "), 403)
	add("no host in HTTP/1.0", "POST /chat HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n"+say, 403)
	theirs("no host in HTTP/1.1", post("/chat", say, "-Host"), 400)
	theirs("two hosts", strings.Replace(post("/chat", say), "Host: {HOST}", "Host: {HOST}\r\nHost: evil.example", 1), 400)
	theirs("host with a user", post("/chat", say, "Host: 127.0.0.1@evil.example"), 400)
	add("another host in the address", strings.Replace(get("/inbox"), "/inbox", "http://evil.example/inbox", 1), 403)

	// which page asks
	for _, origin := range []string{
		"https://evil.example", "null", "file://", "http://127.0.0.1:1", "http://localhost", "http://{HOST}.evil.example", "http://{HOST}/x",
		"https://evil.example http://{HOST}", "//{HOST}", "ftp://{HOST}",
	} {
		add("origin "+origin, post("/chat", say, "Origin: "+origin), 403)
	}
	add("a second origin", post("/chat", say, "Origin: http://{HOST}\r\nOrigin: https://evil.example"), 403)
	add("a second site", get("/inbox", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site"), 403)
	add("origin and a type that needs no preflight", post("/chat", say, "Content-Type: text/plain", "Origin: https://evil.example"), 403)
	add("preflight", request("OPTIONS", "/chat", "", "Origin: https://evil.example", "Access-Control-Request-Method: POST"), 403)
	add("picture of another site", get("/inbox", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"), 403)
	add("another port of this machine", get("/inbox", "Sec-Fetch-Site: same-site"), 403)
	add("link to what a look takes", get("/inbox", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"), 403)
	add("frame", get("/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"), 403)

	// what the body says it is
	for _, kind := range []string{
		"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "application/jsonx", "application/json; charset=utf-16",
		"application/json, text/plain", "application/json;;", "text/plain; application/json", "",
	} {
		add("type "+kind, post("/chat", say, "Content-Type: "+kind), 415)
	}
	add("no type", post("/chat", say, "-Content-Type"), 415)
	add("compressed", post("/chat", say, "Content-Encoding: gzip"), 415)

	all = append(all, hostileBodies()...)
	all = append(all, hostileNames()...)

	// methods
	for _, x := range [][2]string{
		{"GET", "/chat"},
		{"PUT", "/chat"},
		{"PATCH", "/sessions/a"},
		{"DELETE", "/tasks"},
		{"POST", "/sessions"},
		{"POST", "/healthz"},
		{"GET", "/sessions/a/input"},
		{"HEAD", "/inbox"},
		{"HEAD", "/chat"},
		{"TRACE", "/tasks"},
		{"TRACE", "/"},
		{"POST", "/"},
		{"FOO", "/tasks"},
		{"get", "/tasks"},
		{"PROPFIND", "/about"},
	} {
		add(x[0]+" "+x[1], request(x[0], x[1], ""), 405)
	}
	add("CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n", 403, 404, 405)
	theirs("method with a blank", "PO ST /chat HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n", 400)

	// heads
	theirs("head of 100 kB", get("/tasks", "X-Big: "+strings.Repeat("a", 100<<10)), 431)
	theirs("10,000 headers", get("/tasks", strings.TrimSuffix(strings.Repeat("X-A: b\r\n", 10_000), "\r\n")), 431)
	theirs("address of 100 kB", get("/tasks?"+strings.Repeat("a", 100<<10)), 414, 431)
	theirs("NUL in a header", get("/tasks", "X-A: a\x00b"), 400)
	theirs("header without a name", get("/tasks", ": a"), 400)
	theirs("header with a blank in its name", get("/tasks", "X A: a"), 400)
	theirs("version of the future", strings.Replace(get("/tasks"), "HTTP/1.1", "HTTP/3.0", 1), 505)
	theirs("no version", "GET /tasks\r\n\r\n", 400)
	theirs("TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400)
	theirs("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, 400, 403, 505)
	theirs("no path", strings.Replace(get("/tasks"), "/tasks", "tasks", 1), 400)
	theirs("expects too much", post("/chat", say, "Expect: the-impossible"), 417)
	return all
}

func hostileBodies() []hostile {
	var all []hostile
	add := func(name, raw string, want ...int) { all = append(all, hostile{name: name, raw: raw, want: want}) }
	for _, body := range []string{
		"hi", "[]", `"hi"`, "7", "null", "true", " ", "{", `{"message":"hi"`, `{"message":"hi"}}`, `{"message":"hi"}{"message":"ho"}`, `{"message":"hi"} x`,
		`{"message":"hi","message":"ho"}`, `{"mesage":"hi"}`, `{"message":"hi","x":1}`, `{"Message":"hi"}`, `{'message':'hi'}`, `{"message":NaN}`, `{"message":"hi",}`,
		"{\"message\":\"\xff\xfe\"}", "\xef\xbb\xbf" + say, "{\"message\":\"a\nb\"}", `{"message":7}`, `{"message":""}`, `{}`, `{"message":["hi"]}`,
		`{"message":"hi","session_id":7}`, `{"message":"hi","stream":"yes"}`, `{"message":null}`, `{"message":"hi","stream":null}`, `{"message":"hi","cancel_on_disconnect":1}`, strings.Repeat(`{"message":`, 5000), strings.Repeat("[", 100_000),
		`{"message":"hi","session_id":"../../etc/passwd"}`, `{"message":"hi","session_id":"con"}`, `{"message":"hi","session_id":"a b"}`, `{"message":"hi","session_id":"a.1"}`,
		`{"message":"hi","session_id":"` + strings.Repeat("a", 49) + `"}`, `{"message":"hi","session_id":"a\u0000"}`,
	} {
		add(fmt.Sprintf("chat %.40q", body), post("/chat", body), 400)
	}
	for _, body := range []string{
		`{}`, `{"id":"a"}`, `{"message":"hi","cancel":true}`, `{"message":"hi","answer":{"id":"q","allow":true}}`, `{"answer":{}}`, `{"answer":{"id":"q","alow":true}}`,
		`{"message":{"role":"assistant","parts":[{"kind":"text","text":"hi"}]}}`, `{"message":{"role":"user","parts":[]}}`, `{"message":{"role":"user","parts":[{"kind":"call"}]}}`,
		`{"message":{"role":"user","parts":[{"kind":"text","txt":"hi"}]}}`, `{"message":{"parts":[{"kind":"result","result":{}}]}}`, `{"cancel":"yes"}`, `{"cancel":null}`, `{"message":"hi","queue":0}`, `{"message":[]}`, `{"edit":0}`, `{"message":" \n"}`, `{"message":{"parts":[{"kind":"text","text":" "}]}}`, `{"message":{"from":"memory","parts":[{"kind":"text","text":"x"}]}}`, `{"edit":-1}`, `{"edit":1.5}`, `{"edit":1e99}`,
		`{"message":{"parts":[{"kind":"text","text":"x","opaque":{"origin":"x","data":{"$blob":"` + strings.Repeat("0", 64) + `","size":1}}}]}}`,
		`{"message":{"parts":[` + strings.Repeat(`{"kind":"text","text":"x"},`, 1000) + `{"kind":"text","text":"x"}]}}`,
		`{"message":"hi","id":"` + strings.Repeat("i", 201) + `"}`, `{"comand":"/help"}`, `{"message":{"parts":[{"kind":"blob","blob":{"mime":"image/png","sha256":"../x"}}]}}`,
	} {
		add(fmt.Sprintf("input %.60q", body), post("/sessions/a/input", body), 400)
	}
	long := strings.Repeat("k", 1<<20)
	add("key of 1 MiB", post("/chat", `{"message":"hi","`+long+`":1}`), 400)
	add("key of 1 MiB twice", post("/sessions/a/input", `{"message":{"parts":[{"kind":"text","opaque":{"data":{"`+long+`":1,"`+long+`":2}}}]}}`), 400)
	add("key of 1 MiB over millions of values", post("/sessions/a/input",
		`{"message":{"parts":[{"kind":"text","opaque":{"data":{"`+long+`":[0`+strings.Repeat(",0", 2_000_000)+`]}}}]},"mesage":1}`), 400)
	add("upload of a list", post("/blobs", `{"data":[1,2]}`), 400)
	add("upload that is no base64", post("/blobs", `{"name":"a","data":"%%%"}`), 400)
	add("upload of nothing", post("/blobs", `{"name":"a","data":""}`), 400)
	add("no body", post("/chat", ""), 400)
	add("body where none belongs", request("GET", "/tasks", say), 400)
	add("body of a removal", request("DELETE", "/sessions/a", say), 400)

	// sizes
	add("10 MiB and one byte", post("/chat", "", "Content-Length: 10485761"), 413)
	add("more than there is", post("/chat", "", "Content-Length: 9223372036854775807"), 413)
	chunk := "8000\r\n" + strings.Repeat("a", 0x8000) + "\r\n"
	add("10 MiB in pieces", post("/chat", strings.Repeat(chunk, 330)+"0\r\n\r\n", "-Content-Length", "Transfer-Encoding: chunked"), 413)
	theirs := func(name, raw string, want ...int) {
		all = append(all, hostile{name: name, raw: raw, want: want, theirs: true})
	}
	theirs("negative size", post("/chat", say, "Content-Length: -1"), 400)
	theirs("size in words", post("/chat", say, "Content-Length: many"), 400)
	theirs("two sizes", post("/chat", say, "Content-Length: 16\r\nContent-Length: 17"), 400)
	theirs("unknown coding", post("/chat", say, "-Content-Length", "Transfer-Encoding: gzip, chunked"), 400, 501)
	add("broken pieces", post("/chat", "zz\r\n"+say, "-Content-Length", "Transfer-Encoding: chunked"), 400)
	return all
}

func hostileNames() []hostile {
	var all []hostile
	add := func(name, raw string, want ...int) { all = append(all, hostile{name: name, raw: raw, want: want}) }
	for _, id := range []string{
		"..", "%2e%2e", "-a", "a%20b", "a%00b", "a%0ab", "con", "NUL", "com1", "Lpt9", strings.Repeat("a", 49), "%C3%A9", "a.", "a.b", "a.1.", ".1", "a..1", "~", "*", "a:b", "a%5Cb",
	} {
		add("session "+id, post("/sessions/"+id+"/input", say), 400)
		add("events of "+id, get("/sessions/"+id+"/events?live=0"), 400)
	}
	for _, path := range []string{
		"/sessions/a/b/input", "/sessions/..%2f..%2fetc/input", "/../../etc/passwd", "//etc/passwd", "/.git/config", "/%2e%2e/%2e%2e/etc/passwd", "/server.go", "/page/index.html",
		"/sessions/a/nothing", "/v1/models", "/debug/pprof/", "/chat/",
	} {
		add("path "+path, request("GET", path, ""), 301, 400, 404)
	}
	add("session without a name", post("/sessions//input", say), 400, 404, 405)
	for _, sha := range []string{"..", "%2e%2e%2fx", "zz", strings.Repeat("A", 64), strings.Repeat("0", 64), "session"} {
		add("blob "+sha, get("/blobs/"+sha), 404)
	}
	for _, after := range []string{"abc", "-1", "1e3", "99999999999999999999", "0x1", " "} {
		add("Last-Event-ID "+after, get("/sessions/a/events?live=0", "Last-Event-ID: "+after), 200, 400)
		add("after="+after, get("/sessions/a/events?live=0&after="+strings.ReplaceAll(after, " ", "%20")), 400)
	}
	add("limit of none", get("/sessions?limit=0"), 400)
	add("before nothing", get("/sessions?before=../x"), 400)
	for _, x := range []string{get("/sessions/a.1/context"), post("/sessions/a.1/input", say), request("DELETE", "/sessions/a.1.2", ""), get("/sessions/a.1")} {
		add("sub-agent that nobody has started", x, 404)
	}
	for _, x := range []string{
		get("/sessions/nobody"), get("/sessions/nobody/context"), request("DELETE", "/sessions/nobody", ""), post("/sessions/nobody/input", `{"cancel":true}`),
		post("/sessions/nobody/input", `{"answer":{"id":"q","allow":true}}`), post("/sessions/nobody/input", `{"quiet":true}`),
	} {
		add("unknown session", x, 404)
	}
	add("behind the end of nothing", get("/sessions/nobody/events?after=7"), 409)
	add("all of what", get("/sessions?all=x"), 400)
	return all
}

// TestHostileRequests: whatever a stranger sends is refused as what it is, starts nothing, and leaves nothing behind.
func TestHostileRequests(t *testing.T) {
	r := newRig(t, nil)
	all := hostiles()
	if len(all) < 60 {
		t.Errorf("only %d requests", len(all))
	}
	for _, h := range all {
		status, head, body := r.raw(h.raw)
		if !slices.Contains(h.want, status) {
			t.Errorf("%s: %d %.200q, want %v", h.name, status, body, h.want)
			continue
		}
		if head.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: a page elsewhere may read the answer", h.name)
		}
		if h.theirs || status < 400 || strings.HasPrefix(h.raw, "HEAD") {
			continue
		}
		if len(body) > 4<<10 {
			t.Errorf("%s: the answer has %d bytes", h.name, len(body))
		}
		if !saysWhy(body) {
			t.Errorf("%s: %d does not say why: %.200q", h.name, status, body)
		}
		if head.Get("X-Content-Type-Options") != "nosniff" || head.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %v", h.name, head)
		}
		if status == http.StatusMethodNotAllowed && head.Get("Allow") == "" {
			t.Errorf("%s: it does not say what is allowed", h.name)
		}
	}
	r.untouched()
	if status, _, body := r.ask("POST", "/chat", say); status != 200 || !strings.Contains(body, "event: done") {
		t.Errorf("afterwards: %d %q", status, body)
	}
}

// TestSlowClients: who sends or reads a byte now and then is sent away.
func TestSlowClients(t *testing.T) {
	r := newRig(t, nil)
	for name, x := range map[string]struct {
		send string
		drip string // sent again and again
		want []int
	}{
		"nothing at all":                {"", "", []int{0}},
		"half a line":                   {"GET /ta", "", []int{0, 400}},
		"a header now and then":         {"GET /tasks HTTP/1.1\r\nHost: {HOST}\r\n", "X-A: b\r\n", []int{0}},
		"a body that never comes":       {post("/chat", "", "Content-Length: 100"), "", []int{408}},
		"a body in drops":               {post("/chat", "", "Content-Length: 100000"), "{", []int{408}},
		"a body in pieces, in drops":    {post("/chat", "", "-Content-Length", "Transfer-Encoding: chunked"), "1\r\n{\r\n", []int{408, 400}},
		"a body where none belongs":     {request("GET", "/tasks", "", "Content-Length: 100"), "", []int{400}},
		"a body for the wrong method":   {request("PUT", "/tasks", "", "Content-Length: 100"), "x", []int{405}},
		"a body without the right host": {post("/chat", "", "Host: evil.example", "Content-Length: 100"), "x", []int{403}},
		"a body that is announced":      {post("/chat", "", "Content-Length: 100", "Expect: 100-continue"), "", []int{100, 408}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.WriteString(c, strings.ReplaceAll(x.send, "{HOST}", r.addr)); err != nil {
				t.Fatal(err)
			}
			gone, dripped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(dripped)
				for x.drip != "" {
					select {
					case <-time.After(20 * time.Millisecond):
					case <-gone:
						return
					}
					if _, err := io.WriteString(c, x.drip); err != nil {
						return
					}
				}
			}()
			status, _, body := answer(c)
			_, _ = io.Copy(io.Discard, c) // until it is closed: the server ends it, not our deadline
			close(gone)
			<-dripped
			if !slices.Contains(x.want, status) {
				t.Errorf("%d %q, want %v", status, body, x.want)
			}
		})
	}
	r.untouched()
}

// TestWhoDoesNotRead: an answer that nobody takes does not hold its handler.
func TestWhoDoesNotRead(t *testing.T) {
	r := newRig(t, nil)
	status, _, body := r.ask("POST", "/blobs", `{"data":"`+strings.Repeat("AAAA", 2_000_000)+`"}`)
	if status != 201 {
		t.Fatal(status, body)
	}
	_, sha, _ := strings.Cut(body, `"sha256":"`)
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(c, strings.ReplaceAll(get("/blobs/"+sha[:64]), "{HOST}", r.addr)); err != nil {
		t.Fatal(err)
	}
	r.until("the handler ends", func(figures string) bool { return strings.Contains(figures, `path="/blobs/:id"`) })
}

// until waits for what the figures say.
func (r *rig) until(what string, fits func(figures string) bool) {
	r.t.Helper()
	late := time.After(30 * time.Second)
	for {
		_, _, figures := r.ask("GET", "/metrics", "")
		if fits(figures) {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			r.t.Fatalf("%s: it does not\n%s", what, figures)
		}
	}
}

func TestOpenBindNeedsAToken(t *testing.T) {
	r := newRig(t, nil)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.server.Serve(t.Context(), l); err == nil || !strings.Contains(err.Error(), "no token") {
		t.Error(err)
	}
	if server.Loopback(l.Addr()) {
		t.Error("it can be reached from elsewhere")
	}
	if _, err := l.Accept(); err == nil {
		t.Error("it still listens")
	}
}
