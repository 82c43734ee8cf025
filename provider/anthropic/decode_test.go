package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

// reply is what a body came to. Parts are in their order, one line each.
type reply struct {
	Parts []string
	Stop  agent.StopReason
	Kind  agent.ErrorKind
	Usage string
}

// collect plays a body as the reply to a request.
func collect(t testing.TB, m *model, req *agent.Request, body io.Reader) (reply, agent.Message) {
	t.Helper()
	m.HTTP = &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	})}
	var b agent.Builder
	var r reply
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			var me *agent.ModelError
			if !errors.As(err, &me) || me.Error() == "" || me.Provider == "" {
				t.Errorf("error %v", err)
				continue
			}
			r.Kind = me.Kind
			continue
		}
		if err := b.Add(c); err != nil {
			t.Errorf("a bad chunk: %v", err)
		}
		if u := c.Usage; u != nil {
			r.Usage = fmt.Sprintf("%s %s %s %s %s", counted(u.Input), counted(u.Output), counted(u.Cached), counted(u.CacheWrite), counted(u.Reasoning))
		}
	}
	msg := b.Message()
	r.Stop = msg.Stop
	for _, p := range msg.Parts {
		line := string(p.Kind) + " " + p.Text
		if p.Call != nil {
			line = fmt.Sprintf("call %s(%s)", p.Call.Name, p.Call.Args)
			if p.Call.ID == "" && r.Kind == "" {
				t.Error("a call without an id")
			}
		}
		if p.Opaque != nil {
			line += " " + string(p.Opaque.Data)
			if p.Opaque.Origin != m.Info().Origin() {
				t.Errorf("origin %q", p.Opaque.Origin)
			}
		}
		r.Parts = append(r.Parts, line)
	}
	return r, msg
}

func counted(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// event writes an event of the stream with more fields.
func event(kind, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}

func begun(usage string) string {
	return event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x-1","content":[],"stop_reason":null,"usage":`+usage+`}`)
}

func start(index int, block string) string {
	return event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, index, block))
}

