package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider/wire"
)

// server answers each request with what answer says, and remembers what it was sent.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	paths  []string
	heads  []http.Header
}

func serve(t *testing.T, answer func(body map[string]any) (int, string)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		s.mu.Lock()
		s.bodies, s.paths, s.heads = append(s.bodies, body), append(s.paths, r.URL.Path), append(s.heads, r.Header)
		s.mu.Unlock()
		status, text := answer(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

// lengths answers with vectors that say how long each text is, in the reverse order.
func lengths(body map[string]any) (int, string) {
	var data []string
	list, _ := body["input"].([]any)
	for i, s := range list {
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,0.5]}`, i, len(s.(string))))
	}
	slices.Reverse(data)
	return 200, `{"data":[` + strings.Join(data, ",") + `],"model":"m-1","usage":{"prompt_tokens":7,"total_tokens":7}}`
}

func open(t *testing.T, s *server, o Options) *Embedder {
	t.Helper()
	o.Config.BaseURL, o.Config.HTTP = s.URL+"/v1"+o.Config.BaseURL, s.Client()
	if o.Config.Model == "" {
		o.Config.Model = "m"
	}
	if o.Config.Preset.Name == "" {
		o.Config.Preset.Name = "acme"
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestChat(t *testing.T) {
	s := serve(t, lengths)
	e := open(t, s, Options{Batch: 2, Config: wire.Config{Key: "the-key"}})
	got, err := e.Embed(t.Context(), []string{"a", "bb", "", "dddd", strings.Repeat("中", 9000)})
	if want := "[[1 0.5] [2 0.5] [1 0.5] [4 0.5] [24000 0.5]]"; err != nil || fmt.Sprint(got) != want {
		t.Fatalf("%v %v", got, err)
	}
	if want := "[/v1/embeddings /v1/embeddings /v1/embeddings]"; fmt.Sprint(s.paths) != want {
		t.Error(s.paths)
	}
	if s.heads[0].Get("Authorization") != "Bearer the-key" || s.bodies[0]["model"] != "m" || s.bodies[0]["dimensions"] != nil {
		t.Errorf("%v %v", s.heads[0], s.bodies[0])
	}
	if e.Model() != "acme/m" {
		t.Error(e.Model())
	}
	if none, err := e.Embed(t.Context(), nil); err != nil || len(none) != 0 || len(s.paths) != 3 {
		t.Error(none, err)
	}
}

func TestGemini(t *testing.T) {
	s := serve(t, func(body map[string]any) (int, string) {
		n := len(body["requests"].([]any))
		return 200, `{"embeddings":[` + strings.TrimSuffix(strings.Repeat(`{"values":[1,2,3]},`, n), ",") + `]}`
	})
	e := open(t, s, Options{API: Gemini, Dims: 3, Config: wire.Config{Key: "k", Model: "models/text-embedding"}})
	got, err := e.Embed(t.Context(), []string{"x", "y"})
	if err != nil || fmt.Sprint(got) != "[[1 2 3] [1 2 3]]" || e.Model() != "acme/text-embedding@3" {
		t.Fatal(got, err, e.Model())
	}
	raw, _ := json.Marshal(s.bodies[0])
	want := `{"requests":[{"content":{"parts":[{"text":"x"}]},"model":"models/text-embedding","outputDimensionality":3},{"content":{"parts":[{"text":"y"}]},"model":"models/text-embedding","outputDimensionality":3}]}`
	if string(raw) != want || s.paths[0] != "/v1/models/text-embedding:batchEmbedContents" || s.heads[0].Get("X-Goog-Api-Key") != "k" || s.heads[0].Get("Authorization") != "" {
		t.Errorf("%s %s %v", raw, s.paths[0], s.heads[0])
	}
}

// TestAddresses: what people write as an address is another operation's as often as not.
func TestAddresses(t *testing.T) {
	s := serve(t, lengths)
	for _, base := range []string{"", "/", "/chat/completions", "/responses/", "/messages", "/embeddings"} {
		e := open(t, s, Options{Dims: 2, Config: wire.Config{BaseURL: base, Preset: wire.Preset{Name: "v", Path: "/other/{model}", KeyHeader: "api-key"}, Key: "k"}})
		if _, err := e.Embed(t.Context(), []string{"x"}); err != nil {
			t.Error(base, err)
		}
		last := len(s.paths) - 1
		if s.paths[last] != "/v1/embeddings" || s.heads[last].Get("Api-Key") != "k" || s.bodies[last]["dimensions"] != 2.0 {
			t.Errorf("%q: %s %v", base, s.paths[last], s.bodies[last])
		}
	}
}

// TestBase64: some servers answer in another form than was asked for.
func TestBase64(t *testing.T) {
	s := serve(t, func(map[string]any) (int, string) { return 200, `{"data":[{"embedding":"AACAPwAAAEA="}]}` })
	if got, err := open(t, s, Options{}).Embed(t.Context(), []string{"x"}); err != nil || fmt.Sprint(got) != "[[1 2]]" {
		t.Error(got, err)
	}
}

// TestBatchesThatAreTooLarge: vendors bound a request in different ways, and say so in different words.
func TestBatchesThatAreTooLarge(t *testing.T) {
	s := serve(t, func(body map[string]any) (int, string) {
		if len(body["input"].([]any)) > 10 {
			return 400, `{"error":{"message":"batch size is invalid, it should not be larger than 10"}}`
		}
		return lengths(body)
	})
	e := open(t, s, Options{})
	texts := slices.Repeat([]string{"abc"}, 50)
	for range 2 {
		if got, err := e.Embed(t.Context(), texts); err != nil || len(got) != 50 {
			t.Fatal(len(got), err)
		}
	}
	if len(s.bodies) != 2+7+7 {
		t.Errorf("%d requests", len(s.bodies))
	}
}

// TestTextsThatAreTooLong: a model that reads little gets the beginning.
func TestTextsThatAreTooLong(t *testing.T) {
	s := serve(t, func(body map[string]any) (int, string) {
		for _, one := range body["input"].([]any) {
			if len(one.(string)) > 500 {
				return 400, `{"error":{"code":"context_length_exceeded","message":"maximum context length is 128 tokens"}}`
			}
		}
		return lengths(body)
	})
	got, err := open(t, s, Options{}).Embed(t.Context(), []string{"abc", strings.Repeat("x", 1900)})
	if err != nil || fmt.Sprint(got) != "[[3 0.5] [475 0.5]]" {
		t.Error(got, err)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		status int
		answer string
		kind   agent.ErrorKind
		words  string
	}{
		{401, `{"error":{"message":"wrong key"}}`, agent.ErrAuth, "wrong key"},
		{404, `<html>nothing here</html>`, agent.ErrBadRequest, "is the base address right?"},
		{429, `{"error":{"message":"slow down"}}`, agent.ErrRateLimit, "slow down"},
		{500, `boom`, agent.ErrServer, "boom"},
		{400, `{"error":{"message":"no such thing"}}`, agent.ErrBadRequest, "no such thing"},
		{200, `{"error":{"message":"overloaded"}}`, agent.ErrServer, "overloaded"},
		{200, `hello`, agent.ErrInvalidResponse, "no JSON object"},
		{200, `{"data":[]}`, agent.ErrInvalidResponse, "0 vectors came for 2 texts"},
		{200, `{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}`, agent.ErrInvalidResponse, "3 or more vectors"},
		{200, `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`, agent.ErrInvalidResponse, "twice"},
		{200, `{"data":[{"index":5,"embedding":[1]},{"index":1,"embedding":[1]}]}`, agent.ErrInvalidResponse, "2 texts"},
		{200, `{"data":[{"embedding":[1]},{"embedding":[1,2]}]}`, agent.ErrInvalidResponse, "1 and of 2"},
		{200, `{"data":[{"embedding":[]},{"embedding":[]}]}`, agent.ErrInvalidResponse, "0 numbers"},
		{200, `{"data":[{"embedding":[0,0]},{"embedding":[0,1]}]}`, agent.ErrInvalidResponse, "zeros"},
		{200, `{"data":[{"embedding":[1,"x"]},{"embedding":[0,1]}]}`, agent.ErrInvalidResponse, `holds "\"x\""`},
		{200, `{"data":[{"embedding":[1e300]},{"embedding":[1]}]}`, agent.ErrInvalidResponse, "one that is none"},
		{200, `{"data":[{"embedding":"AAA"},{"embedding":"AAA"}]}`, agent.ErrInvalidResponse, `a vector is "AAA"`},
		{200, `{"data":[{"embedding":null},{"embedding":[1]}]}`, agent.ErrInvalidResponse, `a vector is "null"`},
		{200, `{"data":[{"embedding":[` + strings.Repeat("1,", 9000) + `1]},{"embedding":[1]}]}`, agent.ErrInvalidResponse, "more than 8192"},
		{200, `{"data":"` + strings.Repeat("x", 2<<20) + `"}`, agent.ErrInvalidResponse, "longer than"},
	} {
		s := serve(t, func(map[string]any) (int, string) { return c.status, c.answer })
		got, err := open(t, s, Options{}).Embed(t.Context(), []string{"a", "b"})
		me, ok := errors.AsType[*agent.ModelError](err)
		if got != nil || !ok || me.Kind != c.kind || !strings.Contains(err.Error(), c.words) || me.Provider != "acme" {
			t.Errorf("%d %.60s: %v %v", c.status, c.answer, got, err)
		}
		if len(s.bodies) > 2 {
			t.Errorf("%d %.60s: %d requests", c.status, c.answer, len(s.bodies))
		}
	}
}

// TestOtherLength: a model whose vectors change their length is another one.
func TestOtherLength(t *testing.T) {
	s := serve(t, func(body map[string]any) (int, string) {
		if body["input"].([]any)[0] == "b" {
			return 200, `{"data":[{"embedding":[1,2,3]}]}`
		}
		return lengths(body)
	})
	e := open(t, s, Options{})
	_, err := e.Embed(t.Context(), []string{"a"})
	_, other := e.Embed(t.Context(), []string{"b"})
	if err != nil || other == nil || !strings.Contains(other.Error(), "2 and of 3") {
		t.Error(err, other)
	}
	_, err = open(t, s, Options{Dims: 256}).Embed(t.Context(), []string{"a"})
	if err == nil || !strings.Contains(err.Error(), "of 256 numbers were asked for, one of 2 came") {
		t.Error(err)
	}
}

func TestNobodyThere(t *testing.T) {
	s := serve(t, lengths)
	e := open(t, s, Options{})
	s.Close()
	_, err := e.Embed(t.Context(), []string{"a"})
	if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrNetwork {
		t.Error(err)
	}
}

func TestSilence(t *testing.T) {
	free := make(chan struct{})
	s := serve(t, func(map[string]any) (int, string) { <-free; return 200, "{}" })
	defer close(free)
	_, err := open(t, s, Options{Timeout: 20 * time.Millisecond}).Embed(t.Context(), []string{"a"})
	if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrTimeout || !strings.Contains(err.Error(), "no answer within 20ms") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, s, Options{}).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBroken(t *testing.T) {
	s := serve(t, lengths)
	e := open(t, s, Options{Config: wire.Config{}})
	e.client.HTTP = &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader(`{"data":[`), broken{}))}, nil
	})}
	_, err := e.Embed(t.Context(), []string{"a"})
	if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrTruncated {
		t.Error(err)
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{API: "responses"}, `api "responses" has none`},
		{Options{Config: wire.Config{BaseURL: "http://x"}}, "no model"},
		{Options{Config: wire.Config{Model: "m", Preset: wire.Preset{Name: "azure"}}}, `"azure" needs a base URL`},
		{Options{Dims: 9000, Config: wire.Config{Model: "m", BaseURL: "http://x"}}, "from 1 to 8192"},
	} {
		if _, err := New(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	e, err := New(Options{Config: wire.Config{Model: "m", BaseURL: "nowhere"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Embed(t.Context(), []string{"a"})
	if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrConfig {
		t.Error(err)
	}
}

// counted is what a meter would see.
type counted struct {
	agent.Model
	seen func(req *agent.Request, c agent.Chunk)
}

func (m counted) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for c, err := range m.Model.Stream(ctx, req) {
			if m.seen(req, c); !yield(c, err) {
				return
			}
		}
	}
}

// TestMeter: a request looks like a model's call to whoever counts.
func TestMeter(t *testing.T) {
	s := serve(t, lengths)
	tokens, texts, name, model := int64(0), 0, "", ""
	e := open(t, s, Options{Batch: 2, Around: func(_ context.Context, m agent.Model) agent.Model {
		name = m.Info().Preset + "/" + m.Info().Name
		return counted{m, func(req *agent.Request, c agent.Chunk) {
			tokens, texts, model = tokens+*c.Usage.Input+*c.Usage.Output, texts+len(req.Messages[0].Parts), c.Model
		}}
	}})
	if _, err := e.Embed(t.Context(), []string{"a", "b", "c"}); err != nil || tokens != 14 || texts != 3 || name != "acme/m" || model != "m-1" {
		t.Error(err, tokens, texts, name, model)
	}
}

func FuzzReply(f *testing.F) {
	for _, s := range []string{`{}`, `{"data":[{"embedding":[1,2]}]}`, `{"data":[{"index":-1e99,"embedding":[1]}]}`, `{"data":{"a":{"embedding":"AACAPw=="}}}`, `{"embeddings":[{"values":[1,2]}]}`, `{"embeddings":[1]}`, `[]`, `{"data":[{"index":0.5,"embedding":[[1]]}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, api := range []string{Chat, Gemini} {
			e, err := New(Options{API: api, Config: wire.Config{Model: "m", BaseURL: "http://x", HTTP: &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(reply))}, nil
			})}}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Embed(t.Context(), []string{"a", "b"})
			if err == nil && (len(got) != 2 || len(got[0]) == 0 || len(got[0]) != len(got[1])) {
				t.Fatal(got)
			}
			for _, v := range got {
				for _, x := range v {
					if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
						t.Fatal(got)
					}
				}
			}
		}
	})
}

