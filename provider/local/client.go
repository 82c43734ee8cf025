package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"react-agent/internal/httpx"
)

// Client asks servers. The zero value asks with [http.DefaultClient] and a limit of two seconds.
type Client struct {
	HTTP *http.Client // nil = [http.DefaultClient]; its requests should not be recorded
	Key  string       // sent as a bearer token; "" = none
	// Limit bounds each question; 0 = 2 s.
	Limit time.Duration
}

// usualLimit bounds a question: a server on this machine answers in milliseconds unless it is busy.
const usualLimit = 2 * time.Second

// maxReply bounds what is read of an answer. A description of a model may hold its whole licence.
const maxReply = 4 << 20

// Find asks the usual ports of this machine, and the addresses in more, all at once, and gives the servers that answered:
// those of more first, then by port. Nothing is an error: what does not answer is not there.
func (c Client) Find(ctx context.Context, more ...string) []Server {
	bases := append([]string(nil), more...)
	for _, k := range kinds() {
		base := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(k.port)) + "/v1"
		if !listed(bases, base) {
			bases = append(bases, base)
		}
	}
	found := make([]*Server, len(bases))
	var wait sync.WaitGroup
	for i, base := range bases {
		wait.Go(func() { found[i], _ = c.Ask(ctx, base) })
	}
	wait.Wait()
	var servers []Server
	for _, s := range found {
		if s != nil {
			servers = append(servers, *s)
		}
	}
	return servers
}

// listed reports whether an address is among others, whichever name they give this machine.
func listed(bases []string, base string) bool {
	for _, b := range bases {
		if SameServer(b, base) {
			return true
		}
	}
	return false
}

// SameServer reports whether two addresses lead to one server: the same port of the same host, and all names of this
// machine are one.
func SameServer(a, b string) bool {
	ua, err := url.Parse(a)
	ub, err2 := url.Parse(b)
	if err != nil || err2 != nil || ua.Host == "" || ub.Host == "" {
		return false
	}
	if Loopback(a) && Loopback(b) {
		return ua.Port() == ub.Port()
	}
	return strings.EqualFold(ua.Host, ub.Host)
}

// Loopback reports whether an address is on this machine, by its name or its number; no name is looked up.
func Loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Host reads the address in a variable such as OLLAMA_HOST, which is written as HOST, HOST:PORT, :PORT or a URL, and gives
// the base URL; usual is the one without it, whose port and path fill in what is missing. A server told to listen on all
// addresses is asked on this machine. "" = nothing is named, or nothing that can be read.
func Host(value, usual string) string {
	value = strings.TrimSpace(value)
	if value == "" {
		return ""
	}
	known, err := url.Parse(usual)
	if err != nil {
		return ""
	}
	port := known.Port()
	if strings.Contains(value, "://") {
		port = ""
	} else {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	u.Host = host
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = known.Path
	}
	return u.String()
}

// errNoServer says that something answered which is no model server.
var errNoServer = errors.New("this is no model server")

// Ask finds out which server is at an address, and what it serves. The address is that of its Chat Completions, with or
// without /v1. The error wraps the one of the connection when nothing is there.
func (c Client) Ask(ctx context.Context, base string) (*Server, error) { return c.ask(ctx, base, "") }

// ask is Ask, and with a name asks for that model's details alone where each is a question of its own.
func (c Client) ask(ctx context.Context, base, name string) (*Server, error) {
	base = plain(base)
	root := rootOf(base)
	questions := map[string]string{
		"models": under(base, "/models"), "ollama": under(root, "/api/version"), "props": under(root, "/props"), "studio": under(root, "/api/v0/models"),
	}
	if base == root {
		questions["versioned"] = under(root, "/v1/models")
	}
	a := c.askAll(ctx, questions)
	if v := a["versioned"]; v.json.Get("data").IsArray() && !a["models"].json.Get("data").IsArray() { // the version was left out
		a["models"], base = v, under(root, "/v1")
	}
	s := &Server{Kind: Other, Base: base}
	version := a["ollama"].json.Get("version")
	studio := a["studio"].json.Get("data.0.compatibility_type").Exists() || a["studio"].json.Get("data.0.state").Exists()
	switch {
	case version.Type == gjson.String:
		s.Kind, s.Version, s.Base = Ollama, version.Str, under(root, "/v1")
		c.readOllama(ctx, s, root, name)
	case studio:
		s.Kind, s.Base = LMStudio, under(root, "/v1")
		readStudio(s, a["studio"].json)
	case a["models"].loading() || a["props"].loading():
		s.Kind, s.Loading = LlamaCpp, true
	case a["models"].json.Get("data").IsArray():
		c.readModels(ctx, s, root, a["models"].json, a["props"].json)
	default:
		for _, one := range []string{"models", "ollama", "props", "studio"} {
			if a[one].err != nil {
				return nil, a[one].err
			}
		}
		if err := a["models"].refused(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", httpx.Shown(base), errNoServer)
	}
	return s, nil
}

// plain is the base of an address: without the path of the operation and slashes behind it.
func plain(address string) string {
	head, query, asks := strings.Cut(strings.TrimSpace(address), "?")
	head = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(head, "/"), "/chat/completions"), "/")
	if asks {
		head += "?" + query
	}
	return head
}

// rootOf is a base without its version.
func rootOf(base string) string {
	head, query, asks := strings.Cut(base, "?")
	head = strings.TrimSuffix(head, "/v1")
	if asks {
		head += "?" + query
	}
	return head
}

// under is an address below a base, whose query stays.
func under(base, path string) string {
	head, query, asks := strings.Cut(base, "?")
	switch {
	case !asks:
	case strings.Contains(path, "?"):
		path += "&" + query
	default:
		path += "?" + query
	}
	return head + path
}

// answer is what came of one question.
type answer struct {
	status int
	json   gjson.Result // zero unless it is JSON
	err    error        // of the connection
}

// loading reports whether a server says that it is not ready yet.
func (a answer) loading() bool {
	return a.status == http.StatusServiceUnavailable && strings.Contains(strings.ToLower(a.json.Raw), "loading")
}

// refused is the error of a server that wants a key.
func (a answer) refused() error {
	if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
		return &refusedError{a.status}
	}
	return nil
}

// refusedError says that the server wants a key, or another one.
type refusedError struct{ status int }

// Error names the status.
func (e *refusedError) Error() string { return "HTTP " + strconv.Itoa(e.status) }

// askAll puts several questions at once.
func (c Client) askAll(ctx context.Context, questions map[string]string) map[string]answer {
	answers := map[string]answer{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for name, address := range questions {
		wait.Go(func() {
			a := c.get(ctx, address)
			mu.Lock()
			defer mu.Unlock()
			answers[name] = a
		})
	}
	wait.Wait()
	return answers
}

func (c Client) get(ctx context.Context, address string) answer {
	return c.do(ctx, http.MethodGet, address, nil, c.limit())
}

func (c Client) limit() time.Duration {
	if c.Limit > 0 {
		return c.Limit
	}
	return usualLimit
}

// do puts one question, no longer than limit; 0 = as long as ctx.
func (c Client) do(ctx context.Context, method, address string, body []byte, limit time.Duration) answer {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return answer{err: httpx.ShownError(err)}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: httpx.ShownError(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	a := answer{status: resp.StatusCode, err: err}
	if gjson.ValidBytes(data) {
		a.json = gjson.ParseBytes(data)
	}
	return a
}

// isDial reports whether an error is that of a connection which did not come about.
func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
