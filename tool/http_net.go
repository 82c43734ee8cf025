package tool

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// seams are what tests put in the place of the world. The zero value is the world.
type seams struct {
	resolver *net.Resolver
	roots    *x509.CertPool
	dial     func(ctx context.Context, network, address string) (net.Conn, error) // checks nothing
	limit    time.Duration                                                        // in the place of every time limit
}

func (s seams) orLimit(d time.Duration) time.Duration {
	if s.limit > 0 {
		return s.limit
	}
	return d
}

const (
	maxRedirects = 10
	maxQuestions = 3
	maxBody      = 5 << 20 // bytes of an answer that are read
	maxHeader    = 1 << 20
	lookupTime   = 2 * time.Second // for a name that a proxy will look up again
)

// request is one step of a journey.
type request struct {
	method string
	url    *url.URL
	header http.Header
	body   string
}

// reply is an answer, read as far as it came.
type reply struct {
	code   int
	reason string
	header http.Header
	url    *url.URL // who answered
	trail  []string // the redirects on the way there
	held   string   // why a redirect was not followed
	body   []byte
	more   bool  // there was more than maxBody
	broken error // why the body ends early
}

// journey is a request with all its redirects. The time it may take is time on the network: the person may think as long
// as it takes.
type journey struct {
	e       Env
	limit   time.Duration
	left    time.Duration
	granted map[string]bool // "address:port" or "name:port" that the person allowed
	known   *grants
	trail   []string
}

// grants are the addresses that the person allowed for good; they are forgotten when the program ends.
type grants struct {
	mu  sync.Mutex
	set map[string]bool
}

func newGrants() *grants { return &grants{set: map[string]bool{}} }

func (g *grants) has(place string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.set[place]
}

func (g *grants) add(places []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range places {
		g.set[p] = true
	}
}

// slowError says that the time was up.
type slowError struct{ limit time.Duration }

func (s slowError) Error() string { return fmt.Sprintf("took longer than %s", s.limit) }

func (e Env) travel(ctx context.Context, r request, limit time.Duration, known *grants) (*reply, error) {
	limit = e.seams.orLimit(limit)
	j := &journey{e: e, limit: limit, left: limit, granted: map[string]bool{}, known: known}
	for {
		rep, next, err := j.send(ctx, r)
		if err != nil {
			return nil, err
		}
		if next == nil {
			rep.trail = j.trail
			return rep, nil
		}
		step := shownURL(r.url) + " -> " + shownURL(next.url)
		if r.url.Hostname() != next.url.Hostname() {
			step += " (another host)"
		}
		j.trail = append(j.trail, step)
		if len(j.trail) > maxRedirects {
			return nil, fmt.Errorf("more than %d redirects, the last: %s", maxRedirects, step)
		}
		r = *next
	}
}

