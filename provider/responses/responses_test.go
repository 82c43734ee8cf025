package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func newTest(p wire.Preset) *model {
	return New(wire.Config{BaseURL: "http://x.invalid/v1", Model: "m", Preset: p, Info: agent.ModelInfo{Vision: true}}).(*model)
}

func testTools() []agent.Tool {
	return []agent.Tool{{Name: "bash", Doc: "Runs <it>.", Schema: json.RawMessage(`{"type": "object", "required": null}`)}, {Name: "now"}}
}

const sealedItem = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAA","status":null}`

func callPart(id, name, args string) agent.Part {
	return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func resultOf(id string, parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: id, Parts: parts}}}}
}

func blob(mime, name, data, uri string) agent.Part {
	return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: name, Data: []byte(data), URI: uri}}
}

// history is a conversation of every kind of part.
func history(origin string) []agent.Message {
	opaque := func(data string) *agent.Opaque { return &agent.Opaque{Origin: origin, Data: json.RawMessage(data)} }
	return []agent.Message{
		{Role: agent.User, Parts: []agent.Part{agent.TextPart("Look <here> & \"there\"\n\x01\xff"), blob("image/png", "", "PNG", "")}},
		{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.Thinking, Text: "Hm.", Opaque: opaque(sealedItem)},
			{Kind: agent.Text, Text: "I look.", Opaque: opaque(`{"phase":"commentary"}`)},
			callPart("c1", "bash", `{"command":"ls <a>"}`),
			callPart("c2", "now", `"no json"`),
		}},
		resultOf("c1", agent.TextPart("a"), blob("image/gif", "i.gif", "", "https://h/i.gif")),
		resultOf("c2"),
		{Role: agent.Assistant, Parts: []agent.Part{agent.TextPart("Done."), {Kind: agent.Thinking, Opaque: opaque(sealedItem)}}},
		agent.TextMessage(agent.User, "More."),
	}
}

func TestEncode(t *testing.T) {
	m := newTest(wire.Preset{Name: "v"})
	req := &agent.Request{
		System: "Be brief.", Messages: history(m.Info().Origin()), Tools: testTools(), Choice: "bash", MaxOut: 9, Effort: "low",
		Schema: json.RawMessage(`{"type": "object"}`),
		Extra: map[string]json.RawMessage{
			"top_p": json.RawMessage("1"), "text": json.RawMessage(`{"verbosity":"low"}`), "prompt_cache_key": json.RawMessage(`"k"`), "reasoning": json.RawMessage(`{"summary":"detailed"}`),
		},
	}
	want := `{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":9,` +
		`"tools":[{"type":"function","name":"bash","description":"Runs <it>.","parameters":{"type":"object","required":[]},"strict":false},` +
		`{"type":"function","name":"now","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"tool_choice":{"type":"function","name":"bash"},"instructions":"Be brief.",` +
		`"prompt_cache_key":"k","reasoning":{"effort":"low","summary":"detailed"},` +
		`"text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"}},"verbosity":"low"},"top_p":1,"input":[` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"Look <here> & \"there\"\n\u0001` + "\uFFFD" + `"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,UE5H"}]},` +
		`{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAA"},` +
		`{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look.","annotations":[]}]},` +
		`{"type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"ls <a>\"}"},` +
		`{"type":"function_call","call_id":"c2","name":"now","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"a"},{"type":"input_image","detail":"auto","image_url":"https://h/i.gif"}]},` +
		`{"type":"function_call_output","call_id":"c2","output":"(no output)"},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done.","annotations":[]}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"More."}]}]}`
	if diff := cmp.Diff(want, string(m.encode(req, 0))); diff != "" {
		t.Error(diff)
	}
}

// What another model wrote is sent without its reasoning and its marks; so is what the server refused.
func TestEncodeForeign(t *testing.T) {
	m := newTest(wire.Preset{Name: "v"})
	for name, body := range map[string][]byte{
		"other origin": m.encode(&agent.Request{Messages: history("responses/other/m")}, 0),
		"refused":      m.encode(&agent.Request{Messages: history(m.Info().Origin()), Effort: "high"}, encrypted|replay|summary|cacheRoute|lists),
	} {
		words := []string{"reasoning", "encrypted", "prompt_cache_key", "summary", "output_text"}
		if name == "other origin" {
			words = []string{`"type":"reasoning"`, "phase"}
		}
		for _, w := range words {
			if w == "reasoning" && name == "refused" {
				w = `"type":"reasoning"`
			}
			if bytes.Contains(body, []byte(w)) {
				t.Errorf("%s has %s: %s", name, w, body)
			}
		}
	}
}

