package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func calling(id, name, args string) agent.Part {
	return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func result(id string, failed bool, parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: id, Error: failed, Parts: parts}}}}
}

func blob(mime, name, data string) agent.Part {
	return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: name, Data: []byte(data)}}
}

// with gives a part something that goes back to an origin.
func with(p agent.Part, origin, data string) agent.Part {
	p.Opaque = &agent.Opaque{Origin: origin, Data: json.RawMessage(data)}
	return p
}

func said9(parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.Assistant, Parts: parts}
}

func TestContents(t *testing.T) {
	m := newTest(wire.Config{Info: agent.ModelInfo{Vision: true, Files: true, Audio: true}})
	own := m.Info().Origin()
	hi := agent.TextMessage(agent.User, "hi")
	const first = `{"role":"user","parts":[{"text":"hi"}]}`
	for _, c := range []struct {
		name string
		msgs []agent.Message
		want string
	}{
		{"nothing", nil, `{"role":"user","parts":[{"text":"Go on."}]}`},
		{"one", []agent.Message{hi}, first},
		{"the user speaks twice", []agent.Message{hi, agent.TextMessage(agent.System, "s"), {Role: agent.User, Parts: []agent.Part{agent.TextPart("a"), {}, agent.TextPart("b")}}}, `{"role":"user","parts":[{"text":"hi"},{"text":"s"},{"text":"a"},{"text":"b"}]}`},
		{"the model begins and ends", []agent.Message{said9(agent.TextPart("a")), said9(agent.TextPart("b"))}, `{"role":"user","parts":[{"text":"[The conversation before this is not here.]"}]},{"role":"model","parts":[{"text":"a"},{"text":"b"}]},{"role":"user","parts":[{"text":"Go on."}]}`},
		{
			"calls",
			[]agent.Message{hi, said9(calling("1", "now", `{}`), calling("2", "bash", `{"c":1}`)), result("2", true, agent.TextPart("bad")), result("1", false, agent.TextPart("noon"), agent.TextPart("sharp")), agent.TextMessage(agent.User, "so?")},
			first + `,{"role":"model","parts":[{"functionCall":{"name":"now","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"bash","args":{"c":1}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"now","response":{"output":"noon\n\nsharp"}}},{"functionResponse":{"name":"bash","response":{"error":"bad"}}},{"text":"so?"}]}`,
		},
		{
			"own parts",
			[]agent.Message{hi, said9(
				agent.Part{Kind: agent.Thinking, Text: "unsigned"}, with(agent.Part{Kind: agent.Thinking, Text: "T"}, own, `{"thoughtSignature":"t"}`),
				with(agent.TextPart(""), own, `{"thoughtSignature":"e"}`), with(agent.Part{Kind: agent.Thinking}, own, `{"part":{ "executableCode":{"code":"1"}}}`),
				with(calling("x", "now", `{}`), own, `{"id":"f-1","thoughtSignature":"c"}`), with(blob("image/png", "p", "D"), own, `{"thoughtSignature":"b"}`),
				with(agent.TextPart("bad"), own, `[`),
			), result("x", false, agent.TextPart("noon"))},
			first + `,{"role":"model","parts":[{"text":"T","thought":true,"thoughtSignature":"t"},{"text":"","thoughtSignature":"e"},{"executableCode":{"code":"1"}},` +
				`{"functionCall":{"id":"f-1","name":"now","args":{}},"thoughtSignature":"c"},{"inlineData":{"mimeType":"image/png","data":"RA=="},"thoughtSignature":"b"},{"text":"bad"}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"f-1","name":"now","response":{"output":"noon"}}}]}`,
		},
		{
			"foreign parts",
			[]agent.Message{hi, said9(
				with(agent.Part{Kind: agent.Thinking, Text: "T"}, "gemini/v/other", `{"thoughtSignature":"t"}`), with(agent.TextPart("A"), "gemini/v/other", `{"thoughtSignature":"e"}`),
				with(calling("x", "now", `{}`), "chat/v/m", `{"id":"f-1","thoughtSignature":"c"}`),
			), result("x", false, agent.TextPart("noon"))},
			first + `,{"role":"model","parts":[{"text":"A"},{"functionCall":{"name":"now","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"name":"now","response":{"output":"noon"}}}]}`,
		},
		{
			"invented names",
			[]agent.Message{hi, said9(calling("x", "9 Öfen/<|x|>", `[]`)), result("x", true, agent.TextPart("no"))},
			first + `,{"role":"model","parts":[{"functionCall":{"name":"_9__fen___x__","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},{"role":"user","parts":[{"functionResponse":{"name":"_9__fen___x__","response":{"error":"no"}}}]}`,
		},
		{
			"attachments",
			[]agent.Message{{Role: agent.User, Parts: []agent.Part{
				blob("image/png", "a.png", "D"), blob("application/pdf", "b.pdf", "D"), blob("audio/wav", "c.wav", "D"), blob("text/plain", "d.txt", "D"),
				{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "video/mp4", URI: "https://h/v"}},
				{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/gif", Name: "lost.gif"}},
			}}},
			`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"RA=="}},{"inlineData":{"mimeType":"application/pdf","data":"RA=="}},{"inlineData":{"mimeType":"audio/wav","data":"RA=="}},{"text":"d.txt\nD"},` +
				`{"fileData":{"mimeType":"video/mp4","fileUri":"https://h/v"}},{"text":"[attachment lost.gif (image/gif) is not available]"}]}`,
		},
		{
			"results with attachments",
			[]agent.Message{
				hi, said9(calling("1", "now", `{}`), calling("2", "now", `{}`)),
				result("1", false, agent.TextPart("see"), blob("image/png", "a.png", "D"), blob("audio/wav", "c.wav", "E"), blob("text/plain", "t", "F")), result("2", false, blob("application/pdf", "b.pdf", "D")),
				said9(agent.TextPart("ok")), hi,
			},
			first + `,{"role":"model","parts":[{"functionCall":{"name":"now","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"now","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"now","response":{"output":"see\n\nt\nF"},"parts":[{"inlineData":{"mimeType":"image/png","data":"RA=="}}]}},` +
				`{"functionResponse":{"name":"now","response":{"output":""},"parts":[{"inlineData":{"mimeType":"application/pdf","data":"RA=="}}]}},{"inlineData":{"mimeType":"audio/wav","data":"RQ=="}}]},` +
				`{"role":"model","parts":[{"text":"ok"}]},` + first,
		},
	} {
		got := string(m.contents(nil, &agent.Request{Messages: c.msgs}))
		if diff := cmp.Diff("["+c.want+"]", got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// A model before the third generation wants attachments behind the results, and knows no stand-in for a signature.
func TestContentsOfOlderModels(t *testing.T) {
	msgs := []agent.Message{said9(calling("1", "now", `{}`)), result("1", false, blob("image/png", "a.png", "D"))}
	for vision, want := range map[bool]string{
		true:  `{"functionResponse":{"name":"now","response":{"output":""}}},{"inlineData":{"mimeType":"image/png","data":"RA=="}}]}]`,
		false: `{"functionResponse":{"name":"now","response":{"output":"[a.png (image/png) is left out: this model is not known to see it]"}}}]}]`,
	} {
		m := newTest(wire.Config{Model: "gemini-2.5-pro", Info: agent.ModelInfo{Vision: vision, Files: vision, Audio: vision}})
		got := string(m.contents(nil, &agent.Request{Messages: msgs}))
		if !strings.HasSuffix(got, want) || strings.Contains(got, unsigned) {
			t.Errorf("vision %v: %s", vision, got)
		}
	}
}

func TestEncode(t *testing.T) {
	m := newTest(wire.Config{Extra: map[string]json.RawMessage{"generationConfig": json.RawMessage(`{"temperature":0.5,"topK":3}`), "safetySettings": json.RawMessage(`[ ]`)}})
	got := string(m.encode(&agent.Request{
		System: "Be brief.", Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}, Tools: testTools(), Choice: "required", MaxOut: 100, Effort: "low",
		Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"$schema":"x"}`),
		Extra:  map[string]json.RawMessage{"generationConfig": json.RawMessage(`{"temperature":1,"maxOutputTokens":7}`)},
	}))
	want := `{"systemInstruction":{"parts":[{"text":"Be brief."}]},` +
		`"tools":[{"functionDeclarations":[{"name":"bash","description":"Runs.","parametersJsonSchema":{"type":"object","properties":{"c":{"type":"string"}}}},{"name":"now"}]}],` +
		`"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},` +
		`"generationConfig":{"maxOutputTokens":7,"responseJsonSchema":{"type":"object","properties":{"a":{"type":"string"}}},"responseMimeType":"application/json","temperature":1,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"},"topK":3},` +
		`"safetySettings":[],"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeLean(t *testing.T) {
	m := newTest(wire.Config{Model: "some-model"})
	if got := string(m.encode(&agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}})); got != `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}` {
		t.Error(got)
	}
}

func TestChoice(t *testing.T) {
	for word, want := range map[string]string{
		"": "", "none": `{"functionCallingConfig":{"mode":"NONE"}}`, "auto": `{"functionCallingConfig":{"mode":"AUTO"}}`, "required": `{"functionCallingConfig":{"mode":"ANY"}}`,
		"bash": `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["bash"]}}`,
	} {
		if got := string(choice(word)); got != want {
			t.Errorf("%q: %s", word, got)
		}
	}
}

// Models that take no schema beside tools are told in words.
func TestSchemaInWords(t *testing.T) {
	req := &agent.Request{Tools: testTools(), Schema: json.RawMessage(`{"type": "object"}`)}
	body := string(newTest(wire.Config{Model: "gemini-2.5-flash"}).encode(req))
	if strings.Contains(body, "responseMimeType") || !strings.Contains(body, `JSON of this schema: {\"type\":\"object\"}`) {
		t.Error(body)
	}
	req.Tools = nil
	if body := string(newTest(wire.Config{Model: "gemini-2.5-flash"}).encode(req)); !strings.Contains(body, `"responseMimeType":"application/json"`) || strings.Contains(body, "this schema") {
		t.Error(body)
	}
}

func TestThinking(t *testing.T) {
	for _, c := range []struct {
		model, effort string
		reasoning     bool
		want          string
	}{
		{"gemini-3.8-flash", "", false, `{"includeThoughts":true}`},
		{"gemini-3.8-flash", "auto", false, `{"includeThoughts":true}`},
		{"gemini-3.8-flash", "high", false, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"models/gemini-4-argon", "max", false, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-3-pro-preview", "none", false, `{"includeThoughts":true,"thinkingLevel":"MINIMAL"}`},
		{"gemini-3-pro-preview", "512", false, `{"includeThoughts":true,"thinkingBudget":512}`},
		{"gemini-2.5-flash", "", false, `{"includeThoughts":true}`},
		{"gemini-2.5-flash", "minimal", false, `{"includeThoughts":true,"thinkingBudget":512}`},
		{"gemini-2.5-flash", "low", false, `{"includeThoughts":true,"thinkingBudget":1024}`},
		{"gemini-2.5-flash", "medium", false, `{"includeThoughts":true,"thinkingBudget":8192}`},
		{"gemini-2.5-flash", "HIGH ", false, `{"includeThoughts":true,"thinkingBudget":24576}`},
		{"gemini-2.5-flash", "much", false, `{"includeThoughts":true,"thinkingBudget":-1}`},
		{"gemini-2.5-flash", "off", false, `{"thinkingBudget":0}`},
		{"gemini-2.5-flash-image", "", false, `{}`},
		{"gemini-2.0-flash", "", false, `{}`},
		{"gemini-flash-latest", "", false, `{}`},
		{"gemini-flash-latest", "", true, `{"includeThoughts":true}`},
		{"gemini-flash-latest", "medium", false, `{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`},
		{"gemma-3", "", false, `{}`},
	} {
		m := newTest(wire.Config{Model: c.model, Info: agent.ModelInfo{Reasoning: c.reasoning}})
		if got := string(object(m.thinking(c.effort))); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.model, c.effort, got, c.want)
		}
	}
}

func TestCleanSchema(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string","minLength":1,"examples":["x"],"x-order":1}},"required":["a"],"additionalProperties":false,"$schema":"s","title":null}`:                                                                          `{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"$schema":{"type":"string"},"const":{"const":"v"},"n":{"type":["integer","null"],"enum":[1,2,null]},"b":{"enum":[true]}}}`:                                                                                            `{"type":"object","properties":{"$schema":{"type":"string"},"const":{"enum":["v"]},"n":{"type":["integer","null"],"enum":[1,2]},"b":{}}}`,
		`{"type":"object","properties":{"i":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10},"f":{"type":"number","exclusiveMinimum":0.5},"o":{"exclusiveMinimum":true,"minimum":3}}}`:                                                           `{"type":"object","properties":{"i":{"type":"integer","minimum":1,"maximum":9},"f":{"type":"number","minimum":0.5},"o":{"minimum":3}}}`,
		`{"type":"object","properties":{"u":{"oneOf":[{"type":"string"},true],"description":"d"},"t":{"type":"array","items":[{"type":"string"},{"type":"number"}]},"l":{"items":{"not":{}}},"m":{"additionalProperties":{"type":"string","pattern":"^a"}}}}`: `{"type":"object","properties":{"u":{"anyOf":[{"type":"string"},{}],"description":"d"},"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]},"l":{"items":{}},"m":{"additionalProperties":{"type":"string","pattern":"^a"}}}}`,
		`{"$ref":"#/definitions/In","definitions":{"In":{"type":"object","properties":{"n":{"$ref":"#/definitions/In","description":"not beside it"}}}}}`:                                                                                                     `{"type":"object","properties":{"n":{"$ref":"#/$defs/In"}},"$defs":{"In":{"type":"object","properties":{"n":{"$ref":"#/$defs/In"}}}}}`,
		`{"allOf":[{"$ref":"#/$defs/A"},{"type":"object","properties":{"b":{}}}],"$defs":{"A":{"type":"object","required":["b"]}}}`:                                                                                                                           `{"type":"object","required":["b"],"properties":{"b":{}},"$defs":{"A":{"type":"object","required":["b"]}}}`,
		`{"$ref":"https://elsewhere/x"}`:                                     `{"$ref":"https://elsewhere/x"}`,
		`{"type":"object","required":null,"enum":null,"items":7,"anyOf":{}}`: `{"type":"object"}`,
		`true`:                       `{}`,
		`{"$ref":"#/$defs/missing"}`: `{"$ref":"#/$defs/missing"}`,
	} {
		got := string(cleanSchema(json.RawMessage(in)))
		if got != want {
			t.Errorf("%s\ngives %s\n want %s", in, got, want)
		}
		if again := string(cleanSchema(json.RawMessage(got))); again != got && !strings.Contains(in, "allOf") {
			t.Errorf("%s cleaned once more is %s", got, again)
		}
	}
}

