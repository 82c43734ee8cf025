package texttag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"react-agent/agent"
)

// script is a model that says one text, in pieces.
type script struct {
	pieces []string
	chunks []agent.Chunk // in their place
	stop   agent.StopReason
	err    error
	req    *agent.Request
}

func (s *script) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "chat", Preset: "test", Name: "m"}
}

func (s *script) Stream(_ context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		s.req = req
		for _, p := range s.pieces {
			if !yield(agent.Chunk{Part: &agent.Part{Kind: agent.Text, Text: p}}, nil) {
				return
			}
		}
		for _, c := range s.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if s.err != nil {
			yield(agent.Chunk{}, s.err)
			return
		}
		if s.stop == "" {
			s.stop = agent.StopEnd
		}
		yield(agent.Chunk{Stop: s.stop}, nil)
	}
}

func testTools() []agent.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"a path"},"limit":{"type":"integer"},"how":{"type":"string","enum":["a","b"]},"list":{"type":"array","items":{"type":"string"}}},"required":["path"]}`)
	return []agent.Tool{
		{Name: "list_dir", Doc: "Lists.", Schema: schema},
		{Name: "bash", Alias: "run_command", Doc: "Runs.", Schema: json.RawMessage(`{"type":"object"}`)},
	}
}

// heard is a message with everything that was ever shown as the answer.
type heard struct {
	msg   agent.Message
	shown []string // what the person saw at each moment that the answer grew or was withdrawn
	err   *agent.ModelError
	usage *agent.Usage
}

func hear(m agent.Model, req *agent.Request) heard {
	var b agent.Builder
	var h heard
	visible := ""
	for c, err := range m.Stream(context.Background(), req) {
		if err != nil {
			h.err, _ = errors.AsType[*agent.ModelError](err)
			break
		}
		if err := b.Add(c); err != nil {
			panic(err)
		}
		if c.Reset {
			visible = ""
		}
		if c.Part != nil && c.Part.Kind == agent.Text {
			visible += c.Part.Text
		}
		h.shown = append(h.shown, visible)
	}
	h.msg = b.Message()
	h.usage = h.msg.Usage
	return h
}

// brief is a message in one line: calls, thoughts in parentheses, the text.
func brief(m *agent.Message) string {
	var out []string
	for _, p := range m.Parts {
		switch p.Kind {
		case agent.CallKind:
			out = append(out, p.Call.Name+string(p.Call.Args))
		case agent.Thinking:
			out = append(out, "("+p.Text+")")
		default:
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, " | ")
}

func replies() []struct{ name, in, want string } {
	return []struct{ name, in, want string }{
		{"plain", "Hello.", "Hello."},
		{"call", `<tool_call>{"name":"list_dir","args":{"path":"."}}</tool_call>`, `list_dir{"path":"."}`},
		{"arguments", `<tool_call>{"name":"list_dir","arguments":{"path":"."}}</tool_call>`, `list_dir{"path":"."}`},
		{"lines", "<tool_call>\n{\n \"name\": \"list_dir\",\n \"args\": {\"path\": \"a\\nb\"}\n}\n</tool_call>\n", `list_dir{"path":"a\nb"}`},
		{"no arguments", `<tool_call>{"name":"run_command"}</tool_call>`, `run_command{}`},
		{"null arguments", `<tool_call>{"name":"run_command","args":null}</tool_call>`, `run_command{}`},
		{"arguments in a string", `<tool_call>{"name":"run_command","args":"{\"x\":1}"}</tool_call>`, `run_command{"x":1}`},
		{"our name", `<tool_call>{"name":"bash","args":{}}</tool_call>`, `bash{}`},
		{"another case", `<TOOL_CALL>{"name":"List_Dir","args":{"path":"."}}</Tool_Call>`, `list_dir{"path":"."}`},
		{"fence inside", "<tool_call>\n```json\n{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}\n```\n</tool_call>", `list_dir{"path":"."}`},
		{"fence inside, one line", "<tool_call>```json{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}```</tool_call>", `list_dir{"path":"."}`},
		{"fence around", "```xml\n<tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}</tool_call>\n```\n", `list_dir{"path":"."}`},
		{"two fences around", "```\n<tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}</tool_call>\n```\n\n```\n<tool_call>{\"name\":\"bash\",\"args\":{}}</tool_call>\n```", `list_dir{"path":"."} | bash{}`},
		{"fence with words", "```xml\n<tool_call>{\"name\":\"list_dir\",\"args\":{}}</tool_call>\n```\nThis is the form.", "```xml\n<tool_call>{\"name\":\"list_dir\",\"args\":{}}</tool_call>\n```\nThis is the form."},
		{"fence of something else", "```go\nx < y\n```\nThat is it.", "```go\nx < y\n```\nThat is it."},
		{"fence behind words", "So:\n```\n<tool_call>{\"name\":\"list_dir\",\"args\":{}}</tool_call>\n```", "So:\n```\n<tool_call>{\"name\":\"list_dir\",\"args\":{}}</tool_call>\n```"},
		{"code", "Write `<tool_call>` and `</tool_call>`.", "Write `<tool_call>` and `</tool_call>`."},
		{"several", `<tool_call>{"name":"list_dir","args":{"path":"a"}}</tool_call><tool_call>{"name":"list_dir","args":{"path":"b"}}</tool_call>`, `list_dir{"path":"a"} | list_dir{"path":"b"}`},
		{"words around", "I look first.\n<tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}</tool_call>\nThat was it.", `(I look first.) | list_dir{"path":"."}`},
		{"thought", "<thought>I think.</thought>\nThe answer.", "(I think.) | The answer."},
		{"thought in the middle", "Well. <thought>I think.</thought> The answer.", "Well. | (I think.) |   The answer."},
		{"thought and call", "<thought>First look.</thought><tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}</tool_call>", `(First look.) | list_dir{"path":"."}`},
		{"think block", "<think>a <tool_call>{}</tool_call></think>The answer.", "(a <tool_call>{}</tool_call>) | The answer."},
		{"think block without opening", "so it is</think>The answer.", "(so it is) | The answer."},
		{"call in such a block", `<tool_call>{"name":"bash"}</tool_call> or</think>The answer.`, `bash{}`},
		{"think tag in arguments", `<tool_call>{"name":"run_command","args":{"x":"</think>"}}</tool_call>`, `run_command{"x":"</think>"}`},
		{"final answer", "Let me see. <final_answer>42</final_answer> Done.", "(Let me see.) | 42"},
		{"final answer alone", "<final_answer>\n42\n</final_answer>", "42"},
		{"final answer open", "<final_answer>42", "42"},
		{"final answer and call", `<final_answer>42</final_answer><tool_call>{"name":"list_dir","args":{"path":"."}}</tool_call>`, `(42) | list_dir{"path":"."}`},
		{"call and final answer", `<tool_call>{"name":"list_dir","args":{"path":"."}}</tool_call><final_answer>42</final_answer>`, `list_dir{"path":"."}`},
		{"two final answers", "<final_answer>1</final_answer><final_answer>2</final_answer>", "(1) | 2"},
		{"invented result", "<tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}</tool_call>\n[工具结果]: x\n<tool_call>{\"name\":\"bash\"}</tool_call>", `list_dir{"path":"."}`},
		{"closing tag in a string", `<tool_call>{"name":"run_command","args":{"x":"</tool_call>"}}</tool_call>`, `run_command{"x":"</tool_call>"}`},
		{"closing tags that nothing opened", "The answer.</final_answer></tool_call>", "The answer."},
		{"no closing tag", `<tool_call>{"name":"list_dir","args":{"path":"."}}`, `list_dir{"path":"."}`},
		{"next tag instead of a closing one", `<tool_call>{"name":"list_dir","args":{"path":"a"}}<tool_call>{"name":"list_dir","args":{"path":"b"}}</tool_call>`, `list_dir{"path":"a"} | list_dir{"path":"b"}`},
		{"trailing comma", `<tool_call>{"name":"list_dir","args":{"path":".",},}</tool_call>`, `list_dir{"path":"."}`},
		{"raw line end in a string", "<tool_call>{\"name\":\"run_command\",\"args\":{\"x\":\"a\nb\"}}</tool_call>", `run_command{"x":"a\nb"}`},
		{"broken", `<tool_call>{"name":"list_dir","args":{"path":</tool_call>`, `tool_call"{\"name\":\"list_dir\",\"args\":{\"path\":"`},
		{"broken and good", `<tool_call>{"name</tool_call><tool_call>{"name":"bash"}</tool_call>`, `tool_call"{\"name" | bash{}`},
		{"empty", `<tool_call></tool_call>`, `tool_call""`},
		{"no object", `<tool_call>[1]</tool_call>`, `tool_call"[1]"`},
		{"arguments that are none", `<tool_call>{"name":"list_dir","args":[1]}</tool_call>`, `list_dir"{\"name\":\"list_dir\",\"args\":[1]}"`},
		{"unknown tool", `<tool_call>{"name":"nosuch","args":{}}</tool_call>`, `nosuch{}`},
		{"another school", "<tool_call>\n<function=list_dir>\n<parameter=path>\n.\n</parameter>\n</function>\n</tool_call>", `list_dir{"path":"."}`},
		{"another markup", `<function_call>{"name":"list_dir","arguments":{"path":"."}}</function_call>`, `list_dir{"path":"."}`},
		{"no tag at all", `{"name":"list_dir","args":{"path":"."}}`, `list_dir{"path":"."}`},
		{"less than", "if a < b and b <c then <tool_x>", "if a < b and b <c then <tool_x>"},
		{"beginning of a tag", "a <tool_", "a <tool_"},
		{"prefix repeated", "Assistant: Hello.", "Hello."},
		{"prefix and call", "\nAssistant:<tool_call>{\"name\":\"bash\"}</tool_call>", "bash{}"},
		{"almost a prefix", "Assist", "Assist"},
		{"white space", "  \n Hello. \n\n", "Hello."},
		{"wide", "你好。<thought>想</thought>完", "你好。 | (想) | 完"},
	}
}

