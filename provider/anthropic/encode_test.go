package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/provider/wire"
)

const marked = `,"cache_control":{"type":"ephemeral"}`

func blob(mime, name string) agent.Part {
	return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, Name: name, Data: []byte("hi")}}
}

func opaquePart(k agent.Kind, m *model, text, data string) agent.Part {
	return agent.Part{Kind: k, Text: text, Opaque: &agent.Opaque{Origin: m.Info().Origin(), Data: json.RawMessage(data)}}
}

func callPart(id, name, args string) agent.Part {
	return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func resultOf(id string, failed bool, parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{CallID: id, Error: failed, Parts: parts}}}}
}

func said(stop agent.StopReason, parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.Assistant, Parts: parts, Stop: stop}
}

func asked(parts ...agent.Part) agent.Message { return agent.Message{Role: agent.User, Parts: parts} }

func TestEncode(t *testing.T) {
	m := newTest("claude-x", wire.Preset{})
	withCaller := callPart("c2", "functions.now:1", `"no json"`)
	withCaller.Opaque = &agent.Opaque{Origin: m.Info().Origin(), Data: json.RawMessage(`{"caller":{"type":"x"}}`)}
	req := &agent.Request{
		System: "Be brief.", Tools: testTools(), Choice: "bash", MaxOut: 9000, Effort: "minimal", Schema: json.RawMessage(`{"type": "object"}`),
		Extra: map[string]json.RawMessage{"top_k": json.RawMessage("4"), "metadata": json.RawMessage(`{"user_id": "u"}`)},
		Messages: []agent.Message{
			asked(agent.TextPart("Look <here> & \"there\"\n\x01\xff"), agent.TextPart(" "), blob("image/jpg", "a.jpg"), blob("application/pdf", "b.pdf")),
			said(
				agent.StopCalls, opaquePart(agent.Thinking, m, "Hm.\n", `{"signature":"S=="}`), opaquePart(agent.Thinking, m, "", `{"block":{"type":"redacted_thinking","data":"E"}}`),
				agent.TextPart("First."), callPart("c1", "bash", `{"command":"ls <a>"}`), withCaller, callPart("c1", "now", ""),
			),
			resultOf("c1", false, agent.TextPart("a"), blob("image/gif", "i.gif")),
			resultOf("c2", true, agent.TextPart("broken"), blob("image/png", "shot.png")),
			said(agent.StopPause, opaquePart(agent.Text, m, "", `{"block":{"type":"server_tool_use","id":"s"}}`), opaquePart(agent.Text, m, "It rains.", `{"citations":[{"url":"u"}]}`)),
			said(agent.StopEnd, agent.TextPart("Done."), opaquePart(agent.Thinking, m, "Trailing", `{"signature":"S"}`)),
			asked(agent.TextPart("More.")),
			asked(agent.TextPart("And more.")),
		},
	}
	ids := between(string(m.encode(req)), `"id":"call_`, `"`) // of the call whose id another has
	want := `{"model":"claude-x","max_tokens":9000,"stream":true,"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false}}},` +
		`"tools":[{"name":"bash","description":"Runs <it>.","input_schema":{"type":"object","required":[]}},{"name":"now","input_schema":{"type":"object","properties":{}}` + marked + `}],` +
		`"tool_choice":{"type":"tool","name":"bash"},"system":[{"type":"text","text":"Be brief."` + marked + `}],"metadata":{"user_id":"u"},"top_k":4,"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"Look <here> & \"there\"\n\u0001` + "\uFFFD" + `"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"aGk="}},` +
		`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="},"title":"b.pdf"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.\n","signature":"S=="},{"type":"redacted_thinking","data":"E"},{"type":"text","text":"First."},` +
		`{"type":"tool_use","id":"c1","name":"bash","input":{"command":"ls <a>"}},{"type":"tool_use","id":"c2","name":"functions_now_1","input":{},"caller":{"type":"x"}},{"type":"tool_use","id":"call_` + ids + `","name":"now","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"aGk="}}]},` +
		`{"type":"tool_result","tool_use_id":"c2","content":"broken","is_error":true},{"type":"tool_result","tool_use_id":"call_` + ids + `","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"aGk="}}]},` +
		`{"type":"text","text":"Attachments of the tool results above:"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}` + marked + `}]},` +
		`{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"text","text":"It rains.","citations":[{"url":"u"}]},{"type":"text","text":"Done."}]},` +
		`{"role":"user","content":[{"type":"text","text":"More."},{"type":"text","text":"And more."` + marked + `}]}]}`
	if diff := cmp.Diff(want, string(m.encode(req))); diff != "" {
		t.Error(diff)
	}
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}

