package httpx

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// As many calls at once as a busy server makes keep their connections, and the next wave of calls opens no new one.
func TestConnectionsArePooled(t *testing.T) {
	const wave = 60
	var opened atomic.Int64
	var together sync.WaitGroup
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		together.Done()
		together.Wait() // all of a wave are under way at once
		_, _ = io.WriteString(w, "answer")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	client, err := NewClient(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	for range 2 {
		together.Add(wave)
		var done sync.WaitGroup
		for range wave {
			done.Go(func() { call(t, client, srv.URL) })
		}
		done.Wait()
	}
	if n := opened.Load(); n != wave {
		t.Errorf("%d connections for two waves of %d calls", n, wave)
	}
}

func call(t *testing.T, client *http.Client, url string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return
	}
	res, err := client.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	if text, err := io.ReadAll(res.Body); err != nil || string(text) != "answer" {
		t.Errorf("%q %v", text, err)
	}
}
