package responses

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// reading is what a body came to.
type reading struct {
	Msg   agent.Message
	Kind  agent.ErrorKind
	Retry bool
	Err   string
	Usage *agent.Usage
}

// read decodes a body.
func read(t testing.TB, body io.Reader, tools []agent.Tool) reading {
	t.Helper()
	m := newTest(wire.Preset{})
	var b agent.Builder
	var r reading
	d := wire.NewDraft(m.Client, tools, func(c agent.Chunk, _ error) bool {
		if err := b.Add(c); err != nil {
			t.Errorf("chunk %+v: %v", c, err)
		}
		return true
	})
	if err := d.Read(body, m.newDecoder(d)); err != nil {
		var me *agent.ModelError
		if r.Kind = agent.ErrTruncated; errors.As(err, &me) {
			r.Kind, r.Retry = me.Kind, me.Retryable
		}
		r.Err = err.Error()
	}
	r.Msg = b.Message()
	r.Usage, r.Msg.Usage = r.Msg.Usage, nil
	for i, p := range r.Msg.Parts { // invented ids differ from one time to the next
		if p.Kind == agent.CallKind && strings.HasPrefix(p.Call.ID, "call_") && len(p.Call.ID) == 25 {
			c := *p.Call
			c.ID = "(invented)"
			r.Msg.Parts[i].Call = &c
		}
	}
	return r
}