func TestEncodeParts(t *testing.T) {
	m := newTest(wire.Preset{})
	for _, c := range []struct {
		part agent.Part
		want string
	}{
		{blob("text/plain", "a.txt", "hi", ""), `{"type":"input_text","text":"a.txt\nhi"}`},
		{blob("image/png", "a.png", "", ""), `{"type":"input_text","text":"[attachment a.png (image/png) is not available]"}`},
		{blob("audio/x-wav", "", "hi", ""), `{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}`},
		{blob("application/pdf", "a.pdf", "hi", ""), `{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="}`},
		{blob("application/pdf", "a.pdf", "", "https://h/a.pdf"), `{"type":"input_file","file_url":"https://h/a.pdf"}`},
	} {
		msg := agent.Message{Role: agent.User, Parts: []agent.Part{c.part}}
		want := `[{"type":"message","role":"user","content":[` + c.want + `]}]`
		if got := string(m.input(nil, []agent.Message{msg}, 0)); got != want {
			t.Errorf("%s: %s, want %s", c.part.Blob.MIME, got, want)
		}
	}
}

// A picture from the time of another model is named to one that cannot see it.
func TestEncodeWithoutEyes(t *testing.T) {
	m := newTest(wire.Preset{})
	m.Config.Info.Vision = false
	got := string(m.input(nil, []agent.Message{
		{Role: agent.Assistant, Parts: []agent.Part{callPart("1", "now", `{}`)}},
		resultOf("1", agent.TextPart("see"), blob("image/png", "a.png", "D", ""), blob("text/plain", "c.txt", "D", "")),
	}, 0))
	want := `{"type":"function_call_output","call_id":"1","output":"see\n\n[a.png (image/png) is left out: this model is not known to see it]\n\nc.txt\nD"}]`
	if !strings.HasSuffix(got, want) {
		t.Error(got)
	}
}

// Ids are distinct in the whole list, in which calls and outputs find one another by id alone.
func TestEncodeRepeatedIDs(t *testing.T) {
	m := newTest(wire.Preset{})
	turn := func(key string) []agent.Message {
		c := callPart("call_0", "now", `{}`)
		c.Call.Key = key
		r := resultOf("call_0", agent.TextPart(key))
		r.Parts[0].Result.Key = key
		return []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{c}}, r}
	}
	var items []struct {
		Type   string
		CallID string `json:"call_id"`
		Output string
	}
	if err := json.Unmarshal(m.input(nil, append(turn("s/1.1"), turn("s/2.1")...), 0), &items); err != nil {
		t.Fatal(err)
	}
	if len(items) != 4 || items[0].CallID == items[2].CallID || items[0].CallID != items[1].CallID || items[2].CallID != items[3].CallID || items[3].Output != "s/2.1" {
		t.Errorf("%+v", items)
	}
}

func TestEncodeContinuesBytes(t *testing.T) {
	m := newTest(wire.Preset{})
	all := history(m.Info().Origin())
	var before []byte
	for _, n := range []int{1, 4, 6} { // where a request may be sent
		req := &agent.Request{System: "s", Messages: all[:n], Tools: testTools(), Extra: map[string]json.RawMessage{"b": json.RawMessage("1"), "a": json.RawMessage("2")}}
		body := m.encode(req, 0)
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		if again := m.encode(req, 0); !bytes.Equal(body, again) {
			t.Errorf("the same request has other bytes:\n%s\n%s", body, again)
		}
		if !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Errorf("%d messages do not continue\n%s\nbut are\n%s", n, before, body)
		}
		before = body
	}
}

