package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// request is something asked of the server.
type request struct {
	method string // "" = GET
	path   []string
	query  url.Values
	header http.Header
	body   any
	// again says that asking twice does no harm; slow, that the answer takes its time.
	again, slow bool
	heard       func(http.Header) // gets the head of an answer; may be nil
}

// most is how many bytes of an answer in JSON are read.
const most = 64 << 20

// call asks, and reads the answer as JSON into to, unless that is nil.
func (c *Client) call(ctx context.Context, x request, to any) error {
	_, err := c.counted(ctx, x, to)
	return err
}

// counted is call; it says how often it was tried.
func (c *Client) counted(ctx context.Context, x request, to any) (tries int, err error) {
	data, tries, err := c.bytes(ctx, x)
	if err != nil || to == nil {
		return tries, err
	}
	if json.Unmarshal(data, to) != nil {
		err = msg.Errorf(msg.ClientNoServer, c.URL())
	}
	return tries, err
}

// bytes asks until there is an answer, within the time for that, and reads it.
func (c *Client) bytes(ctx context.Context, x request) (data []byte, tries int, err error) {
	for until, wait := time.Now().Add(c.o.Retry), time.Duration(0); ; {
		tries++
		if data, err = c.once(ctx, x); err == nil || ctx.Err() != nil {
			return data, tries, err
		}
		var pause time.Duration
		if wait, pause = nextWait(wait, err); !x.mayRepeat(err) || time.Now().Add(pause).After(until) {
			return nil, tries, err
		}
		if tries == 1 && c.o.Trying != nil && errors.Is(err, ErrUnreachable) {
			c.o.Trying()
		}
		if !sleep(ctx, pause) {
			return nil, tries, err
		}
	}
}

func (c *Client) once(ctx context.Context, x request) ([]byte, error) {
	body, err := c.open(ctx, x, "application/json")
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(body, most))
	if err != nil {
		return nil, c.unreachable(err)
	}
	return data, nil
}

// mayRepeat reports whether a request that has failed like this may be sent once more.
func (x request) mayRepeat(err error) bool {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status == http.StatusTooManyRequests || x.again && e.busy() // the others may come in the middle of it
	}
	if !errors.Is(err, ErrUnreachable) {
		return false
	}
	op, ok := errors.AsType[*net.OpError](err)
	return x.again || ok && op.Op == "dial"
}

// The pauses between two tries.
const (
	firstWait = 100 * time.Millisecond
	mostWait  = 5 * time.Second
)

// nextWait doubles the pause, and adds something by chance so that not all come back at once. A server that says how long
// counts.
func nextWait(wait time.Duration, err error) (next, pause time.Duration) {
	next = min(max(firstWait, 2*wait), mostWait)
	pause = next/2 + rand.N(next/2+1) //nolint:gosec // no secret
	if e, ok := errors.AsType[*Error](err); ok {
		pause = max(pause, e.RetryAfter)
	}
	return next, pause
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// open sends a request and gives the body of a good answer; any other is an [Error]. ctx has to last as long as the body is
// read, which fails when nothing comes for too long.
func (c *Client) open(ctx context.Context, x request, accept string) (io.ReadCloser, error) {
	var body io.Reader
	if x.body != nil {
		data, err := agent.EncodeJSON(x.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	at := c.base.JoinPath(x.path...)
	at.RawQuery = x.query.Encode()
	ctx, cancel := context.WithCancelCause(ctx)
	r, err := http.NewRequestWithContext(ctx, or(x.method, http.MethodGet), at.String(), body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if x.header != nil {
		r.Header = x.header.Clone()
	}
	r.Header.Set("Accept", accept)
	if x.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.o.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	got, err := c.send(ctx, r, x.slow, cancel) //nolint:bodyclose // who gets the answer closes it
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if x.heard != nil {
		x.heard(got.Header)
	}
	return &answer{ReadCloser: httpx.IdleReader(ctx, got.Body, c.o.Idle), done: func() { cancel(nil) }}, nil
}

// send waits for the head of the answer, and gives it if it is a good one.
func (c *Client) send(ctx context.Context, r *http.Request, slow bool, cancel context.CancelCauseFunc) (*http.Response, error) {
	late := time.AfterFunc(c.o.Wait, func() {
		if !slow {
			cancel(errLate)
		}
	})
	resp, err := c.http.Do(r)
	late.Stop()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, c.unreachable(err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close() //nolint:errcheck // it was only read
		return nil, c.refusal(resp)
	}
	return resp, nil
}

// answer is a body that lets go of its request.
type answer struct {
	io.ReadCloser
	done func()
}

func (a *answer) Close() error {
	defer a.done()
	return a.ReadCloser.Close()
}

// refusal reads what the server has against a request.
func (c *Client) refusal(resp *http.Response) error {
	e := &Error{Status: resp.StatusCode, url: c.URL()}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		e.RetryAfter = time.Duration(n) * time.Second
	}
	if resp.StatusCode/100 == 3 {
		e.to = withoutQuery(resp.Header.Get("Location"))
	}
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // the status is enough
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(data, &said) == nil {
		e.Text = said.Error
	}
	return e
}