// What stands alone: the messages of a request, without marks.
func TestMessages(t *testing.T) {
	m := newTest("claude-x", wire.Preset{})
	blind := New(wire.Config{BaseURL: "http://x.invalid", Model: "claude-x"}).(*model)
	keeps := newTest("claude-x", wire.Preset{ReasoningField: "reasoning_content", ReasoningAlways: true})
	foreign := agent.Part{Kind: agent.Thinking, Text: "T", Opaque: &agent.Opaque{Origin: "anthropic//other", Data: json.RawMessage(`{"signature":"S"}`)}}
	const user, filler = `{"role":"user","content":[{"type":"text","text":"Hi"}]}`, `{"role":"user","content":[{"type":"text","text":"[The beginning of the conversation was left out.]"}]}`
	for _, c := range []struct {
		name string
		m    *model
		msgs []agent.Message
		want string
	}{
		{"nothing", m, nil, filler},
		{"system in between", m, []agent.Message{agent.TextMessage(agent.System, "Summary."), agent.TextMessage(agent.User, "Hi")}, `{"role":"user","content":[{"type":"text","text":"Summary."},{"type":"text","text":"Hi"}]}`},
		{"the model first", m, []agent.Message{said(agent.StopEnd, agent.TextPart("A")), agent.TextMessage(agent.User, "Hi")}, filler + `,{"role":"assistant","content":[{"type":"text","text":"A"}]},` + user},
		{"paused", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopPause, agent.TextPart("A \n"))}, user + `,{"role":"assistant","content":[{"type":"text","text":"A"}]}`},
		{"paused in thought", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopPause, opaquePart(agent.Thinking, m, "T", `{"signature":"S"}`))}, user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"T","signature":"S"}]}`},
		{"ended", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopEnd, agent.TextPart("A"))}, user + `,{"role":"assistant","content":[{"type":"text","text":"A"}]},{"role":"user","content":[{"type":"text","text":"Continue."}]}`},
		{"a beginning to go on with", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said("", agent.TextPart("{"))}, user + `,{"role":"assistant","content":[{"type":"text","text":"{"}]}`},
		{"foreign thoughts", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopEnd, foreign, agent.TextPart("A")), agent.TextMessage(agent.User, "Hi")}, user + `,{"role":"assistant","content":[{"type":"text","text":"A"}]},` + user},
		{"foreign thoughts alone", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopLength, foreign), agent.TextMessage(agent.User, "Hi")}, `{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"text","text":"Hi"}]}`},
		{"thoughts are wanted", keeps, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopEnd, agent.TextPart("A")), agent.TextMessage(agent.User, "Hi")}, user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":""},{"type":"text","text":"A"}]},` + user},
		{"thoughts go back unsigned", keeps, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopEnd, opaquePart(agent.Thinking, keeps, "T", `{"signature":""}`), agent.TextPart("A")), agent.TextMessage(agent.User, "Hi")}, user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"T","signature":""},{"type":"text","text":"A"}]},` + user},
		{"broken data", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopEnd, opaquePart(agent.Thinking, m, "T", `[1]`), opaquePart(agent.Text, m, "", `{"block":"x"}`), agent.TextPart("A")), agent.TextMessage(agent.User, "Hi")}, user + `,{"role":"assistant","content":[{"type":"text","text":"A"}]},` + user},
		{"attachments", m, []agent.Message{asked(blob("text/plain", "a.txt"), blob("image/tiff", "b.tif"), agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", URI: "https://h/i.png"}}, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "c.png"}})}, `{"role":"user","content":[{"type":"text","text":"a.txt\nhi"},{"type":"text","text":"[b.tif (image/tiff) is left out: this model is not known to see it]"},{"type":"image","source":{"type":"url","url":"https://h/i.png"}},{"type":"text","text":"[attachment c.png (image/png) is not available]"}]}`},
		{"no eyes", blind, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopCalls, callPart("c", "", "")), resultOf("c", false, blob("image/png", "a.png"))}, user + `,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"unknown","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"[a.png (image/png) is left out: this model is not known to see it]"}]}`},
		{"a failed picture", m, []agent.Message{agent.TextMessage(agent.User, "Hi"), said(agent.StopCalls, callPart("c", "now", "")), resultOf("c", true, blob("image/png", "a.png"))}, user + `,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"now","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"(no output)","is_error":true},{"type":"text","text":"Attachments of the tool results above:"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}`},
	} {
		got := string(c.m.messages(nil, &agent.Request{Messages: c.msgs, Tools: testTools()}))
		if diff := cmp.Diff("["+c.want+"]", strings.ReplaceAll(got, marked, "")); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestThinkingAndLimits(t *testing.T) {
	user := []agent.Message{agent.TextMessage(agent.User, "Hi")}
	step := func(first ...agent.Part) []agent.Message {
		return append(user, said(agent.StopCalls, append(first, callPart("c", "now", "{}"))...), resultOf("c", false, agent.TextPart("x")))
	}
	old := newTest("claude-sonnet-4-5", wire.Preset{})
	for _, c := range []struct {
		name, model string
		info        agent.ModelInfo
		req         agent.Request
		want        string
	}{
		{"nothing asked", "claude-x", agent.ModelInfo{}, agent.Request{}, `"max_tokens":32000,"stream":true`},
		{"the model has less", "claude-x", agent.ModelInfo{MaxOutput: 8000}, agent.Request{}, `"max_tokens":8000,"stream":true`},
		{"the window is small", "m", agent.ModelInfo{Context: 8192}, agent.Request{}, `"max_tokens":2048,"stream":true`},
		{"more than there is", "claude-x", agent.ModelInfo{MaxOutput: 8000}, agent.Request{MaxOut: 9000}, `"max_tokens":8000,"stream":true`},
		{"adaptive", "claude-x", agent.ModelInfo{}, agent.Request{Effort: "max"}, `"max_tokens":64000,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"}`},
		{"unknown word", "claude-x", agent.ModelInfo{}, agent.Request{Effort: "huge", MaxOut: 5}, `"max_tokens":5,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"huge"}`},
		{"off", "claude-x", agent.ModelInfo{}, agent.Request{Effort: "none"}, `"max_tokens":32000,"stream":true,"thinking":{"type":"disabled"}`},
		{"budget", "claude-sonnet-4-5", agent.ModelInfo{}, agent.Request{Effort: "high"}, `"max_tokens":64000,"stream":true,"thinking":{"type":"enabled","budget_tokens":16000}`},
		{"both", "claude-opus-4-5", agent.ModelInfo{}, agent.Request{Effort: "low"}, `"max_tokens":64000,"stream":true,"thinking":{"type":"enabled","budget_tokens":4000},"output_config":{"effort":"low"}`},
		{"least budget", "m", agent.ModelInfo{}, agent.Request{Effort: "minimal"}, `"max_tokens":64000,"stream":true,"thinking":{"type":"enabled","budget_tokens":1024}`},
		{"budget leaves room", "m", agent.ModelInfo{}, agent.Request{Effort: "xhigh", MaxOut: 6000}, `"max_tokens":6000,"stream":true,"thinking":{"type":"enabled","budget_tokens":3000}`},
		{"no room", "m", agent.ModelInfo{}, agent.Request{Effort: "medium", MaxOut: 2000}, `"max_tokens":2000,"stream":true`},
		{"in a step of its own", "claude-sonnet-4-5", agent.ModelInfo{}, agent.Request{Effort: "medium", Messages: step(opaquePart(agent.Thinking, old, "T", `{"signature":"S"}`))}, `"max_tokens":64000,"stream":true,"thinking":{"type":"enabled","budget_tokens":10000}`},
		{"in a step of another", "claude-sonnet-4-5", agent.ModelInfo{}, agent.Request{Effort: "medium", Messages: step()}, `"max_tokens":64000,"stream":true`},
		{"behind an answer of another", "claude-sonnet-4-5", agent.ModelInfo{}, agent.Request{Effort: "medium", Messages: append(user, said(agent.StopEnd, agent.TextPart("A")), user[0])}, `"max_tokens":64000,"stream":true,"thinking":{"type":"enabled","budget_tokens":10000}`},
		{"a call forced", "claude-x", agent.ModelInfo{}, agent.Request{Effort: "high", Tools: testTools(), Choice: "required"}, `"max_tokens":64000,"stream":true,"output_config":{"effort":"high"}`},
		{"a call forced on a budget", "m", agent.ModelInfo{}, agent.Request{Effort: "high", Tools: testTools(), Choice: "now"}, `"max_tokens":64000,"stream":true,"thinking":{"type":"disabled"}`},
	} {
		m := New(wire.Config{BaseURL: "http://x.invalid", Model: c.model, Info: c.info}).(*model)
		if c.req.Messages == nil {
			c.req.Messages = user
		}
		got := string(m.encode(&c.req))
		want := `{"model":"` + c.model + `",` + c.want
		rest, ok := strings.CutPrefix(got, want)
		if !ok || !strings.HasPrefix(rest, `,"messages"`) && !strings.HasPrefix(rest, `,"tools"`) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestChoiceAndSchema(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"b":{"type":"string","minLength":2},"a":{"type":"array","minItems":3,"items":{"type":"object","additionalProperties":true}}},"required":["b"]}`)
	const closed = `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false}}},"required":["b"],"additionalProperties":false}`
	tools := testTools()
	for _, c := range []struct {
		name, model string
		req         agent.Request
		want, none  string
	}{
		{"format", "claude-x", agent.Request{Schema: schema}, `"output_config":{"format":{"type":"json_schema","schema":` + closed + `}},"messages"`, "answer"},
		{"a tool instead", "m", agent.Request{Schema: schema}, `"tools":[{"name":"answer","description":"Gives the final answer. Call it when the work is done.","input_schema":` + string(schema) + marked + `}],"tool_choice":{"type":"tool","name":"answer"}`, "output_config"},
		{"beside others", "m", agent.Request{Schema: schema, Tools: tools}, `"tool_choice":{"type":"any"}`, "output_config"},
		{"its name is taken", "m", agent.Request{Schema: schema, Tools: []agent.Tool{{Name: "answer"}}, Choice: "auto"}, `{"name":"answer_","description"`, "output_config"},
		{"no other may be called", "m", agent.Request{Schema: schema, Tools: tools, Choice: "none"}, `"tool_choice":{"type":"tool","name":"answer"}`, "output_config"},
		{"another has to be called", "m", agent.Request{Schema: schema, Tools: tools, Choice: "now"}, `"tool_choice":{"type":"tool","name":"now"}`, "output_config"},
		{"none", "claude-x", agent.Request{Tools: tools, Choice: "none"}, `"tool_choice":{"type":"none"}`, "output_config"},
		{"required", "claude-x", agent.Request{Tools: tools, Choice: "required"}, `"tool_choice":{"type":"any"}`, "output_config"},
		{"no tools, no choice", "claude-x", agent.Request{Choice: "required"}, `"stream":true,"messages"`, "tool_choice"},
		{"blank system", "claude-x", agent.Request{System: " \n"}, `"stream":true,"messages"`, "system"},
	} {
		got := string(newTest(c.model, wire.Preset{}).encode(&c.req))
		if !json.Valid([]byte(got)) || !strings.Contains(got, c.want) || strings.Contains(got, c.none) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestStrictSchema(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                                            `{"type":"object","additionalProperties":{"type":"string"}}`,
		`{"properties":{"minimum":{"minimum":1,"anyOf":[{"type":"object"},true]}},"$defs":{"x":{"type":"object","title":"X"}}}`: `{"properties":{"minimum":{"anyOf":[{"type":"object","additionalProperties":false},true]}},"$defs":{"x":{"type":"object","title":"X","additionalProperties":false}},"additionalProperties":false}`,
		`{"type":"object","properties":[],"enum":[{"minimum":1}],"minItems":1}`:                                                 `{"type":"object","properties":[],"enum":[{"minimum":1}],"minItems":1,"additionalProperties":false}`,
		`{}`: `{}`, `true`: `true`, `{ "minimum" : 1 }`: `{}`, `{"a`: `null`,
	} {
		if got := string(strict(json.RawMessage(in))); got != want {
			t.Errorf("%s became %s", in, got)
		}
	}
}

