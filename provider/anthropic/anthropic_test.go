package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTest makes a model that sees.
func newTest(name string, p wire.Preset) *model {
	return New(wire.Config{BaseURL: "http://x.invalid", Model: name, Preset: p, Info: agent.ModelInfo{Vision: true}}).(*model)
}

func testTools() []agent.Tool {
	return []agent.Tool{{Name: "bash", Doc: "Runs <it>.", Schema: json.RawMessage(`{"type": "object", "required": null}`)}, {Name: "now"}}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRequestHead(t *testing.T) {
	vertex, _ := wire.Lookup("vertex")
	onVertex, err := vertex.For("anthropic")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		c    wire.Config
		url  string
		head map[string]string
		body string // begins with it
	}{
		{"base alone", wire.Config{BaseURL: "https://h.invalid", Key: "k"}, "https://h.invalid/v1/messages", map[string]string{"X-Api-Key": "k", "Authorization": "", "Anthropic-Version": "2023-06-01"}, `{"model":"claude-x","max_tokens":32000,"stream":true,"messages":[`},
		{"base with the version", wire.Config{BaseURL: "https://h.invalid/anthropic/v1/"}, "https://h.invalid/anthropic/v1/messages", map[string]string{"X-Api-Key": ""}, ""},
		{"whole address", wire.Config{BaseURL: "https://h.invalid/v1/messages?beta=true"}, "https://h.invalid/v1/messages?beta=true", nil, ""},
		{"a folder", wire.Config{BaseURL: "https://h.invalid/anthropic"}, "https://h.invalid/anthropic/v1/messages", nil, ""},
		{"no version", wire.Config{BaseURL: "https://h.invalid/vast"}, "https://h.invalid/vast/v1/messages", nil, ""},
		{"token", wire.Config{BaseURL: "https://h.invalid", Key: "k", Preset: wire.Preset{KeyHeader: "Authorization"}}, "https://h.invalid/v1/messages", map[string]string{"X-Api-Key": "", "Authorization": "Bearer k"}, ""},
		{
			"own headers",
			wire.Config{BaseURL: "https://h.invalid", Header: http.Header{"Anthropic-Beta": {"a,b"}, "Anthropic-Version": {"2099-01-01"}}},
			"https://h.invalid/v1/messages",
			map[string]string{"Anthropic-Beta": "a,b", "Anthropic-Version": "2099-01-01"},
			"",
		},
		{
			"model in the address",
			wire.Config{BaseURL: "https://h.invalid/v1/projects/p/locations/l", Key: "k", Preset: onVertex, Extra: onVertex.Body},
			"https://h.invalid/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:streamRawPredict",
			map[string]string{"Authorization": "Bearer k", "X-Api-Key": ""},
			`{"max_tokens":32000,"stream":true,"anthropic_version":"vertex-2023-10-16","messages":[`,
		},
	} {
		var seen *http.Request
		var body []byte
		c.c.Model = "claude-x"
		c.c.HTTP = &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			seen = r
			body, _ = io.ReadAll(r.Body) // in memory
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(finished("end_turn", text("x"))))}, nil
		})}
		for _, err := range New(c.c).Stream(t.Context(), &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "Hi")}}) {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if seen == nil {
			t.Fatalf("%s: nothing was sent", c.name)
		}
		if seen.URL.String() != c.url {
			t.Errorf("%s: sent to %s", c.name, seen.URL)
		}
		for key, want := range c.head {
			if got := seen.Header.Get(key); got != want {
				t.Errorf("%s: %s is %q", c.name, key, got)
			}
		}
		if !bytes.HasPrefix(body, []byte(c.body)) || !json.Valid(body) {
			t.Errorf("%s: %s", c.name, body)
		}
	}
}

func TestBadBase(t *testing.T) {
	for _, base := range []string{"h.invalid/v1", "http://[::1", ""} {
		for _, err := range New(wire.Config{BaseURL: base}).Stream(t.Context(), &agent.Request{}) {
			if me, ok := err.(*agent.ModelError); !ok || me.Kind != agent.ErrConfig { //nolint:errorlint // models return nothing else
				t.Errorf("%q: %v", base, err)
			}
		}
	}
}

func TestGenerations(t *testing.T) {
	old, effortOnly, format, current := abilities{}, abilities{effort: true, format: true}, abilities{format: true}, abilities{effort: true, adaptive: true, format: true}
	for name, want := range map[string]abilities{
		"claude-3-5-sonnet-20241022": old, "claude-3-haiku": old, "claude-2.1": old, "claude-sonnet-4-20250514": old, "claude-opus-4-1@20250805": old,
		"claude-sonnet-4-5-20250929": format, "us.anthropic.claude-haiku-4-5-20251001-v1:0": format, "claude-opus-4-5": effortOnly,
		"claude-opus-4-6": current, "anthropic.claude-opus-4-6-v1": current, "anthropic/claude-sonnet-4.6": current, "claude-sonnet-5": current,
		"claude-fable-5-1": current, "Claude-Opus-10": current, "claude-next": current, "claude": current,
		"deepseek-v4-pro": old, "gpt-oss:20b": old, "": old,
	} {
		if got := abilitiesOf(name); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	const deltas = 100_000
	for name, delta := range map[string]string{
		"text":     `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token"}}`,
		"thinking": `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" token"}}`,
		"input":    `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" token"}}`,
	} {
		kind := map[string]string{"text": `"text","text":""`, "thinking": `"thinking","thinking":""`, "input": `"tool_use","id":"t","name":"bash","input":{}`}[name]
		stream := start(0, `{"type":`+kind+`}`) + strings.Repeat("event: content_block_delta\ndata: "+delta+"\n\n", deltas) +
			start(1, `{"type":"text","text":"x"}`) + event("message_delta", `"delta":{"stop_reason":"end_turn"}`) + event("message_stop", "")
		body := []byte(stream)
		for _, tools := range [][]agent.Tool{nil, testTools()} {
			b.Run(fmt.Sprintf("%s/tools=%d", name, len(tools)), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					m := newTest("claude-x", wire.Preset{})
					d := wire.NewDraft(m.Client, tools, func(agent.Chunk, error) bool { n++; return true })
					if err := d.Read(bytes.NewReader(body), m.newDecoder(d, "")); err != nil || n < deltas {
						b.Fatal(n, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
			})
		}
	}
}
