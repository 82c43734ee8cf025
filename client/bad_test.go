package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// bad is a transport that loses what can be asked twice: of each nine requests it loses one before the server sees it and
// one behind it, and it cuts streams off after a thousand bytes or more.
type bad struct {
	http.RoundTripper
	n, cuts, lost atomic.Int64
}

var errBad = errors.New("a bad connection")

// RoundTrip sends a request, perhaps.
func (b *bad) RoundTrip(r *http.Request) (*http.Response, error) {
	n := b.n.Add(1)
	if strings.HasSuffix(r.URL.Path, "/events") {
		resp, err := b.RoundTripper.RoundTrip(r)
		if err == nil && r.URL.Query().Get("live") == "" {
			b.cuts.Add(1)
			resp.Body = &cut{ReadCloser: resp.Body, left: 900 + int(n*317%3000)}
		}
		return resp, err
	}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"command"`)) {
			return b.RoundTripper.RoundTrip(r)
		}
	}
	if n%9 == 0 {
		b.lost.Add(1)
		return nil, errBad
	}
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil && n%9 == 4 {
		b.lost.Add(1)
		_ = resp.Body.Close()
		return nil, errBad
	}
	return resp, err
}

// cut is a body that breaks off.
type cut struct {
	io.ReadCloser
	left int
}

// Read reads what is left.
func (c *cut) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errBad
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
