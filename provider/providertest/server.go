package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Request is one request as it came in.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Server plays a [Script]. Its methods are safe for concurrent use.
type Server struct {
	// URL is the base URL, with /v1, without a trailing slash.
	URL string

	http *httptest.Server
	ctx  context.Context //nolint:containedctx // ends what hangs when the test ends
	stop context.CancelFunc

	mu       sync.Mutex
	script   Script
	given    map[string]int // replies given so far, by the For of the conversation
	requests []Request
	faults   []string
	released int
	news     chan struct{} // closed and replaced when a request arrives or Release is called
	holding  int           // replies that wait at this moment
}

// New starts a server that plays script until ctx ends or Close is called.
func New(ctx context.Context, script Script) *Server {
	s := &Server{script: script, news: make(chan struct{}), given: map[string]int{}}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + "/v1"
	return s
}

// Close ends every reply that waits and stops the server.
func (s *Server) Close() {
	s.stop()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Env gives the environment variables that point a program at this server.
func (s *Server) Env() []string {
	key := s.script.Key
	if key == "" {
		key = "test-key"
	}
	return []string{"OPENAI_BASE_URL=" + s.URL, "OPENAI_API_KEY=" + key, "MODEL_ID=test-model"}
}

// Requests gives every request for a completion so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Bodies gives the bodies of [Server.Requests] as text.
func (s *Server) Bodies() []string {
	var bodies []string
	for _, r := range s.Requests() {
		bodies = append(bodies, string(r.Body))
	}
	return bodies
}

// Faults says what was wrong with the requests: one sentence for each that was refused.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// Release lets one WAIT go on: one that holds now, else the next one.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released++
	s.wake()
}

// Arrived waits until n requests have come in.
func (s *Server) Arrived(ctx context.Context, n int) error {
	return s.until(ctx, func() bool { return len(s.requests) >= n })
}

// Holding waits until some reply stands at a WAIT or HANG: everything before it has been sent.
func (s *Server) Holding(ctx context.Context) error {
	return s.until(ctx, func() bool { return s.holding > 0 })
}

// wake tells everyone who waits to look again; the caller holds the lock.
func (s *Server) wake() {
	close(s.news)
	s.news = make(chan struct{})
}

// until waits for a condition that is read under the lock.
func (s *Server) until(ctx context.Context, ok func() bool) error {
	for {
		s.mu.Lock()
		done, news := ok(), s.news
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return errors.New("providertest: the server was closed")
		}
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.script.Also[r.Method+" "+r.URL.Path]; ok {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, a.Body)
		return
	}
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
		return
	}
	embeds := s.script.Embed > 0 && strings.HasSuffix(r.URL.Path, "/embeddings")
	if r.Method != http.MethodPost || !embeds && !isOperation(r.URL.Path) {
		fail(w, http.StatusNotFound, "no such route: "+r.Method+" "+r.URL.Path)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	if key := s.script.Key; key != "" && !opens(r.Header, key) {
		fail(w, http.StatusUnauthorized, "Incorrect API key provided")
		return
	}
	request := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if embeds {
		s.embed(w, request)
		return
	}
	reply, n, fault := s.take(request)
	switch {
	case fault != "":
		fail(w, http.StatusBadRequest, fault)
	case reply.Status != 0:
		s.status(w, reply)
	default:
		p := &player{s: s, w: w, ctx: r.Context(), reply: reply, n: n, model: modelOf(r.URL.Path, body)}
		p.voice = p.voiceFor(r.URL.Path)
		p.play()
	}
}

func isOperation(path string) bool {
	return slices.ContainsFunc([]string{chatPath, responsesPath, messagesPath, geminiPath}, func(end string) bool { return strings.HasSuffix(path, end) })
}

// opens reports whether a request brings the key, in the header of any vendor.
func opens(h http.Header, key string) bool {
	return h.Get("Authorization") == "Bearer "+key || h.Get("X-Api-Key") == key || h.Get("X-Goog-Api-Key") == key || h.Get("Api-Key") == key
}

// modelOf is the model that a request names; Chat's replies always name test-model.
func modelOf(path string, body []byte) string {
	t, err := read(path, body)
	if err != nil {
		return ""
	}
	return t.model
}

// take notes the request and picks the reply to it.
func (s *Server) take(r Request) (reply Reply, n int, fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	s.wake()
	assistants, err := CheckPath(r.Path, r.Body)
	if err != nil {
		fault = err.Error()
		s.faults = append(s.faults, fmt.Sprintf("request %d: %s", len(s.requests), fault))
		return Reply{}, 0, fault
	}
	if why := s.script.Images.refuse(r.Body); why != "" {
		return Reply{Status: http.StatusBadRequest, Body: why}, 0, ""
	}
	if s.script.Choose != nil {
		s.given[""]++
		chosen, err := Parse(s.script.Choose(r.Path, r.Body), "")
		if err != nil || len(chosen.Replies) != 1 {
			return Reply{}, 0, fmt.Sprintf("the script has chosen no reply: %v", err)
		}
		return chosen.Replies[0], s.given[""], ""
	}
	who, replies := s.script.of(r.Path, r.Body)
	n = s.given[who]
	if s.script.Keyed {
		n = assistants
	}
	s.given[who]++
	at := 0
	for _, reply := range replies {
		at += max(1, reply.Times)
		if n < at || reply.Times == Forever {
			return reply, n + 1, ""
		}
	}
	return Reply{}, 0, fmt.Sprintf("the script is over: it has no reply %d", n+1)
}

func (s *Server) status(w http.ResponseWriter, r Reply) {
	maps.Copy(w.Header(), r.Header)
	if strings.HasPrefix(r.Body, "{") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.Status)
		_, _ = io.WriteString(w, r.Body)
		return
	}
	fail(w, r.Status, r.Body)
}

func fail(w http.ResponseWriter, code int, text string) {
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": text, "type": "scripted"}})
	if err != nil {
		body = []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(body)
}
