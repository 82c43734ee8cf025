package local

import (
	"strconv"
	"strings"

	"react-agent/internal/msg"
)

// Kind names a program that serves models, as the table of vendors does.
type Kind string

// The kinds of server. Other is any that speaks Chat Completions and says nothing more of itself.
const (
	Ollama   Kind = "ollama"
	LlamaCpp Kind = "llamacpp"
	LMStudio Kind = "lmstudio"
	VLLM     Kind = "vllm"
	SGLang   Kind = "sglang"
	Other    Kind = "openai"
)

// facts is what is known of a kind before it is asked anything.
type facts struct {
	kind  Kind
	title string // as its makers write it
	port  int
	start string // the command that starts it
	get   string // how to bring a model to it
	grow  string // how to give a model a larger window
	// refuses says that a prompt that does not fit is refused, with its exact length; others cut it, or do who knows what.
	refuses bool
	// alone says that one process serves one model, whatever the request names.
	alone bool
}

// kinds is the table. Its ports are those that the programs use unless told otherwise.
func kinds() []facts {
	return []facts{
		{
			kind: Ollama, title: "Ollama", port: 11434, start: "ollama serve", get: "ollama pull MODEL",
			grow: "OLLAMA_CONTEXT_LENGTH=16384 ollama serve",
		},
		{
			kind: LlamaCpp, title: "llama.cpp", port: 8080, start: "llama-server -m MODEL.gguf --jinja", get: "llama-server -m MODEL.gguf",
			grow: "llama-server -c 16384", refuses: true, alone: true,
		},
		{
			kind: LMStudio, title: "LM Studio", port: 1234, start: "lms server start", get: "lms get MODEL",
			grow: "lms load MODEL --context-length 16384",
		},
		{
			kind: VLLM, title: "vLLM", port: 8000, start: "vllm serve MODEL", get: "vllm serve MODEL",
			grow: "vllm serve MODEL --max-model-len 16384", refuses: true,
		},
		{
			kind: SGLang, title: "SGLang", port: 30000, start: "python -m sglang.launch_server --model-path MODEL",
			get: "python -m sglang.launch_server --model-path MODEL", grow: "--context-length 16384", refuses: true,
		},
	}
}

// about gives what is known of a kind.
func about(k Kind) facts {
	for _, f := range kinds() {
		if f.kind == k {
			return f
		}
	}
	return facts{kind: Other}
}

// Title is the name as the server's makers write it, "" for one that does not say what it is.
func (k Kind) Title() string { return about(k).title }

// Start is the command that starts such a server, "" if none is known.
func (k Kind) Start() string { return about(k).start }

// Get is the command that brings it a model, "" if none is known.
func (k Kind) Get() string { return about(k).get }

// Ports names the usual ports with the servers that use them.
func Ports() string {
	var all []string
	for _, f := range kinds() {
		all = append(all, strconv.Itoa(f.port)+" "+f.title)
	}
	return strings.Join(all, ", ")
}

// Ability says whether a model can do something. Servers rarely say so.
type Ability int

// The abilities: the server says nothing, says yes, says no.
const (
	Unknown Ability = iota
	Yes
	No
)

func ability(yes bool) Ability {
	if yes {
		return Yes
	}
	return No
}

// Model is one model that a server has.
type Model struct {
	Name string
	// Loaded says that it answers at once. Servers that serve one model have always loaded it.
	Loaded bool
	// Context is how many tokens prompt and answer may have together as the server runs it, Trained what the model was made
	// for; 0 is unknown.
	Context, Trained         int
	Tools, Vision, Reasoning Ability
	// Embeds says that the model makes vectors, and answers nothing.
	Embeds bool
}

// Server is a server that answered.
type Server struct {
	Kind    Kind
	Base    string // for Chat Completions: with /v1 where the server has that; it may hold a password, see [httpx.Shown]
	Version string // "" = it does not say
	// Loading says that it is not ready yet: it loads its model.
	Loading bool
	Models  []Model // in the server's order
}

// Find gives a model by name. Ollama's models without a tag are those tagged latest.
func (s *Server) Find(name string) (Model, bool) {
	for _, m := range s.Models {
		if sameModel(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// Choose picks the model for somebody who named none: a loaded one before others, one with tools before one that has
// none, else the server's order. False: there is none that answers.
func (s *Server) Choose() (Model, bool) {
	best, found := Model{}, false
	rank := func(m Model) int {
		n := 0
		if m.Loaded {
			n += 4
		}
		if m.Tools != No {
			n += 2
		}
		return n
	}
	for _, m := range s.Models {
		if !m.Embeds && (!found || rank(m) > rank(best)) {
			best, found = m, true
		}
	}
	return best, found
}

// near lists the models that can answer whose name is like one that the server does not have.
func (s *Server) near(name string) (like []string) {
	stem := func(n string) string {
		n = strings.ToLower(n[strings.LastIndexByte(n, '/')+1:])
		n, _, _ = strings.Cut(n, ":")
		return n
	}
	want := stem(name)
	for _, n := range s.names() {
		if have := stem(n); want != "" && (strings.HasPrefix(have, want) || strings.HasPrefix(want, have)) {
			like = append(like, n)
		}
	}
	return like
}

// names lists the models that can answer.
func (s *Server) names() []string {
	var names []string
	for _, m := range s.Models {
		if !m.Embeds {
			names = append(names, m.Name)
		}
	}
	return names
}

// catalogue is where texts for the person come from.
type catalogue = msg.Catalogue