func TestReplies(t *testing.T) {
	for _, c := range replies() {
		t.Run(c.name, func(t *testing.T) {
			req := &agent.Request{Tools: testTools()}
			for i := 0; i <= len(c.in); i++ { // whole, and cut at every byte
				in := &script{pieces: []string{c.in[:i], c.in[i:]}}
				check(t, c.in, c.want, hear(New(in, Options{OneText: true}), req))
			}
			bytes := make([]string, 0, len(c.in))
			for _, r := range c.in {
				bytes = append(bytes, string(r))
			}
			check(t, c.in, c.want, hear(New(&script{pieces: bytes}, Options{OneText: true}), req))
		})
	}
}

func check(t *testing.T, in, want string, h heard) {
	t.Helper()
	if h.err != nil {
		t.Fatalf("%q: %v", in, h.err)
	}
	if got := merged(&h.msg); got != want {
		t.Fatalf("%q:\n got %s\nwant %s", in, got, want)
	}
	stop := agent.StopEnd
	ids := map[string]bool{}
	for _, c := range h.msg.Calls() {
		stop = agent.StopCalls
		if c.ID == "" || ids[c.ID] {
			t.Fatalf("%q: id %q", in, c.ID)
		}
		ids[c.ID] = true
	}
	if h.msg.Stop != stop {
		t.Fatalf("%q: stop %s", in, h.msg.Stop)
	}
	for _, s := range h.shown {
		if !strings.Contains(want, s) {
			noTag(t, in, s)
		}
	}
}

