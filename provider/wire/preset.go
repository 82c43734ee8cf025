package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Preset is one vendor as data: where it lives, which variables hold its key, and how its dialect of a wire differs.
// Wires read these fields and never ask for a vendor by name.
type Preset struct {
	Name    string
	API     string // the wire it speaks unless another is asked for: chat, responses, anthropic, gemini, command, offline
	BaseURL string // with the version, without the path of the operation; "" = the user has to name one
	// Form shows what a base URL looks like, for the message where the user has to name one.
	Form string
	// Path is the operation's, behind the base URL, where it is not the wire's own. {model} in it stands for the model's id,
	// which then is left out of the body.
	Path string
	// Header is sent with every request, Body is merged into every body; the configuration's own win.
	Header map[string]string
	Body   map[string]json.RawMessage
	// Also holds the other wires that the vendor speaks, by name: what differs there. See [Preset.For].
	Also map[string]Variant
	// KeyEnv lists environment variables that may hold the key, the best first. Empty: no key is needed.
	KeyEnv []string
	// KeyHeader is the header that carries the key; "" = the wire's own, Authorization = with "Bearer " before it.
	KeyHeader string
	// Local is the kind of server that this is, where it runs on one's own machine and tells what it serves: ollama, llamacpp,
	// lmstudio, vllm, sglang. No model needs to be named for one. "" = it is somewhere else.
	Local string
	// HostEnv is the variable by which such a server is told its address, and its clients are: "OLLAMA_HOST".
	HostEnv string
	// DefaultModel is a current model of the vendor, used when a key but no model is given.
	DefaultModel string
	// SlashIDs says that ids of the vendor's models have slashes: what stands before one is no other vendor's name.
	SlashIDs bool
	// Context and MaxOutput are token limits of DefaultModel, 0 = unknown.
	Context, MaxOutput int

	// ReasoningField is the message field in which the vendor's own thoughts go back: "", "reasoning_content",
	// "reasoning", "reasoning_details".
	ReasoningField string
	// ReasoningAlways sends ReasoningField even when empty, on every assistant message, while tools are offered.
	ReasoningAlways bool
	// ThinkInContent sends thoughts that came as <think> text back inside the content, where they came from.
	ThinkInContent bool
	// EmptyContent says what stands for the content of an assistant message that only calls: "null" or "".
	EmptyContent string
	// MaxTokensField names the output limit; "" = max_tokens.
	MaxTokensField string
	// NoStreamUsage leaves out stream_options.include_usage, which the server refuses.
	NoStreamUsage bool
	// ThoughtsInTotal says that total_tokens counts thoughts which completion_tokens leaves out.
	ThoughtsInTotal bool
	// AssistantLast says that a chat request may end with a message of the assistant, and the model begins a new one. Others
	// refuse it, or go on in the middle of it.
	AssistantLast bool
	// IDs is the vendor's rule for call ids.
	IDs IDRule

	// Numbers names the table by which the numbers in the vendor's errors are read: minimax, qianfan or zhipu. They
	// contradict one another. "" = only numbers that mean one thing everywhere.
	Numbers string
	// BareOverflow says that the server answers a history that is too long with status 400 and nothing else.
	BareOverflow bool

	// CLI is how the program is called, where the model is one; nil = it is a server.
	CLI *CLI
}

// Variant is how a vendor speaks one more wire. Its fields stand in the place of the preset's, empty ones too, but for Form;
// what it does not have (the key's variables, the models, the dialect) stays.
type Variant struct {
	BaseURL, Form, Path, KeyHeader string
	Header                         map[string]string
	Body                           map[string]json.RawMessage
}

// For gives the preset as it is with a wire; "" is the vendor's first. A wire that the vendor does not speak is an error
// that names those it does; the preset is then one without an address that speaks this wire in its own way.
func (p Preset) For(api string) (Preset, error) {
	if api == "" || api == p.API {
		return p, nil
	}
	if p.API == "" && len(p.Also) == 0 { // nothing is said of wires
		p.API = api
		return p, nil
	}
	v, ok := p.Also[api]
	var err error
	if !ok {
		err = fmt.Errorf("%s does not speak %s; it speaks %s", p.Name, api, strings.Join(p.Wires(), ", "))
	}
	if v.Form == "" {
		v.Form = p.Form
	}
	p.API, p.BaseURL, p.Form, p.Path, p.KeyHeader, p.Header, p.Body = api, v.BaseURL, v.Form, v.Path, v.KeyHeader, v.Header, v.Body
	return p, err
}

// First gives the preset with another wire as its first one; "" leaves it.
func (p Preset) First(api string) Preset {
	if api == "" || api == p.API {
		return p
	}
	q, _ := p.For(api) // one that the vendor does not speak has no address yet
	q.Also = maps.Clone(p.Also)
	if q.Also == nil {
		q.Also = map[string]Variant{}
	}
	delete(q.Also, api)
	if p.API != "" {
		q.Also[p.API] = Variant{BaseURL: p.BaseURL, Form: p.Form, Path: p.Path, KeyHeader: p.KeyHeader, Header: p.Header, Body: p.Body}
	}
	return q
}

// At gives the preset with all its wires at one address.
func (p Preset) At(base string) Preset {
	p.BaseURL, p.Also = base, maps.Clone(p.Also)
	for api, v := range p.Also {
		v.BaseURL = base
		p.Also[api] = v
	}
	return p
}

// IDRuleNamed finds a rule by the name that settings use: any, mistral, anthropic or openai.
func IDRuleNamed(name string) (IDRule, bool) {
	i := slices.Index([]string{"any", "mistral", "anthropic", "openai"}, name)
	return IDRule(max(i, 0)), i >= 0
}

// Wires lists the wires that the vendor speaks, the first one first and the others by name.
func (p Preset) Wires() []string {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(p.Also)), func(api string) bool { return api == p.API })
	return append([]string{p.API}, others...)
}

// ModelInPath reports whether the model's id stands in the address instead of the body.
func (p Preset) ModelInPath() bool { return strings.Contains(p.Path, modelMark) }

// PathOf is the operation's path for a model, given the wire's own.
func (p Preset) PathOf(own, model string) string {
	if p.Path == "" {
		return own
	}
	return strings.ReplaceAll(p.Path, modelMark, model)
}

const modelMark = "{model}"

// Lookup finds a preset by name. The preset is the caller's own copy.
func Lookup(name string) (Preset, bool) {
	for _, p := range unsorted() {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}