func TestThoughtGoesBack(t *testing.T) {
	long := strings.Repeat("x", 65)
	for data, want := range map[string]string{
		`{"type":"reasoning","summary":[],"encrypted_content":null}`:                          "",
		`{"type":"reasoning","id":"rs_1","summary":[]}`:                                       "",
		`{"type":"reasoning","id":"rs_1","encrypted_content":"e"}`:                            `{"type":"reasoning","id":"rs_1","encrypted_content":"e","summary":[]}`,
		`{"type":"reasoning","id":"` + long + `","summary":null,"encrypted_content":"e"}`:     `{"type":"reasoning","encrypted_content":"e","summary":[]}`,
		`{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"e","new":{"a":1}}`: `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"e","new":{"a":1}}`,
	} {
		if got := string(thought(&agent.Opaque{Data: json.RawMessage(data)})); got != want {
			t.Errorf("%s goes back as %s, want %s", data, got, want)
		}
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := f(r)
	if resp != nil {
		resp.Request = r
	}
	return resp, err
}

// A server that refuses a part of the request which nobody asked for gets no such part any more; whatever else it refuses
// is an error as it is.
func TestRefusedParts(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		gone   string // what the next request is without; "" = nothing is learnt
	}{
		{400, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`, `"include"`},
		{400, `{"error":{"message":"Unknown parameter: 'include'.","type":"invalid_request_error"}}`, `"include"`},
		{400, `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}`, `"summary":"auto"`},
		{422, `{"detail":[{"type":"extra_forbidden","loc":["body","prompt_cache_key"],"msg":"Extra inputs are not permitted"}]}`, `"prompt_cache_key"`},
		{400, `{"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`, `"type":"reasoning"`},
		{400, `{"error":{"message":"4 validation errors: {'type': 'string_type', 'loc': ('body', 'input', 'str'), 'msg': 'Input should be a valid string'}","type":"Bad Request","code":400}}`, `output_text`},
		{422, `{"detail":[{"type":"string_type","loc":["body","input","str"],"msg":"Input should be a valid string"}]}`, `output_text`},
		{404, `{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when 'store' is set to false.","type":"invalid_request_error"}}`, `"type":"reasoning"`},
		{400, `{"error":{"message":"Unsupported parameter: 'temperature'.","type":"invalid_request_error"}}`, ""},
		{401, `{"error":{"message":"Bad key, include a good one: 'include'.","type":"invalid_request_error"}}`, ""},
	} {
		var bodies []string
		m := New(wire.Config{BaseURL: "http://x.invalid/v1", Model: "m", HTTP: &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			b, err := io.ReadAll(r.Body)
			bodies = append(bodies, string(b))
			return &http.Response{StatusCode: c.status, Body: io.NopCloser(strings.NewReader(c.body))}, err
		})}})
		for range 2 {
			req := &agent.Request{Messages: history(m.Info().Origin()), Effort: "low"}
			for _, err := range m.Stream(t.Context(), req) {
				var e *agent.ModelError
				if !errors.As(err, &e) {
					t.Fatal(err)
				}
				if first := len(bodies) == 1; e.Retryable != (first && c.gone != "") {
					t.Errorf("%s: error %d may be retried: %v", c.body, len(bodies), e.Retryable)
				}
			}
		}
		if c.gone == "" && bodies[0] != bodies[1] {
			t.Errorf("%s: something was learnt: %s", c.body, bodies[1])
		}
		if c.gone != "" && (!strings.Contains(bodies[0], c.gone) || strings.Contains(bodies[1], c.gone)) {
			t.Errorf("%s: %s should have gone from %s, which became %s", c.body, c.gone, bodies[0], bodies[1])
		}
	}
}

// Reasoning that the server cannot read is left out of its conversation; others keep theirs.
func TestRefusedReasoningIsOfOneConversation(t *testing.T) {
	var body string
	m := New(wire.Config{BaseURL: "http://x.invalid/v1", Model: "m", HTTP: &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(r.Body)
		body = string(b)
		said := `{"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`
		return &http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(said))}, err
	})}})
	thinks := func(data string) *agent.Request {
		return &agent.Request{Messages: []agent.Message{
			agent.TextMessage(agent.User, "hi"),
			{Role: agent.Assistant, Parts: []agent.Part{
				{Kind: agent.Thinking, Opaque: &agent.Opaque{Origin: m.Info().Origin(), Data: json.RawMessage(`{"type":"reasoning","encrypted_content":"` + data + `","summary":[]}`)}},
				agent.TextPart("hello"),
			}},
			agent.TextMessage(agent.User, "more"),
		}}
	}
	for i, c := range []struct {
		data string
		sent bool
	}{{"bad", true}, {"bad", false}, {"good", true}, {"bad", false}} {
		for _, err := range m.Stream(t.Context(), thinks(c.data)) {
			if e, ok := errors.AsType[*agent.ModelError](err); !ok || e.Retryable != c.sent {
				t.Errorf("%d: %v", i, err)
			}
		}
		if strings.Contains(body, `"encrypted_content":"`+c.data) != c.sent {
			t.Errorf("%d: %s", i, body)
		}
	}
}