// send makes one request, and again after every permission that it turned out to need. Nothing has been sent then.
func (j *journey) send(ctx context.Context, r request) (*reply, *request, error) {
	for range maxQuestions {
		rep, next, blocked, err := j.attempt(ctx, r)
		if err == nil || len(blocked) == 0 {
			return rep, next, err
		}
		if err := j.permit(ctx, r.url, blocked); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("%s leads to another private address every time it is looked up", r.url.Hostname())
}

func (j *journey) attempt(ctx context.Context, r request) (*reply, *request, []netip.Addr, error) {
	start := time.Now()
	defer func() { j.left -= time.Since(start) }()
	ctx, cancel := context.WithTimeoutCause(ctx, j.left, slowError{j.limit})
	defer cancel()
	proxy, err := j.e.proxyFor(r.url)
	if err != nil {
		return nil, nil, nil, err
	}
	if proxy != nil {
		if blocked := j.behindProxy(ctx, r.url); len(blocked) > 0 {
			return nil, nil, blocked, errBlocked
		}
	}
	g := &guard{pass: func(ip netip.Addr) bool { return j.mayConnect(r.url, ip) }}
	t := j.e.transport(proxy, g)
	defer t.CloseIdleConnections()
	req, err := r.build(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		if slow, ok := errors.AsType[slowError](context.Cause(ctx)); ok {
			return nil, nil, nil, slow
		}
		return nil, nil, g.list(), err
	}
	defer func() { _ = resp.Body.Close() }()
	rep := &reply{code: resp.StatusCode, reason: reasonOf(resp), header: resp.Header, url: r.url}
	next, err := r.redirected(resp, rep)
	if next == nil && err == nil {
		rep.read(ctx, resp.Body)
	}
	return rep, next, nil, err
}

// build is the request in the form of net/http. User and password of the URL become a header.
func (r request) build(ctx context.Context) (*http.Request, error) {
	u := *r.url
	u.User = nil
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header = r.header.Clone()
	if user := r.url.User; user != nil && req.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	return req, nil
}

func reasonOf(resp *http.Response) string {
	_, reason, ok := strings.Cut(resp.Status, " ")
	if !ok {
		return http.StatusText(resp.StatusCode)
	}
	return reason
}

func (rep *reply) read(ctx context.Context, body io.Reader) {
	b, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if len(b) > maxBody {
		b, rep.more = b[:maxBody], true
	}
	rep.body = b
	if err != nil {
		rep.broken = err
		if slow, ok := errors.AsType[slowError](context.Cause(ctx)); ok {
			rep.broken = slow
		}
	}
}

// redirected is the request that an answer asks for; nil: the answer is one.
func (r request) redirected(resp *http.Response, rep *reply) (*request, error) {
	where := resp.Header.Get("Location")
	if where == "" || !slices.Contains([]int{301, 302, 303, 307, 308}, resp.StatusCode) {
		return nil, nil
	}
	keep := resp.StatusCode >= http.StatusTemporaryRedirect // the method and the body
	to, err := readURL(where, r.url)
	if err != nil {
		return nil, fmt.Errorf("%s redirects, but %w", shownURL(r.url), err)
	}
	same := sameOrigin(r.url, to)
	next := request{method: r.method, url: to, header: r.header.Clone(), body: r.body}
	switch simple := r.method == http.MethodGet || r.method == http.MethodHead; {
	case keep && !same && (r.body != "" || !simple):
		rep.held = "not followed: a " + r.method + " goes only where it was sent to"
		return nil, nil
	case !keep && !simple:
		next.method, next.body = http.MethodGet, ""
		next.header.Del("Content-Type")
	}
	if !same {
		to.User = nil
		next.header = harmless(r.header)
	}
	return &next, nil
}

// harmless is what of a request's headers another host may see.
func harmless(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range [...]string{"Accept", "Accept-Language", "User-Agent"} {
		if v := h.Values(name); len(v) > 0 {
			out[name] = v
		}
	}
	return out
}

// transport makes the connections of one attempt. None is kept: the next attempt is checked anew.
func (e Env) transport(proxy *url.URL, g *guard) *http.Transport {
	d := net.Dialer{Resolver: e.seams.resolver}
	if proxy == nil {
		d.Control = g.control
	}
	t := &http.Transport{
		Proxy:                  http.ProxyURL(proxy),
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHeader,
		ExpectContinueTimeout:  time.Second,
	}
	if e.seams.dial != nil {
		t.DialContext = e.seams.dial
	}
	if e.seams.roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: e.seams.roots, MinVersion: tls.VersionTLS12}
	}
	return t
}

// proxyFor is the proxy that the commands' environment names for u, nil for none.
func (e Env) proxyFor(u *url.URL) (*url.URL, error) {
	if e.Vars == nil {
		return http.ProxyFromEnvironment(&http.Request{URL: u})
	}
	vars := map[string]string{}
	for _, v := range e.Vars {
		if name, value, ok := strings.Cut(v, "="); ok {
			vars[name] = value
		}
	}
	get := func(name string) string {
		if v := vars[name]; v != "" {
			return v
		}
		return vars[strings.ToLower(name)]
	}
	name := strings.ToUpper(u.Scheme) + "_PROXY"
	if !proxyURL(get(name)) { // httpproxy would go without one
		return nil, fmt.Errorf("%s in the environment is no proxy; it has the form http://HOST:PORT", name)
	}
	c := httpproxy.Config{HTTPProxy: get("HTTP_PROXY"), HTTPSProxy: get("HTTPS_PROXY"), NoProxy: get("NO_PROXY")}
	return c.ProxyFunc()(u)
}

// proxyURL reports that a value of a proxy variable can be used.
func proxyURL(v string) bool {
	if v == "" {
		return true
	}
	if !strings.Contains(v, "://") {
		v = "http://" + v
	}
	u, err := url.Parse(v)
	return err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
}

var errBlocked = errors.New("a private address needs permission")

// guard stands in the dialer, behind the look-up: it sees the address that is really connected to.
type guard struct {
	pass    func(netip.Addr) bool
	mu      sync.Mutex
	blocked []netip.Addr
}

func (g *guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connecting to %q: %w", address, err)
	}
	if g.pass(at.Addr()) {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blocked = append(g.blocked, at.Addr())
	return errBlocked
}

func (g *guard) list() []netip.Addr {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.blocked
}