func delta(index int, kind, field, value string) string {
	return event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"%s_delta","%s":%s}`, index, kind, field, quoted(value)))
}

func quoted(s string) string { return string(wire.AppendString(nil, s)) }

func stop(index int) string { return event("content_block_stop", fmt.Sprintf(`"index":%d`, index)) }

// text is the events of a block of text that is the first.
func text(s string) string {
	return start(0, `{"type":"text","text":""}`) + delta(0, "text", "text", s) + stop(0)
}

// finished is a whole stream around events of blocks.
func finished(reason, blocks string) string {
	return begun(`{"input_tokens":7,"output_tokens":1}`) + blocks + event("message_delta", `"delta":{"stop_reason":"`+reason+`","stop_sequence":null},"usage":{"output_tokens":3}`) + event("message_stop", "")
}

func TestDecode(t *testing.T) {
	const plain = "7 3 - - -"
	thought := start(0, `{"type":"thinking","thinking":"","signature":""}`) + delta(0, "thinking", "thinking", "Let") + delta(0, "thinking", "thinking", " me.")
	for _, c := range []struct {
		name, body string
		preset     wire.Preset
		want       reply
	}{
		{"plain", finished("end_turn", text("Hello")), wire.Preset{}, reply{Parts: []string{"text Hello"}, Stop: agent.StopEnd, Usage: plain}},
		{"stop sequence", finished("stop_sequence", text("Hello")), wire.Preset{}, reply{Parts: []string{"text Hello"}, Stop: agent.StopEnd, Usage: plain}},
		{"text in the start", finished("end_turn", start(0, `{"type":"text","text":"He"}`)+delta(0, "text", "text", "y")+stop(0)), wire.Preset{}, reply{Parts: []string{"text Hey"}, Stop: agent.StopEnd, Usage: plain}},
		{"thinking", finished("end_turn", thought+delta(0, "signature", "signature", "S1")+delta(0, "signature", "signature", "S2")+stop(0)+start(1, `{"type":"text"}`)+delta(1, "text", "text", "Yes")+stop(1)), wire.Preset{}, reply{Parts: []string{`thinking Let me. {"signature":"S1S2"}`, "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"thinking between calls", finished("tool_use", thought+delta(0, "signature", "signature", "S")+stop(0)+start(1, `{"type":"tool_use","id":"a","name":"now","input":{}}`)+stop(1)+start(2, `{"type":"thinking","thinking":"More.","signature":"T"}`)+stop(2)+start(3, `{"type":"tool_use","id":"b","name":"now","input":{}}`)+stop(3)), wire.Preset{}, reply{Parts: []string{`thinking Let me. {"signature":"S"}`, "call now({})", `thinking More. {"signature":"T"}`, "call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"thinking not signed", finished("end_turn", thought+stop(0)+text("Yes")), wire.Preset{}, reply{Parts: []string{"thinking Let me.", "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"thinking not signed, wanted back", finished("end_turn", thought+stop(0)+text("Yes")), wire.Preset{ReasoningField: "reasoning_content"}, reply{Parts: []string{`thinking Let me. {"signature":""}`, "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"thinking without a start", finished("end_turn", delta(0, "thinking", "thinking", "Hm")+delta(0, "signature", "signature", "S")+text("Yes")), wire.Preset{}, reply{Parts: []string{`thinking Hm {"signature":"S"}`, "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"redacted", finished("end_turn", start(0, `{"type":"redacted_thinking","data":"E=="}`)+stop(0)+start(1, `{"type":"redacted_thinking","data":"F=="}`)+stop(1)+text("Yes")), wire.Preset{}, reply{Parts: []string{`thinking  {"block":{"type":"redacted_thinking","data":"E=="}}`, `thinking  {"block":{"type":"redacted_thinking","data":"F=="}}`, "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"call in pieces", finished("tool_use", text("Look.\n\n")+start(1, `{"type":"tool_use","id":"a","name":"bash","input":{}}`)+delta(1, "input_json", "partial_json", `{"c`)+delta(1, "input_json", "partial_json", "")+delta(1, "input_json", "partial_json", `":1}`)+stop(1)), wire.Preset{}, reply{Parts: []string{"text Look.\n\n", `call bash({"c":1})`}, Stop: agent.StopCalls, Usage: plain}},
		{"input in the start alone", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"bash","input":{"c":1}}`)+delta(0, "input_json", "partial_json", "")+stop(0)), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`}, Stop: agent.StopCalls, Usage: plain}},
		{"blocks without ends", finished("tool_use", start(0, `{"type":"text","text":"Look."}`)+start(1, `{"type":"tool_use","id":"a","name":"bash","input":{"c":1}}`)), wire.Preset{}, reply{Parts: []string{"text Look.", `call bash({"c":1})`}, Stop: agent.StopCalls, Usage: plain}},
		{"one index for all", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"bash","input":{}}`)+delta(0, "input_json", "partial_json", `{"c":1}`)+start(0, `{"type":"tool_use","id":"b","name":"now","input":{}}`)+delta(0, "input_json", "partial_json", `{}`)), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`, "call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"an index of no block", finished("tool_use", start(1, `{"type":"tool_use","id":"a","name":"bash","input":{}}`)+delta(0, "input_json", "partial_json", `{"c":1}`)+stop(1)+start(2, `{"type":"tool_use","id":"b","name":"now","input":{}}`)+delta(2, "input_json", "partial_json", `{}`)+stop(2)), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`, "call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"a delta behind its block's end", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"bash","input":{}}`)+delta(0, "input_json", "partial_json", `{"c":`)+stop(0)+start(1, `{"type":"tool_use","id":"b","name":"now","input":{}}`)+delta(0, "input_json", "partial_json", `1}`)+stop(1)), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`, "call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"signature twice", finished("end_turn", start(0, `{"type":"thinking","thinking":"Hm","signature":"SIG"}`)+delta(0, "signature", "signature", "SIG")+stop(0)+text("Yes")), wire.Preset{}, reply{Parts: []string{`thinking Hm {"signature":"SIG"}`, "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"no ids, no indexes", finished("tool_use", strings.ReplaceAll(start(7, `{"type":"tool_use","name":"bash"}`)+delta(7, "input_json", "partial_json", `{"c":1}`)+stop(7)+start(7, `{"type":"tool_use","name":"now","input":null}`)+stop(7), `"index":7,`, "")), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`, "call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"input as a string", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"bash","input":"{\"c\":1}"}`)), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`}, Stop: agent.StopCalls, Usage: plain}},
		{"input as an object, piece by piece", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"bash","input":{}}`)+event("content_block_delta", `"index":0,"delta":{"type":"input_json_delta","partial_json":{"c":1}}`)+stop(0)), wire.Preset{}, reply{Parts: []string{`call bash({"c":1})`}, Stop: agent.StopCalls, Usage: plain}},
		{"caller", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"now","input":{},"caller":{"type":"code_execution_20250825","tool_id":"s"}}`)+stop(0)), wire.Preset{}, reply{Parts: []string{`call now({}) {"caller":{"type":"code_execution_20250825","tool_id":"s"}}`}, Stop: agent.StopCalls, Usage: plain}},
		{"end_turn with a call", finished("end_turn", start(0, `{"type":"tool_use","id":"a","name":"now","input":{},"caller":{"type":"direct"}}`)+stop(0)), wire.Preset{}, reply{Parts: []string{"call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"tool_use without a call", finished("tool_use", text("No.")), wire.Preset{}, reply{Parts: []string{"text No."}, Stop: agent.StopEnd, Usage: plain}},
		{"call as text", finished("end_turn", text("Now <tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>")), wire.Preset{}, reply{Parts: []string{"text Now", "call now({})"}, Stop: agent.StopCalls, Usage: plain}},
		{"think tags", finished("end_turn", text("<think>hm</think>Yes")), wire.Preset{}, reply{Parts: []string{"thinking hm", "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{
			"tools of the server", finished("pause_turn", text("Look.")+start(1, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`)+delta(1, "input_json", "partial_json", `{"query":`)+delta(1, "input_json", "partial_json", `"x"}`)+stop(1)+start(2, `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"encrypted_content":"E"}]}`)+stop(2)),
			wire.Preset{},
			reply{Parts: []string{"text Look.", `text  {"block":{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}}`, `text  {"block":{"type":"web_search_tool_result","tool_use_id":"s","content":[{"encrypted_content":"E"}]}}`}, Stop: agent.StopPause, Usage: plain},
		},
		{
			"citations", finished("end_turn", text("A ")+start(1, `{"type":"text","text":"","citations":[]}`)+event("content_block_delta", `"index":1,"delta":{"type":"citations_delta","citation":{"url":"u"}}`)+delta(1, "text", "text", "B")+event("content_block_delta", `"index":1,"delta":{"type":"citations_delta","citation":{"url":"v"}}`)+stop(1)),
			wire.Preset{},
			reply{Parts: []string{"text A ", `text B {"citations":[{"url":"u"},{"url":"v"}]}`}, Stop: agent.StopEnd, Usage: plain},
		},
		{"unknown block and event", finished("end_turn", start(0, `{"type":"later","x":{"y":1}}`)+delta(0, "later", "later", "z")+stop(0)+event("later_event", `"message":"fine","detail":"x"`)+text("Yes")), wire.Preset{}, reply{Parts: []string{`text  {"block":{"type":"later","x":{"y":1}}}`, "text Yes"}, Stop: agent.StopEnd, Usage: plain}},
		{"refusal", finished("refusal", text("I")), wire.Preset{}, reply{Parts: []string{"text I"}, Stop: agent.StopRefused, Usage: plain}},
		{"refusal without a word", begun(`{}`) + event("message_delta", `"delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"no"}}`) + event("message_stop", ""), wire.Preset{}, reply{Stop: agent.StopRefused}},
		{"window full", finished("model_context_window_exceeded", text("I")), wire.Preset{}, reply{Parts: []string{"text I"}, Stop: agent.StopOverflow, Usage: plain}},
		{"limit in a call", finished("max_tokens", start(0, `{"type":"tool_use","id":"a","name":"bash","input":{}}`)+delta(0, "input_json", "partial_json", `{"c":"x`)+stop(0)), wire.Preset{}, reply{Parts: []string{`call bash("{\"c\":\"x")`}, Stop: agent.StopLength, Usage: plain}},
		{"limit in a thought", finished("max_tokens", thought+delta(0, "signature", "signature", "S")+stop(0)), wire.Preset{}, reply{Parts: []string{`thinking Let me. {"signature":"S"}`}, Stop: agent.StopLength, Usage: plain}},
		{"no stop reason", begun(`{}`) + text("Yes") + event("message_stop", ""), wire.Preset{}, reply{Parts: []string{"text Yes"}, Stop: agent.StopEnd}},
		{"no message_stop", begun(`{}`) + text("Yes") + event("message_delta", `"delta":{"stop_reason":"end_turn"}`), wire.Preset{}, reply{Parts: []string{"text Yes"}, Stop: agent.StopEnd}},
		{"nameless events", strings.ReplaceAll(finished("end_turn", text("Hello")), "event: ", ": "), wire.Preset{}, reply{Parts: []string{"text Hello"}, Stop: agent.StopEnd, Usage: plain}},
		{"names alone", "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":4}}}\n\nevent: content_block_delta\ndata: {\"index\":0,\"delta\":{\"text\":\"Hi\"}}\n\nevent: message_stop\ndata: {}\n\n", wire.Preset{}, reply{Parts: []string{"text Hi"}, Stop: agent.StopEnd, Usage: "4 - - - -"}},
		{"usage", begun(`{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}`) + text("x") + event("message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":12,"cache_read_input_tokens":0,"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}}`), wire.Preset{}, reply{Parts: []string{"text x"}, Stop: agent.StopEnd, Usage: "132 9 100 20 4"}},
		{"torn characters", finished("end_turn", start(0, `{"type":"text","text":""}`)+event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"a\ud83d"}`)+event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"\ude00b"}`)+stop(0)), wire.Preset{}, reply{Parts: []string{"text a😀b"}, Stop: agent.StopEnd, Usage: plain}},
		{"whole", `{"type":"message","model":"m","content":[{"type":"thinking","thinking":"Hm","signature":"S"},{"type":"text","text":"Yes"},{"type":"tool_use","id":"a","name":"bash","input":{"c":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}`, wire.Preset{}, reply{Parts: []string{`thinking Hm {"signature":"S"}`, "text Yes", `call bash({"c":1})`}, Stop: agent.StopCalls, Usage: "1 2 - - -"}},
		{"whole without a type", `{"content":"Yes","stop_reason":"end_turn"}`, wire.Preset{}, reply{Parts: []string{"text Yes"}, Stop: agent.StopEnd}},

		{"cut", begun(`{}`) + text("x"), wire.Preset{}, reply{Parts: []string{"text x"}, Kind: agent.ErrTruncated}},
		{"cut in a thought", begun(`{}`) + thought, wire.Preset{}, reply{Parts: []string{"thinking Let me."}, Kind: agent.ErrTruncated}},
		{"whole but cut", `{"type":"message","content":[{"type":"text","text":"Yes"}],"stop_reason":null}`, wire.Preset{}, reply{Parts: []string{"text Yes"}, Kind: agent.ErrTruncated}},
		{"nothing", finished("end_turn", ""), wire.Preset{}, reply{Kind: agent.ErrInvalidResponse, Usage: plain}},
		{"only thoughts", finished("end_turn", thought+stop(0)), wire.Preset{}, reply{Parts: []string{"thinking Let me."}, Kind: agent.ErrInvalidResponse, Usage: plain}},
		{"overloaded", begun(`{}`) + text("x") + event("error", `"error":{"type":"overloaded_error","message":"Overloaded"}`), wire.Preset{}, reply{Parts: []string{"text x"}, Kind: agent.ErrServer}},
		{"error by its type", begun(`{}`) + event("overloaded_error", `"message":"later"`), wire.Preset{}, reply{Kind: agent.ErrServer}},
		{"error in the first event", event("message_start", `"message":{},"error":{"type":"authentication_error","message":"bad key"}`), wire.Preset{}, reply{Kind: agent.ErrAuth}},
		{"error in plain words", "event: error\ndata: overloaded\n\n", wire.Preset{}, reply{Kind: agent.ErrServer}},
		{"flat error", `{"code":"Arrearage","message":"pay","request_id":"r"}`, wire.Preset{}, reply{Kind: agent.ErrQuota}},
		{"base_resp", `{"type":"message","content":[],"base_resp":{"status_code":1008,"status_msg":"x"}}`, wire.Preset{}, reply{Kind: agent.ErrQuota}},
		{"web page", "<html>login</html>", wire.Preset{}, reply{Kind: agent.ErrInvalidResponse}},
		{"another wire", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", wire.Preset{}, reply{Kind: agent.ErrTruncated}},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(c.body), "by bytes": iotest.OneByteReader(strings.NewReader(c.body))} {
			got, _ := collect(t, newTest("claude-x", c.preset), &agent.Request{Tools: testTools()}, r)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, %s:\n%s", c.name, how, diff)
			}
		}
	}
}

