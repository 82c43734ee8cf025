package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func newTest(c wire.Config) *model {
	if c.Model == "" {
		c.Model = "gemini-9-test"
	}
	c.BaseURL = "http://x.invalid/v1beta"
	return New(c).(*model)
}

func testTools() []agent.Tool {
	return []agent.Tool{
		{Name: "bash", Doc: "Runs.", Schema: json.RawMessage(`{"type":"object","properties":{"c":{"type":"string"}}}`)},
		{Name: "now"},
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// reply is what a body came to.
type reply struct {
	Parts string // each as kind(text), calls with their arguments, in order, with what goes back behind it
	Stop  agent.StopReason
	Kind  agent.ErrorKind
	Retry bool
	Usage string
	Model string
}

// collect plays a body as the reply to a request, and puts its chunks together as the kernel does.
func collect(t *testing.T, m *model, status int, body io.Reader, tools []agent.Tool) (reply, agent.Message) {
	t.Helper()
	m.HTTP = &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	})}
	var b agent.Builder
	var r reply
	for c, err := range m.Stream(t.Context(), &agent.Request{Tools: tools}) {
		if err != nil {
			me, ok := errors.AsType[*agent.ModelError](err)
			if !ok || me.Error() == "" {
				t.Fatalf("error %v", err)
			}
			r.Kind, r.Retry = me.Kind, me.Retryable
			continue
		}
		if err := b.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	msg := b.Message()
	for _, p := range msg.Parts {
		switch {
		case p.Call != nil:
			if p.Call.ID == "" && r.Kind == "" {
				t.Error("a call without an id")
			}
			r.Parts += fmt.Sprintf("%s%s", p.Call.Name, p.Call.Args)
		case p.Blob != nil:
			r.Parts += fmt.Sprintf("blob(%s %s)", p.Blob.MIME, p.Blob.Data)
		default:
			r.Parts += fmt.Sprintf("%s(%s)", p.Kind, p.Text)
		}
		if p.Opaque != nil {
			if p.Opaque.Origin != m.Info().Origin() {
				t.Errorf("origin %q", p.Opaque.Origin)
			}
			r.Parts += string(p.Opaque.Data)
		}
	}
	r.Stop, r.Model = msg.Stop, msg.Model
	if u := msg.Usage; u != nil {
		r.Usage = counted(u.Input) + " " + counted(u.Output) + " " + counted(u.Cached) + " " + counted(u.Reasoning)
	}
	return r, msg
}

