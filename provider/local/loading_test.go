package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/provider/local"
)

// network answers without sockets, so that time can be a test's own. A route may wait.
type network struct {
	mu     sync.Mutex
	routes map[string]func(r *http.Request) (int, string)
	asked  []string
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	at := r.Method + " " + r.URL.Path
	n.mu.Lock()
	n.asked = append(n.asked, at)
	route, ok := n.routes[at]
	n.mu.Unlock()
	status, body := 404, "{}"
	if ok {
		status, body = route(r)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func fixed(status int, body string) func(*http.Request) (int, string) {
	return func(*http.Request) (int, string) { return status, body }
}

// scripted is a model that fails as it is told, then answers.
type scripted struct {
	info  agent.ModelInfo
	fails []error
	calls int

	always error
}

func (s *scripted) Info() agent.ModelInfo { return s.info }

func (s *scripted) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		s.calls++
		if s.always != nil {
			yield(agent.Chunk{}, s.always)
			return
		}
		if len(s.fails) > 0 {
			err := s.fails[0]
			s.fails = s.fails[1:]
			yield(agent.Chunk{}, err)
			return
		}
		p := agent.TextPart("hello")
		yield(agent.Chunk{Part: &p, Stop: agent.StopEnd}, nil)
	}
}

func over(n *network, inner *scripted, kind local.Kind, name string) *local.Served {
	return local.New(local.Options{
		Client: local.Client{HTTP: &http.Client{Transport: n}}, Base: "http://localhost:1/v1", Name: name, Kind: kind, Patience: 5 * time.Minute,
		Open: func(base string, m local.Model, _ bool) (agent.Model, error) {
			inner.info.Name = m.Name
			return inner, nil
		},
	})
}

const (
	loadingBody = `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`
	oneModel    = `{"object":"list","data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx":4096}}]}`
)

func TestServerThatLoadsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		slow := func(ready string) func(*http.Request) (int, string) {
			return func(*http.Request) (int, string) {
				if time.Since(begin) < 40*time.Second {
					return 503, loadingBody
				}
				return 200, ready
			}
		}
		n := &network{routes: map[string]func(*http.Request) (int, string){
			"GET /v1/models": slow(oneModel), "GET /props": slow(`{"default_generation_settings":{"n_ctx":4096}}`), "GET /api/version": slow("{}"),
		}}
		inner := &scripted{}
		m := over(n, inner, local.LlamaCpp, "")
		m.Prepare(t.Context()) // waits for nothing
		if time.Since(begin) != 0 {
			t.Errorf("it took %s to look", time.Since(begin))
		}
		got := ask(t.Context(), t, m, question("hi"))
		took := time.Since(begin)
		if got.err != nil || got.text != "hello" || took < 40*time.Second || took > 45*time.Second {
			t.Fatalf("%+v after %s", got, took)
		}
		if !strings.Contains(got.notes[0], "loads") || !got.noted("still loads") || m.Info().Context != 4096 {
			t.Errorf("said %q, %+v", got.notes, m.Info())
		}
	})
}

func TestLoadingIsNotWaitedForWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{routes: map[string]func(*http.Request) (int, string){"GET /v1/models": fixed(503, loadingBody), "GET /props": fixed(503, loadingBody)}}
		begin := time.Now()
		got := ask(t.Context(), t, over(n, &scripted{}, local.LlamaCpp, "m"), question("hi"))
		if got.err == nil || got.err.Kind != agent.ErrTimeout || !strings.Contains(got.err.Error(), "5m0s") {
			t.Errorf("%+v", got)
		}
		if took := time.Since(begin); took < 5*time.Minute || took > 6*time.Minute {
			t.Errorf("after %s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begin = time.Now()
		got = ask(ctx, t, over(n, &scripted{}, local.LlamaCpp, "m"), question("hi"))
		if got.err == nil || time.Since(begin) != 10*time.Second || !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("cancelled after %s: %+v", time.Since(begin), got)
		}
	})
}

func TestModelThatLoadsInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{routes: map[string]func(*http.Request) (int, string){"GET /v1/models": fixed(200, oneModel)}}
		busy := &agent.ModelError{Kind: agent.ErrServer, Status: 503, Retryable: true, Err: errors.New("Loading model")}
		inner := &scripted{fails: []error{busy, busy, busy, busy, busy, busy}}
		got := ask(t.Context(), t, over(n, inner, local.LlamaCpp, "m.gguf"), question("hi"))
		if got.err != nil || got.text != "hello" || inner.calls != 7 || !got.noted("loads m.gguf") {
			t.Errorf("%+v after %d calls", got, inner.calls)
		}
	})
}

