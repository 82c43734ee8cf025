package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// Config says which model to talk to, and how. Every wire over HTTP takes it.
type Config struct {
	// BaseURL is the API's base, or the whole address; a wire appends the path of its operation when it is missing.
	BaseURL string
	Key     string // sent as the preset says; "" = none
	Model   string
	Preset  Preset
	HTTP    *http.Client // nil = a plain one; it must not have an overall timeout
	// IdleTimeout ends a reply that stays silent for so long, before its head or within its body. 0 = none.
	IdleTimeout time.Duration
	Header      http.Header                // sent with every request, instead of what a wire would send under that name
	Extra       map[string]json.RawMessage // merged into every body; a request's own Extra wins
	Info        agent.ModelInfo            // limits and abilities; Provider, Preset and Name are filled in
	Logger      *slog.Logger               // what was odd about replies; nil = nobody is told
}

// Client is the part of a wire's model that is the same for all of them: it sends a request and reads the reply. It may
// be used by many runs at once, does not connect by itself, and never retries.
type Client struct{ Config }

// NewClient makes a client of a wire, which is known by its api name.
func NewClient(api string, c Config) *Client {
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Info.Provider, c.Info.Preset, c.Info.Name = api, c.Preset.Name, c.Model
	return &Client{Config: c}
}

// Info describes the model.
func (c *Client) Info() agent.ModelInfo { return c.Config.Info }

// Name is what errors call the vendor.
func (c *Client) Name() string {
	if c.Preset.Name != "" {
		return c.Preset.Name
	}
	return c.Config.Info.Provider
}

// Post is one request as a wire wants it sent.
type Post struct {
	Path  string // of the operation, such as /chat/completions; see [Endpoint]
	Query string // goes behind the path, such as alt=sse
	Body  []byte
	// KeyHeader carries the key where the preset names no header; "" = Authorization with "Bearer ".
	KeyHeader string
	Header    http.Header // the wire's own, weaker than the configuration's
}

// maxErrorBody is how much of an error page is read.
const maxErrorBody = 1 << 20

// afterFinish is how long a stream may go on behind its finish reason (for usage and [DONE]) before it counts as ended.
const afterFinish = 2 * time.Second

// errorWait is how long the page of an error is waited for. Its status is known; what came of the page has to do.
const errorWait = 3 * time.Second

var errAfterError = errors.New("the rest of the error was not waited for")

var errAfterFinish = errors.New("the message had ended")

// Exchange sends the request and yields the reply's chunks, as the decoder that read makes understands them. A failure
// of any kind ends the sequence as one [agent.ModelError].
func (c *Client) Exchange(ctx context.Context, p Post, tools []agent.Tool, read func(*Draft) Decoder) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		call, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		body, header, err := c.reply(call, cancel, &p)
		if err != nil {
			yield(agent.Chunk{}, c.failure(ctx, call, err))
			return
		}
		defer func() { _ = body.Close() }()
		d := NewDraft(c, tools, yield)
		d.header = header
		grace := time.AfterFunc(time.Hour, func() { cancel(errAfterFinish) })
		defer grace.Stop()
		d.onFinish = func() { grace.Reset(afterFinish) }
		if err := d.Read(body, read(d)); err != nil {
			d.fail(c.failure(ctx, call, err))
		}
	}
}

// reply sends the request and gives the body of a reply that is none of an error.
func (c *Client) reply(ctx context.Context, cancel context.CancelCauseFunc, p *Post) (io.ReadCloser, http.Header, error) {
	resp, err := c.send(ctx, cancel, p) //nolint:bodyclose // closed through the reader around it
	if err != nil {
		return nil, nil, err
	}
	body := httpx.IdleReader(ctx, resp.Body, c.IdleTimeout)
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return body, resp.Header, nil
	}
	defer func() { _ = body.Close() }()
	wait := time.AfterFunc(errorWait, func() { cancel(errAfterError) })
	defer wait.Stop()
	page, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what of it can be read has to do
	refused := Classify(Failure{Provider: c.Name(), Status: resp.StatusCode, Header: resp.Header, Body: page, Request: p.Body})
	return nil, nil, misplaced(refused, resp.Request.URL, page)
}