func counted(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// events writes values as a stream.
func events(values ...string) string {
	return "data: " + strings.Join(values, "\r\n\r\ndata: ") + "\r\n\r\n"
}

// said writes an event with parts.
func said(parts string) string {
	return `{"candidates":[{"index":0,"content":{"role":"model","parts":[` + parts + `]}}],"modelVersion":"v-1"}`
}

// ended writes an event with the end of a reply.
func ended(reason string) string {
	return `{"candidates":[{"finishReason":"` + reason + `","index":0}]}`
}

func counts9(fields string) string {
	return `{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{` + fields + `}}`
}

func TestDecode(t *testing.T) {
	const stop = "STOP"
	picture := `{"inlineData":{"mimeType":"image/png","data":"cGl4"},"thoughtSignature":"s"}`
	for _, c := range []struct {
		name, body string
		want       reply
	}{
		{"plain", events(said(`{"text":"Hel"}`), said(`{"text":"lo"}`), ended(stop)), reply{Parts: "text(Hello)", Stop: agent.StopEnd, Model: "v-1"}},
		{"whole", strings.Replace(said(`{"text":"Hi"}`), `"index":0`, `"finishReason":"STOP"`, 1), reply{Parts: "text(Hi)", Stop: agent.StopEnd, Model: "v-1"}},
		{"list", "[" + said(`{"text":"H"}`) + "\n,\n" + said(`{"text":"i"}`) + "," + ended(stop) + "]", reply{Parts: "text(Hi)", Stop: agent.StopEnd, Model: "v-1"}},
		{"wrapped", events(`{"response":`+said(`{"text":"Hi"}`)+`,"traceId":"t"}`, `{"response":`+ended(stop)+`}`), reply{Parts: "text(Hi)", Stop: agent.StopEnd, Model: "v-1"}},
		{"thoughts", events(said(`{"text":"hm","thought":true}`), said(`{"text":"m","thought":true}`), said(`{"text":"Yes"}`), ended(stop)), reply{Parts: "thinking(hmm)text(Yes)", Stop: agent.StopEnd, Model: "v-1"}},
		{"signed thought", events(said(`{"text":"hm","thought":true}`), said(`{"text":"m","thought":true,"thoughtSignature":"s+/="}`), said(`{"text":"Yes"}`), ended(stop)), reply{Parts: `thinking(hm)thinking(m){"thoughtSignature":"s+/="}text(Yes)`, Stop: agent.StopEnd, Model: "v-1"}},
		{"signature behind the text", events(said(`{"text":"A"}`), said(`{"text":"B"}`), said(`{"text":"","thoughtSignature":"s\u003d"}`), ended(stop)), reply{Parts: `text(AB)text(){"thoughtSignature":"s="}`, Stop: agent.StopEnd, Model: "v-1"}},
		{"signed text stays apart", events(said(`{"text":"A"}`), said(`{"text":"B","thoughtSignature":"1"}`), said(`{"text":"C","thoughtSignature":"2"}`), said(`{"text":"D"}`), ended(stop)), reply{Parts: `text(A)text(B){"thoughtSignature":"1"}text(C){"thoughtSignature":"2"}text(D)`, Stop: agent.StopEnd, Model: "v-1"}},
		{"call", events(said(`{"functionCall":{"name":"bash","args":{"c":"ls"}},"thoughtSignature":"s"}`), ended(stop)), reply{Parts: `bash{"c":"ls"}{"thoughtSignature":"s"}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"call with an id", events(said(`{"functionCall":{"id":"f-1","name":"bash","args":{"c":"ls"}}}`), ended(stop)), reply{Parts: `bash{"c":"ls"}{"id":"f-1"}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"call without arguments", events(said(`{"functionCall":{"name":"now"}},{"functionCall":{"name":"now","args":null}},{"functionCall":{"name":"now","args":{}}}`), ended(stop)), reply{Parts: `now{}now{}now{}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"arguments as a string", events(said(`{"functionCall":{"name":"bash","args":"{\"c\":1}"}}`), ended(stop)), reply{Parts: `bash{"c":1}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"equal calls", events(said(`{"functionCall":{"name":"bash","args":{"c":1}}},{"functionCall":{"name":"bash","args":{"c":1}}}`), ended(stop)), reply{Parts: `bash{"c":1}bash{"c":1}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"a call once more", events(said(`{"functionCall":{"id":"f","name":"bash","args":{"c":1}}}`), said(`{"functionCall":{"id":"f","name":"bash","args":{"c":1}}}`), ended(stop)), reply{Parts: `bash{"c":1}{"id":"f"}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"one id for two calls", events(said(`{"functionCall":{"id":"f","name":"bash","args":{"c":1}}},{"functionCall":{"id":"f","name":"bash","args":{"c":2}}}`), ended(stop)), reply{Parts: `bash{"c":1}{"id":"f"}bash{"c":2}{"id":"f"}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"text around a call", events(said(`{"text":"A"},{"functionCall":{"name":"now"}},{"text":"B"}`), ended(stop)), reply{Parts: `text(A)now{}text(B)`, Stop: agent.StopCalls, Model: "v-1"}},
		{"call with another finish", events(said(`{"functionCall":{"name":"now"}}`), ended("OTHER")), reply{Parts: `now{}`, Stop: agent.StopCalls, Model: "v-1"}},
		{"code", events(said(`{"text":"A"},{"executableCode":{"language":"PYTHON","code":"1 < 2"},"thoughtSignature":"s"},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"True"}},{"text":"B"}`), ended(stop)), reply{Parts: `text(A)thinking(){"part":{"executableCode":{"language":"PYTHON","code":"1 < 2"},"thoughtSignature":"s"}}thinking(){"part":{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"True"}}}text(B)`, Stop: agent.StopEnd, Model: "v-1"}},
		{"unknown beside text", events(said(`{"text":"A","newField":{"x":1}}`), ended(stop)), reply{Parts: `text(A)`, Stop: agent.StopEnd, Model: "v-1"}},
		{"picture", events(said(picture), ended(stop)), reply{Parts: `blob(image/png pix){"thoughtSignature":"s"}`, Stop: agent.StopEnd, Model: "v-1"}},
		{"grounding", events(strings.Replace(said(`{"text":"A"}`), `"index":0`, `"groundingMetadata":{"webSearchQueries":["q"]},"citationMetadata":{},"safetyRatings":[{"blocked":false}]`, 1), ended(stop)), reply{Parts: "text(A)", Stop: agent.StopEnd, Model: "v-1"}},
		{"other answers", events(said(`{"text":"A"}`), `{"candidates":[{"index":1,"content":{"parts":[{"text":"no"}]},"finishReason":"STOP"}]}`, ended(stop)), reply{Parts: "text(A)", Stop: agent.StopEnd, Model: "v-1"}},
		{"one part, no list", events(`{"candidates":[{"content":{"parts":{"text":"A"}},"finishReason":"STOP"}]}`), reply{Parts: "text(A)", Stop: agent.StopEnd}},
		{"no finish yet", events(`{"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"FINISH_REASON_UNSPECIFIED"}]}`, ended(stop)), reply{Parts: "text(A)", Stop: agent.StopEnd}},
		{"length", events(said(`{"text":"A"}`), ended("MAX_TOKENS")), reply{Parts: "text(A)", Stop: agent.StopLength, Model: "v-1"}},
		{"refused", events(said(`{"text":"A"}`), ended("RECITATION")), reply{Parts: "text(A)", Stop: agent.StopRefused, Model: "v-1"}},
		{"picture refused", events(said(`{"text":"A"}`), ended("IMAGE_PROHIBITED_CONTENT")), reply{Parts: "text(A)", Stop: agent.StopRefused, Model: "v-1"}},

		{"counts", events(counts9(`"promptTokenCount":10,"candidatesTokenCount":2,"thoughtsTokenCount":3,"cachedContentTokenCount":4,"toolUsePromptTokenCount":5,"totalTokenCount":20`)), reply{Parts: "text(x)", Stop: agent.StopEnd, Usage: "15 5 4 3"}},
		{"counts rise", events(`{"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":1,"totalTokenCount":11}}`, counts9(`"promptTokenCount":10,"candidatesTokenCount":7,"totalTokenCount":17`)), reply{Parts: "text(x)", Stop: agent.StopEnd, Usage: "10 7 - -"}},
		{"counts then zeros", events(counts9(`"promptTokenCount":10,"candidatesTokenCount":7`), `{"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"trafficType":"ON_DEMAND"}}`), reply{Parts: "text(x)", Stop: agent.StopEnd, Usage: "10 7 - -"}},
		{"thoughts in the answer", events(counts9(`"promptTokenCount":10,"candidatesTokenCount":7,"thoughtsTokenCount":3,"totalTokenCount":17`)), reply{Parts: "text(x)", Stop: agent.StopEnd, Usage: "10 7 - 3"}},
		{"thoughts in the total", events(counts9(`"promptTokenCount":10,"candidatesTokenCount":7,"totalTokenCount":20`)), reply{Parts: "text(x)", Stop: agent.StopEnd, Usage: "10 10 - 3"}},
		{"cached beside the prompt", events(counts9(`"promptTokenCount":10,"candidatesTokenCount":7,"cachedContentTokenCount":90`)), reply{Parts: "text(x)", Stop: agent.StopEnd, Usage: "100 7 90 -"}},
		{"nothing counted", events(counts9(`"trafficType":"ON_DEMAND"`)), reply{Parts: "text(x)", Stop: agent.StopEnd}},

		{"cut", events(said(`{"text":"A"}`)), reply{Parts: "text(A)", Kind: agent.ErrTruncated, Retry: true}},
		{"cut with a call", events(said(`{"functionCall":{"name":"now"}}`)), reply{Parts: "now{}", Kind: agent.ErrTruncated, Retry: true}},
		{"cut list", "[" + said(`{"text":"A"}`) + ",", reply{Kind: agent.ErrTruncated, Retry: true}},
		{"nothing", events(ended(stop)), reply{Kind: agent.ErrInvalidResponse, Retry: true}},
		{"malformed call", events(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"print(x)"}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`), reply{Kind: agent.ErrInvalidResponse, Retry: true, Usage: "9 0 - -"}},
		{"call in pieces", events(said(`{"functionCall":{"name":"bash","willContinue":true}}`), ended(stop)), reply{Kind: agent.ErrInvalidResponse}},
		{"damaged picture", events(said(`{"inlineData":{"mimeType":"image/png","data":"*"}}`), ended(stop)), reply{Kind: agent.ErrInvalidResponse, Retry: true}},
		{"blocked", events(`{"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"no"},"usageMetadata":{"promptTokenCount":8,"totalTokenCount":8}}`), reply{Kind: agent.ErrContentFilter, Usage: "8 0 - -"}},
		{"feedback without a block", events(`{"promptFeedback":{"safetyRatings":[]},"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP"}]}`), reply{Parts: "text(A)", Stop: agent.StopEnd}},
		{"error", events(said(`{"text":"A"}`), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), reply{Parts: "text(A)", Kind: agent.ErrServer, Retry: true}},
		{"error in a list", `[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`, reply{Kind: agent.ErrRateLimit, Retry: true}},
		{"flat error", events(`{"code":401,"message":"invalid api key","status":"x"}`), reply{Kind: agent.ErrAuth}},
		{"error event", "event: error\ndata: {\"message\":\"rate limit\"}\n\n", reply{Kind: agent.ErrRateLimit, Retry: true}},
		{"no error", events(strings.Replace(said(`{"text":"A"}`), `{`, `{"error":null,`, 1), ended(stop)), reply{Parts: "text(A)", Stop: agent.StopEnd, Model: "v-1"}},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(c.body), "by bytes": iotest.OneByteReader(strings.NewReader(c.body))} {
			got, _ := collect(t, newTest(wire.Config{}), http.StatusOK, r, testTools())
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, %s:\n%s", c.name, how, diff)
			}
		}
	}
}

func TestErrorStatus(t *testing.T) {
	got, _ := collect(t, newTest(wire.Config{}), http.StatusBadRequest, strings.NewReader(`[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`), nil)
	if got.Kind != agent.ErrAuth || got.Retry {
		t.Errorf("got %+v", got)
	}
}

// Every body of the repository's cases of this wire comes to the same, however it is split.
func TestSplits(t *testing.T) {
	played := 0
	for name, body := range caseBodies(t) {
		played++
		whole, _ := collect(t, newTest(wire.Config{}), http.StatusOK, strings.NewReader(body), testTools())
		bytewise, _ := collect(t, newTest(wire.Config{}), http.StatusOK, iotest.OneByteReader(strings.NewReader(body)), testTools())
		if diff := cmp.Diff(whole, bytewise); diff != "" {
			t.Errorf("%s comes to something else in pieces:\n%s", name, diff)
		}
	}
	if played < 5 {
		t.Errorf("only %d bodies were played", played)
	}
}

// caseBodies are the replies in the repository's cases of this wire.
func caseBodies(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "wire", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Type, API string
			HTTP      struct {
				Status int
				Chunks []any `json:"body_chunks"`
			}
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		if c.Type != "decode" || c.API != "gemini" || c.HTTP.Status != http.StatusOK {
			continue
		}
		var body strings.Builder
		for _, chunk := range c.HTTP.Chunks {
			if text, ok := chunk.(string); ok {
				body.WriteString(text)
			}
		}
		bodies[filepath.Base(file)] = body.String()
	}
	return bodies
}

func TestStopsWhenTheConsumerLeaves(t *testing.T) {
	n := 0
	m := newTest(wire.Config{})
	d := wire.NewDraft(m.Client, nil, func(agent.Chunk, error) bool { n++; return false })
	if err := d.Read(strings.NewReader(strings.Repeat(events(said(`{"text":"x"}`)), 10)), m.newDecoder(d)); err != nil || n != 1 {
		t.Errorf("%d chunks, %v", n, err)
	}
}

func BenchmarkDecode(b *testing.B) {
	line := `data: {"candidates": [{"content": {"parts": [{"text": " token"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 1234,"candidatesTokenCount": 57,"totalTokenCount": 1391,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 1234}],"thoughtsTokenCount": 100},"modelVersion": "gemini-9-lumen-eu","responseId": "0123456789abcdef012345"}` + "\r\n\r\n"
	const deltas = 100_000
	body := []byte(strings.Repeat(line, deltas) + events(ended("STOP")))
	for _, tools := range [][]agent.Tool{nil, testTools()} {
		b.Run(fmt.Sprintf("tools=%d", len(tools)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				m := newTest(wire.Config{})
				d := wire.NewDraft(m.Client, tools, func(agent.Chunk, error) bool { n++; return true })
				if err := d.Read(bytes.NewReader(body), m.newDecoder(d)); err != nil || n < deltas {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
		})
	}
}