func TestServerThatLoadsForEver(t *testing.T) {
	for text, patient := range map[string]bool{
		"Loading model":                          true,
		"error loading model: out of memory":     false,
		"loading model: failed to load weights":  false,
		"Model loading failed":                   false,
		"unable to load while loading /m.gguf":   false,
		"An error occurred while loading m.gguf": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			n := &network{routes: map[string]func(*http.Request) (int, string){"GET /v1/models": fixed(200, oneModel)}}
			failed := &agent.ModelError{Kind: agent.ErrServer, Status: 503, Retryable: true, Err: errors.New(text)}
			m := over(n, &scripted{always: failed}, local.LlamaCpp, "m.gguf")
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			begin := time.Now()
			got := ask(ctx, t, m, question("hi"))
			took := time.Since(begin)
			if patient && (got.err == nil || got.err.Kind != agent.ErrTimeout || took < 5*time.Minute || took > 6*time.Minute) {
				t.Errorf("%s: %v after %s", text, got.err, took)
			}
			if !patient && (got.err == nil || !strings.Contains(got.err.Error(), text) || took != 0) {
				t.Errorf("%s: %v after %s", text, got.err, took)
			}
		})
	}
}

// ollamaRoutes is Ollama with one model, which takes its time to load and then tells its window.
func ollamaRoutes(takes time.Duration, loads int) (*network, *bool) {
	loaded := false
	n := &network{}
	n.routes = map[string]func(*http.Request) (int, string){
		"GET /api/version": fixed(200, `{"version":"0.40.0"}`),
		"GET /api/tags":    fixed(200, `{"models":[{"name":"m:latest"}]}`),
		"POST /api/show":   fixed(200, `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"x","x.context_length":131072}}`),
		"GET /api/ps": func(*http.Request) (int, string) {
			if !loaded {
				return 200, `{"models":[]}`
			}
			return 200, `{"models":[{"name":"m:latest","context_length":4096}]}`
		},
		"POST /api/generate": func(r *http.Request) (int, string) {
			select {
			case <-time.After(takes):
			case <-r.Context().Done():
				return 0, ""
			}
			loaded = loads == 200
			return loads, `{"done":true,"done_reason":"load"}`
		},
	}
	return n, &loaded
}

func TestOllamaLoadsBeforeTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := ollamaRoutes(time.Minute, 200)
		inner := &scripted{}
		m := over(n, inner, local.Ollama, "")
		m.Prepare(t.Context())
		if w := m.Info().Context; w != 0 {
			t.Errorf("a window of %d is known although nothing is loaded", w)
		}
		begin := time.Now()
		got := ask(t.Context(), t, m, question("hi"))
		if got.err != nil || time.Since(begin) != time.Minute || m.Info().Context != 4096 {
			t.Errorf("%+v after %s, %+v", got, time.Since(begin), m.Info())
		}
		said := 0
		for _, note := range got.notes {
			if strings.Contains(note, "load") {
				said++
			}
		}
		if said < 3 || said > 6 {
			t.Errorf("said %q", got.notes)
		}
		if again := ask(t.Context(), t, m, question("hi")); again.err != nil || len(again.notes) != 0 || inner.calls != 2 {
			t.Errorf("%+v", again)
		}
	})
}

func TestOllamaThatCannotLoadIsAskedAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := ollamaRoutes(time.Second, 500)
		inner := &scripted{fails: []error{&agent.ModelError{Kind: agent.ErrServer, Status: 500, Err: errors.New("model requires more system memory")}}}
		got := ask(t.Context(), t, over(n, inner, local.Ollama, "m"), question("hi"))
		if got.err == nil || !strings.Contains(got.err.Error(), "more system memory") {
			t.Errorf("%+v", got)
		}
	})
}

func TestLoadingEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := ollamaRoutes(time.Hour, 200)
		m := over(n, &scripted{}, local.Ollama, "m")
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		begin := time.Now()
		if got := ask(ctx, t, m, question("hi")); got.err == nil || time.Since(begin) != 7*time.Second {
			t.Errorf("%+v after %s", got, time.Since(begin))
		}
		begin = time.Now()
		if got := ask(t.Context(), t, m, question("hi")); got.err == nil || got.err.Kind != agent.ErrTimeout || time.Since(begin) > 6*time.Minute {
			t.Errorf("%+v after %s", got, time.Since(begin))
		}
		for range m.Stream(t.Context(), question("hi")) { // the consumer leaves: synctest fails if something is left
			break
		}
	})
}

func TestErrorsOfOtherKindsPass(t *testing.T) {
	n := &network{routes: map[string]func(*http.Request) (int, string){"GET /v1/models": fixed(200, oneModel)}}
	for _, want := range []error{
		&agent.ModelError{Kind: agent.ErrServer, Status: 500, Err: errors.New("CUDA out of memory")},
		&agent.ModelError{Kind: agent.ErrBadRequest, Status: 400, Err: errors.New("bad grammar")},
		&agent.ModelError{Kind: agent.ErrTimeout, Err: errors.New("silent")},
		fmt.Errorf("odd"),
	} {
		inner := &scripted{fails: []error{want}}
		got := ask(t.Context(), t, over(n, inner, local.LlamaCpp, "m.gguf"), question("hi"))
		if got.err == nil || !strings.Contains(got.err.Error(), want.Error()) && !strings.Contains(want.Error(), got.err.Err.Error()) || inner.calls != 1 {
			t.Errorf("%v became %v after %d calls", want, got.err, inner.calls)
		}
	}
}
