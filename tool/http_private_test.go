package tool

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"react-agent/agent"
)

func TestPrivateAddressIsAsked(t *testing.T) {
	s := serve(t, echo)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, tool := range []func(Env) agent.Tool{HTTPRequest, WebFetch} {
		for _, host := range []string{"127.0.0.1", "2130706433", "0x7f.1", "0177.1", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST", "127。0。0。1"} {
			e := world(t)
			e.Vars = []string{}
			no := &asker{}
			e.ask = no.ask
			url := "http://me:geheim@" + host + ":" + port + "/p"
			got, r := call(t, tool(e), args{"url": url})
			if !r.Error || !strings.Contains(got, "127.0.0.1 (this machine)") || !strings.Contains(got, "nobody allowed the request") {
				t.Errorf("%s: %q", host, got)
			}
			if len(no.asked) != 1 || !strings.HasPrefix(no.asked[0], "Go to http://") || !strings.Contains(no.asked[0], ":"+port+"/p? It leads to ") {
				t.Fatalf("%s: %q", host, no.asked)
			}
			if strings.Contains(got+no.asked[0], "geheim") {
				t.Errorf("%s: %q %q", host, got, no.asked)
			}
			yes := &asker{answer: agent.Answer{Allow: true}}
			e.ask, e.Lang = yes.ask, "zh"
			got, r = call(t, tool(e), args{"url": url})
			if r.Error || !strings.Contains(got, "GET /p|") || len(yes.asked) != 1 || !strings.Contains(yes.asked[0], "127.0.0.1 (本机)") {
				t.Errorf("%s: %q, asked %q", host, got, yes.asked)
			}
		}
	}
}

func TestPrivateAnswers(t *testing.T) {
	s := serve(t, echo)
	e := world(t)
	e.Vars = []string{}
	get := func(tool agent.Tool, url string) (string, bool) {
		got, r := call(t, tool, args{"url": url})
		return got, r.Error
	}
	words := &asker{answer: agent.Answer{Text: "use port 80"}}
	e.ask = words.ask
	if got, failed := get(HTTPRequest(e), s.URL); !failed || !strings.HasSuffix(got, "the answer was: use port 80") {
		t.Errorf("%q", got)
	}
	e.ask = func(context.Context, agent.Ask) (agent.Answer, error) {
		return agent.Answer{}, errors.New("the run ends")
	}
	if got, failed := get(HTTPRequest(e), s.URL); !failed || !strings.Contains(got, "the run ends") {
		t.Errorf("%q", got)
	}
	e.ask = nil // outside a run nobody can be asked
	if got, failed := get(WebFetch(e), s.URL); !failed || !strings.Contains(got, "nobody allowed the request") {
		t.Errorf("%q", got)
	}

	other := serve(t, echo)
	always := &asker{answer: agent.Answer{Allow: true, Always: true}}
	e.ask = always.ask
	tool := HTTPRequest(e)
	for range 3 {
		if got, failed := get(tool, s.URL); failed {
			t.Errorf("%q", got)
		}
	}
	if len(always.asked) != 1 {
		t.Errorf("asked %q", always.asked)
	}
	if get(tool, other.URL); len(always.asked) != 2 {
		t.Errorf("another port was not asked about: %q", always.asked)
	}
	once := &asker{answer: agent.Answer{Allow: true}}
	e.ask = once.ask
	tool = HTTPRequest(e)
	get(tool, s.URL)
	if get(tool, s.URL); len(once.asked) != 2 {
		t.Errorf("a yes was taken for always: %q", once.asked)
	}

	var seen []string
	e.Private = func(host string, ip netip.Addr) bool {
		seen = append(seen, host+" "+ip.String())
		return true
	}
	get(HTTPRequest(e), strings.Replace(s.URL, "127.0.0.1", "LocalHost", 1))
	if len(once.asked) != 2 || !slices.Contains(seen, "localhost 127.0.0.1") {
		t.Errorf("asked %q, seen %q", once.asked, seen)
	}
}

