package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func failed(t *testing.T, c wire.Config, path string) *agent.ModelError {
	t.Helper()
	for _, err := range wire.NewClient("chat", c).Exchange(t.Context(), wire.Post{Path: path, Body: []byte("{}")}, nil, nil) {
		if me, ok := errors.AsType[*agent.ModelError](err); ok {
			return me
		}
	}
	t.Fatal("no failure")
	return nil
}

func TestWrongAddressSaysWhereAndWhatToDo(t *testing.T) {
	for _, one := range []struct {
		base, body     string
		status         int
		place, version bool
	}{
		{"", "404 page not found", 404, true, true},
		{"/v1", `{"detail":"Not Found"}`, 404, true, false},
		{"", "", 405, true, true},
		{"", "<html><title>Not here</title><p>models and more</p></html>", 404, true, true},
		{"/v1", `{"error":{"message":"model 'm' not found"}}`, 404, false, false},
		{"", `{"error":"bad"}`, 400, false, false},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(one.status)
			_, _ = io.WriteString(w, one.body)
		}))
		host := strings.TrimPrefix(srv.URL, "http://")
		e := failed(t, wire.Config{BaseURL: "http://me:s3cretword@" + host + one.base + "?key=abcdefgh"}, "/chat/completions")
		srv.Close()
		got := e.Error()
		if strings.Contains(got, "POST "+srv.URL+one.base+"/chat/completions: ") != one.place || strings.Contains(got, "ends in /v1") != one.version {
			t.Errorf("%s %d %q: %s", one.base, one.status, one.body, got)
		}
		if strings.Contains(got, "s3cret") || strings.Contains(got, "abcdefgh") || strings.Contains(got, "me:") {
			t.Errorf("shown: %s", got)
		}
		if one.body != "" && !strings.HasPrefix(one.body, "<") && one.body[0] != '{' && !strings.Contains(got, one.body) {
			t.Errorf("the server's own words are gone: %s", got)
		}
	}
}

type dialer func(*http.Request) (*http.Response, error)

func (d dialer) RoundTrip(r *http.Request) (*http.Response, error) { return d(r) }

func TestUnreachableAddressIsShownWithoutSecrets(t *testing.T) {
	base := "http://token-of-mine@nowhere.invalid/v1?key=abcdefgh"
	client := &http.Client{Transport: dialer(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
	})}
	e := failed(t, wire.Config{BaseURL: base, HTTP: client}, "/x")
	got := e.Error()
	if e.Kind != agent.ErrNetwork || !strings.Contains(got, "no such host") || !strings.Contains(got, "--base-url") {
		t.Error(got)
	}
	if strings.Contains(got, "token-of-mine") || strings.Contains(got, "abcdefgh") {
		t.Errorf("shown: %s", got)
	}
	if dns, ok := errors.AsType[*net.DNSError](e); !ok || !dns.IsNotFound {
		t.Error("the cause is lost")
	}
	if _, ok := errors.AsType[*url.Error](e); !ok {
		t.Error("the error of net/http is lost")
	}
	e = failed(t, wire.Config{BaseURL: "ftp://me:s3cretword@host"}, "/x")
	if e.Kind != agent.ErrConfig || strings.Contains(e.Error(), "s3cret") {
		t.Error(e)
	}
	e = failed(t, wire.Config{BaseURL: base, HTTP: &http.Client{Transport: dialer(func(r *http.Request) (*http.Response, error) {
		return nil, context.DeadlineExceeded
	})}}, "/x")
	if e.Kind != agent.ErrTimeout || strings.Contains(e.Error(), "token-of-mine") {
		t.Error(e)
	}
}
