package local_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/provider/local"
)

func TestAskKnowsEachServerByWhatItSays(t *testing.T) {
	old := ollama(0)
	old["GET /api/ps"] = text(200, `{"models":[{"name":"llama3.2:latest","size":1}]}`)
	old["POST /api/show"] = text(200, `{"parameters":"","model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
	for name, c := range map[string]struct {
		otherwise reply
		routes    map[string]reply
		want      local.Server
	}{
		"ollama": {missing, ollama(4096), local.Server{Kind: local.Ollama, Version: "0.40.12", Models: []local.Model{
			{Name: "nomic-embed-text:latest", Trained: 2048, Tools: local.No, Vision: local.No, Reasoning: local.No, Embeds: true},
			{Name: "gemma3:270m", Context: 8192, Trained: 32768, Tools: local.No, Vision: local.Yes, Reasoning: local.No},
			{Name: "llama3.2:latest", Loaded: true, Context: 4096, Trained: 131072, Tools: local.Yes, Vision: local.No, Reasoning: local.No},
		}}},
		"an old ollama": {missing, old, local.Server{Kind: local.Ollama, Version: "0.40.12", Models: []local.Model{
			{Name: "nomic-embed-text:latest", Trained: 8192},
			{Name: "gemma3:270m", Trained: 8192},
			{Name: "llama3.2:latest", Loaded: true, Trained: 8192},
		}}},
		"llama.cpp": {missing, llamaCpp(2048), local.Server{Kind: local.LlamaCpp, Version: "b1-abc", Models: []local.Model{
			{Name: "m.gguf", Loaded: true, Context: 2048, Trained: 32768, Tools: local.Yes, Vision: local.No},
		}}},
		"llama.cpp before it was told of windows": {missing, map[string]reply{
			"GET /v1/models": text(200, `{"object":"list","data":[{"id":"m.gguf","object":"model","owned_by":"llamacpp","meta":null}]}`),
			"GET /props":     text(200, `{"default_generation_settings":{"n_ctx":1024},"total_slots":4,"chat_template":"x"}`),
		}, local.Server{Kind: local.LlamaCpp, Models: []local.Model{{Name: "m.gguf", Loaded: true, Context: 1024}}}},
		"llama.cpp with a template without tools": {missing, map[string]reply{
			"GET /v1/models": llamaCpp(4096)["GET /v1/models"],
			"GET /props":     text(200, `{"default_generation_settings":{"n_ctx":4096},"modalities":{"vision":true},"chat_template_caps":{"supports_tool_calls":false,"supports_tools":false}}`),
		}, local.Server{Kind: local.LlamaCpp, Models: []local.Model{
			{Name: "m.gguf", Loaded: true, Context: 4096, Trained: 32768, Tools: local.No, Vision: local.Yes},
		}}},
		"llama.cpp that loads": {text(503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`), nil, local.Server{
			Kind: local.LlamaCpp, Loading: true,
		}},
		"llama.cpp that starts others": {missing, map[string]reply{
			"GET /v1/models": text(200, `{"data":[{"id":"a","owned_by":"llamacpp","status":{"value":"unloaded"}},{"id":"b","owned_by":"llamacpp","architecture":{"input_modalities":["text","image"],"output_modalities":["text"]},"status":{"value":"loaded","args":["x"]}},{"id":"d","owned_by":"llamacpp","architecture":{"input_modalities":["text"],"output_modalities":["decisions"]},"status":{"value":"unloaded"}}],"object":"list"}`),
			"GET /props": func(w http.ResponseWriter, r *http.Request, n int) {
				body := `{"role":"router","default_generation_settings":{"params":null,"n_ctx":0}}`
				if r.URL.Query().Get("model") == "b" && r.URL.Query().Get("autoload") == "false" {
					body = `{"default_generation_settings":{"n_ctx":512},"chat_template_caps":{"supports_tool_calls":true}}`
				}
				text(200, body)(w, r, n)
			},
		}, local.Server{Kind: local.LlamaCpp, Models: []local.Model{
			{Name: "a"}, {Name: "b", Loaded: true, Context: 512, Vision: local.Yes, Tools: local.Yes}, {Name: "d", Vision: local.No, Embeds: true},
		}}},
		"LM Studio": {strange, studio(), local.Server{Kind: local.LMStudio, Models: []local.Model{
			{Name: "qwen2-vl-7b-instruct", Trained: 32768, Vision: local.Yes},
			{Name: "qwen3-8b", Loaded: true, Context: 4096, Trained: 40960, Vision: local.No, Tools: local.Yes},
			{Name: "text-embedding-nomic", Trained: 2048, Embeds: true},
		}}},
		"vLLM": {missing, vllm(), local.Server{Kind: local.VLLM, Models: []local.Model{{Name: "Qwen/Qwen3-8B", Loaded: true, Context: 8192}}}},
		"SGLang": {missing, map[string]reply{
			"GET /v1/models": text(200, `{"object":"list","data":[{"id":"q","object":"model","owned_by":"sglang","root":"q","max_model_len":40960}]}`),
		}, local.Server{Kind: local.SGLang, Models: []local.Model{{Name: "q", Loaded: true, Context: 40960}}}},
		"some other": {missing, map[string]reply{
			"GET /v1/models": text(200, `{"object":"list","data":[{"id":"x","owned_by":"me","context_window":"4000"},{"id":""},{"owned_by":"me"}]}`),
		}, local.Server{Kind: local.Other, Models: []local.Model{{Name: "x", Context: 4000}}}},
		"no model at all": {missing, map[string]reply{"GET /v1/models": text(200, `{"object":"list","data":[]}`)}, local.Server{Kind: local.Other}},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, c.otherwise, c.routes)
			for _, at := range []string{"/v1", "/v1/", "/v1/chat/completions"} {
				got, err := local.Client{}.Ask(t.Context(), f.URL+at)
				if err != nil {
					t.Fatal(err)
				}
				want := c.want
				want.Base = f.URL + "/v1"
				if !reflect.DeepEqual(*got, want) {
					t.Errorf("%s:\n got %+v\nwant %+v", at, *got, want)
				}
			}
		})
	}
}