// stream writes events, each given as its data.
func stream(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

// line tells a message in one line.
func line(m agent.Message) string {
	var out []string
	for _, p := range m.Parts {
		s := ""
		switch p.Kind {
		case agent.Text:
			s = fmt.Sprintf("text %q", p.Text)
		case agent.Thinking:
			s = fmt.Sprintf("thought %q", p.Text)
		case agent.CallKind:
			s = fmt.Sprintf("call %s %s %s", p.Call.ID, p.Call.Name, p.Call.Args)
		case agent.BlobKind, agent.ResultOf:
			s = string(p.Kind)
		}
		if p.Opaque != nil {
			s += " +" + string(p.Opaque.Data)
		}
		out = append(out, s)
	}
	return strings.Join(append(out, string(m.Stop)), "; ")
}

const done = `{"type":"response.completed","response":{"status":"completed","output":[]}}`

// replies are bodies and what they come to.
func replies() []struct{ name, body, want string } {
	return []struct{ name, body, want string }{
		{"two messages stay apart, with their phases", stream(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","phase":"commentary"}}`,
			`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"I look. "}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","phase":"commentary","content":[{"type":"output_text","text":"I look. "}]}}`,
			`{"type":"response.output_text.delta","item_id":"msg_2","output_index":1,"content_index":0,"delta":"Done"}`,
			`{"type":"response.output_text.delta","item_id":"msg_2","output_index":1,"content_index":0,"delta":"."}`,
			done), `text "I look. " +{"phase":"commentary"}; text "Done."; end`},
		{
			"everything only in the last event", stream(`{"type":"response.completed","response":{"status":"completed","output":[` +
				`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"A"},{"type":"summary_text","text":"B"}],"encrypted_content":"e"},` +
				`{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"Hi"},{"type":"output_text","text":" you"}]},` +
				`{"type":"function_call","id":"fc_1","call_id":"c1","name":"now","arguments":"{}"}]}}`),
			`thought "A\n\nB" +{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"A"},{"type":"summary_text","text":"B"}],"encrypted_content":"e"}; text "Hi you"; call c1 now {}; calls`,
		},
		{
			"an id for every event, places stay", stream(
				`{"type":"response.output_item.added","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":""}}`,
				`{"type":"response.output_item.added","output_index":1,"item":{"id":"b","type":"function_call","call_id":"c2","name":"bash","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","item_id":"c","output_index":0,"delta":"{\"command\":\"a"}`,
				`{"type":"response.function_call_arguments.delta","item_id":"d","output_index":1,"delta":"{\"command\":\"b"}`,
				`{"type":"response.function_call_arguments.delta","item_id":"e","output_index":0,"delta":"\"}"}`,
				`{"type":"response.function_call_arguments.delta","item_id":"f","output_index":1,"delta":"\"}"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"id":"g","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"a\"}"}}`,
				`{"type":"response.completed","response":{"status":"completed","output":[{"id":"h","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"a\"}"},{"id":"i","type":"function_call","call_id":"c2","name":"bash","arguments":"{\"command\":\"b\"}"}]}}`),
			`call c1 bash {"command":"a"}; call c2 bash {"command":"b"}; calls`,
		},
		{"every item at place 0, ids stay", stream(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":""}}`,
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"b","type":"function_call","call_id":"c2","name":"bash","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"a","output_index":0,"delta":"{\"command\":\"a\"}"}`,
			`{"type":"response.function_call_arguments.delta","item_id":"b","output_index":0,"delta":"{\"command\":\"b\"}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"a\"}"}}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"b","type":"function_call","call_id":"c2","name":"bash","arguments":"{\"command\":\"b\"}"}}`,
			done), `call c1 bash {"command":"a"}; call c2 bash {"command":"b"}; calls`},
		{"neither ids nor places", stream(
			`{"type":"response.output_text.delta","delta":"Hi"}`,
			`{"type":"response.output_text.delta","delta":" you"}`,
			`{"type":"response.output_text.done","text":"Hi you"}`,
			`{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"Hi you"}]}}`,
			`{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"Hi you"}]}]}}`), `text "Hi you"; end`},
		{"an id for every event, and no places", stream(
			`{"type":"response.output_item.added","item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"b","delta":"{\"command\":\"a"}`,
			`{"type":"response.function_call_arguments.delta","item_id":"c","delta":"\"}"}`,
			`{"type":"response.output_item.done","item":{"id":"d","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"a\"}"}}`,
			`{"type":"response.output_item.done","item":{"id":"e","type":"function_call","call_id":"c2","name":"now","arguments":"{}"}}`,
			done), `call c1 bash {"command":"a"}; call c2 now {}; calls`},
		{
			"nothing is announced, ids stay", stream(
				`{"type":"response.function_call_arguments.delta","item_id":"a","delta":"{\"command\":\"a"}`,
				`{"type":"response.function_call_arguments.delta","item_id":"b","delta":"{\"command\":\"b"}`,
				`{"type":"response.function_call_arguments.delta","item_id":"a","delta":"\"}"}`,
				`{"type":"response.function_call_arguments.delta","item_id":"b","delta":"\"}"}`,
				`{"type":"response.completed","response":{"output":[{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"a\"}"},{"id":"b","type":"function_call","call_id":"c2","name":"bash","arguments":"{\"command\":\"b\"}"}]}}`),
			`call c1 bash {"command":"a"}; call c2 bash {"command":"b"}; calls`,
		},
		{"the call is named at its end", stream(
			`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"command\":\"a\"}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\": \"a\"}"}}`,
			done), `call c1 bash {"command":"a"}; calls`},
		{"no call_id", stream(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","name":"now","arguments":""}}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","name":"now","arguments":"{}"}}`,
			done), `call fc_1 now {}; calls`},
		{"two calls under one id", stream(
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"a\"}"}}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"b","type":"function_call","call_id":"c1","name":"bash","arguments":"{\"command\":\"b\"}"}}`,
			done), `call c1 bash {"command":"a"}; call (invented) bash {"command":"b"}; calls`},
		{"the repetition is empty, or less than the pieces", stream(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"command\":\"a\"}"}`,
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":""}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":"{}"}}`,
			done), `call c1 bash {"command":"a"}; calls`},
		{"pieces were lost", stream(
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"a","type":"function_call","call_id":"c1","name":"bash","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"mmand\":\"a\"}"}`,
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"command\":\"a\"}"}`,
			done), `call c1 bash {"command":"a"}; calls`},
		{"a refusal", stream(
			`{"type":"response.refusal.delta","item_id":"m","output_index":0,"content_index":0,"delta":"No."}`,
			`{"type":"response.refusal.done","item_id":"m","output_index":0,"content_index":0,"refusal":"No."}`,
			done), `text "No."; refused`},
		{"a refusal at the end only", stream(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}}`), `text "No."; refused`},
		{"filtered", stream(`{"type":"response.output_text.delta","delta":"Well"}`, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), `text "Well"; refused`},
		{"incomplete for a reason nobody knows", stream(`{"type":"response.output_text.delta","delta":"Well"}`, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"moon"}}}`), `text "Well"; length`},
		{"completed, but incomplete", stream(`{"type":"response.output_text.delta","delta":"Well"}`, `{"type":"response.completed","response":{"status":"incomplete","incomplete_details":null}}`), `text "Well"; length`},
		{"summary and text of one thought", stream(
			`{"type":"response.reasoning_summary_text.delta","item_id":"r","summary_index":0,"delta":"Short."}`,
			`{"type":"response.reasoning_text.delta","item_id":"r","content_index":0,"delta":"Long."}`,
			`{"type":"response.output_text.delta","item_id":"m","delta":"Hi"}`, done), `thought "Short."; text "Hi"; end`},
		{"thoughts in parts and items", stream(
			`{"type":"response.reasoning_summary_text.delta","item_id":"r","output_index":0,"summary_index":0,"delta":"One"}`,
			`{"type":"response.reasoning_summary_text.delta","item_id":"r","output_index":0,"summary_index":0,"delta":"."}`,
			`{"type":"response.reasoning_summary_part.done","item_id":"r","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":"Two."}}`,
			`{"type":"response.content_part.done","item_id":"q","output_index":1,"content_index":0,"part":{"type":"reasoning_text","text":"Three."}}`,
			`{"type":"response.output_text.delta","item_id":"m","delta":"Hi"}`, done), `thought "One.\n\nTwo.\n\nThree."; text "Hi"; end`},
		{"a call written at the end of a thought", stream(
			`{"type":"response.reasoning_text.delta","item_id":"r","delta":"Look.<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"}`,
			done), `thought "Look."; call functions.now:0 now {}; calls`},
		{"thoughts in the text of a server that cannot tell them apart", stream(
			`{"type":"response.output_text.delta","item_id":"m","delta":"<think>Hm.</think>Hi"}`, done), `thought "Hm."; text "Hi"; end`},
		{"the kind stands beside the data only", "event: response.output_text.delta\ndata: {\"delta\":\"Hi\"}\n\nevent: response.completed\ndata: {\"response\":{\"status\":\"completed\"}}\n\n", `text "Hi"; end`},
		{"the end is the mark", stream(`{"type":"response.output_text.delta","delta":"Hi"}`, `[DONE]`), `text "Hi"; end`},
		{"a whole reply without a status", `{"object":"response","output":[{"type":"message","content":"Hi"}]}`, `text "Hi"; end`},
		{"a whole reply in short", `{"object":"response","status":"completed","output":[],"output_text":"Hi"}`, `text "Hi"; end`},
		{"a custom tool", `{"object":"response","output":[{"type":"custom_tool_call","call_id":"c1","name":"bash","input":"{\"command\":\"a\"}"}]}`, `call c1 bash {"command":"a"}; calls`},
		{"arguments are an object", `{"object":"response","output":[{"type":"function_call","call_id":"c1","name":"bash","arguments":{"command":"a"}}]}`, `call c1 bash {"command":"a"}; calls`},
		{"unknown parts", stream(`{"type":"response.content_part.done","item_id":"m","output_index":0,"content_index":0,"part":{"type":"moon","text":"x"}}`,
			`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":1,"delta":"Hi"}`, `{"type":"response.output_text.annotation.added","item_id":"m","annotation":{}}`, done), `text "Hi"; end`},
	}
}