// TestOneRefusal: a batch that is refused for something else than its size is no reason to ask for each text by itself later.
func TestOneRefusal(t *testing.T) {
	bad := true
	var mu sync.Mutex
	s := serve(t, func(body map[string]any) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		if bad {
			return 400, `{"error":{"message":"this account is being set up"}}`
		}
		return lengths(body)
	})
	e := open(t, s, Options{})
	texts := slices.Repeat([]string{"abc"}, 32)
	if _, err := e.Embed(t.Context(), texts); err == nil {
		t.Fatal("nothing was refused")
	}
	asked := len(s.bodies)
	mu.Lock()
	bad = false
	mu.Unlock()
	if got, err := e.Embed(t.Context(), texts); err != nil || len(got) != 32 || len(s.bodies) != asked+1 {
		t.Errorf("%d vectors, %v, in %d requests", len(got), err, len(s.bodies)-asked)
	}
}

// TestOddRepliesInChinese: what is odd is said in the person's language.
func TestOddRepliesInChinese(t *testing.T) {
	s := serve(t, func(map[string]any) (int, string) { return 200, `{"data":[]}` })
	_, err := open(t, s, Options{}).Embed(t.Context(), []string{"a", "b"})
	if zh := msg.For(msg.Zh).Err(err); !strings.Contains(zh, "2 段文字得到了 0 个向量") {
		t.Error(zh)
	}
}
