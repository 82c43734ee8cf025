package cost_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/kit/cost"
	"react-agent/provider"
	"react-agent/provider/wire"
)

// shapeOf is how a vendor reports what one request has used, and what must come of it.
type shapeOf struct {
	name, vendor, api, model string
	body                     string
	// want is input, cached, written, output, thinking; "-" is unknown.
	want string
	usd  string
}

// chat is a reply of the Chat wire with these further chunks behind the text.
func chat(chunks ...string) string {
	all := append([]string{`{"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Two words"}}]}`}, chunks...)
	return "data: " + strings.Join(append(all, "[DONE]"), "\n\ndata: ") + "\n\n"
}

// last is a last chunk with this usage.
func last(usage string) string {
	return `{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":` + usage + `}`
}

// apart is the usage in a chunk of its own, without choices.
func apart(usage string) string {
	return chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `{"id":"1","model":"m","choices":[],"usage":`+usage+`}`)
}

// events is a stream of named events.
func events(list ...string) string {
	var b strings.Builder
	for _, data := range list {
		name, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, data)
	}
	return b.String()
}

// claude is a reply of the Anthropic wire, usage at its beginning and at its end.
func claude(begin, end string) string {
	return events(
		`{"type":"message_start","message":{"id":"1","type":"message","role":"assistant","model":"m","content":[],"usage":`+begin+`}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Two words"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+end+`}`,
		`{"type":"message_stop"}`,
	)
}

// response is a reply of the Responses wire.
func response(usage string) string {
	const item = `{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Two words","annotations":[]}]}`
	return events(
		`{"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress","output":[]}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"m1","role":"assistant","status":"in_progress","content":[]}}`,
		`{"type":"response.content_part.added","sequence_number":2,"output_index":0,"item_id":"m1","content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":3,"output_index":0,"item_id":"m1","content_index":0,"delta":"Two words"}`,
		`{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":`+item+`}`,
		`{"type":"response.completed","sequence_number":5,"response":{"id":"r","status":"completed","model":"m","output":[`+item+`],"usage":`+usage+`}}`,
	)
}

// gemini is a reply of the Gemini wire, which reports with every chunk.
func gemini(metadata ...string) string {
	var b strings.Builder
	for i, m := range metadata {
		reason := ""
		if i == len(metadata)-1 {
			reason = `,"finishReason":"STOP"`
		}
		fmt.Fprintf(&b, "data: {\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"1234\"}]}%s}],\"usageMetadata\":%s,\"modelVersion\":\"m\"}\n\n", reason, m)
	}
	return b.String()
}

// The table of shapes. Amounts by hand: gpt-5.4 2.5/0.25/15, above 272,000 5/0.5/22.5; gpt-6-sol 2/0.2/2.5 written/10;
// claude-opus-5 5/0.5/6.25 written/25; claude-haiku-5-5 above 100,000 0.5/0.05/0.625/2.5; gemini-2.5-pro 1.25/0.125/10,
// above 200,000 2.5/0.25/15; deepseek-flash 0.3/0.006/1.2; kimi-k3 3/0.3/15; MiniMax-M3 0.3/0.06/1.2.
func shapes() []shapeOf {
	const big = `{"prompt_tokens":%d,"completion_tokens":1000,"total_tokens":%d}`
	return []shapeOf{
		// Chat Completions: cached inside the input, thoughts inside the output
		{"plain", "openai", "chat", "gpt-5.4", chat(last(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`)), "1000 - - 100 -", "0.004"},
		{"a chunk of its own", "openai", "chat", "gpt-5.4", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`), "1000 - - 100 -", "0.004"},
		{"cached inside", "openai", "chat", "gpt-5.4", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":800}}`), "1000 800 - 100 -", "0.0022"},
		{"all cached", "openai", "chat", "gpt-5.4", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":1000}}`), "1000 1000 - 100 -", "0.00175"},
		{"thoughts inside", "openai", "chat", "gpt-5.4", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"completion_tokens_details":{"reasoning_tokens":60}}`), "1000 - - 100 60", "0.004"},
		{"written to the cache", "openai", "chat", "gpt-6-sol", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":300,"cache_write_tokens":200}}`), "1000 300 200 100 -", "0.00256"},
		{"written where that has no price", "openai", "chat", "gpt-5.4", apart(`{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":200}}`), "1000 0 200 0 -", "0.0025"},
		{"twice, cumulative", "openai", "chat", "gpt-5.4", chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":1000,"completion_tokens":40,"total_tokens":1040}}`, last(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`)), "1000 - - 100 -", "0.004"},
		{"the same twice", "openai", "chat", "gpt-5.4", chat(last(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`), `{"id":"1","model":"m","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}}`), "1000 - - 100 -", "0.004"},
		{"zeros behind it", "openai", "chat", "gpt-5.4", chat(last(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`), `{"id":"1","model":"m","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`), "1000 - - 100 -", "0.004"},
		{"null before it", "openai", "chat", "gpt-5.4", chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"x"}}],"usage":null}`, last(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`)), "1000 - - 100 -", "0.004"},
		{"inside the choice", "moonshot", "chat", "kimi-k3", chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cached_tokens":500}}]}`), "1000 500 - 100 -", "0.00315"},
		{"at the host's own name", "groq", "chat", "openai/gpt-oss-120b", chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"q","usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}}}`), "1000 - - 100 -", "0.00021"},
		{"hits and misses", "deepseek", "chat", "deepseek-flash", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_cache_hit_tokens":600,"prompt_cache_miss_tokens":400}`), "1000 600 - 100 -", "0.0002436"},
		{"cached beside, on this wire", "anthropic", "chat", "claude-opus-5", apart(`{"prompt_tokens":100,"completion_tokens":100,"cache_read_input_tokens":800,"cache_creation_input_tokens":100}`), "1000 800 100 100 -", "0.004025"},
		{"thoughts only in the total", "gemini-openai", "chat", "gemini-2.5-pro", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1500}`), "1000 - - 500 400", "0.00625"},
		{"its own money", "openrouter", "chat", "anthropic/claude-opus-5", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cost":0.0042}`), "1000 - - 100 -", "0.0042"},
		{"money of nothing, somebody else's bill", "openrouter", "chat", "anthropic/claude-opus-5", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cost":0}`), "1000 - - 100 -", "0.0075"},
		{"money of nothing, free", "openrouter", "chat", "google/gemma-4-31b-it:free", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cost":0}`), "1000 - - 100 -", "0"},
		{"at the bound of a tier", "openai", "chat", "gpt-5.4", apart(fmt.Sprintf(big, 272000, 273000)), "272000 - - 1000 -", "0.695"},
		{"above it", "openai", "chat", "gpt-5.4", apart(fmt.Sprintf(big, 272001, 273001)), "272001 - - 1000 -", "1.382505"},
		{"timings of a server of one's own", "llamacpp", "chat", "some.gguf", chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":400,"cache_n":600,"predicted_n":100}}`), "1000 600 - 100 -", "?"},
		{"nothing at all", "openai", "chat", "gpt-5.4", chat(`{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`), "~5 - - ~2 -", "0.0000425"},
		{"a model that nobody knows", "generic", "chat", "mine", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`), "1000 - - 100 -", "?"},
		{"a version that is not listed", "openai", "chat", "gpt-5.4-2026-03-05", apart(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`), "1000 - - 100 -", "0.004"},
		// Anthropic: cached and written beside the input, at both ends of the stream
		{"beside", "anthropic", "anthropic", "claude-opus-5", claude(`{"input_tokens":100,"cache_read_input_tokens":800,"cache_creation_input_tokens":100,"output_tokens":1}`, `{"output_tokens":100}`), "1000 800 100 100 -", "0.004025"},
		{"input only at the end", "anthropic", "anthropic", "claude-opus-5", claude(`{"input_tokens":0,"output_tokens":0}`, `{"input_tokens":1000,"output_tokens":100}`), "1000 - - 100 -", "0.0075"},
		{"zeros at the end", "anthropic", "anthropic", "claude-opus-5", claude(`{"input_tokens":1000,"output_tokens":1}`, `{"input_tokens":0,"output_tokens":100}`), "1000 - - 100 -", "0.0075"},
		{"cumulative at the end", "anthropic", "anthropic", "claude-opus-5", claude(`{"input_tokens":200,"cache_read_input_tokens":800,"output_tokens":40}`, `{"input_tokens":200,"cache_read_input_tokens":800,"output_tokens":100}`), "1000 800 - 100 -", "0.0039"},
		{"kept for an hour", "anthropic", "anthropic", "claude-opus-5", claude(`{"input_tokens":0,"cache_creation_input_tokens":1000,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":400,"ephemeral_1h_input_tokens":600},"output_tokens":1}`, `{"output_tokens":100}`), "1000 0 1000 100 -", "0.011"},
		{"a tier by all of the input", "anthropic", "anthropic", "claude-haiku-5-5", claude(`{"input_tokens":1,"cache_read_input_tokens":99999,"cache_creation_input_tokens":1000,"output_tokens":1}`, `{"output_tokens":1000}`), "101000 99999 1000 1000 -", "0.00812545"},
		// Responses
		{"cached inside", "openai", "responses", "gpt-5.4", response(`{"input_tokens":1000,"input_tokens_details":{"cached_tokens":800},"output_tokens":100,"output_tokens_details":{"reasoning_tokens":60},"total_tokens":1100}`), "1000 800 - 100 60", "0.0022"},
		{"plain", "openai", "responses", "gpt-5.4", response(`{"input_tokens":1000,"output_tokens":100,"total_tokens":1100}`), "1000 - - 100 -", "0.004"},
		{"null", "openai", "responses", "gpt-5.4", response(`null`), "~5 - - ~2 -", "0.0000425"},
		// Gemini: thoughts and the prompts of tools beside, every chunk with all so far
		{"thoughts beside", "gemini", "gemini", "gemini-2.5-pro", gemini(`{"promptTokenCount":1000,"candidatesTokenCount":10,"totalTokenCount":1010}`, `{"promptTokenCount":1000,"candidatesTokenCount":100,"thoughtsTokenCount":400,"totalTokenCount":1500}`), "1000 - - 500 400", "0.00625"},
		{"cached inside", "gemini", "gemini", "gemini-2.5-pro", gemini(`{"promptTokenCount":1000,"cachedContentTokenCount":800,"candidatesTokenCount":100,"totalTokenCount":1100}`), "1000 800 - 100 -", "0.00135"},
		{"its tier", "gemini", "gemini", "gemini-2.5-pro", gemini(`{"promptTokenCount":200001,"candidatesTokenCount":1000,"totalTokenCount":201001}`), "200001 - - 1000 -", "0.5150025"},
		{"the last chunk without", "gemini", "gemini", "gemini-2.5-pro", gemini(`{"promptTokenCount":1000,"candidatesTokenCount":100,"totalTokenCount":1100}`, `null`), "1000 - - 100 -", "0.00225"},
	}
}

// TestUsageShapes sends every shape through its real wire and the meter.
func TestUsageShapes(t *testing.T) {
	if n := len(shapes()); n < 30 {
		t.Fatalf("%d shapes", n)
	}
	for _, s := range shapes() {
		t.Run(s.api+" "+s.vendor+" "+s.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, s.body)
			}))
			defer srv.Close()
			preset, ok := wire.Lookup(s.vendor)
			if !ok {
				t.Fatal("no such vendor")
			}
			meter := cost.New(cost.Options{Prices: cost.NewTable(nil)})
			model, err := provider.Open(provider.Spec{
				API: s.api, Preset: preset, BaseURL: srv.URL + "/v1", Key: "k", Model: s.model, HTTP: srv.Client(),
				Retry: provider.RetryPolicy{Retries: -1}, Around: meter.Attempt,
			})
			if err != nil {
				t.Fatal(err)
			}
			var b agent.Builder
			req := &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}}
			for c, err := range meter.In("s", model).Stream(context.WithoutCancel(t.Context()), req) {
				if err != nil {
					t.Fatal(err)
				}
				if err := b.Add(c); err != nil {
					t.Fatal(err)
				}
			}
			u := b.Message().Usage
			about := ""
			if u.Estimated {
				about = "~"
			}
			got := fmt.Sprintf("%s%s %s %s %s%s %s", about, number(u.Input), number(u.Cached), number(u.CacheWrite), about, number(u.Output), number(u.Reasoning))
			if want := strings.ReplaceAll(s.want, " 0 ", " - "); strings.ReplaceAll(got, " 0 ", " - ") != want {
				t.Errorf("used %s, want %s", got, s.want)
			}
			if got := money(u.CostUSD); got != s.usd {
				t.Errorf("costs %s, want %s", got, s.usd)
			}
			calls, err := meter.Calls(t.Context(), "s")
			if err != nil || len(calls) != 1 || money(calls[0].Usage.CostUSD) != s.usd {
				t.Errorf("written down: %+v, %v", calls, err)
			}
		})
	}
}

func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func money(usd *float64) string {
	if usd == nil {
		return "?"
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.10f", *usd), "0"), ".")
}
