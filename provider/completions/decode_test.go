package completions

import (
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

// reply is what a body came to, put together the way a consumer does.
type reply struct {
	Text, Thoughts, Calls string
	Stop                  agent.StopReason
	Kind                  agent.ErrorKind
	Usage                 string
	Opaque                string
}

// collect plays a body as the reply to a request.
func collect(t *testing.T, m *model, status int, body io.Reader, tools []agent.Tool) reply {
	t.Helper()
	m.HTTP = &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	})}
	type part struct {
		kind agent.Kind
		text strings.Builder
		call agent.Call
	}
	var parts []*part
	var r reply
	for c, err := range m.Stream(t.Context(), &agent.Request{Tools: tools}) {
		if err != nil {
			var me *agent.ModelError
			if !errors.As(err, &me) || me.Error() == "" || me.Provider == "" {
				t.Errorf("error %v", err)
				continue
			}
			r.Kind = me.Kind
			continue
		}
		if c.Reset {
			parts = nil
		}
		if c.Stop != "" {
			r.Stop = c.Stop
		}
		if u := c.Usage; u != nil {
			r.Usage = counted(u.Input) + " " + counted(u.Output) + " " + counted(u.Cached) + " " + counted(u.Reasoning)
		}
		if c.Part == nil {
			continue
		}
		for len(parts) <= c.Index {
			parts = append(parts, &part{kind: c.Part.Kind})
		}
		p := parts[c.Index]
		p.text.WriteString(c.Part.Text)
		if c.Part.Opaque != nil {
			r.Opaque += string(c.Part.Opaque.Data)
		}
		if call := c.Part.Call; call != nil {
			if call.ID != "" {
				p.call.ID = call.ID
			}
			if call.Name != "" {
				p.call.Name = call.Name
			}
			if call.Args != nil {
				p.call.Args = call.Args
			}
		}
	}
	for _, p := range parts {
		switch p.kind {
		case agent.Text:
			r.Text += p.text.String()
		case agent.Thinking:
			r.Thoughts += p.text.String()
		case agent.CallKind:
			args := p.text.String()
			if p.call.Args != nil {
				args = string(p.call.Args)
			}
			if p.call.ID == "" {
				t.Error("a call without an id")
			}
			r.Calls += fmt.Sprintf("%s(%s);", p.call.Name, args)
		default:
			t.Errorf("a part of kind %q", p.kind)
		}
	}
	return r
}

