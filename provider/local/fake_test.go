package local_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// fake is a server that answers what it was told, by method and path, and remembers what it was asked.
type fake struct {
	URL string // without /v1

	mu     sync.Mutex
	routes map[string]reply
	asked  []string
	bodies map[string][]string // by path
}

// reply answers one request; n counts the requests to its path before it.
type reply func(w http.ResponseWriter, r *http.Request, n int)

// text answers with a status and a JSON body.
func text(status int, body string) reply {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// start runs a server with these routes, "GET /props" and the like. What is on none of them is answered by otherwise.
func start(t *testing.T, otherwise reply, routes ...map[string]reply) *fake {
	t.Helper()
	f := &fake{routes: map[string]reply{}, bodies: map[string][]string{}}
	for _, more := range routes {
		maps.Copy(f.routes, more)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		n := len(f.bodies[r.URL.Path])
		f.asked = append(f.asked, r.Method+" "+r.URL.Path)
		f.bodies[r.URL.Path] = append(f.bodies[r.URL.Path], string(body))
		answer, ok := f.routes[r.Method+" "+r.URL.Path]
		f.mu.Unlock()
		if !ok {
			answer = otherwise
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		answer(w, r, n)
	}))
	t.Cleanup(srv.Close)
	f.URL = srv.URL
	return f
}

func (f *fake) count(request string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, a := range f.asked {
		if a == request {
			n++
		}
	}
	return n
}

func (f *fake) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.asked...)
}

// last is the body of the newest request to a path.
func (f *fake) last(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.bodies[path]
	if len(b) == 0 {
		return ""
	}
	return b[len(b)-1]
}

// says answers a completion with a text and a count of the prompt.
func says(answer string, prompt int) reply {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%q},\"finish_reason\":null}]}\n\n", answer)
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
		if prompt > 0 {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":3,\"total_tokens\":%d}}\n\n", prompt, prompt+3)
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}

const chat = "/v1/chat/completions"

// ollama is a server with two models: llama3.2, with tools and loaded with a window, and gemma3, with pictures but no
// tools; and one for embeddings.
func ollama(window int) map[string]reply {
	loaded := fmt.Sprintf(`{"models":[{"name":"llama3.2:latest","model":"llama3.2:latest","size":1,"size_vram":1,"context_length":%d}]}`, window)
	shown := func(w http.ResponseWriter, r *http.Request, n int) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), "llama3.2"):
			text(200, `{"parameters":"stop \"<|eot_id|>\"","model_info":{"general.architecture":"llama","llama.context_length":131072},"capabilities":["completion","tools"]}`)(w, r, n)
		case strings.Contains(string(body), "gemma3"):
			text(200, `{"parameters":"num_ctx                        8192\ntemperature 1","model_info":{"general.architecture":"gemma3","gemma3.context_length":32768},"capabilities":["completion","vision"]}`)(w, r, n)
		case strings.Contains(string(body), "nomic"):
			text(200, `{"model_info":{"general.architecture":"nomic-bert","nomic-bert.context_length":2048},"capabilities":["embedding"]}`)(w, r, n)
		default:
			text(404, `{"error":"model not found"}`)(w, r, n)
		}
	}
	return map[string]reply{
		"GET /api/version": text(200, `{"version":"0.40.12"}`),
		"GET /api/tags":    text(200, `{"models":[{"name":"nomic-embed-text:latest","model":"nomic-embed-text:latest"},{"name":"gemma3:270m","model":"gemma3:270m"},{"name":"llama3.2:latest","model":"llama3.2:latest"}]}`),
		"GET /api/ps":      text(200, loaded),
		"POST /api/show":   shown,
		"GET /v1/models":   text(200, `{"object":"list","data":[{"id":"gemma3:270m","object":"model","created":1,"owned_by":"library"},{"id":"llama3.2:latest","object":"model","created":1,"owned_by":"library"}]}`),
		"POST " + chat:     says("hello", 200),
	}
}

// llamaCpp is llama-server with one model and a window.
func llamaCpp(window int) map[string]reply {
	return map[string]reply{
		"GET /v1/models": text(200, fmt.Sprintf(`{"models":[{"name":"m.gguf","capabilities":["completion"]}],"object":"list","data":[{"id":"m.gguf","object":"model","architecture":{"input_modalities":["text"],"output_modalities":["text"]},"created":1,"owned_by":"llamacpp","meta":{"vocab_type":1,"n_ctx":%d,"n_ctx_train":32768,"n_params":268098176,"size":1}}]}`, window)),
		"GET /props":     text(200, fmt.Sprintf(`{"default_generation_settings":{"params":{"n_predict":-1},"n_ctx":%d},"total_slots":1,"model_path":"m.gguf","modalities":{"vision":false,"audio":false},"chat_template":"x","chat_template_caps":{"supports_tools":true,"supports_tool_calls":true},"build_info":"b1-abc","is_sleeping":false}`, window)),
		"POST " + chat:   says("hello", 200),
	}
}

// studio is LM Studio, which answers 200 to everything.
func studio() map[string]reply {
	return map[string]reply{
		"GET /api/v0/models": text(200, `{"object":"list","data":[{"id":"qwen2-vl-7b-instruct","object":"model","type":"vlm","arch":"qwen2_vl","compatibility_type":"mlx","state":"not-loaded","max_context_length":32768},{"id":"qwen3-8b","object":"model","type":"llm","compatibility_type":"gguf","state":"loaded","max_context_length":40960,"loaded_context_length":4096,"capabilities":["tool_use"]},{"id":"text-embedding-nomic","object":"model","type":"embeddings","compatibility_type":"gguf","state":"not-loaded","max_context_length":2048}]}`),
		"GET /v1/models":     text(200, `{"data":[{"id":"qwen2-vl-7b-instruct","object":"model","owned_by":"organization_owner"},{"id":"qwen3-8b","object":"model","owned_by":"organization_owner"}],"object":"list"}`),
		"POST " + chat:       says("hello", 200),
	}
}

// strange is LM Studio's answer to what it does not know.
var strange = text(200, `{"error":"Unexpected endpoint or method. (GET /x). Returning 200 anyway"}`)

// vllm is vLLM.
func vllm() map[string]reply {
	return map[string]reply{
		"GET /v1/models": text(200, `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","created":1,"owned_by":"vllm","root":"Qwen/Qwen3-8B","parent":null,"max_model_len":8192,"permission":[]}]}`),
		"GET /version":   text(200, `{"version":"0.11.0"}`),
		"POST " + chat:   says("hello", 200),
	}
}

var missing = text(404, `{"detail":"Not Found"}`)