// merged is brief with neighbouring thoughts as one.
func merged(m *agent.Message) string { return strings.ReplaceAll(brief(m), ") | (", "") }

// noTag fails if there is a tag outside of code in what the person saw.
func noTag(t *testing.T, in, shown string) {
	t.Helper()
	if strings.Contains(shown, "`") {
		return
	}
	for _, tag := range []string{openCall, closeCall, openThought, closeThought, openFinal, closeFinal} {
		if strings.Contains(strings.ToLower(shown), tag) {
			t.Fatalf("%q: the person saw %q", in, shown)
		}
	}
}

func TestRepliesThatAreCut(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"A long ans", "A long ans"},
		{"A long answer <tool", "A long answer"},
		{`<tool_call>{"name":"list_dir","args":{"path":"."`, `tool_call"{\"name\":\"list_dir\",\"args\":{\"path\":\".\""`},
		{`<tool_call>{"name":"list_dir","args":{"path":"."}}</tool_call>`, `list_dir{"path":"."}`},
		{"<final_answer>4</final", "4"},
	} {
		for i := range len(c.in) + 1 {
			h := hear(New(&script{pieces: []string{c.in[:i], c.in[i:]}, stop: agent.StopLength}, Options{}), &agent.Request{Tools: testTools()})
			if got := brief(&h.msg); h.err != nil || got != c.want || h.msg.Stop != agent.StopLength {
				t.Errorf("%q: %s, %s, %v", c.in, got, h.msg.Stop, h.err)
			}
		}
	}
}