// checkBody holds a body to what the protocol demands.
func checkBody(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, raw []byte,
) {
	t.Helper()
	var body struct {
		MaxTokens int `json:"max_tokens"`
		System    []map[string]any
		Tools     []map[string]any
		Messages  []struct {
			Role    string
			Content []map[string]any
		}
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	fail := func(format string, args ...any) { t.Fatalf("%s: %s", fmt.Sprintf(format, args...), raw) }
	marks := 0
	mark := func(block map[string]any) {
		if block["cache_control"] != nil {
			marks++
			if block["type"] == "thinking" || block["type"] == "redacted_thinking" || block["type"] == "text" && strings.TrimSpace(block["text"].(string)) == "" {
				fail("a mark where none may be")
			}
		}
	}
	for _, b := range body.System {
		mark(b)
	}
	for _, b := range body.Tools {
		mark(b)
	}
	if body.MaxTokens < 1 || len(body.Messages) == 0 || body.Messages[0].Role != "user" {
		fail("no limit, or the user has not the first word")
	}
	ids := map[any]bool{}
	var open []any
	for i, m := range body.Messages {
		if len(m.Content) == 0 || i > 0 && m.Role == body.Messages[i-1].Role {
			fail("message %d is empty, or of the same role as the one before", i)
		}
		var results []any
		for j, b := range m.Content {
			mark(b)
			switch b["type"] {
			case "text":
				if strings.TrimSpace(b["text"].(string)) == "" {
					fail("an empty text")
				}
			case "tool_use":
				if _, object := b["input"].(map[string]any); !object || ids[b["id"]] || m.Role != "assistant" {
					fail("a bad call")
				}
				ids[b["id"]] = true
			case "tool_result":
				if len(results) != j {
					fail("a result behind something else")
				}
				results = append(results, b["tool_use_id"])
			}
		}
		if fmt.Sprint(results) != fmt.Sprint(open) {
			fail("message %d has results %v for calls %v", i, results, open)
		}
		open = nil
		for _, b := range m.Content {
			if b["type"] == "tool_use" {
				open = append(open, b["id"])
			}
		}
	}
	if len(open) > 0 {
		fail("calls without results")
	}
	if marks > 4 {
		fail("%d marks", marks)
	}
}

// anyHistory draws a conversation: what models and people do to one, and what they should not.
func anyHistory(m *model) *rapid.Generator[[]agent.Message] {
	return rapid.Custom(func(t *rapid.T) []agent.Message {
		word := rapid.SampledFrom([]string{"", " ", "a", "b\n", "ü"})
		part := rapid.Custom(func(t *rapid.T) agent.Part {
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				return opaquePart(agent.Thinking, m, word.Draw(t, "thought"), `{"signature":"S"}`)
			case 1:
				return opaquePart(agent.Thinking, m, "", `{"block":{"type":"redacted_thinking","data":"E"}}`)
			case 2:
				return agent.Part{Kind: agent.Thinking, Text: "foreign"}
			case 3:
				return callPart(word.Draw(t, "id"), word.Draw(t, "name"), rapid.SampledFrom([]string{"", "{}", `"x"`, `{"a":`}).Draw(t, "args"))
			case 4:
				return opaquePart(agent.Text, m, "", `{"block":{"type":"server_tool_use","id":"s"}}`)
			}
			return agent.TextPart(word.Draw(t, "text"))
		})
		message := rapid.Custom(func(t *rapid.T) agent.Message {
			switch rapid.IntRange(0, 4).Draw(t, "role") {
			case 0:
				return agent.TextMessage(agent.System, word.Draw(t, "system"))
			case 1:
				return resultOf(word.Draw(t, "of"), rapid.Bool().Draw(t, "failed"), agent.TextPart(word.Draw(t, "result")), blob("image/png", "p"))
			case 2:
				return asked(agent.TextPart(word.Draw(t, "asked")), blob(rapid.SampledFrom([]string{"image/png", "video/mp4", "text/plain"}).Draw(t, "mime"), "f"))
			}
			return said(rapid.SampledFrom([]agent.StopReason{agent.StopEnd, agent.StopCalls, agent.StopPause, agent.StopAborted}).Draw(t, "stop"), rapid.SliceOfN(part, 0, 5).Draw(t, "parts")...)
		})
		return rapid.SliceOfN(message, 0, 12).Draw(t, "messages")
	})
}