// A schema that multiplies itself costs no more than a large one.
func TestCleanSchemaIsBounded(t *testing.T) {
	for _, in := range []string{
		`{"allOf":[{"$ref":"#"},{"$ref":"#/allOf/0"},{"$ref":"#/allOf/1"}],"type":"object"}`,
		`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}`,
		`{"properties":` + strings.Repeat(`{"a":{"properties":`, 500) + "{}" + strings.Repeat(`}}`, 500) + `}`,
	} {
		out := cleanSchema(json.RawMessage(in))
		if !json.Valid(out) || len(out) > len(in)+1000 {
			t.Errorf("%.80s gives %d bytes: %.80s", in, len(out), out)
		}
	}
}

func TestContinuesBytes(t *testing.T) {
	m := newTest(wire.Config{})
	own := m.Info().Origin()
	all := []agent.Message{
		agent.TextMessage(agent.User, "hi"), said9(with(calling("1", "now", `{}`), own, `{"id":"1"}`), calling("2", "now", `{}`)), result("1", false, agent.TextPart("a")), result("2", false, agent.TextPart("b")),
		said9(agent.TextPart("so"), with(agent.TextPart(""), own, `{"thoughtSignature":"s"}`)), agent.TextMessage(agent.User, "go on"),
	}
	var before []byte
	for _, n := range []int{1, 4, 6} { // where a request may be sent
		req := &agent.Request{System: "s", Messages: all[:n], Tools: testTools(), Extra: map[string]json.RawMessage{"b": json.RawMessage("1"), "a": json.RawMessage("2")}}
		body := m.encode(req)
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		if again := m.encode(req); !bytes.Equal(body, again) {
			t.Errorf("the same request has other bytes:\n%s\n%s", body, again)
		}
		if !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}]}"))) {
			t.Errorf("%d messages do not continue\n%s\nbut are\n%s", n, before, body)
		}
		before = body
	}
}