func TestAskSaysWhyThereIsNone(t *testing.T) {
	page := start(t, text(200, `<html>hello</html>`))
	if _, err := (local.Client{}).Ask(t.Context(), page.URL+"/v1"); err == nil || !strings.Contains(err.Error(), "no model server") {
		t.Errorf("a page: %v", err)
	}
	locked := start(t, text(401, `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`))
	if _, err := (local.Client{}).Ask(t.Context(), locked.URL+"/v1"); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a key: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	_ = l.Close()
	var op *net.OpError
	if _, err := (local.Client{}).Ask(t.Context(), "http://"+nobody+"/v1"); !errors.As(err, &op) {
		t.Errorf("nobody: %v", err)
	}
	if _, err := (local.Client{}).Ask(t.Context(), "http://a b/v1"); err == nil {
		t.Error("an address that is none")
	}
}

func TestKeyIsSent(t *testing.T) {
	routes := vllm()
	list := routes["GET /v1/models"]
	routes["GET /v1/models"] = func(w http.ResponseWriter, r *http.Request, n int) {
		if r.Header.Get("Authorization") != "Bearer made-up" {
			text(401, `{"error":"Unauthorized"}`)(w, r, n)
			return
		}
		list(w, r, n)
	}
	f := start(t, missing, routes)
	if s, err := (local.Client{Key: "made-up"}).Ask(t.Context(), f.URL+"/v1"); err != nil || len(s.Models) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// hanging never answers, and says when it was asked.
type hanging struct{ asked chan string }

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	h.asked <- r.URL.Host
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestFindAsksAllAtOnceAndGivesUpSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hanging{make(chan string, 1000)}
		begin := time.Now()
		found := local.Client{HTTP: &http.Client{Transport: h}, Limit: 300 * time.Millisecond}.Find(t.Context(), "http://localhost:11434/v1", "http://box:9/v1")
		if took := time.Since(begin); len(found) != 0 || took != 300*time.Millisecond {
			t.Errorf("%d servers after %s", len(found), took)
		}
		hosts := map[string]int{}
		close(h.asked)
		for host := range h.asked {
			hosts[host]++
		}
		want := map[string]int{"localhost:11434": 4, "box:9": 4, "127.0.0.1:8080": 4, "127.0.0.1:1234": 4, "127.0.0.1:8000": 4, "127.0.0.1:30000": 4}
		if !reflect.DeepEqual(hosts, want) {
			t.Errorf("asked %v, want %v", hosts, want)
		}
	})
}

func TestFindGivesWhatAnswers(t *testing.T) {
	a, b := start(t, missing, vllm()), start(t, missing, ollama(4096))
	none := http.Client{Transport: only{a.URL, b.URL}}
	found := local.Client{HTTP: &none}.Find(t.Context(), b.URL+"/v1", a.URL+"/v1")
	if len(found) != 2 || found[0].Kind != local.Ollama || found[1].Kind != local.VLLM {
		t.Errorf("%+v", found)
	}
}

