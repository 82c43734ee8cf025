package sse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/internal/sse"
)

// recorder is a response that notes each write, flush and deadline.
type recorder struct {
	mu    sync.Mutex
	head  http.Header
	done  []string
	until time.Time
	fail  error
}

func (r *recorder) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, fmt.Sprintf(format, args...))
}

func (r *recorder) Header() http.Header { return r.head }
func (r *recorder) WriteHeader(status int) {
	r.note("%d %s", status, r.head.Get("Content-Type"))
}
func (r *recorder) Write(b []byte) (int, error) { r.note("%s", b); return len(b), r.fail }
func (r *recorder) FlushError() error           { r.note("flush"); return r.fail }
func (r *recorder) SetWriteDeadline(t time.Time) error {
	r.until = t
	return nil
}

func (r *recorder) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.done
	r.done = nil
	return d
}

// router is a ResponseWriter of a router: it swallows the error of a flush, and can be unwrapped.
type router struct{ http.ResponseWriter }

func (r router) Unwrap() http.ResponseWriter { return r.ResponseWriter }
func (r router) Flush()                      { _ = http.NewResponseController(r.ResponseWriter).Flush() }

func TestWriterSendsAllThatWaitsAtOnce(t *testing.T) {
	r := &recorder{head: http.Header{}}
	w := sse.NewWriter(router{r})
	defer w.Close()
	if got := r.took(); !reflect.DeepEqual(got, []string{"200 text/event-stream", "flush"}) {
		t.Fatalf("at its start: %q", got)
	}
	for k, want := range map[string]string{"Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if r.head.Get(k) != want {
			t.Errorf("%s is %q, want %q", k, r.head.Get(k), want)
		}
	}
	w.Add(sse.Event{ID: []byte("7"), Data: []byte(`{"a":1}`)})
	w.Add(sse.Event{Type: []byte("done"), Data: []byte("{}"), Retry: 2 * time.Second})
	w.Comment("so long\nand thanks")
	if got := r.took(); len(got) > 0 {
		t.Fatalf("sent before Flush: %q", got)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "id: 7\ndata: {\"a\":1}\n\nevent: done\nretry: 2000\ndata: {}\n\n: so long\n: and thanks\n\n"
	if got := r.took(); !reflect.DeepEqual(got, []string{want, "flush"}) {
		t.Fatalf("%q, want %q", got, want)
	}
	if left := time.Until(r.until); left < sse.Patience/2 || left > sse.Patience {
		t.Errorf("a write may take %v", left)
	}
	if err := w.Flush(); err != nil || len(r.took()) > 0 {
		t.Error("nothing waits, and something was sent:", err)
	}
}