// A name is looked up anew for every connection, and every private address that it then leads to is asked about: what was
// allowed a moment ago does not count for another.
func TestRebinding(t *testing.T) {
	var lookups atomic.Int32
	resolver := names(t, func(name string, v6 bool) []string {
		if name != "rebind.test" || v6 {
			return nil
		}
		return []string{"127.0.0." + string('0'+lookups.Add(1))}
	})
	s := serve(t, echo)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	e := world(t)
	e.Vars = []string{}
	e.seams.resolver = resolver
	yes := &asker{answer: agent.Answer{Allow: true}}
	e.ask = yes.ask
	got, r := call(t, HTTPRequest(e), args{"url": "http://rebind.test:" + port})
	if !r.Error || !strings.Contains(got, "another private address every time") || len(yes.asked) != maxQuestions {
		t.Errorf("%q, asked %q", got, yes.asked)
	}
	seen := map[string]bool{}
	for _, q := range yes.asked {
		if seen[q] || !strings.Contains(q, "127.0.0.") {
			t.Errorf("%q", yes.asked)
		}
		seen[q] = true
	}
	if got, r := call(t, HTTPRequest(e), args{"url": "http://nowhere.test"}); !r.Error || !strings.Contains(got, "no such host") {
		t.Errorf("%q", got)
	}
}

// All addresses of a name are in one question, IPv6 too.
func TestNameWithManyAddresses(t *testing.T) {
	e := world(t)
	e.Vars = []string{}
	e.seams.resolver = names(t, func(string, bool) []string { return []string{"10.1.2.3", "fd00::7", "169.254.169.254"} })
	no := &asker{}
	e.ask = no.ask
	got, r := call(t, WebFetch(e), args{"url": "http://all.test/"})
	for _, want := range []string{"10.1.2.3 (a private network)", "fd00::7 (a private network)", "169.254.169.254 (the local link"} {
		if !r.Error || len(no.asked) != 1 || !strings.Contains(no.asked[0], want) || !strings.Contains(got, want) {
			t.Errorf("%q, asked %q", got, no.asked)
		}
	}
}