func TestDecode(t *testing.T) {
	for _, c := range replies() {
		t.Run(c.name, func(t *testing.T) {
			whole := read(t, strings.NewReader(c.body), testTools())
			if got := line(whole.Msg); got != c.want || whole.Err != "" {
				t.Errorf("got  %s (%s)\nwant %s", got, whole.Err, c.want)
			}
			if diff := cmp.Diff(whole, read(t, iotest.OneByteReader(strings.NewReader(c.body)), testTools())); diff != "" {
				t.Errorf("in pieces it is something else:\n%s", diff)
			}
		})
	}
}

func TestDecodeFailures(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       agent.ErrorKind
		retry      bool
		words      string
	}{
		{"nothing behind the text", stream(`{"type":"response.output_text.delta","delta":"Hi"}`), agent.ErrTruncated, false, ""},
		{"cancelled", stream(`{"type":"response.cancelled","response":{"status":"cancelled"}}`), agent.ErrServer, true, ""},
		{"nested error", stream(`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"too long"}}`), agent.ErrContextLength, false, ""},
		{"error beside a response that talks about limits", stream(`{"type":"response.failed","response":{"instructions":"rate limit, quota, insufficient_quota","error":{"code":"server_error","message":"Oops"}}}`), agent.ErrServer, true, "Oops"},
		{"rate limit", stream(`{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Please try again in 3s."}}}`), agent.ErrRateLimit, true, ""},
		{"error of no kind", stream(`{"error":{"code":"server_error","message":"Oops"}}`), agent.ErrServer, true, ""},
		{"flat", `{"message":"Oops","code":"server_error"}`, agent.ErrServer, true, ""},
		{"an unknown event with an error", stream(`{"type":"response.moon","error":{"code":"server_error","message":"Oops"}}`), agent.ErrServer, true, ""},
		{"not yet", `{"object":"response","status":"queued","output":[]}`, agent.ErrInvalidResponse, true, "queued"},
		{"whole and failed", `{"object":"response","status":"failed","error":null,"output":[]}`, agent.ErrServer, true, ""},
		{"of another wire: chat", `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, agent.ErrInvalidResponse, false, "api to chat"},
		{"of another wire: anthropic", stream(`{"type":"message_start","message":{}}`), agent.ErrInvalidResponse, false, "api to anthropic"},
		{"of another wire: anthropic, whole", `{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`, agent.ErrInvalidResponse, false, "api to anthropic"},
		{"of another wire: gemini", stream(`{"candidates":[]}`), agent.ErrInvalidResponse, false, "api to gemini"},
		{"only a thought", stream(`{"type":"response.reasoning_summary_text.delta","delta":"Hm."}`, done), agent.ErrInvalidResponse, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(t, strings.NewReader(c.body), testTools())
			if got.Kind != c.kind || got.Retry != c.retry || !strings.Contains(got.Err, c.words) {
				t.Errorf("%s retry=%v: %s", got.Kind, got.Retry, got.Err)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	got := read(t, strings.NewReader(stream(`{"type":"response.output_text.delta","delta":"Hi"}`,
		`{"type":"response.completed","response":{"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":16}}}`)), nil).Usage
	n := func(i int64) *int64 { return &i }
	if diff := cmp.Diff(&agent.Usage{Input: n(9), Cached: n(4), CacheWrite: n(2), Output: n(7), Reasoning: n(5)}, got); diff != "" {
		t.Error(diff)
	}
}

// However many items a reply has, the work stays bounded and nothing breaks.
func TestManyItems(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxItems {
		fmt.Fprintf(&b, "data: {\"type\":\"response.output_item.added\",\"item\":{\"id\":\"i%d\",\"type\":\"function_call\",\"call_id\":\"c%d\",\"name\":\"now\",\"arguments\":\"{}\"}}\n\n", i, i)
	}
	b.WriteString("data: " + done + "\n\n")
	got := read(t, strings.NewReader(b.String()), testTools())
	if n := len(got.Msg.Calls()); n == 0 || n > maxItems {
		t.Errorf("%d calls", n)
	}
}

// Whatever comes: no panic, no chunk that a message cannot take in (read sees to that), and where the bytes are cut makes
// no difference.
func FuzzDecode(f *testing.F) {
	for _, c := range replies() {
		f.Add([]byte(c.body), uint16(len(c.body)/2))
	}
	f.Add([]byte(stream(`{"type":"error","message":"x"}`)), uint16(9))
	f.Fuzz(func(t *testing.T, body []byte, at uint16) {
		if len(body) > 64<<10 {
			return
		}
		whole := read(t, bytes.NewReader(body), testTools())
		cut := min(int(at), len(body))
		parts := read(t, io.MultiReader(bytes.NewReader(body[:cut]), bytes.NewReader(body[cut:])), testTools())
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Errorf("cut at %d it is something else:\n%s", cut, diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	const deltas = 100_000
	for _, kind := range []string{"output_text", "function_call_arguments"} {
		line := "event: response." + kind + ".delta\n" + `data: {"type":"response.` + kind + `.delta","sequence_number":4711,"item_id":"msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9","output_index":1,"content_index":0,"delta":" token","logprobs":[],"obfuscation":"a8Xk2PqZ"}` + "\n\n"
		body := []byte(strings.Repeat(line, deltas) + "data: " + done + "\n\n")
		for _, tools := range [][]agent.Tool{nil, testTools()} {
			b.Run(fmt.Sprintf("%s/tools=%d", kind, len(tools)), func(b *testing.B) {
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
}

// twoCalls is a stream with two finished calls whose last event has output.
func twoCalls(first, second, output string) string {
	const added = `{"type":"response.output_item.added","output_index":%d,"item":{"id":"fc_%[1]d","type":"function_call","call_id":%q,"name":"bash","arguments":""}}`
	const over = `{"type":"response.output_item.done","output_index":%d,"item":{"id":"fc_%[1]d","type":"function_call","call_id":%q,"name":"bash","arguments":"{\"command\":\"%s\"}"}}`
	return stream(fmt.Sprintf(added, 0, first), fmt.Sprintf(over, 0, first, "a"), fmt.Sprintf(added, 1, second), fmt.Sprintf(over, 1, second, "b"),
		`{"type":"response.completed","response":{"status":"completed","output":[`+output+`]}}`)
}

// TestWholeReplyRepeatsCalls: whatever ids the whole reply gives its calls, each comes once and keeps its arguments.
func TestWholeReplyRepeatsCalls(t *testing.T) {
	again := func(id, call, command string) string {
		return fmt.Sprintf(`{"id":%q,"type":"function_call","call_id":%q,"name":"bash","arguments":"{\"command\": \"%s\"}"}`, id, call, command)
	}
	const ab, ones = `call c1 bash {"command":"a"}; call c2 bash {"command":"b"}; calls`, `call c1 bash {"command":"a"}; call (invented) bash {"command":"b"}; calls`
	for name, c := range map[string]struct{ body, want string }{
		"one call_id for two":           {twoCalls("c1", "c1", again("fc_0", "c1", "a")+","+again("fc_1", "c1", "b")), ones},
		"one call_id, other ids":        {twoCalls("c1", "c1", again("x", "c1", "a")+","+again("y", "c1", "b")), ones},
		"one call_id, swapped":          {twoCalls("c1", "c1", again("y", "c1", "b")+","+again("x", "c1", "a")), ones},
		"call_id of the other":          {twoCalls("c1", "c2", again("fc_0", "c2", "a")+","+again("fc_1", "c1", "b")), ab},
		"everything is new":             {twoCalls("c1", "c2", again("x", "x1", "a")+","+again("y", "x2", "b")), ab},
		"everything is new and swapped": {twoCalls("c1", "c2", again("y", "x2", "b")+","+again("x", "x1", "a")), ab},
		"other arguments":               {twoCalls("c1", "c2", again("fc_0", "c1", "z")+","+again("fc_1", "c2", "b")), ab},
		"one that was not streamed":     {twoCalls("c1", "c2", again("fc_0", "c1", "a")+","+again("fc_1", "c2", "b")+","+again("fc_2", "c3", "a")), strings.Replace(ab, "; calls", `; call c3 bash {"command":"a"}; calls`, 1)},
		"only whole, one call_id":       {stream(`{"type":"response.completed","response":{"status":"completed","output":[` + again("x", "c1", "a") + "," + again("y", "c1", "b") + `]}}`), ones},
		"arguments only in the end": {stream(`{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_0","type":"function_call","call_id":"c1","name":"bash","arguments":""}}`,
			`{"type":"response.completed","response":{"status":"completed","output":[`+again("x", "x1", "a")+`]}}`), `call c1 bash {"command":"a"}; calls`},
	} {
		if got := line(read(t, strings.NewReader(c.body), []agent.Tool{{Name: "bash"}}).Msg); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}