// only reaches these servers, so that what runs on this machine does not matter.
type only []string

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, base := range o {
		if strings.HasSuffix(base, r.URL.Host) {
			return http.DefaultTransport.RoundTrip(r)
		}
	}
	return nil, errors.New("nobody is there")
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name   string
		models []local.Model
		want   string
	}{
		{"none", nil, ""},
		{"embeddings only", []local.Model{{Name: "e", Embeds: true, Loaded: true}}, ""},
		{"the first", []local.Model{{Name: "a"}, {Name: "b"}}, "a"},
		{"with tools", []local.Model{{Name: "a", Tools: local.No}, {Name: "b", Tools: local.Yes}}, "b"},
		{"loaded before tools", []local.Model{{Name: "a", Tools: local.Yes}, {Name: "b", Tools: local.No, Loaded: true}}, "b"},
		{"loaded with tools", []local.Model{{Name: "a", Loaded: true, Tools: local.No}, {Name: "b", Loaded: true}}, "b"},
	} {
		s := local.Server{Models: c.models}
		if m, ok := s.Choose(); m.Name != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %t", c.name, m.Name, ok)
		}
	}
}

func TestNamesOfModels(t *testing.T) {
	s := local.Server{Models: []local.Model{{Name: "llama3.2:latest"}, {Name: "qwen3:8b"}}}
	for name, want := range map[string]bool{"llama3.2": true, "llama3.2:latest": true, "Llama3.2": true, "qwen3": false, "qwen3:8b": true, "": false} {
		if _, ok := s.Find(name); ok != want {
			t.Errorf("%q: %t", name, ok)
		}
	}
}

func TestSameServer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://localhost:11434/v1", "http://127.0.0.1:11434", true},
		{"http://[::1]:11434/v1", "http://LOCALHOST:11434/v1", true},
		{"http://ollama.localhost:11434", "http://127.0.0.1:11434", true},
		{"http://localhost:11434/v1", "http://localhost:8080/v1", false},
		{"http://box:8080/v1", "http://BOX:8080", true},
		{"http://box:8080/v1", "http://localhost:8080/v1", false},
		{"", "", false},
		{"%", "http://box", false},
	} {
		if got := local.SameServer(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := hanging{make(chan string, 10)}
		done := make(chan error)
		go func() {
			_, err := local.Client{HTTP: &http.Client{Transport: h}}.Ask(ctx, "http://box:1/v1")
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestHost(t *testing.T) {
	const usual = "http://localhost:11434/v1"
	for value, want := range map[string]string{
		"": "", " ": "", "127.0.0.1:11500": "http://127.0.0.1:11500/v1", "0.0.0.0": "http://127.0.0.1:11434/v1", ":11500": "http://127.0.0.1:11500/v1",
		"box": "http://box:11434/v1", "[::]:1": "http://127.0.0.1:1/v1", "http://box:80": "http://box:80/v1", "https://box": "https://box/v1",
		"https://box/ollama/v1": "https://box/ollama/v1", "ftp://box": "", "a b": "", "http://[::1": "",
	} {
		if got := local.Host(value, usual); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// FuzzAsk: whatever a server answers, asking it ends in a server with sensible numbers, or an error.
func FuzzAsk(f *testing.F) {
	f.Add(`{"data":[{"id":"m","owned_by":"vllm","max_model_len":8192}]}`, `{"default_generation_settings":{"n_ctx":-5}}`, `{"version":1}`, `{}`)
	f.Add(`{"data":{}}`, `[]`, `{"version":"1"}`, `{"models":[{"name":"a"},{"name":3}],"capabilities":[7],"parameters":"num_ctx x","model_info":{"general.architecture":"a.b","a.b.context_length":1e300}}`)
	f.Add(``, ``, `{"version":"1"}`, `{"models":[{"name":"a"}],"parameters":"num_ctx -1","capabilities":["tools"]}`)
	f.Add(`{"data":[{"id":"m","meta":{"n_ctx":"99999999999999999999"},"status":{"value":[]}}]}`, `{"role":"router","default_generation_settings":{}}`, ``, `{"data":[{"id":5,"state":"loaded","compatibility_type":"gguf","loaded_context_length":-1,"type":"vlm"}]}`)
	f.Fuzz(func(t *testing.T, models, props, version, rest string) {
		n := &network{routes: map[string]func(*http.Request) (int, string){}}
		for at, body := range map[string]string{
			"GET /v1/models": models, "GET /props": props, "GET /api/version": version, "GET /api/v0/models": rest,
			"GET /api/tags": rest, "GET /api/ps": rest, "POST /api/show": rest,
		} {
			n.routes[at] = fixed(200, body)
		}
		s, err := local.Client{HTTP: &http.Client{Transport: n}}.Ask(t.Context(), "http://box:1/v1")
		if err != nil {
			return
		}
		for _, m := range s.Models {
			if m.Name == "" || m.Context < 0 || m.Trained < 0 || m.Context > 1<<30 || m.Trained > 1<<30 {
				t.Errorf("%+v", m)
			}
		}
		s.Choose()
	})
}