func TestRedirects(t *testing.T) {
	var other *httptest.Server
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		path, query := r.URL.Path, r.URL.Query().Get("to")
		code := map[string]int{"/301": 301, "/302": 302, "/303": 303, "/307": 307, "/308": 308, "/300": 300, "/304": 304}[path]
		switch {
		case path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case path == "/bare":
			w.WriteHeader(http.StatusFound)
		case code != 0:
			w.Header().Set("Location", query)
			w.Header().Set("Set-Cookie", "sid=1")
			w.WriteHeader(code)
		default:
			echo(w, r)
		}
	})
	other = serve(t, echo)
	get := func(a args) (string, agent.Result) { return call(t, HTTPRequest(web(t)), a) }
	headers := args{"X-Key": "k", "Authorization": "Bearer t", "Content-Type": "text/x"}
	for _, c := range []struct {
		path, method, want string
	}{
		{"/301?to=/x", "GET", "GET /x|type=text/x|x=k|auth=Bearer t|user=:|cookie=|agent=true|b\n[redirected: http://HOST/301?to=/x -> http://HOST/x]"},
		{"/302?to=/x", "POST", "GET /x|type=|x=k|auth=Bearer t|user=:|cookie=|agent=true|\n[redirected: http://HOST/302?to=/x -> http://HOST/x]"},
		{"/303?to=x", "PUT", "GET /x|type=|x=k|auth=Bearer t|user=:|cookie=|agent=true|\n[redirected: http://HOST/303?to=x -> http://HOST/x]"},
		{"/307?to=/x", "POST", "POST /x|type=text/x|x=k|auth=Bearer t|user=:|cookie=|agent=true|b\n[redirected: http://HOST/307?to=/x -> http://HOST/x]"},
		{"/308?to=%3fq", "DELETE", "DELETE /308|type=text/x"},
		{"/301?to=" + other.URL, "POST", "GET /|type=|x=|auth=|user=:|cookie=|agent=true|\n[redirected: "},
		{"/307?to=" + other.URL, "POST", "\n[not followed: a POST goes only where it was sent to]"},
		{"/308?to=" + other.URL, "GET", "\n[not followed: a GET goes only where it was sent to]"},
		{"/300?to=/x", "GET", ""},
		{"/304?to=/x", "GET", ""},
		{"/bare", "GET", ""},
	} {
		if strings.Contains(c.path, "%3f") {
			continue // leads to itself
		}
		got, r := get(args{"url": s.URL + c.path, "method": c.method, "headers": headers, "body": "b"})
		if !strings.HasPrefix(hide(body(got), s.URL), c.want) || r.Error || strings.Contains(body(got), other.URL) && strings.Contains(got, "auth=Bearer") {
			t.Errorf("%s %s: %q\nwant %q", c.method, c.path, hide(got, s.URL), c.want)
		}
	}
	if got, _ := get(args{"url": s.URL + "/308?to=" + other.URL}); !strings.Contains(got, "GET /|") {
		t.Errorf("a plain GET was not followed: %q", got)
	}
	// the same machine under another name is another host
	far := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	if got, _ := get(args{"url": s.URL + "/302?to=" + far}); !strings.Contains(got, " -> "+far+" (another host)]") {
		t.Errorf("%q", got)
	}
	for path, want := range map[string]string{
		"/loop":                      "Error: more than 10 redirects, the last: http://HOST/loop -> http://HOST/loop",
		"/302?to=file:///etc/passwd": `Error: http://HOST/302?to=file:///etc/passwd redirects, but the url's scheme is "file"; only http and https are fetched`,
		"/302?to=http://%2500/":      "Error: http://HOST/302?to=http://%2500/ redirects, but the url cannot be read",
	} {
		if got, r := get(args{"url": s.URL + path}); !r.Error || !strings.HasPrefix(hide(got, s.URL), want) {
			t.Errorf("%s: %q", path, hide(got, s.URL))
		}
	}
	e := web(t)
	e.Texts = Server()
	if got, _ := call(t, HTTPRequest(e), args{"url": s.URL + "/302?to=/x"}); strings.Contains(got, "redirected") {
		t.Errorf("%q", got)
	}
	got, r := call(t, WebFetch(web(t)), args{"url": s.URL + "/302?to=" + far})
	if r.Error || !strings.HasPrefix(hide(got, s.URL), "[redirected: http://HOST/302?to="+far+" -> "+far+" (another host)]\nGET /|") {
		t.Errorf("%q", got)
	}
}

// A redirect to a private address is a question of its own, also when the first address was allowed.
func TestRedirectInside(t *testing.T) {
	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://[::ffff:a9fe:a9fe]/", "http://[64:ff9b::a9fe:a9fe]/"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
		e := world(t)
		e.Vars = []string{}
		e.Private = func(_ string, ip netip.Addr) bool { return ip == netip.MustParseAddr("127.0.0.1") }
		no := &asker{}
		e.ask = no.ask
		got, r := call(t, WebFetch(e), args{"url": s.URL})
		if !r.Error || len(no.asked) != 1 || !strings.Contains(no.asked[0], "(the local link") || !strings.Contains(got, "nobody allowed") {
			t.Errorf("%s: %q, asked %q", to, got, no.asked)
		}
	}
}

