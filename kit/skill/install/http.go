package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// The bounds of downloads.
const (
	maxDownload  = 10 << 20
	maxIndex     = 2 << 20
	maxRedirects = 5
	httpTime     = time.Minute
	lookupTime   = 2 * time.Second
)

// answer is what a server sent.
type answer struct {
	data []byte
	kind string // Content-Type
	url  *url.URL
}

// statusError is an answer that is none.
type statusError struct {
	url  string
	code int
}

func (e statusError) Error() string { return fmt.Sprintf("%s: HTTP %d", e.url, e.code) }

// get downloads what a URL leads to, at most limit bytes. Redirects are followed where the first URL might have led, too.
func (f *Fetcher) get(ctx context.Context, raw string, limit int64) (answer, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return answer{}, msg.Errorf(msg.InstallSource, hidePassword(raw))
	}
	var a answer
	_, err = f.hops(ctx, u, func(ctx context.Context, u *url.URL) (next *url.URL, err error) {
		a, next, err = f.step(ctx, u, limit)
		return next, err
	})
	return a, err
}

// follow gives where a URL leads in the end. It is no error that the server cannot be reached, or has nothing there.
func (f *Fetcher) follow(ctx context.Context, u *url.URL) (*url.URL, error) {
	var refused error
	last, err := f.hops(ctx, u, func(ctx context.Context, u *url.URL) (*url.URL, error) {
		_, next, err := f.step(ctx, u, 0)
		if told, ok := errors.AsType[*msg.Error](err); ok && told.Key == msg.InstallPrivate {
			refused = err
		}
		if err != nil {
			return nil, ctx.Err()
		}
		return next, nil
	})
	return last, errors.Join(refused, err)
}

// hops goes from URL to URL, as far as step leads and only where the first might have led, too. It gives the last.
func (f *Fetcher) hops(ctx context.Context, u *url.URL, step func(context.Context, *url.URL) (*url.URL, error)) (*url.URL, error) {
	first := Source{URL: u.String()}.Shown()
	ctx, cancel := context.WithTimeout(ctx, httpTime)
	defer cancel()
	for range maxRedirects + 1 {
		if err := f.mayGet(ctx, u); err != nil {
			return u, err
		}
		next, err := step(ctx, u)
		if err != nil || next == nil {
			return u, err
		}
		if u.Scheme == "https" && next.Scheme != "https" {
			return u, msg.Errorf(msg.InstallPlain, Source{URL: next.String()}.Shown())
		}
		if next.Host != u.Host {
			next.User = nil
		} else if next.User == nil {
			next.User = u.User
		}
		u = next
	}
	return u, msg.Errorf(msg.InstallRedirects, first, maxRedirects)
}

// mayGet checks scheme and host before anything is sent.
func (f *Fetcher) mayGet(ctx context.Context, u *url.URL) error {
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return msg.Errorf(msg.InstallTransport, Source{URL: u.String()}.Shown())
	case u.Scheme == "http" && !loopback(u.Hostname()) && !f.Plain:
		return msg.Errorf(msg.InstallPlain, Source{URL: u.String()}.Shown())
	}
	return f.may(ctx, u)
}

// may asks about hosts that are not on the public internet. What the person typed may be this machine; what a stranger's
// answer leads to may not.
func (f *Fetcher) may(ctx context.Context, u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	f.mu.Lock()
	known := f.allowed[host]
	f.mu.Unlock()
	if known {
		return nil
	}
	ips := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = append(ips, ip)
	} else {
		ctx, cancel := context.WithTimeout(ctx, lookupTime) // behind a proxy names may not be known here
		defer cancel()
		if found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host); err == nil {
			ips = found
		}
	}
	for _, ip := range ips {
		if net := httpx.NetOf(ip); net != httpx.Public {
			if f.Private == nil || !f.Private(host, ip, net) {
				return msg.Errorf(msg.InstallPrivate, Source{URL: u.String()}.Shown(), ip.Unmap())
			}
			f.allow(host)
			return nil
		}
	}
	return nil
}

func (f *Fetcher) allow(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.allowed == nil {
		f.allowed = map[string]bool{}
	}
	f.allowed[strings.ToLower(host)] = true
}

func (f *Fetcher) step(ctx context.Context, u *url.URL, limit int64) (answer, *url.URL, error) {
	shown := Source{URL: u.String()}.Shown()
	bare := *u
	bare.User, bare.Fragment = nil, ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, bare.String(), nil)
	if err != nil {
		return answer{}, nil, err
	}
	if u.User != nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	req.Header.Set("User-Agent", "react-agent")
	resp, err := f.client(strings.ToLower(u.Hostname())).Do(req)
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err
		}
		return answer{}, nil, fmt.Errorf("%s: %w", shown, err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		next, err := u.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" {
			return answer{}, nil, statusError{shown, resp.StatusCode}
		}
		return answer{}, next, nil
	case http.StatusOK:
	default:
		return answer{}, nil, statusError{shown, resp.StatusCode}
	}
	if resp.ContentLength > limit {
		return answer{}, nil, msg.Errorf(msg.InstallDownloadBig, shown, limit>>20)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return answer{}, nil, fmt.Errorf("%s: %w", shown, err)
	}
	if int64(len(data)) > limit {
		return answer{}, nil, msg.Errorf(msg.InstallDownloadBig, shown, limit>>20)
	}
	return answer{data: data, kind: resp.Header.Get("Content-Type"), url: u}, nil, nil
}

// client makes connections to one host. Behind the look-up it sees where a connection really goes: a name may lead to
// another address than it did when it was asked about.
func (f *Fetcher) client(host string) *http.Client {
	f.mu.Lock()
	allowed := f.allowed[host]
	f.mu.Unlock()
	c, err := httpx.NewClient(httpx.Options{Proxy: f.Proxy, CAFile: f.CAFile})
	if err != nil {
		return &http.Client{Transport: broken{err}}
	}
	t, ok := c.Transport.(*http.Transport)
	if !ok {
		return c
	}
	t.DisableKeepAlives = true
	t.MaxResponseHeaderBytes = 1 << 20
	d := net.Dialer{Timeout: 30 * time.Second}
	proxied, through := false, t.Proxy
	t.Proxy = func(req *http.Request) (*url.URL, error) {
		if through == nil {
			return nil, nil
		}
		p, err := through(req)
		proxied = p != nil
		return p, err
	}
	d.Control = func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if allowed || proxied || httpx.NetOf(at.Addr()) == httpx.Public {
			return nil
		}
		return msg.Errorf(msg.InstallPrivate, host, at.Addr().Unmap())
	}
	t.DialContext = d.DialContext
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// broken is a transport that cannot be made.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }
