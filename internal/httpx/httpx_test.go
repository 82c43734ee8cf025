package httpx

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestIdleReaderFailsOnlyAfterSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		r := IdleReader(t.Context(), client, time.Second)
		defer func() { _ = r.Close() }()
		go func() {
			for range 5 { // each byte comes just in time, all of them together take longer than the limit
				<-time.After(900 * time.Millisecond)
				_, _ = server.Write([]byte("x"))
			}
		}()
		start := time.Now()
		buf := make([]byte, 8)
		for range 5 {
			if n, err := r.Read(buf); n != 1 || err != nil {
				t.Fatalf("read %d, %v", n, err)
			}
		}
		if _, err := r.Read(buf); !errors.Is(err, ErrIdle) {
			t.Fatalf("got %v, want ErrIdle", err)
		}
		if took := time.Since(start); took != 5*900*time.Millisecond+time.Second {
			t.Errorf("failed after %v", took)
		}
	})
}

func TestIdleReaderEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := net.Pipe()
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		r := IdleReader(ctx, client, 0)
		defer func() { _ = r.Close() }()
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, cause) {
			t.Fatalf("got %v, want the cause", err)
		}
	})
}

func TestIdleReaderPassesTheEndThrough(t *testing.T) {
	r := IdleReader(t.Context(), io.NopCloser(strings.NewReader("ab")), time.Minute)
	got, err := io.ReadAll(r)
	if string(got) != "ab" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestClientTrustsTheCAFile(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o  Options
		ok bool
	}{{Options{CAFile: file}, true}, {Options{}, false}} {
		client, err := NewClient(c.o)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Get(srv.URL)
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.o, err)
		}
		client.CloseIdleConnections()
	}
}

func TestClientGoesThroughTheProxy(t *testing.T) {
	var seen string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r.URL.String() }))
	defer proxy.Close()
	client, err := NewClient(Options{Proxy: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Get("http://model.invalid/v1")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if seen != "http://model.invalid/v1" {
		t.Errorf("the proxy was asked for %q", seen)
	}
}

func TestClientRefusesBadOptions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Proxy: "::"}, {Proxy: "host"}, {CAFile: empty}, {CAFile: empty + ".absent"}} {
		if _, err := NewClient(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	if _, err := NewClient(Options{Proxy: "off"}); err != nil {
		t.Error(err)
	}
}

func TestClientRefusesRedirectsToOtherHosts(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			_, _ = io.WriteString(w, "moved")
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		}
	}))
	defer srv.Close()
	client, err := NewClient(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{"/here": true, "/away": false, "/round": false} {
		resp, err := client.Get(srv.URL + path)
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}