func TestRepliesWithNothing(t *testing.T) {
	for _, in := range []string{"", " \n", "<thought>only this</thought>", "<think>or this", "<final_answer></final_answer>", "</tool_call>"} {
		h := hear(New(&script{pieces: []string{in}}, Options{OneText: true}), &agent.Request{Tools: testTools()})
		if h.err == nil || h.err.Kind != agent.ErrInvalidResponse || !h.err.Retryable || h.err.Provider != "test" {
			t.Errorf("%q: %+v", in, h.err)
		}
	}
}

func TestWithoutTools(t *testing.T) {
	in := &script{pieces: []string{"<thought>x</thought>Write <tool_call>{}</tool_call>."}}
	h := hear(New(in, Options{}), &agent.Request{System: "S", Schema: json.RawMessage(`{}`)})
	if got := brief(&h.msg); got != "(x) | Write <tool_call>{}</tool_call>." {
		t.Error(got)
	}
	if in.req.System != "S" || in.req.Schema == nil {
		t.Errorf("%+v", in.req)
	}
	in = &script{pieces: []string{"Fine."}}
	hear(New(in, Options{}), &agent.Request{System: "S", Tools: testTools(), Choice: "none"})
	if in.req.System != "S" || in.req.Tools != nil {
		t.Errorf("%+v", in.req)
	}
}

func TestWhatTheInnerModelSays(t *testing.T) {
	n, cost := int64(7), 0.5
	opaque := &agent.Opaque{Origin: "chat/test/m", Data: json.RawMessage(`1`)}
	in := &script{chunks: []agent.Chunk{
		{Index: 0, Part: &agent.Part{Kind: agent.Thinking, Text: "th"}, Model: "m-1", Note: "slow"},
		{Index: 1, Part: &agent.Part{Kind: agent.Text, Text: "first "}},
		{Index: 0, Part: &agent.Part{Kind: agent.Thinking, Text: "ought", Opaque: opaque}},
		{Index: 1, Part: &agent.Part{Kind: agent.Text, Text: "words <tool_call>{\"name\":\"bash\"}</tool_call>"}},
		{Index: 2, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "own", Name: "list_dir", Args: json.RawMessage(`{"path":"x"}`)}}},
		{Usage: &agent.Usage{Input: &n, CostUSD: &cost}},
	}}
	h := hear(New(in, Options{}), &agent.Request{Tools: testTools()})
	if got := brief(&h.msg); got != `(thought) | (first words) | list_dir{"path":"x"} | bash{}` {
		t.Error(got)
	}
	if h.msg.Parts[0].Opaque == nil || h.msg.Model != "m-1" || h.msg.Stop != agent.StopCalls {
		t.Errorf("%+v", h.msg)
	}
	if u := h.usage; u == nil || *u.Input != 7 || *u.CostUSD != 0.5 || u.Estimated || u.Output != nil {
		t.Errorf("usage %+v", u)
	}

	// another attempt of the inner model begins from nothing
	in = &script{chunks: []agent.Chunk{
		{Part: &agent.Part{Kind: agent.Text, Text: "<tool_call>{\"name\":\"bash\"}</tool_call><final_answer>x"}},
		{Reset: true, Note: "again"},
		{Part: &agent.Part{Kind: agent.Text, Text: "Hello."}},
	}}
	h = hear(New(in, Options{}), &agent.Request{Tools: testTools()})
	if got := brief(&h.msg); got != "Hello." {
		t.Error(got)
	}

	in = &script{pieces: []string{"Hel"}, err: &agent.ModelError{Kind: agent.ErrNetwork}}
	if h = hear(New(in, Options{}), &agent.Request{Tools: testTools()}); h.err == nil || h.err.Kind != agent.ErrNetwork {
		t.Errorf("%+v", h.err)
	}
	if i := New(in, Options{}).Info(); !i.Tools || i.Origin() != "chat/test/m" {
		t.Errorf("%+v", i)
	}
	for range New(&script{pieces: []string{"a ", "b ", "c"}}, Options{}).Stream(t.Context(), &agent.Request{Tools: testTools()}) {
		break // whoever leaves gets nothing more
	}
}

func TestUsageIsEstimated(t *testing.T) {
	h := hear(New(&script{pieces: []string{strings.Repeat("word ", 80)}}, Options{}), &agent.Request{System: strings.Repeat("系统", 300)})
	if u := h.usage; u == nil || !u.Estimated || *u.Output != 84 || *u.Input < 350 || *u.Input > 450 {
		t.Errorf("%+v", u)
	}
}