func TestRequestHead(t *testing.T) {
	vertex, _ := wire.Lookup("vertex")
	for _, c := range []struct{ base, model, preset, address, key string }{
		{"https://h/v1beta", "gemini-3.8-flash", "gemini", "https://h/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse", "X-Goog-Api-Key: k"},
		{"https://h", "gemini-3.8-flash", "gemini", "https://h/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse", "X-Goog-Api-Key: k"},
		{"https://h/v1/models/m:streamGenerateContent", "m", "gemini", "https://h/v1/models/m:streamGenerateContent?alt=sse", "X-Goog-Api-Key: k"},
		{"https://h/v1beta/?x=1", "tunedModels/mine", "gemini", "https://h/v1beta/tunedModels/mine:streamGenerateContent?x=1&alt=sse", "X-Goog-Api-Key: k"},
		{"https://h/v1/projects/p/locations/l", "gemini-3.8-flash", "vertex", "https://h/v1/projects/p/locations/l/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse", "Authorization: Bearer k"},
	} {
		var got *http.Request
		config := wire.Config{BaseURL: c.base, Key: "k", Model: c.model, HTTP: &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
			got = r
			return nil, errors.New("refused")
		})}}
		if c.preset == "vertex" {
			config.Preset = vertex
		}
		for _, err := range New(config).Stream(t.Context(), &agent.Request{}) {
			if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrNetwork || !me.Retryable {
				t.Errorf("got %v", err)
			}
		}
		name, value, _ := strings.Cut(c.key, ": ")
		if got.URL.String() != c.address || got.Header.Get(name) != value {
			t.Errorf("%s: %s, %v", c.model, got.URL, got.Header)
		}
	}
}

