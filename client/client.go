// Package client is an engine on another machine: [engine.Engine] and [store.Blobs] over the routes of package
// server/native.
//
//	c, err := client.New(client.Options{URL: "http://127.0.0.1:8080"})
//	...
//	_, err = c.Submit(ctx, session, engine.Input{Message: &m})
//	for e, err := range c.Follow(ctx, session, 0, true) { ... }
//
// What the engine in process promises holds here too. A request that does not get through is tried again for a while, with
// an ID of its own, so that nothing counts twice; a command is only tried again where it cannot have begun. A stream that
// breaks is taken up behind the last durable event: none is lost, none comes twice, and what was shown of an unfinished
// message is withdrawn by a retry event, as after any other failure.
//
// What the server refuses is an [Error], which is what the engine's own errors are for errors.Is; a server that nobody can
// reach is [ErrUnreachable].
package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"react-agent/engine"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/store"
)

// Options say where the server is. URL is needed.
type Options struct {
	// URL is where the server is: http://host:port, with a path if a proxy has it under one. A token in its query (?token=)
	// counts where Token is empty.
	URL, Token string
	// HTTP sends the requests; nil: a client of its own. Redirects are not followed: the token is for one server.
	HTTP *http.Client
	// Retry is how long a request that does not get through is tried again, 0 = 3 s. Patience is how long a stream that has
	// broken is tried again, 0 = 10 min.
	Retry, Patience time.Duration
	// Wait is how long an answer may take to begin, 0 = 30 s; that of a command may take any time. Idle is how long a stream
	// may be silent, 0 = 45 s: the server sends a comment every 15 s.
	Wait, Idle time.Duration
	// Lost and Back are told as notices of a session that is followed, when its server cannot be reached, and when it can be
	// again. "" = English.
	Lost, Back string
	// Trying, if set, is called when the server cannot be reached for a request that is tried again: once for each, before
	// the first pause.
	Trying func()
}

// Client is the engine of a server. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
}

var (
	_ engine.Engine = (*Client)(nil)
	_ store.Blobs   = (*Client)(nil)
)

// New makes a client; nothing is asked yet.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, msg.Errorf(msg.ClientURL, withoutQuery(o.URL))
	}
	o.Token = or(o.Token, base.Query().Get("token"))
	base.RawQuery, base.Fragment, base.User = "", "", nil
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	plain := o.HTTP
	if plain == nil {
		if plain, err = httpx.NewClient(httpx.Options{}); err != nil {
			return nil, err
		}
	}
	own := *plain
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	en := msg.For(msg.En)
	o.Retry, o.Patience = or(o.Retry, 3*time.Second), or(o.Patience, 10*time.Minute)
	o.Wait, o.Idle = or(o.Wait, 30*time.Second), or(o.Idle, 45*time.Second)
	o.Lost, o.Back = or(o.Lost, en.Text(msg.ClientLost)), or(o.Back, en.Text(msg.ClientBack))
	return &Client{o: o, base: base, http: &own}, nil
}

// withoutQuery leaves out of an address what may be secret.
func withoutQuery(s string) string {
	s, _, _ = strings.Cut(s, "?")
	return s
}

// URL is where the server is, without the token.
func (c *Client) URL() string { return strings.TrimSuffix(c.base.String(), "/") }

// BlobURL is where a blob can be looked at.
func (c *Client) BlobURL(sha string) string { return c.base.JoinPath("blobs", sha).String() }

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// About is what a server says of itself.
type About struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Profile string   `json:"profile"`
	WorkDir string   `json:"workdir"`
	Model   string   `json:"model"`
	Models  []string `json:"models"`
	Mode    string   `json:"mode"`
}

// About asks what the server is, as it is for a session; "" is a new one. It is asked once: a wrong address is told at once.
func (c *Client) About(ctx context.Context, session string) (a About, err error) {
	x := request{path: []string{"about"}}
	if session != "" {
		x.query = url.Values{"session": {session}}
	}
	data, err := c.once(ctx, x)
	if err == nil && (json.Unmarshal(data, &a) != nil || a.Name != "react-agent") {
		err = msg.Errorf(msg.ClientNoServer, c.URL())
	}
	return a, err
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