// send posts the request and waits for the head of the reply, no longer than the idle timeout.
func (c *Client) send(ctx context.Context, cancel context.CancelCauseFunc, p *Post) (*http.Response, error) {
	address, err := Endpoint(c.BaseURL, c.Preset.PathOf(p.Path, c.Model), p.Query)
	if err != nil {
		return nil, c.misconfigured(err)
	}
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(p.Body))
	if err != nil {
		return nil, c.misconfigured(err)
	}
	hr.Header.Set("Content-Type", "application/json")
	hr.Header.Set("Accept", "text/event-stream, application/json")
	for k, v := range p.Header {
		hr.Header[http.CanonicalHeaderKey(k)] = v
	}
	if c.Key != "" {
		c.sign(hr.Header, p.KeyHeader)
	}
	for k, v := range c.Header {
		hr.Header[http.CanonicalHeaderKey(k)] = v
	}
	if c.IdleTimeout > 0 {
		timer := time.AfterFunc(c.IdleTimeout, func() { cancel(httpx.ErrIdle) })
		defer timer.Stop()
	}
	resp, err := c.HTTP.Do(hr)
	if err == nil && resp.Request == nil { // a transport of the caller's own
		resp.Request = hr
	}
	return resp, err
}

// sign puts the key where the vendor looks for it.
func (c *Client) sign(h http.Header, header string) {
	if c.Preset.KeyHeader != "" {
		header = c.Preset.KeyHeader
	}
	if header == "" || strings.EqualFold(header, "Authorization") {
		h.Set("Authorization", "Bearer "+c.Key)
		return
	}
	h.Set(header, c.Key)
}

func (c *Client) misconfigured(err error) error {
	return &agent.ModelError{Kind: agent.ErrConfig, Provider: c.Name(), Err: httpx.ShownError(err)}
}

// Endpoint is where an operation is: the base with the path behind it, unless the base has that already. A query of the
// base stays, and what it says wins over query.
func Endpoint(base, path, query string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("base URL %q is not of the form https://host/path", httpx.Shown(base))
	}
	at := strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(at, path) {
		at += path
	}
	u.Path, u.RawPath = at, ""
	if key, _, _ := strings.Cut(query, "="); query != "" && !u.Query().Has(key) {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	}
	u.RawQuery = escaped(u.RawQuery)
	return u.String(), nil
}

// escaped writes the characters of a query as %XX that may not stand in one. What may stays as it is.
func escaped(query string) string {
	var out strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// HasVersion reports whether the path of a base ends with a version, such as v1 or v1beta. People leave it out where the
// vendor's own clients add it.
func HasVersion(base string) bool {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return false // sending says what is wrong with it
	}
	at := strings.TrimRight(u.Path, "/")
	last := at[strings.LastIndexByte(at, '/')+1:]
	return len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9'
}

// failure turns the error of a connection into a model's error. call is the context of the request, below ctx.
func (c *Client) failure(ctx, call context.Context, err error) *agent.ModelError {
	if me, ok := errors.AsType[*agent.ModelError](err); ok {
		return me
	}
	e := &agent.ModelError{Kind: agent.ErrNetwork, Provider: c.Name(), Retryable: true, Err: unreached(err)}
	var cut cutError
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Retryable, e.Err = agent.ErrNetwork, false, context.Cause(ctx)
		if errors.Is(e.Err, context.DeadlineExceeded) {
			e.Kind = agent.ErrTimeout
		}
	case errors.Is(err, httpx.ErrIdle), errors.Is(context.Cause(call), httpx.ErrIdle), errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Err = agent.ErrTimeout, idleError{c.IdleTimeout}
	case errors.As(err, &cut):
		e.Kind = agent.ErrTruncated
	case isCertificate(err):
		e.Retryable = false
	case isSettled(err):
		e.Kind, e.Retryable = agent.ErrConfig, false
	}
	return e
}

// isSettled reports whether an error comes from what was configured, so that it comes again: a redirect that is not
// followed, an address or a header that cannot be sent. net/http has no types for most of them.
func isSettled(err error) bool {
	if errors.Is(err, httpx.ErrRedirect) || errors.Is(err, http.ErrSchemeMismatch) {
		return true
	}
	u, ok := errors.AsType[*url.Error](err)
	if !ok {
		return false
	}
	text := u.Err.Error()
	for _, words := range []string{"invalid header field", "unsupported protocol scheme", "no Host in request URL", "stopped after 10 redirects", "invalid method"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// idleError says that nothing came for so long.
type idleError struct{ limit time.Duration }

func (e idleError) Error() string { return e.In(msg.For(msg.En)) }

// In says it in the catalogue's language.
func (e idleError) In(c msg.Catalogue) string { return c.Text(msg.ModelIdle, e.limit) }

func (e idleError) Unwrap() error { return httpx.ErrIdle }

// cutError says that the body ended, or broke, before its terminal signal.
type cutError struct{ err error }

func (e cutError) Error() string { return e.In(msg.For(msg.En)) }

// In says it in the catalogue's language.
func (e cutError) In(c msg.Catalogue) string {
	if errors.Is(e.err, io.EOF) {
		return c.Text(msg.ModelCut)
	}
	return c.Text(msg.ModelBroke, e.err)
}

func (e cutError) Unwrap() error { return e.err }