func counted(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// events writes chunks as a stream.
func events(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n"
}

// delta writes a chunk of the first choice.
func delta(fields string) string {
	return `{"model":"v/m-1","choices":[{"index":0,"delta":{` + fields + `}}]}`
}

// finished writes the chunk that ends a message.
func finished(reason string) string {
	return `{"choices":[{"delta":{},"finish_reason":"` + reason + `"}]}`
}

func TestDecode(t *testing.T) {
	const done = "[DONE]"
	for _, c := range []struct {
		name, body string
		preset     wire.Preset
		want       reply
	}{
		{"plain", events(delta(`"content":"Hel"`), delta(`"content":"lo"`), finished("stop"), `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`, done), wire.Preset{}, reply{Text: "Hello", Stop: agent.StopEnd, Usage: "5 2 - -"}},
		{"whole", `{"model":"x","choices":[{"message":{"content":"Hi","reasoning":"hm"},"finish_reason":"stop"}]}`, wire.Preset{}, reply{Text: "Hi", Thoughts: "hm", Stop: agent.StopEnd, Opaque: `{"field":"reasoning"}`}},
		{"list of wholes", `[{"choices":[{"message":{"content":"Hi"},"finish_reason":"length"}]}]`, wire.Preset{}, reply{Text: "Hi", Stop: agent.StopLength}},
		{"parts", events(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Yes"}]`), delta(`"content":{"thinking":"m","type":"thinking"}`), finished("stop")), wire.Preset{}, reply{Text: "Yes", Thoughts: "hmm", Stop: agent.StopEnd, Opaque: `{}`}},
		{"old call", events(delta(`"function_call":{"name":"now","arguments":""}`), delta(`"function_call":{"arguments":"{}"}`), finished("function_call")), wire.Preset{}, reply{Calls: "now({});", Stop: agent.StopCalls}},
		{"two calls", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"c\":"}}]`), delta(`"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"id":"b","function":{"name":"now","arguments":"{}"},"extra_content":{"g":2}}]`), finished("stop")), wire.Preset{}, reply{Calls: `bash({"c":1});now({});`, Stop: agent.StopCalls, Opaque: `{"extra_content":{"g":2}}`}},
		{"call as object", events(delta(`"tool_calls":[{"id":7,"function":{"name":"bash","arguments":{"c":1}}}]`), finished("tool_calls")), wire.Preset{}, reply{Calls: `bash({"c":1});`, Stop: agent.StopCalls}},
		{"parallel wrapper", events(delta(`"tool_calls":[{"id":"p","function":{"name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[{\"recipient_name\":\"functions.bash\",\"parameters\":{\"c\":1}},{\"recipient_name\":\"now\",\"parameters\":{}}]}"}}]`), finished("tool_calls")), wire.Preset{}, reply{Calls: `bash({"c":1});now({});`, Stop: agent.StopCalls}},
		{"name in pieces", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"ba"}}]`), delta(`"tool_calls":[{"index":0,"function":{"name":"sh","arguments":"{}"}}]`), finished("tool_calls")), wire.Preset{}, reply{Calls: `bash({});`, Stop: agent.StopCalls}},
		{"no index, no id", events(delta(`"tool_calls":[{"function":{"name":"bash","arguments":"{}"}}]`), delta(`"tool_calls":[{"function":{"name":"now","arguments":"{}"}}]`), finished("tool_calls")), wire.Preset{}, reply{Calls: `bash({});now({});`, Stop: agent.StopCalls}},
		{"new id for every piece", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"c\":"}}]`), delta(`"tool_calls":[{"index":0,"id":"b","function":{"name":"","arguments":"1}"}}]`), finished("tool_calls")), wire.Preset{}, reply{Calls: `bash({"c":1});`, Stop: agent.StopCalls}},
		{"phantom", events(delta(`"tool_calls":[{"index":0,"id":"a"}]`), delta(`"content":"No."`), finished("tool_calls")), wire.Preset{}, reply{Text: "No.", Stop: agent.StopEnd}},
		{"torn characters", events(delta(`"content":"a\ud83d"`), delta(`"content":"\ude00b"`), finished("stop")), wire.Preset{}, reply{Text: "a😀b", Stop: agent.StopEnd}},
		{"half a pair at the end", events(delta(`"content":"a\ud83d"`), finished("stop")), wire.Preset{}, reply{Text: "a�", Stop: agent.StopEnd}},
		{"thought without opener", events(delta(`"content":"let me"`), delta(`"content":" see</think>"`), delta(`"content":"Yes"`), finished("stop")), wire.Preset{}, reply{Text: "Yes", Thoughts: "let me see", Stop: agent.StopEnd, Opaque: `{"after":"</think>"}`}},
		{"details", events(delta(`"reasoning":"A","reasoning_details":[{"type":"reasoning.text","text":"A","index":0}]`), delta(`"reasoning_details":[{"type":"reasoning.text","text":"B","signature":"s","index":0},{"type":"reasoning.encrypted","data":"D","index":1}]`), delta(`"content":"x"`), finished("stop")), wire.Preset{}, reply{Text: "x", Thoughts: "A", Stop: agent.StopEnd, Opaque: `{"field":"reasoning","reasoning_details":[{"index":0,"signature":"s","text":"AB","type":"reasoning.text"},{"data":"D","index":1,"type":"reasoning.encrypted"}]}`}},
		{"blocks", events(delta(`"thinking_blocks":[{"type":"thinking","thinking":"A"}]`), delta(`"thinking_blocks":[{"type":"thinking","thinking":"B","signature":"s"}],"reasoning_opaque":"o"`), delta(`"content":"x"`), finished("stop")), wire.Preset{}, reply{Text: "x", Thoughts: "AB", Stop: agent.StopEnd, Opaque: `{"thinking_blocks":[{"signature":"s","thinking":"AB","type":"thinking"}],"fields":{"reasoning_opaque":"o"}}`}},
		{"refusal", events(delta(`"refusal":"I will not."`), finished("stop")), wire.Preset{}, reply{Text: "I will not.", Stop: agent.StopRefused}},
		{"unknown finish", events(delta(`"content":"x"`), finished("whatever")), wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd}},
		{"cached beside", events(delta(`"content":"x"`), finished("stop"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":30}}}`), wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd, Usage: "40 2 30 -"}},
		{"thoughts in the total", events(delta(`"content":"x"`), finished("stop"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":20}}`), wire.Preset{ThoughtsInTotal: true}, reply{Text: "x", Stop: agent.StopEnd, Usage: "10 10 - 8"}},
		{"thoughts beside", events(delta(`"content":"x"`), finished("stop"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":20,"completion_tokens_details":{"reasoning_tokens":8}}}`), wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd, Usage: "10 10 - 8"}},
		{"timings", events(delta(`"content":"x"`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":3,"predicted_n":4,"cache_n":5}}`), wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd, Usage: "8 4 5 -"}},
		{"text choice", events(`{"choices":[{"text":"x","finish_reason":"stop"}]}`), wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd}},

		{"cut", events(delta(`"content":"x"`)), wire.Preset{}, reply{Text: "x", Kind: agent.ErrTruncated}},
		{"cut JSON", `{"choices":[{"mess`, wire.Preset{}, reply{Kind: agent.ErrTruncated}},
		{"cut after the first value", `{"id":"a"}`, wire.Preset{}, reply{Kind: agent.ErrTruncated}},
		{"nothing", events(finished("stop")), wire.Preset{}, reply{Kind: agent.ErrInvalidResponse}},
		{"failed", events(delta(`"content":"x"`), finished("network_error")), wire.Preset{}, reply{Text: "x", Kind: agent.ErrServer}},
		{"malformed", events(finished("MALFORMED_FUNCTION_CALL: x")), wire.Preset{}, reply{Kind: agent.ErrInvalidResponse}},
		{"web page", "<html>login</html>", wire.Preset{}, reply{Kind: agent.ErrInvalidResponse}},
		{"no stream", "hello", wire.Preset{}, reply{Kind: agent.ErrInvalidResponse}},
		{"broken JSON", `{"a":b}`, wire.Preset{}, reply{Kind: agent.ErrInvalidResponse}},
		{"damaged event", events(delta(`"content":"x"`), `{"choices":`+"x}", finished("stop")), wire.Preset{}, reply{Text: "x", Kind: agent.ErrInvalidResponse}},
		{"error field", events(`{"error":{"message":"busy","code":429}}`), wire.Preset{}, reply{Kind: agent.ErrRateLimit}},
		{"error in a choice", events(`{"choices":[{"delta":{"content":"x"},"error":{"code":502,"message":"gone"}}]}`), wire.Preset{}, reply{Text: "x", Kind: agent.ErrServer}},
		{"error as text", "event: error\ndata: rate limit\n\n", wire.Preset{}, reply{Kind: agent.ErrRateLimit}},
		{"error as a string", events(`"rate limit"`), wire.Preset{}, reply{Kind: agent.ErrRateLimit}},
		{"flat error", events(`{"code":"Arrearage","message":"pay","request_id":"r"}`), wire.Preset{}, reply{Kind: agent.ErrQuota}},
		{"detail", `{"detail":"Unauthorized"}`, wire.Preset{}, reply{Kind: agent.ErrAuth}},
		{"no success", `{"success":false,"msg":"no"}`, wire.Preset{}, reply{Kind: agent.ErrServer}},
		{"base_resp", `{"choices":null,"base_resp":{"status_code":1008,"status_msg":"x"}}`, wire.Preset{}, reply{Kind: agent.ErrQuota}},
		{"x_groq", events(`{"choices":[],"x_groq":{"error":"over capacity"}}`), wire.Preset{}, reply{Kind: agent.ErrServer}},
		{"empty errors", events(`{"error":null,"choices":[{"delta":{"content":"x"}}]}`, `{"error":{},"choices":[]}`, `{"error":false,"choices":[],"base_resp":{"status_code":0}}`, finished("stop")), wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd}},
		{"values on lines", "data: " + delta(`"content":"x"`) + "\ndata: " + finished("stop") + "\ndata: [DONE]\n", wire.Preset{}, reply{Text: "x", Stop: agent.StopEnd}},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(c.body), "by bytes": iotest.OneByteReader(strings.NewReader(c.body))} {
			got := collect(t, newTest(c.preset), http.StatusOK, r, testTools())
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, %s:\n%s", c.name, how, diff)
			}
		}
	}
}

func TestErrorStatus(t *testing.T) {
	if got := collect(t, newTest(wire.Preset{Name: "v"}), 413, strings.NewReader(""), nil); got.Kind != agent.ErrContextLength {
		t.Errorf("got %+v", got)
	}
}

// Every body of the repository's cases comes to the same, however it is split.
func TestSplits(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "wire", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	played := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Type, API, Vendor string
			HTTP              struct {
				Status int
				End    string
				Chunks []any `json:"body_chunks"`
			}
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		plain := c.Type == "decode" && c.HTTP.End != "hang" && (c.API == "chat" || c.API == "text")
		for _, chunk := range c.HTTP.Chunks {
			text, ok := chunk.(string)
			plain = plain && ok
			body.WriteString(text)
		}
		if !plain {
			continue
		}
		played++
		preset, _ := wire.Lookup(c.Vendor)
		whole := collect(t, newTest(preset), c.HTTP.Status, strings.NewReader(body.String()), testTools())
		bytewise := collect(t, newTest(preset), c.HTTP.Status, iotest.OneByteReader(strings.NewReader(body.String())), testTools())
		if diff := cmp.Diff(whole, bytewise); diff != "" {
			t.Errorf("%s comes to something else in pieces:\n%s", filepath.Base(file), diff)
		}
	}
	if played < 30 {
		t.Errorf("only %d bodies were played", played)
	}
}

func TestContentParts(t *testing.T) {
	m := newTest(wire.Preset{})
	for _, c := range []struct {
		blob agent.Blob
		want string
	}{
		{agent.Blob{MIME: "text/plain", Name: "a.txt", Data: []byte("hi")}, `{"type":"text","text":"a.txt\nhi"}`},
		{agent.Blob{MIME: "image/png", Name: "a.png"}, `{"type":"text","text":"[attachment a.png (image/png) is not available]"}`},
		{agent.Blob{MIME: "audio/x-wav", Data: []byte("hi")}, `{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}`},
		{agent.Blob{MIME: "application/pdf", Name: "a.pdf", Data: []byte("hi")}, `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="}}`},
	} {
		msg := agent.Message{Role: agent.User, Parts: []agent.Part{{Kind: agent.BlobKind, Blob: &c.blob}}}
		want := `[{"role":"user","content":[` + c.want + `]}]`
		if got := string(m.messages(nil, &agent.Request{Messages: []agent.Message{msg}})); got != want {
			t.Errorf("%s: %s, want %s", c.blob.MIME, got, want)
		}
	}
}

// Thoughts that stood in tags do not turn into a field.
func TestEncodeTaggedThoughts(t *testing.T) {
	for _, field := range []string{"reasoning", "reasoning_content", "reasoning_details"} {
		m := newTest(wire.Preset{ReasoningField: field, EmptyContent: `""`})
		msg := agent.Message{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.Thinking, Text: "T", Opaque: &agent.Opaque{Origin: m.Info().Origin(), Data: json.RawMessage(`{"after":"</think>"}`)}}, agent.TextPart("A"),
		}}
		if got := string(m.messages(nil, &agent.Request{Messages: []agent.Message{msg}})); got != `[{"role":"assistant","content":"A"}]` {
			t.Errorf("%s: %s", field, got)
		}
	}
}