func TestCancelIsNotRetried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := New(wire.Config{BaseURL: "http://x.invalid", Model: "m", HTTP: &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		cancel()
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(events(said(`{"text":"x"}`))))}, nil
	})}})
	for _, err := range m.Stream(ctx, &agent.Request{}) {
		if me, ok := errors.AsType[*agent.ModelError](err); err != nil && (!ok || me.Retryable) {
			t.Errorf("got %v", err)
		}
	}
}

// What came over the wire goes back the way it came: all parts but unsigned thoughts, in their order.
func TestThereAndBack(t *testing.T) {
	parts := []string{
		`{"text":"hm","thought":true}`, `{"text":"A"}`, `{"text":"","thoughtSignature":"czE="}`, `{"functionCall":{"id":"f1","name":"bash","args":{"c":"x"}},"thoughtSignature":"c2+/"}`,
		`{"functionCall":{"name":"now","args":{}}}`, `{"toolCall":{"id":"t"},"thoughtSignature":"czM="}`, `{"text":"B","thoughtSignature":"czQ="}`,
	}
	m := newTest(wire.Config{})
	_, msg := collect(t, m, http.StatusOK, strings.NewReader(events(said(strings.Join(parts[:4], ",")), said(strings.Join(parts[4:], ",")), ended("STOP"))), testTools())
	body := m.encode(&agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "hi"), msg}})
	if got := gjson.GetBytes(body, "contents.1.parts").Raw; got != "["+strings.Join(parts[1:], ",")+"]" {
		t.Errorf("sent back %s", got)
	}
}

// FuzzDecode: whatever comes, a reply ends once, the same in one piece and byte by byte, and what is kept of it can be
// sent back.
func FuzzDecode(f *testing.F) {
	for _, body := range caseBodies(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := newTest(wire.Config{})
		whole, msg := collect(t, m, http.StatusOK, strings.NewReader(body), testTools())
		if (whole.Stop == "") == (whole.Kind == "") {
			t.Fatalf("stop %q, error %q", whole.Stop, whole.Kind)
		}
		pieces, _ := collect(t, m, http.StatusOK, oneByte{strings.NewReader(body)}, testTools())
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatal(diff)
		}
		next := m.encode(&agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "hi"), msg}, Tools: testTools()})
		if !json.Valid(next) {
			t.Fatalf("the next request is no JSON: %s", next)
		}
	})
}

type oneByte struct{ io.Reader }

func (r oneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 1)]) }
