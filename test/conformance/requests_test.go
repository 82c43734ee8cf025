package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"react-agent/agent"
)

// geminiRequest is the body of generateContent in the library's types; the library has no type for all of it.
type geminiRequest struct {
	SystemInstruction *genai.Content          `json:"systemInstruction,omitempty"`
	Contents          []*genai.Content        `json:"contents,omitempty"`
	Tools             []*genai.Tool           `json:"tools,omitempty"`
	ToolConfig        *genai.ToolConfig       `json:"toolConfig,omitempty"`
	GenerationConfig  *genai.GenerationConfig `json:"generationConfig,omitempty"`
}

// A kind is the request type of a library.
type kind struct {
	into func() any
	// beside are places at which our body has something that the type has not, each with the reason.
	beside map[string]string
	// instead checks a place that the type can write but not read: what the library writes there.
	instead map[string]func() any
}

// kinds are the request types, by wire. Places are paths, with * for any number.
func kinds() map[string]kind {
	return map[string]kind{
		"chat": {
			func() any { return new(openai.ChatCompletionNewParams) },
			map[string]string{
				"/stream":                     "the library adds it by itself",
				"/messages/*/thinking_blocks": "a gateway's field of a reply goes back to where it came from",
			},
			map[string]func() any{"/tool_choice": func() any {
				return openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "bash"})
			}},
		},
		"responses": {
			func() any { return new(responses.ResponseNewParams) },
			map[string]string{"/stream": "the library adds it by itself"},
			map[string]func() any{"/tool_choice": func() any { return responses.ToolChoiceFunctionParam{Name: "bash"} }},
		},
		"anthropic": {func() any { return new(anthropic.MessageNewParams) }, map[string]string{"/stream": "the library adds it by itself"}, nil},
		"gemini":    {into: func() any { return new(geminiRequest) }},
	}
}

// vendors are the makers of the libraries: what other vendors add to a protocol is theirs.
func vendors() map[string]struct{ vendor, model string } {
	return map[string]struct{ vendor, model string }{
		"chat": {"openai", "gpt-6.2-sol"}, "responses": {"openai", "gpt-6.2-sol"}, "anthropic": {"anthropic", "claude-sonnet-5-5"}, "gemini": {"gemini", "gemini-3.8-flash"},
	}
}

// TestRequestsAreTheirs sends rich conversations with every wire and puts each body through the library's types: what
// comes out must equal what went in. A field that a library does not know would be lost there.
func TestRequestsAreTheirs(t *testing.T) {
	for api, kind := range kinds() {
		t.Run(api, func(t *testing.T) {
			n := 0
			for name, req := range requests(t, api) {
				n++
				body := bodyOf(t, api, req)
				// Google's word for a missing signature is no base64, which its own Go type asks for.
				body = bytes.ReplaceAll(body, []byte(`"skip_thought_signature_validator"`), []byte(`"c2tpcA=="`))
				body = kind.written(t, body)
				value := kind.into()
				dec := json.NewDecoder(bytes.NewReader(body))
				dec.DisallowUnknownFields()
				if err := dec.Decode(value); err != nil {
					t.Errorf("%s: the library cannot read our body: %v\n%s", name, err, body)
					continue
				}
				back, err := json.Marshal(value)
				if err != nil {
					t.Errorf("%s: the library cannot write our body: %v\n%s", name, err, body)
					continue
				}
				for _, d := range compare(t, body, back) {
					path, _, _ := strings.Cut(d, " ")
					if _, known := kind.beside[place(path)]; !known {
						t.Errorf("%s: %s\nours %s", name, d, body)
					}
				}
			}
			t.Logf("%d bodies went through the library's types", n)
			if n < 8 {
				t.Errorf("only %d bodies were tried", n)
			}
		})
	}
}

// place is a path without its numbers.
func place(path string) string { return regexp.MustCompile(`/\d+\b`).ReplaceAllString(path, "/*") }

// written compares the places that the library only writes, and takes them out of the body.
func (k kind) written(t *testing.T, body []byte) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	for path, theirs := range k.instead {
		key := strings.TrimPrefix(path, "/")
		if raw := fields[key]; len(raw) > 0 && raw[0] == '{' {
			want, err := json.Marshal(theirs())
			if err != nil {
				t.Fatal(err)
			}
			if d := compare(t, want, raw); len(d) > 0 {
				t.Errorf("%s: we send %s, the library %s", path, raw, want)
			}
			delete(fields, key)
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bodyOf is what our wire sends.
func bodyOf(t *testing.T, api string, req *agent.Request) []byte {
	t.Helper()
	s := &server{status: http.StatusTeapot}
	for range open(api, vendors()[api].vendor, vendors()[api].model, s).Stream(t.Context(), req) {
		continue // it fails; the body is all that is wanted
	}
	if len(s.sent) == 0 {
		t.Fatal("nothing was sent")
	}
	return s.sent
}

// compare lists where two bodies differ, each as a path and what is there.
func compare(t *testing.T, a, b []byte) (out []string) {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	diff(&out, "", x, y)
	return out
}

func diff(out *[]string, at string, x, y any) {
	switch x := x.(type) {
	case map[string]any:
		if y, ok := y.(map[string]any); ok {
			for key := range x {
				if _, ok := y[key]; !ok && !zero(x[key]) {
					*out = append(*out, fmt.Sprintf("%s/%s is lost: %v", at, key, x[key]))
				} else if ok {
					diff(out, at+"/"+key, x[key], y[key])
				}
			}
			for key := range y {
				if _, ok := x[key]; !ok {
					*out = append(*out, fmt.Sprintf("%s/%s is added: %v", at, key, y[key]))
				}
			}
			return
		}
	case []any:
		if y, ok := y.([]any); ok && len(x) == len(y) {
			for i := range x {
				diff(out, fmt.Sprintf("%s/%d", at, i), x[i], y[i])
			}
			return
		}
	}
	if !reflect.DeepEqual(x, y) && !spelled(x, y) {
		*out = append(*out, fmt.Sprintf("%s is %v, was %v", at, y, x))
	}
}

// spelled reports whether a content is the same text in its two spellings: a string, or a list with one block of text.
func spelled(x, y any) bool {
	return reflect.DeepEqual(y, []any{map[string]any{"type": "text", "text": x}})
}

// zero reports whether a value is one that the library's types cannot tell from none: an empty string, an empty object.
func zero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	}
	return v == nil
}

