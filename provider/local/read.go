package local

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// maxShown is of how many models of Ollama the details are asked for: each is a question of its own.
const maxShown = 64

// readOllama reads what Ollama has, what of it is loaded, and what each model can.
func (c Client) readOllama(ctx context.Context, s *Server, root, name string) {
	a := c.askAll(ctx, map[string]string{"tags": under(root, "/api/tags"), "ps": under(root, "/api/ps")})
	a["tags"].json.Get("models").ForEach(func(_, m gjson.Result) bool {
		if name := first(m, "name", "model").String(); name != "" {
			s.Models = append(s.Models, Model{Name: name})
		}
		return true
	})
	var wait sync.WaitGroup
	shown := 0
	for i := range s.Models {
		if name != "" && !sameModel(s.Models[i].Name, name) || shown == maxShown {
			continue
		}
		shown++
		wait.Go(func() { c.showOllama(ctx, &s.Models[i], root) })
	}
	wait.Wait()
	a["ps"].json.Get("models").ForEach(func(_, m gjson.Result) bool {
		for i := range s.Models {
			if !sameModel(s.Models[i].Name, first(m, "name", "model").String()) {
				continue
			}
			s.Models[i].Loaded = true
			if n := size(m.Get("context_length")); n > 0 {
				s.Models[i].Context = n
			}
		}
		return true
	})
}

// showOllama reads one model's description. The window that it was trained for is not the one it runs with: that is its
// parameter num_ctx, else the server's own default, which only a loaded model tells.
func (c Client) showOllama(ctx context.Context, m *Model, root string) {
	body, err := agent.EncodeJSON(map[string]string{"model": m.Name})
	if err != nil {
		return
	}
	d := c.do(ctx, http.MethodPost, under(root, "/api/show"), body, c.limit()).json
	if arch := d.Get(`model_info.general\.architecture`).String(); arch != "" {
		m.Trained = size(d.Get("model_info." + strings.ReplaceAll(arch, ".", `\.`) + `\.context_length`))
	}
	for line := range strings.Lines(d.Get("parameters").String()) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil && n > 0 && n <= maxWindow {
				m.Context = n
			}
		}
	}
	var can []string
	for _, one := range d.Get("capabilities").Array() {
		can = append(can, one.String())
	}
	if len(can) == 0 {
		return // an older one, which does not say
	}
	m.Tools = ability(slices.Contains(can, "tools"))
	m.Vision = ability(slices.Contains(can, "vision"))
	m.Reasoning = ability(slices.Contains(can, "thinking"))
	m.Embeds = slices.Contains(can, "embedding") && !slices.Contains(can, "completion")
}

// readStudio reads LM Studio's own list, which also has what is not loaded.
func readStudio(s *Server, list gjson.Result) {
	list.Get("data").ForEach(func(_, d gjson.Result) bool {
		m := Model{
			Name: d.Get("id").String(), Loaded: d.Get("state").String() == "loaded",
			Context: size(d.Get("loaded_context_length")), Trained: size(d.Get("max_context_length")),
			Embeds: d.Get("type").String() == "embeddings",
		}
		if kind := d.Get("type").String(); kind == "vlm" || kind == "llm" {
			m.Vision = ability(kind == "vlm")
		}
		for _, one := range d.Get("capabilities").Array() {
			if one.String() == "tool_use" {
				m.Tools = Yes
			}
		}
		if m.Name != "" {
			s.Models = append(s.Models, m)
		}
		return true
	})
}

// readModels reads the list that every server of this protocol has. Many write into it what they know of the window, each
// under a name of its own.
func (c Client) readModels(ctx context.Context, s *Server, root string, list, props gjson.Result) {
	if props.Get("default_generation_settings").Exists() {
		s.Kind, s.Version = LlamaCpp, props.Get("build_info").String()
	}
	router := props.Get("role").String() == "router"
	list.Get("data").ForEach(func(_, d gjson.Result) bool {
		m := Model{Name: d.Get("id").String()}
		if m.Name == "" {
			return true
		}
		switch d.Get("owned_by").String() {
		case "vllm":
			s.Kind = VLLM
		case "sglang":
			s.Kind = SGLang
		case "llamacpp":
			s.Kind = LlamaCpp
		}
		m.Context = size(first(d, "max_model_len", "meta.n_ctx", "context_length", "context_window", "max_context_length", "n_ctx"))
		m.Trained = size(d.Get("meta.n_ctx_train"))
		state := d.Get("status.value")
		m.Loaded = s.Kind != Other && (!state.Exists() || state.String() == "loaded")
		if in := d.Get("architecture.input_modalities"); in.IsArray() {
			m.Vision = ability(strings.Contains(in.Raw, `"image"`))
		}
		m.Embeds = d.Get("architecture.output_modalities").IsArray() && !strings.Contains(d.Get("architecture.output_modalities").Raw, `"text"`)
		s.Models = append(s.Models, m)
		return true
	})
	switch {
	case s.Kind != LlamaCpp:
	case router:
		c.readRouter(ctx, s, root)
	case len(s.Models) == 1:
		readProps(&s.Models[0], props)
	}
}

// readRouter asks a server of llama.cpp that starts others for what its loaded models can. Asking for one that is not
// loaded would load it.
func (c Client) readRouter(ctx context.Context, s *Server, root string) {
	var wait sync.WaitGroup
	for i := range s.Models {
		if m := &s.Models[i]; m.Loaded {
			wait.Go(func() {
				readProps(m, c.get(ctx, under(root, "/props?autoload=false&model="+url.QueryEscape(m.Name))).json)
			})
		}
	}
	wait.Wait()
}

// readProps reads what llama.cpp says of the model that it runs. n_ctx is that of one slot, which is what a request has.
func readProps(m *Model, props gjson.Result) {
	if n := size(props.Get("default_generation_settings.n_ctx")); n > 0 {
		m.Context = n
	}
	if v := props.Get("modalities.vision"); v.IsBool() {
		m.Vision = ability(v.Bool())
	}
	// A template that knows no tools leaves them out of the prompt, and the server says nothing. Older ones describe tools by
	// themselves, and have no such field.
	if caps := props.Get("chat_template_caps"); caps.Get("supports_tool_calls").IsBool() {
		m.Tools = ability(caps.Get("supports_tool_calls").Bool() || caps.Get("supports_tools").Bool())
	}
}

// first gives the first of several fields that exists.
func first(r gjson.Result, paths ...string) gjson.Result {
	for _, p := range paths {
		if v := r.Get(p); v.Exists() && v.Type != gjson.Null {
			return v
		}
	}
	return gjson.Result{}
}

// maxWindow bounds what is believed of a window.
const maxWindow = 1 << 30

// size reads a number of tokens; 0 = it is none.
func size(r gjson.Result) int {
	n := r.Int()
	if r.Type != gjson.Number && r.Type != gjson.String || n <= 0 || n > maxWindow {
		return 0
	}
	return int(n)
}

// sameModel compares two names of models. Ollama's models without a tag are those tagged latest.
func sameModel(a, b string) bool {
	return a == b || strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}
