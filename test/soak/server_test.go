package soak_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// server speaks all four wires and fails at random.
type server struct {
	url  string
	http *httptest.Server
	seed uint64

	mu       sync.Mutex
	requests uint64
	faults   map[string]int
	conns    map[net.Conn]bool
	fewer    chan struct{} // a connection has gone
}

func newServer(t *testing.T, seed uint64) *server {
	t.Helper()
	s := &server{seed: seed, faults: map[string]int{}, conns: map[net.Conn]bool{}, fewer: make(chan struct{}, 1)}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ConnState = s.state
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.http.Start()
	s.url = s.http.URL
	return s
}

func (s *server) close() { s.http.Close() }

// state counts connections.
func (s *server) state(c net.Conn, now http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now {
	case http.StateNew:
		s.conns[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.conns, c)
		select {
		case s.fewer <- struct{}{}:
		default:
		}
	case http.StateActive, http.StateIdle:
	}
}

func (s *server) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// gone waits until no connection is open.
func (s *server) gone(ctx context.Context) error {
	for s.open() > 0 {
		select {
		case <-s.fewer:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *server) asked() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func (s *server) played() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.faults)
}

// ServeHTTP answers one request, well or badly.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requests++
	number := s.requests
	s.mu.Unlock()
	random := rand.New(rand.NewPCG(s.seed, number))
	api := apiOf(r.URL.Path)
	say, err := next(string(body), random)
	if api == "" || err != nil {
		http.Error(w, fmt.Sprintf("%s: %v", r.URL.Path, err), http.StatusTeapot) // fails the turn: the test is at fault
		return
	}
	f := pick(random)
	s.mu.Lock()
	s.faults[f.name]++
	s.mu.Unlock()
	f.play(&play{w: w, r: r, random: random, api: api, frames: frames(api, say)})
}

// maxSteps is how many steps a turn has at most.
const maxSteps = 4

// What is said, by the person, by a tool, and by the model at the end.
func orders(turn string, steps int) string { return fmt.Sprintf("turn %s has %d steps.", turn, steps) }

func stepMark(turn string, step int) string {
	return fmt.Sprintf("step %d of turn %s is done.", step, turn)
}

func answerOf(turn string) string { return "The answer of turn " + turn + " is forty-two." }

func argsOf(turn string, step int) (raw string) {
	return fmt.Sprintf(`{"turn":%q,"step":%d}`, turn, step)
}

// saying is what the model says next.
type saying struct {
	text  string
	calls []saidCall
}

type saidCall struct{ name, args string }

var errNoOrders = fmt.Errorf("there is no turn in the request")

// next reads off a request, in whatever wire, how far the turn is.
func next(body string, random *rand.Rand) (saying, error) {
	all := regexp.MustCompile(`turn ([a-z0-9-]+) has (\d) steps`).FindAllStringSubmatch(body, -1)
	if len(all) == 0 {
		return saying{}, errNoOrders
	}
	turn := all[len(all)-1][1]
	steps, err := strconv.Atoi(all[len(all)-1][2])
	if err != nil {
		return saying{}, err
	}
	done := 0
	for done < steps && strings.Contains(body, stepMark(turn, done)) {
		done++
	}
	if done == steps {
		return saying{text: answerOf(turn)}, nil
	}
	say := saying{}
	if random.IntN(2) == 0 {
		say.text = "On to the next."
	}
	for step := done; step < min(steps, done+1+random.IntN(2)); step++ {
		say.calls = append(say.calls, saidCall{[]string{"note", "wait", "fail"}[step%3], argsOf(turn, step)})
	}
	return say, nil
}

// play is one reply under way.
type play struct {
	w      http.ResponseWriter
	r      *http.Request
	random *rand.Rand
	api    string
	frames []string // of a good reply
}

func (p *play) whole() string { return strings.Join(p.frames, "") }

func (p *play) head(status int, kind string) {
	p.w.Header().Set("Content-Type", kind)
	p.w.WriteHeader(status)
}

// send writes and flushes.
func (p *play) send(s string) {
	_, _ = io.WriteString(p.w, s) // the client may have gone
	_ = http.NewResponseController(p.w).Flush()
}

// stall says nothing until the client gives up.
func (p *play) stall() { <-p.r.Context().Done() }

// pause waits a little, less than what counts as silence.
func (p *play) pause() { rest(p.r.Context(), time.Duration(p.random.IntN(10))*time.Millisecond) }

// drop breaks the connection.
func (p *play) drop() { panic(http.ErrAbortHandler) }
