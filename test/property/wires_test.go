package property_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider"
	"react-agent/provider/providertest"
	"react-agent/provider/texttag"
	"react-agent/provider/wire"
)

// base is an address that nobody listens at: every request is answered in this process.
const base = "http://model.invalid/v1"

// seat is one way to speak to a model.
type seat struct {
	name   string
	api    string
	preset string
	tags   bool // tools are told in the text
}

// seats are the wires, and dialects with rules of their own: short call ids, thoughts that must come back.
func seats() []seat {
	return []seat{
		{name: "chat", api: "chat", preset: "generic"},
		{name: "responses", api: "responses", preset: "openai"},
		{name: "anthropic", api: "anthropic", preset: "anthropic"},
		{name: "gemini", api: "gemini", preset: "gemini"},
		{name: "tags", api: "chat", preset: "generic", tags: true},
		{name: "mistral", api: "chat", preset: "mistral"},
		{name: "deepseek", api: "chat", preset: "deepseek"},
	}
}

// open opens a model whose requests go to via.
func (s seat) open(t interface{ Fatal(args ...any) }, window int, via http.RoundTripper) agent.Model {
	preset, ok := wire.Lookup(s.preset)
	if !ok {
		t.Fatal("no preset " + s.preset)
	}
	spec := provider.Spec{
		API: s.api, Preset: preset, BaseURL: base, Key: "k", Model: "model-" + s.name, HTTP: &http.Client{Transport: via},
		Info: agent.ModelInfo{Context: window, Vision: true}, Retry: provider.RetryPolicy{Retries: -1},
	}
	if s.tags {
		spec.Tags = &texttag.Options{}
	}
	m, err := provider.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var errLooked = errors.New("only the request is wanted")

// sent is a request as it would go out.
type sent struct {
	path string
	body []byte
}

// encoder keeps the bodies of requests and answers none.
type encoder struct {
	model agent.Model
	last  sent
}

func newEncoder(t interface{ Fatal(args ...any) }, s seat) *encoder {
	e := &encoder{}
	e.model = s.open(t, 1<<20, transport(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		e.last = sent{r.URL.Path, body}
		return nil, errors.Join(errLooked, err)
	}))
	return e
}

// encode gives the request as this wire sends it.
func (e *encoder) encode(ctx context.Context, req *agent.Request) (sent, error) {
	e.last = sent{}
	var failed error
	for _, err := range e.model.Stream(ctx, req) {
		failed = err
	}
	if !errors.Is(failed, errLooked) {
		return e.last, fmt.Errorf("the request did not leave: %w", failed)
	}
	return e.last, nil
}

// valid holds a request against what vendors refuse: [providertest.CheckPath] has who answers whom and which values may be
// empty, and here stands what it leaves to others: the form of ids, arguments that are objects, texts without a word.
func valid(s seat, r sent) error {
	if _, err := providertest.CheckPath(r.path, r.body); err != nil {
		return err
	}
	var body any
	if err := json.Unmarshal(r.body, &body); err != nil {
		return err
	}
	form := map[string]string{"mistral": `^[a-zA-Z0-9]{9}$`, "anthropic": `^[a-zA-Z0-9_-]{1,64}$`}[s.name]
	v := visitor{ids: regexp.MustCompile(form)}
	v.visit("", body)
	if s.api == "chat" && !s.tags {
		v.chat(body)
	}
	return errors.Join(v.faults...)
}

// visitor walks through a body as JSON and knows nothing of how it was made.
type visitor struct {
	ids    *regexp.Regexp
	faults []error
}

func (v *visitor) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf(format, args...))
}

func (v *visitor) visit(key string, x any) {
	switch x := x.(type) {
	case []any:
		for _, y := range x {
			v.visit(key, y)
		}
	case map[string]any:
		if key == "tool_calls" || x["type"] == "tool_use" {
			if id, _ := x["id"].(string); !v.ids.MatchString(id) {
				v.fault("id %q", id)
			}
		}
		if words, ok := x["text"].(string); ok && strings.TrimSpace(words) == "" && x["thoughtSignature"] == nil {
			v.fault("an empty text in %s", key)
		}
		if key == "properties" { // of a schema: names are no keys of ours
			return
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			v.visit(k, x[k])
		}
	case string:
		var o map[string]any
		if key == "arguments" && (json.Unmarshal([]byte(x), &o) != nil || o == nil) {
			v.fault("arguments %q", x)
		}
	}
}

// chat looks at what its messages say.
func (v *visitor) chat(body any) {
	o, _ := body.(map[string]any)
	list, _ := o["messages"].([]any)
	for i, x := range list {
		m, _ := x.(map[string]any)
		words, isText := m["content"].(string)
		calls, _ := m["tool_calls"].([]any)
		if m["role"] == "assistant" && len(calls) == 0 && isText && strings.TrimSpace(words) == "" {
			v.fault("message %d says nothing", i)
		}
		if m["role"] == "assistant" && len(calls) == 0 && m["content"] == nil {
			v.fault("message %d has no content", i)
		}
	}
}

// history gives the messages of a body, as they stand in it. Where a vendor is to cache up to is said anew each time, and
// is left out.
func history(t fataler, r sent) []string {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(r.body, &fields); err != nil {
		t.Fatalf("%v", err)
	}
	for _, name := range []string{"messages", "input", "contents"} {
		raw, ok := fields[name]
		if !ok {
			continue
		}
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatalf("%v", err)
		}
		out := make([]string, len(list))
		for i, m := range list {
			out[i] = strings.ReplaceAll(string(m), `,"cache_control":{"type":"ephemeral"}`, "")
		}
		return out
	}
	t.Fatalf("no conversation in %s", r.body)
	return nil
}

// The judge is judged: what vendors refuse, it finds.
func TestValidFindsFaults(t *testing.T) {
	chat, anthropic := seats()[0], seats()[2]
	const ask = `{"role":"user","content":"hi"}`
	for name, c := range map[string]struct {
		s    seat
		path string
		body string
	}{
		"a call without a result":   {chat, "/v1/chat/completions", `{"messages":[` + ask + `,{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}]}`},
		"arguments that are a list": {chat, "/v1/chat/completions", `{"messages":[` + ask + `,{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"[]"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`},
		"a message without a word":  {chat, "/v1/chat/completions", `{"messages":[` + ask + `,{"role":"assistant","content":""}]}`},
		"an empty block":            {anthropic, "/v1/messages", `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`},
		"an id with a dot":          {anthropic, "/v1/messages", `{"max_tokens":9,"messages":[` + ask + `,{"role":"assistant","content":[{"type":"tool_use","id":"a.b","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a.b"}]}]}`},
	} {
		if err := valid(c.s, sent{c.path, []byte(c.body)}); err == nil {
			t.Errorf("%s is not found", name)
		}
	}
	if err := valid(chat, sent{"/v1/chat/completions", []byte(`{"messages":[` + ask + `]}`)}); err != nil {
		t.Error(err)
	}
}
