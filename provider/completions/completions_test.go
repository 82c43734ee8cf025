package completions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func newTest(p wire.Preset) *model {
	return New(wire.Config{BaseURL: "http://x.invalid/v1", Model: "m", Preset: p, Info: agent.ModelInfo{Vision: true, Files: true, Audio: true}}).(*model)
}

func testTools() []agent.Tool {
	return []agent.Tool{{Name: "bash", Doc: "Runs <it>.", Schema: json.RawMessage(`{"type": "object", "required": null}`)}, {Name: "now"}}
}

// history is a conversation of every kind of part.
func history(origin string) []agent.Message {
	return []agent.Message{
		{Role: agent.User, Parts: []agent.Part{agent.TextPart("Look <here> & \"there\"\n\x01\xff"), {Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Data: []byte("PNG")}}}},
		{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.Thinking, Text: "Hm.", Opaque: &agent.Opaque{Origin: origin, Data: json.RawMessage(`{"field":"reasoning_content"}`)}},
			{Kind: agent.CallKind, Call: &agent.Call{ID: "c1", Name: "bash", Args: json.RawMessage(`{"command":"ls <a>"}`)}, Opaque: &agent.Opaque{Origin: origin, Data: json.RawMessage(`{"extra_content":{"a":1}}`)}},
			{Kind: agent.CallKind, Call: &agent.Call{ID: "c2", Name: "now", Args: json.RawMessage(`"no json"`)}},
		}},
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: "c1", Parts: []agent.Part{agent.TextPart("a"), {Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/gif", URI: "https://h/i.gif"}}}}}}},
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: "c2"}}}},
		{Role: agent.Assistant, Parts: []agent.Part{agent.TextPart("Done.")}},
		agent.TextMessage(agent.User, "More."),
	}
}

func TestEncode(t *testing.T) {
	m := newTest(wire.Preset{Name: "v", ReasoningField: "reasoning_content"})
	req := &agent.Request{
		System: "Be brief.", Messages: history(m.Info().Origin()), Tools: testTools(), Choice: "bash", MaxOut: 9, Effort: "low",
		Schema: json.RawMessage(`{"type": "object"}`), Extra: map[string]json.RawMessage{"top_k": json.RawMessage("4"), "a": json.RawMessage(`[1, 2]`), "stream_options": json.RawMessage("null")},
	}
	want := `{"model":"m","stream":true,"max_tokens":9,"reasoning_effort":"low",` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}},` +
		`"tools":[{"type":"function","function":{"name":"bash","description":"Runs <it>.","parameters":{"type":"object","required":[]}}},` +
		`{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"bash"}},"a":[1,2],"stream_options":null,"top_k":4,"messages":[` +
		`{"role":"system","content":"Be brief."},` +
		`{"role":"user","content":[{"type":"text","text":"Look <here> & \"there\"\n\u0001` + "\uFFFD" + `"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls <a>\"}"},"extra_content":{"a":1}},` +
		`{"id":"c2","type":"function","function":{"name":"now","arguments":"{}"}}],"reasoning_content":"Hm."},` +
		`{"role":"tool","tool_call_id":"c1","content":"a"},{"role":"tool","tool_call_id":"c2","content":"(no output)"},` +
		`{"role":"user","content":[{"type":"text","text":"Attachments of the tool results above:"},{"type":"image_url","image_url":{"url":"https://h/i.gif"}}]},` +
		`{"role":"assistant","content":"Done."},{"role":"user","content":"More."}]}`
	if diff := cmp.Diff(want, string(m.encode(req))); diff != "" {
		t.Error(diff)
	}
}

// Pictures that tools gave go behind the batch to a model that can see, and are named to one that cannot.
func TestEncodePictures(t *testing.T) {
	blob := func(mime, name string) agent.Part {
		return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: name, Data: []byte("D")}}
	}
	result := func(id string, parts ...agent.Part) agent.Message {
		return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: id, Parts: parts}}}}
	}
	call := func(id string) agent.Part {
		return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: id, Name: "now", Args: json.RawMessage(`{}`)}}
	}
	req := &agent.Request{Messages: []agent.Message{
		{Role: agent.Assistant, Parts: []agent.Part{call("1"), call("2")}},
		result("1", agent.TextPart("see"), blob("image/png", "a.png")),
		result("2", blob("application/pdf", "b.pdf"), blob("text/plain", "c.txt")),
	}}
	m := newTest(wire.Preset{})
	for vision, want := range map[bool]string{
		true: `{"role":"tool","tool_call_id":"1","content":"see"},{"role":"tool","tool_call_id":"2","content":"(no output)"},` +
			`{"role":"user","content":[{"type":"text","text":"Attachments of the tool results above:"},` +
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,RA=="}},` +
			`{"type":"file","file":{"filename":"b.pdf","file_data":"data:application/pdf;base64,RA=="}},` +
			`{"type":"text","text":"c.txt\nD"}]}]}`,
		false: `{"role":"tool","tool_call_id":"1","content":"see\n[a.png (image/png) is left out: this model is not known to see it]"},` +
			`{"role":"tool","tool_call_id":"2","content":"[b.pdf (application/pdf) is left out: this model is not known to see it]"},` +
			`{"role":"user","content":[{"type":"text","text":"Attachments of the tool results above:"},{"type":"text","text":"c.txt\nD"}]}]}`,
	} {
		m.Config.Info.Vision, m.Config.Info.Files = vision, vision
		if got := string(m.encode(req)); !strings.HasSuffix(got, want) {
			t.Errorf("vision %v: %s", vision, got)
		}
	}
}

