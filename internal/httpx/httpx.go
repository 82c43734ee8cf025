// Package httpx makes the HTTP clients and readers of model calls: pooled connections, HTTP/2, proxy and certificates, no
// overall timeout (an answer may take an hour), and an idle timeout that every byte resets (a comment in a stream is a
// sign of life).
package httpx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"
)

// Options configure a client. The zero value is a plain one.
type Options struct {
	// Proxy is the URL of a proxy for all requests; "" takes HTTPS_PROXY, HTTP_PROXY and NO_PROXY from the environment, as
	// net/http does: never for loopback addresses. "off" is none.
	Proxy string
	// CAFile names a PEM file of root certificates that are trusted besides the system's.
	CAFile string
}

// NewClient makes a client that may be shared by all calls. It fails when Proxy is no URL or CAFile holds no certificate.
func NewClient(o Options) (*http.Client, error) {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   100, // one vendor gets all the calls
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		WriteBufferSize:       1 << 10, // for a request's head; what is larger goes past it, and a stream keeps it for minutes
		// A dead HTTP/2 connection would otherwise swallow every request of the pool until TCP gives up.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	switch o.Proxy {
	case "":
	case "off":
		t.Proxy = nil
	default:
		u, err := url.Parse(o.Proxy)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("proxy %q is not of the form http://host:port", o.Proxy)
		}
		t.Proxy = http.ProxyURL(u)
	}
	if o.CAFile != "" {
		roots, err := roots(o.CAFile)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: t, CheckRedirect: sameHost}, nil
}

// ErrRedirect is what the error of a redirect is that a client of [NewClient] does not follow.
var ErrRedirect = errors.New("redirect refused")

// redirected is such an error, with its text.
type redirected string

func (e redirected) Error() string { return string(e) }

func (redirected) Is(target error) bool { return target == ErrRedirect }

// sameHost refuses a redirect to another host: the key would not follow, and the answer would be somebody else's.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return redirected("too many redirects")
	}
	if req.URL.Host != via[0].URL.Host {
		return redirected(fmt.Sprintf("redirected from %s to %s; set the base URL to where the API really is", via[0].URL.Host, req.URL.Host))
	}
	return nil
}

func roots(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("root certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("root certificates: %s holds none in PEM form", file)
	}
	return pool, nil
}

// ErrIdle is the error of a read on a connection that stayed silent for too long.
var ErrIdle = errors.New("no data within the idle timeout")

// IdleReader wraps a body so that a read fails with [ErrIdle] when no byte came for idle (0 = wait for ever), and with the
// cause of ctx when that ends. Close releases its timer; the body is closed with it.
func IdleReader(ctx context.Context, body io.ReadCloser, idle time.Duration) io.ReadCloser {
	r := &idleReader{body: body, idle: idle}
	if idle > 0 {
		r.timer = time.AfterFunc(idle, func() { r.fail(ErrIdle) })
	}
	r.stop = context.AfterFunc(ctx, func() { r.fail(context.Cause(ctx)) })
	return r
}

type idleReader struct {
	body  io.ReadCloser
	idle  time.Duration
	timer *time.Timer
	stop  func() bool

	mu  sync.Mutex
	err error // why the body was closed under the reader
}

// fail closes the body, which wakes a read that blocks, and keeps the reason for it.
func (r *idleReader) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	_ = r.body.Close() // the reason for closing is the error that counts
}

// Read reads, and starts the silence anew when something came.
func (r *idleReader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err != nil {
			err = r.err
		}
		return n, err
	}
	if n > 0 && r.timer != nil {
		r.timer.Reset(r.idle)
	}
	return n, err
}

// Close closes the body and ends the timer.
func (r *idleReader) Close() error {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.stop()
	return r.body.Close()
}
