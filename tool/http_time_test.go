package tool

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
)

// inMemory gives a dialer whose other end is served by a function; everything stays in the test's bubble of time.
func inMemory(serve func(c net.Conn, r *http.Request)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if r, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				serve(theirs, r)
			}
		}()
		return ours, nil
	}
}

// silent never answers; it goes when the client does.
func silent(c net.Conn, _ *http.Request) {
	_, _ = c.Read(make([]byte, 1))
}

// drip writes a byte a second for as long as it is listened to, never at the moment when a time limit is reached.
func drip(c net.Conn, _ *http.Request) {
	_, err := fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
	for wait := 700 * time.Millisecond; err == nil; wait = time.Second {
		time.Sleep(wait) // in the bubble
		_, err = c.Write([]byte("x"))
	}
}

func TestHTTPTimes(t *testing.T) {
	mini := Mini()
	for _, c := range []struct {
		name  string
		tool  func(Env) agent.Tool
		texts Texts
		serve func(net.Conn, *http.Request)
		args  string
		took  time.Duration
		want  string
	}{
		{"mini", HTTPRequest, mini, silent, `{"url":"http://h/"}`, 5 * time.Second, "请求超时"},
		{"mini, slow body", HTTPRequest, mini, drip, `{"url":"http://h/"}`, 5 * time.Second, "请求超时"},
		{"default", HTTPRequest, Lean(), silent, `{"url":"http://h/"}`, 30 * time.Second, "Error: took longer than 30s"},
		{"named", HTTPRequest, Lean(), silent, `{"url":"http://h/","timeout":7}`, 7 * time.Second, "Error: took longer than 7s"},
		{"too long", HTTPRequest, Lean(), silent, `{"url":"http://h/","timeout":2000000000}`, time.Hour, "Error: took longer than 1h0m0s"},
		{"negative", HTTPRequest, Lean(), silent, `{"url":"http://h/","timeout":-1}`, 30 * time.Second, "Error: took longer than 30s"},
		{"slow body", HTTPRequest, Lean(), drip, `{"url":"http://h/","timeout":4}`, 4 * time.Second, "HTTP 200 OK\nContent-Type: text/plain\n\nxxxx\n[the body ends early, after 4 bytes: took longer than 4s]"},
		{"server, slow body", HTTPRequest, Server(), drip, `{"url":"http://h/","timeout":4}`, 4 * time.Second, "Error: reading the body: took longer than 4s"},
		{"page", WebFetch, Lean(), silent, `{"url":"http://h/"}`, 30 * time.Second, "Error: took longer than 30s"},
		{"slow page", WebFetch, Lean(), drip, `{"url":"http://h/"}`, 30 * time.Second, "[the body ends early, after 30 bytes: took longer than 30s]\n" + strings.Repeat("x", 30)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := Env{Root: "/", Vars: []string{}, Texts: c.texts}
				e.seams.dial = inMemory(c.serve)
				start := time.Now()
				r, err := c.tool(e).Run(t.Context(), agent.Call{Args: []byte(c.args)})
				took := time.Since(start)
				time.Sleep(2 * time.Second) // in the bubble: the other side notices
				if err != nil || took != c.took || r.Text() != c.want || !r.Error {
					t.Errorf("%v, after %s: %q, want %q", err, took, r.Text(), c.want)
				}
			})
		})
	}
}

// Redirects share the time; a person who thinks does not use it up.
func TestHTTPTimeIsOfTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		e := Env{Root: "/", Vars: []string{}}
		e.seams.dial = inMemory(func(c net.Conn, _ *http.Request) {
			time.Sleep(4 * time.Second) // in the bubble
			n++
			fmt.Fprintf(c, "HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: 0\r\n\r\n", n)
		})
		start := time.Now()
		r, err := WebFetch(e).Run(t.Context(), agent.Call{Args: []byte(`{"url":"http://h/"}`)})
		took := time.Since(start)
		time.Sleep(10 * time.Second) // in the bubble: the other side notices
		if err != nil || took != 30*time.Second || !strings.Contains(r.Text(), "took longer than 30s") {
			t.Errorf("%v, after %s: %q", err, took, r.Text())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		e := Env{Root: "/", Vars: []string{"HTTP_PROXY=http://proxy:1"}}
		e.seams.dial = inMemory(func(c net.Conn, _ *http.Request) {
			time.Sleep(4 * time.Second) // in the bubble
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")
		})
		e.ask = func(context.Context, agent.Ask) (agent.Answer, error) {
			time.Sleep(time.Hour) // in the bubble
			return agent.Answer{Allow: true}, nil
		}
		start := time.Now()
		r, err := HTTPRequest(e).Run(t.Context(), agent.Call{Args: []byte(`{"url":"http://10.0.0.1/","timeout":5}`)})
		if took := time.Since(start); err != nil || took != time.Hour+4*time.Second || body(r.Text()) != "ok" {
			t.Errorf("%v, after %s: %q", err, took, r.Text())
		}
	})
}