func TestEncodeContinuesBytes(t *testing.T) {
	m := newTest(wire.Preset{ReasoningField: "reasoning_content", ReasoningAlways: true})
	all := history(m.Info().Origin())
	var before []byte
	for _, n := range []int{1, 5, 6} { // where a request may be sent
		req := &agent.Request{System: "s", Messages: all[:n], Tools: testTools(), Extra: map[string]json.RawMessage{"b": json.RawMessage("1"), "a": json.RawMessage("2")}}
		body := m.encode(req)
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		if again := m.encode(req); !bytes.Equal(body, again) {
			t.Errorf("the same request has other bytes:\n%s\n%s", body, again)
		}
		if !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Errorf("%d messages do not continue\n%s\nbut are\n%s", n, before, body)
		}
		before = body
	}
}

func TestEncodeThoughts(t *testing.T) {
	for _, c := range []struct {
		name   string
		preset wire.Preset
		mem    string
		tools  bool
		want   string
	}{
		{"no field", wire.Preset{}, `{"field":"reasoning"}`, true, `{"role":"assistant","content":"A"}`},
		{"field", wire.Preset{ReasoningField: "reasoning"}, `{"field":"reasoning"}`, false, `{"role":"assistant","content":"A","reasoning":"T"}`},
		{"always, no tools", wire.Preset{ReasoningField: "reasoning_content", ReasoningAlways: true}, `{}`, false, `{"role":"assistant","content":"A"}`},
		{"details", wire.Preset{ReasoningField: "reasoning_details"}, `{"reasoning_details":[{"text":"T","index":0}]}`, true, `{"role":"assistant","content":"A","reasoning_details":[{"index":0,"text":"T"}]}`},
		{"in content", wire.Preset{ThinkInContent: true}, `{"before":"<think>","after":"</think>\n"}`, true, `{"role":"assistant","content":"<think>T</think>\nA"}`},
		{"other fields", wire.Preset{}, `{"thinking_blocks":[{"signature":"s"}],"fields":{"extra_content":{"x":1}}}`, true, `{"role":"assistant","content":"A","thinking_blocks":[{"signature":"s"}],"extra_content":{"x":1}}`},
	} {
		m := newTest(c.preset)
		for _, origin := range []string{m.Info().Origin(), "chat/other/m"} {
			req := &agent.Request{Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{
				{Kind: agent.Thinking, Text: "T", Opaque: &agent.Opaque{Origin: origin, Data: json.RawMessage(c.mem)}}, agent.TextPart("A"),
			}}}}
			if c.tools {
				req.Tools = testTools()
			}
			want := c.want
			if origin != m.Info().Origin() {
				want = `{"role":"assistant","content":"A"}`
			}
			if got := string(m.messages(nil, req)); got != "["+want+"]" {
				t.Errorf("%s, origin %s: %s, want [%s]", c.name, origin, got, want)
			}
		}
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRequestHead(t *testing.T) {
	for header, want := range map[string]string{"": "Authorization: Bearer k", "api-key": "Api-Key: k"} {
		var got *http.Request
		m := New(wire.Config{BaseURL: "http://x.invalid", Key: "k", Model: "m", Preset: wire.Preset{KeyHeader: header}, Header: http.Header{"x-title": {"t"}}, HTTP: &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			got = r
			return nil, errors.New("refused")
		})}})
		for _, err := range m.Stream(t.Context(), &agent.Request{}) {
			var me *agent.ModelError
			if !errors.As(err, &me) || me.Kind != agent.ErrNetwork || !me.Retryable {
				t.Errorf("got %v", err)
			}
		}
		name, value, _ := strings.Cut(want, ": ")
		if got.Header.Get(name) != value || got.Header.Get("X-Title") != "t" {
			t.Errorf("headers are %v", got.Header)
		}
	}
}

func TestCancelIsNotRetried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := New(wire.Config{BaseURL: "http://x.invalid", Model: "m", HTTP: &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		cancel()
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("data: {}\n\n"))}, nil
	})}})
	for _, err := range m.Stream(ctx, &agent.Request{}) {
		var me *agent.ModelError
		if !errors.As(err, &me) || me.Retryable {
			t.Errorf("got %v", err)
		}
	}
}

func TestStopsWhenTheConsumerLeaves(t *testing.T) {
	body := strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", 10)
	n := 0
	m := newTest(wire.Preset{})
	d := wire.NewDraft(m.Client, nil, func(agent.Chunk, error) bool { n++; return false })
	if err := d.Read(strings.NewReader(body), m.newDecoder(d)); err != nil || n != 1 {
		t.Errorf("%d chunks, %v", n, err)
	}
}

func BenchmarkDecode(b *testing.B) {
	line := `data: {"id":"chatcmpl-480f6ca5e27b55d7195b","object":"chat.completion.chunk","created":1790000000,"model":"gpt-lumen-2-eu-0123456789","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
	const deltas = 100_000
	body := []byte(strings.Repeat(line, deltas) + "data: [DONE]\n\n")
	for _, tools := range [][]agent.Tool{nil, testTools()} {
		b.Run(fmt.Sprintf("tools=%d", len(tools)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				m := newTest(wire.Preset{})
				d := wire.NewDraft(m.Client, tools, func(agent.Chunk, error) bool { n++; return true })
				if err := d.Read(bytes.NewReader(body), m.newDecoder(d)); err != nil || n < deltas {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
		})
	}
}