// Where formats are unknown, a tool's arguments are the answer.
func TestAnswerTool(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	for _, c := range []struct {
		name, body string
		want       reply
	}{
		{"streamed", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"answer","input":{}}`)+delta(0, "input_json", "partial_json", `{"n":`)+delta(0, "input_json", "partial_json", `1}`)+stop(0)), reply{Parts: []string{`text {"n":1}`}, Stop: agent.StopEnd, Usage: "7 3 - - -"}},
		{"whole", `{"content":[{"type":"tool_use","id":"a","name":"answer","input":{"n":1}}],"stop_reason":"tool_use"}`, reply{Parts: []string{`text {"n":1}`}, Stop: agent.StopEnd}},
		{"another tool first", finished("tool_use", start(0, `{"type":"tool_use","id":"a","name":"now","input":{}}`)+stop(0)), reply{Parts: []string{"call now({})"}, Stop: agent.StopCalls, Usage: "7 3 - - -"}},
	} {
		got, _ := collect(t, newTest("m", wire.Preset{}), &agent.Request{Tools: testTools(), Schema: schema}, strings.NewReader(c.body))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestWhyItStopped(t *testing.T) {
	var log strings.Builder
	m := New(wire.Config{BaseURL: "http://x.invalid", Model: "m", Logger: slog.New(slog.NewTextHandler(&log, nil))}).(*model)
	body := begun(`{}`) + event("message_delta", `"delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"not this"}}`)
	collect(t, m, &agent.Request{}, strings.NewReader(body))
	if !strings.Contains(log.String(), "not this") || !strings.Contains(log.String(), "bio") {
		t.Errorf("nobody is told: %s", log.String())
	}
}

// FuzzDecode holds the decoder to what must be true of any reply, and a message that came through to going back.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "wire", "anthropic-*.json"))
	if err != nil || len(files) == 0 {
		f.Fatal("no cases", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var c struct {
			HTTP struct {
				Chunks []any `json:"body_chunks"`
			}
		}
		if err := json.Unmarshal(data, &c); err != nil {
			f.Fatal(err)
		}
		body := ""
		for _, chunk := range c.HTTP.Chunks {
			if s, ok := chunk.(string); ok {
				body += s
			}
		}
		f.Add([]byte(body), byte(0))
		f.Add([]byte(body), byte(3))
	}
	f.Fuzz(func(t *testing.T, body []byte, how byte) {
		m := newTest([]string{"claude-x", "m"}[how&1], wire.Preset{ReasoningField: []string{"", "reasoning_content"}[how>>1&1]})
		req := &agent.Request{Tools: testTools(), Messages: []agent.Message{agent.TextMessage(agent.User, "Hi")}}
		if how&4 != 0 {
			req.Schema = json.RawMessage(`{"type":"object"}`)
		}
		got, msg := collect(t, m, req, strings.NewReader(string(body)))
		if (got.Kind == "") == (got.Stop == "") {
			t.Fatalf("a reply with neither an end nor an error, or with both: %+v", got)
		}
		req.Messages = append(req.Messages, msg)
		checkBody(t, m.encode(req))
	})
}