func TestAnyHistoryIsValid(t *testing.T) {
	m := newTest("claude-x", wire.Preset{})
	rapid.Check(t, func(t *rapid.T) {
		req := &agent.Request{System: "S", Tools: testTools(), Messages: anyHistory(m).Draw(t, "history")}
		checkBody(t, m.encode(req))
	})
}

// The cache works by prefixes: without marks, a longer history continues the bytes of a shorter one, and the mark with
// which the shorter one ended stands in the longer one too, so that it is found however much came in between.
func TestCachePrefix(t *testing.T) {
	m := newTest("claude-x", wire.Preset{})
	rapid.Check(t, func(t *rapid.T) {
		req := agent.Request{System: "S", Tools: testTools(), Effort: "high"}
		var before string
		for turn := range rapid.IntRange(2, 6).Draw(t, "turns") {
			req.Messages = append(req.Messages, asked(agent.TextPart(fmt.Sprintf("question %d", turn))))
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				before = checkPrefix(t, before, string(m.encode(&req)))
				calls := []agent.Part{opaquePart(agent.Thinking, m, "T", `{"signature":"S"}`)}
				var results []agent.Message
				for n := range rapid.IntRange(1, 25).Draw(t, "calls") {
					id := fmt.Sprintf("c%d_%d", len(req.Messages), n)
					calls = append(calls, callPart(id, "now", "{}"))
					results = append(results, resultOf(id, n%3 == 0, agent.TextPart("done")))
				}
				req.Messages = append(append(req.Messages, said(agent.StopCalls, calls...)), results...)
			}
			before = checkPrefix(t, before, string(m.encode(&req)))
			req.Messages = append(req.Messages, said(agent.StopEnd, agent.TextPart("Done.")))
		}
	})
}

// checkPrefix holds a request against the one before it.
func checkPrefix(t *rapid.T, before, now string) string {
	if n := strings.Count(now, marked); n < 3 || n > 4 {
		t.Fatalf("%d marks", n)
	}
	if before == "" {
		return now
	}
	plain := strings.TrimSuffix(strings.ReplaceAll(before, marked, ""), "]}]}")
	if !strings.HasPrefix(strings.ReplaceAll(now, marked, ""), plain) {
		t.Fatalf("the prefix changed:\n%s\n%s", before, now)
	}
	end := strings.ReplaceAll(before[:strings.LastIndex(before, marked)], marked, "") // what was written to the cache
	found := false
	for at, rest := 0, now; ; {
		i := strings.Index(rest, marked)
		if i < 0 {
			break
		}
		at, rest = at+i, rest[i+len(marked):]
		found = found || strings.ReplaceAll(now[:at], marked, "") == end
		at += len(marked)
	}
	if !found {
		t.Fatalf("no mark where the request before ended:\n%s\n%s", before, now)
	}
	return now
}