// requests are conversations with everything in them, by name.
func requests(t *testing.T, api string) map[string]*agent.Request {
	t.Helper()
	out := map[string]*agent.Request{
		"first":        {System: "Be brief.", Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}, Tools: tools(nil)},
		"lean":         {Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}},
		"one tool":     {Messages: conversation("nobody"), Tools: tools(nil), Choice: "bash", MaxOut: 2000},
		"some tool":    {Messages: conversation("nobody"), Tools: tools(nil), Choice: "required", Effort: "high"},
		"no tool":      {Messages: conversation("nobody"), Tools: tools(nil), Choice: "none", Effort: "low"},
		"schema":       {Messages: conversation("nobody"), Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)},
		"attachments":  {Messages: []agent.Message{attached(agent.User)}},
		"schema tools": {System: "s", Messages: conversation("nobody"), Tools: tools(nil), Schema: json.RawMessage(`{"type":"object","properties":{}}`), MaxOut: 5000, Effort: "medium"},
	}
	for name, history := range heard(t, api) {
		out["after "+name] = &agent.Request{System: "s", Messages: append(slices.Clip(history), agent.TextMessage(agent.User, "And then?")), Tools: tools(nil)}
	}
	return out
}

// conversation has text, thoughts, parallel calls, failed and empty results, attachments in results, and what was typed
// while tools ran. Its opaque parts are of an origin that nobody has.
func conversation(origin string) []agent.Message {
	call := func(id, name, args string) agent.Part {
		return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: id, Name: name, Args: json.RawMessage(args)}}
	}
	result := func(id string, failed bool, parts ...agent.Part) agent.Message {
		return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: id, Error: failed, Parts: parts}}}}
	}
	return []agent.Message{
		agent.TextMessage(agent.User, "Look."),
		{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.Thinking, Text: "hm", Opaque: &agent.Opaque{Origin: origin, Data: json.RawMessage(`{"signature":"s"}`)}},
			agent.TextPart("I look."),
			call("a", "bash", `{"command":"ls"}`), call("b", "get_time", `{}`), call("c", "no such tool", `[]`),
		}},
		result("a", false, append([]agent.Part{agent.TextPart("see")}, attached(agent.User).Parts...)...), result("b", false), result("c", true, agent.TextPart("there is none")),
		agent.TextMessage(agent.User, "Hurry."),
		agent.TextMessage(agent.Assistant, "Done."),
		{Role: agent.User, From: "memory", Parts: []agent.Part{agent.TextPart("one"), agent.TextPart("two")}},
	}
}

func attached(role agent.Role) agent.Message {
	blob := func(mime, name, data string) agent.Part {
		return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: name, Data: []byte(data)}}
	}
	return agent.Message{Role: role, Parts: []agent.Part{
		agent.TextPart("these"), blob("image/png", "a.png", "PNG"), blob("application/pdf", "b.pdf", "PDF"), blob("text/plain", "c.txt", "words"),
		{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/jpeg", Name: "lost.jpg"}},
	}}
}

// heard are conversations in which the wire itself has decoded a reply of the cases, with all that goes back.
func heard(t *testing.T, api string) map[string][]agent.Message {
	t.Helper()
	out := map[string][]agent.Message{}
	for _, c := range decodeCases(t) {
		if c.API != api {
			continue
		}
		s := &server{status: http.StatusOK, body: c.body()}
		v := vendors()[api]
		var b agent.Builder
		good := true
		for chunk, err := range open(api, v.vendor, v.model, s).Stream(t.Context(), &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "Go on.")}, Tools: tools(nil)}) {
			if err != nil || b.Add(chunk) != nil {
				good = false
				break
			}
		}
		if !good {
			continue
		}
		msg := b.Message()
		history := []agent.Message{agent.TextMessage(agent.User, "Go on."), msg}
		for _, call := range msg.Calls() {
			r := agent.TextResult("done")
			r.CallID = call.ID
			history = append(history, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
		}
		out[c.Name] = history
	}
	return out
}
