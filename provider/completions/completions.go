// Package completions is the wire of Chat Completions, the protocol most vendors speak: it encodes a request, sends it,
// and decodes the reply, stream or not, into chunks.
//
// # Sending
//
// The body is written by hand, key by key, so that equal histories give equal bytes and a longer history continues the
// bytes of the shorter one: prompt caches live on that. Thoughts and other opaque data go back only to the model that
// wrote them, in the field its preset names. [agent.Request.Extra] and [Config.Extra] are merged into the body as they
// are.
//
// # Receiving
//
// The decoder trusts nothing but a terminal signal: a finish reason of the known set, or [DONE]. Without one the reply
// was cut, which is an error, whatever had arrived. Errors inside a good reply are found in bodies and events; calls are
// told apart by id, index and order; their arguments, names and ids are cleaned only where that loses nothing; thoughts
// are recognised in all vendors' fields and as <think> tags, calls also when they were written as text. Vendors differ
// by the data of their [wire.Preset] alone.
//
// The model never retries; wrap it for that.
package completions

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
	"react-agent/provider/wire"
)

// Config says which model to talk to, and how.
type Config struct {
	// BaseURL is the API's base, or the whole address; /chat/completions is appended when it is missing.
	BaseURL string
	Key     string // sent as the preset says; "" = none
	Model   string
	Preset  wire.Preset
	HTTP    *http.Client // nil = a plain one; it must not have an overall timeout
	// IdleTimeout ends a reply that stays silent for so long, before its head or within its body. 0 = none.
	IdleTimeout time.Duration
	Header      http.Header                // sent with every request
	Extra       map[string]json.RawMessage // merged into every body; a request's own Extra wins
	Info        agent.ModelInfo            // limits and abilities; Provider, Preset and Name are filled in
	Logger      *slog.Logger               // what was odd about replies; nil = nobody is told
}

// New makes a model. It may be used by many runs at once. It does not connect.
func New(c Config) agent.Model {
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Info.Provider, c.Info.Preset, c.Info.Name = "chat", c.Preset.Name, c.Model
	return &model{Config: c}
}

type model struct{ Config }

// Info describes the model.
func (m *model) Info() agent.ModelInfo { return m.Config.Info }

// maxErrorBody is how much of an error page is read.
const maxErrorBody = 1 << 20

// afterFinish is how long a stream may go on behind its finish reason (for usage and [DONE]) before it counts as ended.
const afterFinish = 2 * time.Second

var errAfterFinish = errors.New("the message had ended")

// Stream sends the request and yields the reply's chunks.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		call, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		resp, err := m.send(call, cancel, req) //nolint:bodyclose // closed through the reader around it
		if err != nil {
			yield(agent.Chunk{}, m.failure(ctx, call, err))
			return
		}
		body := httpx.IdleReader(call, resp.Body, m.IdleTimeout)
		defer func() { _ = body.Close() }()
		if resp.StatusCode < 200 || resp.StatusCode > 299 {
			page, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what of it can be read has to do
			yield(agent.Chunk{}, wire.Classify(wire.Failure{Provider: m.name(), Status: resp.StatusCode, Header: resp.Header, Body: page}))
			return
		}
		d := newDecoder(m, req, yield)
		d.header = resp.Header
		grace := time.AfterFunc(time.Hour, func() { cancel(errAfterFinish) })
		defer grace.Stop()
		d.finished = func() { grace.Reset(afterFinish) }
		if err := d.read(body); err != nil {
			d.fail(m.failure(ctx, call, err))
		}
	}
}

// name is what errors call the vendor.
func (m *model) name() string {
	if m.Preset.Name != "" {
		return m.Preset.Name
	}
	return "chat"
}

// send posts the request and waits for the head of the reply, no longer than the idle timeout.
func (m *model) send(ctx context.Context, cancel context.CancelCauseFunc, req *agent.Request) (*http.Response, error) {
	address, err := endpoint(m.BaseURL)
	if err != nil {
		return nil, &agent.ModelError{Kind: agent.ErrConfig, Provider: m.name(), Err: err}
	}
	body := m.encode(req)
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, &agent.ModelError{Kind: agent.ErrConfig, Provider: m.name(), Err: err}
	}
	hr.Header.Set("Content-Type", "application/json")
	hr.Header.Set("Accept", "text/event-stream, application/json")
	if m.Key != "" && m.Preset.KeyHeader == "" {
		hr.Header.Set("Authorization", "Bearer "+m.Key)
	} else if m.Key != "" {
		hr.Header.Set(m.Preset.KeyHeader, m.Key)
	}
	for k, v := range m.Header {
		hr.Header[http.CanonicalHeaderKey(k)] = v
	}
	if m.IdleTimeout > 0 {
		timer := time.AfterFunc(m.IdleTimeout, func() { cancel(httpx.ErrIdle) })
		defer timer.Stop()
	}
	return m.HTTP.Do(hr)
}

// endpoint is where the requests go.
func endpoint(base string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("base URL %q is not of the form https://host/path", base)
	}
	if path := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(path, "/chat/completions") {
		u.Path = path + "/chat/completions"
	} else {
		u.Path = path
	}
	return u.String(), nil
}

// failure turns the error of a connection into a model's error. call is the context of the request, below ctx.
func (m *model) failure(ctx, call context.Context, err error) *agent.ModelError {
	if me, ok := errors.AsType[*agent.ModelError](err); ok {
		return me
	}
	e := &agent.ModelError{Kind: agent.ErrNetwork, Provider: m.name(), Retryable: true, Err: err}
	var cut cutError
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Retryable, e.Err = agent.ErrNetwork, false, context.Cause(ctx)
		if errors.Is(e.Err, context.DeadlineExceeded) {
			e.Kind = agent.ErrTimeout
		}
	case errors.Is(err, httpx.ErrIdle), errors.Is(context.Cause(call), httpx.ErrIdle), errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Err = agent.ErrTimeout, fmt.Errorf("%w (%v)", httpx.ErrIdle, m.IdleTimeout)
	case errors.As(err, &cut):
		e.Kind = agent.ErrTruncated
	case isCertificate(err):
		e.Retryable = false
	}
	return e
}

// cutError says that the body ended, or broke, before its terminal signal.
type cutError struct{ err error }

func (e cutError) Error() string {
	if errors.Is(e.err, io.EOF) {
		return "the reply ended before it was finished"
	}
	return "the reply broke off: " + e.err.Error()
}

func (e cutError) Unwrap() error { return e.err }