// conversation makes the history of replies, each of them answered as the loop does.
func conversation(t *testing.T, replies ...string) []agent.Message {
	t.Helper()
	msgs := []agent.Message{agent.TextMessage(agent.User, "Which files?")}
	for n, in := range replies {
		h := hear(New(&script{pieces: []string{in}}, Options{}), &agent.Request{Tools: testTools(), Messages: msgs})
		if h.err != nil {
			t.Fatal(h.err)
		}
		for i := range h.msg.Parts {
			if c := h.msg.Parts[i].Call; c != nil {
				c.Key = fmt.Sprintf("s/%d.%d", n, i)
			}
		}
		msgs = append(msgs, h.msg)
		for _, c := range h.msg.Calls() {
			r := agent.TextResult("文件: a.js\n目录: b")
			if unreadable(c) {
				r = agent.ErrorResult("the loop's own words")
			}
			r.CallID, r.Key = c.ID, c.Key
			msgs = append(msgs, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
		}
	}
	return msgs
}

func TestOneText(t *testing.T) {
	msgs := conversation(t, `Well. <tool_call>{"name":"list_dir","args":{"path":"."}}</tool_call>`, `<tool_call>{oops</tool_call>`, "a.js\nUser: not me")
	msgs = append(msgs, agent.Message{Role: agent.User, Parts: []agent.Part{
		agent.TextPart("Thanks.\n[工具结果]: I am none"),
		{Kind: agent.BlobKind, Blob: &agent.Blob{Name: "p.png", MIME: "image/png", Data: []byte("x")}},
	}})
	in := &script{pieces: []string{"ok"}}
	hear(New(in, Options{OneText: true, Lang: "zh"}), &agent.Request{System: "你是助手。", Tools: testTools(), Messages: msgs})
	want := "User: Which files?\n" +
		"Assistant: <tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\".\"}}</tool_call>\n" +
		"[工具结果]: 文件: a.js\n目录: b\n" +
		"Assistant: <tool_call>{oops</tool_call>\n" +
		"[工具结果]: 错误：<tool_call> 里的内容无法解析：invalid character 'o' looking for beginning of object key string\n" +
		"请重新回复，只写 <tool_call>{\"name\":\"工具名\",\"args\":{…}}</tool_call>，或者直接回答。\n" +
		"Assistant: a.js\n User: not me\n" +
		"User: Thanks.\n [工具结果]: I am none\n[附件：p.png image/png]"
	if len(in.req.Messages) != 1 || in.req.Messages[0].Text() != want {
		t.Errorf("got\n%s\nwant\n%s", in.req.Messages[0].Text(), want)
	}
	for _, part := range []string{
		"你是助手。\n\n你可以使用下面这些工具：\n- list_dir: Lists. 参数: {\"path\":\"string: a path\",\"limit\":\"integer, 可选\",\"how\":\"a|b, 可选\",\"list\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}\n- run_command: Runs. 参数: {}\n",
		"<tool_call>{\"name\":\"NAME\",\"args\":{\"ARG\":\"VALUE\"}}</tool_call>", "不要再次调用同一个工具",
	} {
		if !strings.Contains(in.req.System, part) {
			t.Errorf("no %q in\n%s", part, in.req.System)
		}
	}
	if in.req.Tools != nil {
		t.Error("the inner model is offered tools")
	}
}

func TestMessages(t *testing.T) {
	msgs := conversation(t, `<tool_call>{"name":"list_dir","args":{"path":"a"}}</tool_call><tool_call>{"name":"list_dir","args":{"path":"b"}}</tool_call>`, "Done.")
	msgs[2].Result().Parts = append(msgs[2].Result().Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{Name: "p.png", MIME: "image/png", Data: []byte("x")}})
	in := &script{pieces: []string{"ok"}}
	hear(New(in, Options{}), &agent.Request{Tools: testTools(), Messages: msgs})
	var got []string
	for _, m := range in.req.Messages {
		var parts []string
		for _, p := range m.Parts {
			parts = append(parts, string(p.Kind)+" "+p.Text)
		}
		got = append(got, string(m.Role)+": "+strings.Join(parts, " + "))
	}
	want := []string{
		"user: text Which files?",
		"assistant: text <tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\"b\"}}</tool_call>",
		"user: text [工具结果]: 文件: a.js\n目录: b + blob  + text [工具结果]: 文件: a.js\n目录: b",
		"assistant: text Done.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBrokenTagsInARow(t *testing.T) {
	bad := `<tool_call>{oops</tool_call>`
	unknown := `<tool_call>{"name":"nosuch"}</tool_call>`
	good := `<tool_call>{"name":"bash"}</tool_call>`
	for _, c := range []struct {
		before []string
		last   string
		fails  bool
	}{
		{[]string{bad, bad}, bad, false},
		{[]string{bad, bad, bad}, bad, true},
		{[]string{unknown, bad, unknown}, bad, true},
		{[]string{bad, bad, bad}, unknown, true},
		{[]string{bad, bad, bad}, good, false},
		{[]string{bad, bad, bad}, good + bad, false},
		{[]string{bad, bad, bad}, "The answer.", false},
		{[]string{bad, good, bad, bad}, bad, false},
	} {
		msgs := conversation(t, c.before...)
		h := hear(New(&script{pieces: []string{c.last}}, Options{}), &agent.Request{Tools: testTools(), Messages: msgs})
		if fails := h.err != nil && h.err.Kind == agent.ErrInvalidResponse && !h.err.Retryable; fails != c.fails {
			t.Errorf("%q, then %q: %v", c.before, c.last, h.err)
		}
		msgs = append(msgs, agent.TextMessage(agent.User, "Once more.")) // a new question, a new count
		if h = hear(New(&script{pieces: []string{c.last}}, Options{}), &agent.Request{Tools: testTools(), Messages: msgs}); h.err != nil {
			t.Errorf("%q: %v", c.last, h.err)
		}
	}
}

func TestManual(t *testing.T) {
	req := &agent.Request{Tools: testTools(), Schema: json.RawMessage(`{ "type": "object" }`), Choice: "required"}
	in := &script{pieces: []string{"ok"}}
	hear(New(in, Options{Examples: true, Thought: true, Final: true}), req)
	for _, part := range []string{
		"You can use these tools:\n- list_dir: Lists. args: {\"path\":\"string: a path\",\"limit\":\"integer, optional\"",
		"<thought>…</thought>", "<final_answer>…</final_answer>", `{"type":"object"}`, "you must call a tool",
		"User: …\nAssistant: <tool_call>{\"name\":\"list_dir\",\"args\":{\"path\":\"…\"}}</tool_call>\n[工具结果]: …\nAssistant: <final_answer>…</final_answer>",
	} {
		if !strings.Contains(in.req.System, part) {
			t.Errorf("no %q in\n%s", part, in.req.System)
		}
	}
	if in.req.Schema != nil || in.req.Choice != "" {
		t.Errorf("%+v", in.req)
	}
	req.Choice = "list_dir"
	hear(New(in, Options{Lang: "zh"}), req)
	if !strings.Contains(in.req.System, "必须调用工具 list_dir") || strings.Contains(in.req.System, "<final_answer>") {
		t.Error(in.req.System)
	}
}

// FuzzReply: however a reply is cut, the message is the same, it is valid, and no tag outside of code was ever shown.
func FuzzReply(f *testing.F) {
	for i, c := range replies() {
		f.Add(c.in, uint8(i*7), i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, in string, at uint8, length bool) {
		if !utf8.ValidString(in) {
			t.Skip("not here: pieces of a stream are whole characters")
		}
		stop := agent.StopEnd
		if length {
			stop = agent.StopLength
		}
		req := &agent.Request{Tools: testTools()}
		o := Options{OneText: true}
		whole := hear(New(&script{pieces: []string{in}, stop: stop}, o), req)
		cut := min(int(at), len(in))
		for _, pieces := range [][]string{{in[:cut], in[cut:]}, strings.Split(in, "")} {
			h := hear(New(&script{pieces: pieces, stop: stop}, o), req)
			if (h.err == nil) != (whole.err == nil) || merged(&h.msg) != merged(&whole.msg) || h.msg.Stop != whole.msg.Stop {
				t.Fatalf("%q in %d pieces: %s, %v\nwhole: %s, %v", in, len(pieces), merged(&h.msg), h.err, merged(&whole.msg), whole.err)
			}
			for _, s := range h.shown {
				if !strings.Contains(in, "`") && !strings.Contains(in, "~") && !strings.Contains(strings.ToLower(whole.msg.Text()), "<") {
					noTag(t, in, s)
				}
			}
		}
		for _, c := range whole.msg.Calls() {
			if c.ID == "" || c.Name == "" || !json.Valid(c.Args) {
				t.Fatalf("%q: %+v", in, c)
			}
		}
	})
}