// Where very much waits, it is written before Flush, and all the same in order and to the last event.
func TestWriterHoldsLittle(t *testing.T) {
	r := &recorder{head: http.Header{}}
	w := sse.NewWriter(r)
	r.took()
	for i := range 100 {
		w.Add(sse.Event{ID: fmt.Append(nil, i), Data: bytes.Repeat([]byte("x"), 1000)})
	}
	before := r.took()
	if len(before) < 5 || len(before) > 30 {
		t.Errorf("%d writes before Flush", len(before))
	}
	for range 2 {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	after := r.took()
	got, err := all(strings.NewReader(strings.Join(before, "") + strings.ReplaceAll(strings.Join(after, ""), "flush", "")))
	if len(got) != 100 || !errors.Is(err, io.EOF) || after[len(after)-1] != "flush" || strings.Count(strings.Join(after, ""), "flush") != 1 {
		t.Errorf("%d events, %v, and then %q", len(got), err, after[len(after)-1])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a Writer sends, a Reader reads, whatever is in it.
func FuzzWriter(f *testing.F) {
	f.Add("1", "", "plain", "")
	f.Add("2", "x", "two\nlines\r\nand\rmore\r\n", "note")
	f.Add("a\nb", "c\rd", "\n", "\r\n\n")
	f.Add("", "", "data: x\n\nevent: y", "\xff")
	f.Fuzz(func(t *testing.T, id, typ, data, note string) {
		rec := httptest.NewRecorder()
		w := sse.NewWriter(rec)
		w.Comment(note)
		w.Add(sse.Event{ID: []byte(id), Type: []byte(typ), Data: []byte(data)})
		w.Comment(note)
		w.Add(sse.Event{Data: []byte("end")})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		oneLine := func(s string) string {
			if strings.ContainsAny(s, "\r\n") {
				return ""
			}
			return s
		}
		lastID := oneLine(id)
		if strings.Contains(lastID, "\x00") {
			lastID = ""
		}
		var want []string
		if norm := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data); norm != "" {
			want = append(want, fmt.Sprintf("%s|%s|%s", oneLine(typ), lastID, norm))
		}
		want = append(want, fmt.Sprintf("|%s|end", lastID))
		if got, _ := all(rec.Body); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// The first failure is the last: nothing is written to a reader that has gone, and Flush says why, although a router
// swallows it.
func TestWriterFails(t *testing.T) {
	r := &recorder{head: http.Header{}}
	w := sse.NewWriter(router{r})
	gone := errors.New("gone")
	r.fail = gone
	w.Add(sse.Event{Data: []byte("x")})
	if err := w.Flush(); !errors.Is(err, gone) {
		t.Fatal(err)
	}
	r.took()
	w.Add(sse.Event{Data: []byte("y")})
	w.Comment("z")
	if err := w.Flush(); !errors.Is(err, gone) {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, gone) {
		t.Fatal(err)
	}
	if got := r.took(); len(got) > 0 {
		t.Fatalf("written after the end: %q", got)
	}
}

func TestWriterClosed(t *testing.T) {
	r := &recorder{head: http.Header{}}
	w := sse.NewWriter(r)
	w.Add(sse.Event{Data: []byte("x")})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.took(), ""); !strings.Contains(got, "data: x\n\n") {
		t.Errorf("Close left something behind: %q", got)
	}
	w.Add(sse.Event{Data: []byte("y")})
	if err := w.Flush(); !errors.Is(err, sse.ErrClosed) {
		t.Error(err)
	}
	if got := r.took(); len(got) > 0 {
		t.Errorf("written after Close: %q", got)
	}
}

// A silent stream says every 15 s that it lives; one that has just said something does not.
func TestWriterIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{head: http.Header{}}
		w := sse.NewWriter(r)
		r.took()
		wait := func(d time.Duration) []string {
			<-time.After(d)
			synctest.Wait()
			return r.took()
		}
		if got := wait(14 * time.Second); len(got) > 0 {
			t.Fatalf("too early: %q", got)
		}
		if got := wait(2 * time.Second); !reflect.DeepEqual(got, []string{": \n\n", "flush"}) {
			t.Fatalf("after 16 s: %q", got)
		}
		if got := wait(15 * time.Second); len(got) != 2 {
			t.Fatalf("after 31 s: %q", got)
		}
		<-time.After(10 * time.Second)
		w.Add(sse.Event{Data: []byte("x")})
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		r.took()
		if got := wait(14 * time.Second); len(got) > 0 {
			t.Fatalf("14 s after an event: %q", got)
		}
		if got := wait(2 * time.Second); len(got) != 2 {
			t.Fatalf("16 s after an event: %q", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := wait(time.Hour); len(got) > 0 {
			t.Fatalf("after Close: %q", got)
		}
	})
}

// A reader that takes nothing breaks its stream when its patience is over, and the request's context says so. The
// deadline is brought near by the test, which cannot wait for half a minute.
func TestWriterGivesUpSlowReaders(t *testing.T) {
	ended := make(chan error, 2)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := sse.NewWriter(hasty{w})
		defer out.Close()
		big := bytes.Repeat([]byte("x"), 1<<20)
		for {
			out.Add(sse.Event{Data: big})
			if err := out.Flush(); err != nil {
				<-r.Context().Done()
				ended <- err
				return
			}
		}
	}))
	srv.Start()
	defer srv.Close()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "timeout") {
		t.Error(err)
	}
}

// hasty makes every deadline a near one.
type hasty struct{ http.ResponseWriter }

func (h hasty) Unwrap() http.ResponseWriter { return h.ResponseWriter }
func (h hasty) SetWriteDeadline(t time.Time) error {
	return http.NewResponseController(h.ResponseWriter).SetWriteDeadline(t.Add(200*time.Millisecond - sse.Patience))
}