func TestProxy(t *testing.T) {
	var through []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		through = append(through, r.Method+" "+r.URL.String()+" "+r.Host)
		if r.Method != http.MethodConnect {
			echo(w, r)
			return
		}
		w.WriteHeader(http.StatusForbidden)
	})
	e := world(t)
	e.seams.resolver = names(t, func(name string, _ bool) []string {
		if name == "inside.test" {
			return []string{"10.9.8.7"}
		}
		return nil
	})
	e.Vars = []string{"PATH=/bin", "HTTP_PROXY=" + proxy.URL, "https_proxy=" + proxy.URL, "NO_PROXY=direct.test"}
	for _, c := range []struct{ url, asked, want string }{
		{"http://far.test/a", "", "GET /a|"},
		{"https://far.test/a", "", "Error: Forbidden"},
		{"http://8.8.8.8/b", "", "GET /b|"},
		{"http://10.0.0.1/c", "10.0.0.1 (a private network)", "nobody allowed"},
		{"http://0xa000001/c", "10.0.0.1 (a private network)", "nobody allowed"},
		{"http://printer/d", "printer (an internal name that the proxy looks up)", "nobody allowed"},
		{"https://nas.local/d", "nas.local (an internal name that the proxy looks up)", "nobody allowed"},
		{"http://inside.test/e", "10.9.8.7 (a private network)", "nobody allowed"},
		{"http://direct.test/f", "", "no such host"},
		{"http://127.0.0.1:9/g", "127.0.0.1 (this machine)", "nobody allowed"}, // never by a proxy
	} {
		through = nil
		no := &asker{}
		e.ask = no.ask
		got, _ := call(t, HTTPRequest(e), args{"url": c.url})
		if !strings.Contains(got, c.want) || (c.asked == "") != (len(no.asked) == 0) || c.asked != "" && !strings.Contains(no.asked[0], c.asked) {
			t.Errorf("%s: %q, asked %q", c.url, got, no.asked)
		}
		if used := strings.Contains(c.want, "GET") || strings.Contains(c.want, "Forbidden"); used != (len(through) == 1) {
			t.Errorf("%s: through the proxy went %q", c.url, through)
		}
	}
	yes := &asker{answer: agent.Answer{Allow: true}}
	e.ask = yes.ask
	through = nil
	if got, r := call(t, HTTPRequest(e), args{"url": "http://printer/d"}); r.Error || len(yes.asked) != 1 || len(through) != 1 || through[0] != "GET http://printer/d printer" {
		t.Errorf("%q, asked %q, through %q", got, yes.asked, through)
	}
	for _, bad := range []string{"http://me:geheim@%zz", "http://", "ftp://h:1", ":geheim"} {
		e.Vars = []string{"HTTP_PROXY=" + bad}
		if got, r := call(t, HTTPRequest(e), args{"url": "http://far.test/a"}); !r.Error || !strings.Contains(got, "HTTP_PROXY in the environment is no proxy") || strings.Contains(got, "geheim") {
			t.Errorf("%s: %q", bad, got)
		}
	}
	e.Vars = []string{"http_proxy=" + strings.TrimPrefix(proxy.URL, "http://")}
	if got, r := call(t, HTTPRequest(e), args{"url": "http://far.test/a"}); r.Error {
		t.Errorf("%q", got)
	}
	e.Vars = nil // this process's own environment
	if got, r := call(t, HTTPRequest(e), args{"url": "http://127.0.0.1:9/"}); !r.Error {
		t.Errorf("%q", got)
	}
}

// HTTPS with HTTP/2, straight and through a proxy's tunnel; a certificate that nobody knows is an error.
func TestHTTPS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	e := web(t)
	if got, r := call(t, HTTPRequest(e), args{"url": s.URL}); !r.Error || !strings.Contains(got, "certificate") {
		t.Errorf("%q", got)
	}
	e.seams.roots = x509.NewCertPool()
	e.seams.roots.AddCert(s.Certificate())
	if got, r := call(t, HTTPRequest(e), args{"url": s.URL}); r.Error || !strings.HasPrefix(got, "HTTP 200 OK\n") || body(got) != "HTTP/2.0" {
		t.Errorf("%q", got)
	}

	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		to, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		w.WriteHeader(http.StatusOK)
		c, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			_, _ = io.Copy(to, buf)
			to.Close()
		}()
		_, _ = io.Copy(c, to)
		c.Close()
	})
	e.Vars = []string{"HTTPS_PROXY=" + proxy.URL}
	e.seams.resolver = names(t, func(string, bool) []string { return nil })
	if got, r := call(t, HTTPRequest(e), args{"url": "https://example.com/"}); r.Error || body(got) != "HTTP/2.0" {
		t.Errorf("%q", got)
	}
}
