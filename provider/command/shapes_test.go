package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/provider/wire"
)

// output is what a program printed and how it ended.
type output struct {
	out, err string
	code     int
	signal   string
}

// told is what became of it.
type told struct {
	msg   agent.Message
	err   *agent.ModelError
	shown []string // the answer at each moment
}

func preset(t testing.TB, name string) wire.Preset {
	t.Helper()
	p, ok := wire.Lookup(name)
	if !ok {
		t.Fatalf("no preset %s", name)
	}
	return p
}

// say plays an output to a model, in pieces of these lengths; the last piece is the rest.
func say(t testing.TB, p wire.Preset, o output, cuts ...int) told {
	t.Helper()
	c := Config{CLI: *p.CLI, Preset: p, Dir: t.TempDir(), Run: func(_ context.Context, c shell.Cmd) (shell.Result, error) {
		rest := []byte(o.out)
		for _, n := range cuts {
			n = min(n, len(rest))
			c.Stream(rest[:n:n])
			rest = rest[n:]
		}
		c.Stream(rest)
		return shell.Result{Errors: []byte(o.err), Code: o.code, Signal: o.signal}, nil
	}}
	c.CLI.Command = append([]string{"sh"}, c.CLI.Command[1:]...) // that is there
	return listen(t, New(c), &agent.Request{System: "S", Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}})
}

func listen(t testing.TB, m agent.Model, req *agent.Request) (r told) {
	t.Helper()
	var b agent.Builder
	visible := ""
	for c, err := range m.Stream(context.Background(), req) {
		if err != nil {
			r.err, _ = errors.AsType[*agent.ModelError](err)
			if r.err == nil {
				t.Fatalf("%T %v", err, err)
			}
			break
		}
		if err := b.Add(c); err != nil {
			t.Fatal(err)
		}
		if c.Reset {
			visible = ""
		}
		if c.Part != nil && c.Part.Kind == agent.Text {
			visible += c.Part.Text
		}
		r.shown = append(r.shown, visible)
	}
	r.msg = b.Message()
	return r
}

func usageLine(u *agent.Usage) string {
	if u == nil {
		return ""
	}
	line := ""
	for _, n := range []struct {
		name string
		n    *int64
	}{{"in", u.Input}, {"out", u.Output}, {"cached", u.Cached}, {"written", u.CacheWrite}, {"thought", u.Reasoning}} {
		if n.n != nil {
			line += fmt.Sprintf("%s %d ", n.name, *n.n)
		}
	}
	if u.CostUSD != nil {
		line += fmt.Sprintf("$%v", *u.CostUSD)
	}
	return strings.TrimSpace(line)
}

const (
	claudeResult = `{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"num_turns":1,"result":"Hello there.","session_id":"s","total_cost_usd":0.012,"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":7}}`
	claudeStream = `{"type":"system","subtype":"init","model":"claude-x","session_id":"s"}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1","model":"claude-x","usage":{"input_tokens":3,"output_tokens":1}}}}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello "}}}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"there."}}}
{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"thinking","thinking":"Hm."}]},"session_id":"s"}
{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Hello there."}]},"session_id":"s"}
{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}}
{"type":"stream_event","event":{"type":"message_stop"}}
` + claudeResult + "\n"
	geminiStream = `{"type":"init","session_id":"s","model":"gemini-x"}
{"type":"message","role":"user","content":"the prompt"}
{"type":"message","role":"assistant","content":"Hello ","delta":true}
{"type":"message","role":"assistant","content":"there.","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":12,"input_tokens":5,"output_tokens":7,"cached":2}}
`
)

type shape struct {
	name, cli, out, want, usage string
}

func shapes() []shape {
	return []shape{
		{"the first form", "codebuddy", `{"content":"Hello there."}`, "Hello there.", ""},
		{"a list", "codebuddy", `[{"type":"message","role":"user","content":"hi"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello "},{"type":"output_text","text":"there."}]},{"type":"result","subtype":"success","is_error":false,"result":"Hello there.","total_cost_usd":0.5}]`, "Hello there.", "$0.5"},
		{"a list without a result", "codebuddy", `[{"type":"message","role":"assistant","content":"first"},{"type":"message","role":"assistant","content":"Hello there."},{"type":"file-history-snapshot","snapshot":{}}]`, "Hello there.", ""},
		{"an empty result behind a message", "codebuddy", `[{"type":"message","role":"assistant","content":"Hello there."},{"type":"result","subtype":"success","result":""}]`, "Hello there.", ""},
		{"an indented list", "codebuddy", "[\n  {\n    \"type\": \"message\",\n    \"role\": \"assistant\",\n    \"content\": \"Hello there.\"\n  }\n]\n", "Hello there.", ""},
		{"one object", "claude-code", claudeResult, "Hello there.", "in 123 out 7 cached 100 written 20 $0.012"},
		{"events", "claude-code", claudeStream, "Hello there.", "in 123 out 7 cached 100 written 20 $0.012"},
		{"events, CRLF", "claude-code", strings.ReplaceAll(claudeStream, "\n", "\r\n"), "Hello there.", "in 123 out 7 cached 100 written 20 $0.012"},
		{"whole messages only", "claude-code", `{"type":"system","subtype":"init"}` + "\n" + `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello there."}],"usage":{"input_tokens":1,"output_tokens":2}}}` + "\n", "Hello there.", "in 1 out 2"},
		{"two messages", "claude-code", `{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"I look first."}]}}` + "\n" + `{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"Hello there."}]}}` + "\n" + `{"type":"result","subtype":"success","result":"Hello there."}`, "Hello there.", ""},
		{"another's words within", "claude-code", `{"type":"assistant","parent_tool_use_id":"x","message":{"content":[{"type":"text","text":"within"}]}}` + "\n" + claudeResult, "Hello there.", "in 123 out 7 cached 100 written 20 $0.012"},
		{"an object of one's own schema", "claude-code", `{"type":"result","subtype":"success","result":"","structured_output":{"a":1}}`, `{"a":1}`, ""},
		{"Gemini's object", "gemini-cli", `{"session_id":"s","response":"Hello there.","stats":{"models":{"a":{"tokens":{"prompt":10,"candidates":3,"total":15,"cached":4,"thoughts":2}},"b":{"tokens":{"prompt":1,"candidates":1}}}}}`, "Hello there.", "in 11 out 6 cached 4 thought 2"},
		{"Gemini's object behind a log", "gemini-cli", "Loaded cached credentials.\n{\n  \"response\": \"Hello there.\",\n  \"stats\": {}\n}\n", "Hello there.", ""},
		{"Gemini's object before a log", "gemini-cli", "{\n  \"response\": \"Hello there.\",\n  \"stats\": {}\n}\n(node:1) Warning: old\n", "Hello there.", ""},
		{"error is null", "gemini-cli", `{"response":"Hello there.","error":null}`, "Hello there.", ""},
		{"Gemini's events", "gemini-cli", geminiStream, "Hello there.", "in 5 out 7 cached 2"},
		{"a warning among them", "gemini-cli", `{"type":"error","severity":"warning","message":"slow"}` + "\n" + geminiStream, "Hello there.", "in 5 out 7 cached 2"},
		{"Qwen's list", "qwen-code", `[{"type":"system","subtype":"session_start","model":"qwen"},{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello there."}]}},{"type":"result","subtype":"success","is_error":false,"result":"Hello there.","usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":4,"total_tokens":12}}]`, "Hello there.", "in 10 out 2 cached 4"},
		{"somebody else's events", "claude-code", `{"type":"thread.started","thread_id":"x"}` + "\n" + `{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":"Hello there."}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}` + "\n", "Hello there.", "in 9 out 2 cached 4"},
		{"plain text", "claude-code", "Hello there.\n", "Hello there.", ""},
		{"plain text with colours", "claude-code", "\x1b[1mHello\x1b[0m there.\n", "Hello there.", ""},
		{"a line of JSON at the end", "claude-code", "warming up\n{\"text\":\"Hello there.\"}\n", "Hello there.", ""},
		{"JSON in a text", "claude-code", "Write it so:\n{\"content\":\"x\"}\nThat is all.", "Write it so:\n{\"content\":\"x\"}\nThat is all.", ""},
		{"brackets in a text", "claude-code", "[工具结果]: x\n[1] y", "[工具结果]: x\n[1] y", ""},
		{"a call without an envelope", "claude-code", `{"name":"list_dir","args":{"path":"."}}`, `{"name":"list_dir","args":{"path":"."}}`, ""},
		{"a message within", "codebuddy", `{"message":{"role":"assistant","content":[{"type":"text","text":"Hello there."}]}}`, "Hello there.", ""},
		{"a choice within", "codebuddy", `{"choices":[{"message":{"content":"Hello there."}}]}`, "Hello there.", ""},
		{"a mark before it", "codebuddy", "\xef\xbb\xbf{\"content\":\"Hello there.\"}", "Hello there.", ""},
		{"the first field that has a text", "codebuddy", `{"message":"m","text":"t","content":"","response":null,"result":"Hello there."}`, "Hello there.", ""},
	}
}

func TestShapes(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			p := preset(t, s.cli)
			step := max(1, len(s.out)/29)
			for at := 0; at <= len(s.out); at += step {
				got := say(t, p, output{out: s.out}, at)
				if got.err != nil || got.msg.Text() != s.want || got.msg.Stop != agent.StopEnd || usageLine(got.msg.Usage) != s.usage {
					t.Fatalf("cut at %d: %q, %s, %q, %v", at, got.msg.Text(), got.msg.Stop, usageLine(got.msg.Usage), got.err)
				}
			}
			ones := slices.Repeat([]int{1}, len(s.out))
			if got := say(t, p, output{out: s.out}, ones...); got.err != nil || got.msg.Text() != s.want {
				t.Fatalf("byte by byte: %q, %v", got.msg.Text(), got.err)
			}
		})
	}
}

func TestEventsAreShownAsTheyCome(t *testing.T) {
	got := say(t, preset(t, "claude-code"), output{out: claudeStream}, slices.Repeat([]int{40}, 100)...)
	if !slices.Contains(got.shown, "Hello ") || got.msg.Thinking() != "Hm." || got.msg.Model != "claude-x" {
		t.Errorf("%q, thoughts %q, model %q", got.shown, got.msg.Thinking(), got.msg.Model)
	}
	got = say(t, preset(t, "gemini-cli"), output{out: geminiStream}, slices.Repeat([]int{40}, 100)...)
	if !slices.Contains(got.shown, "Hello ") || got.msg.Model != "gemini-x" {
		t.Errorf("%q, model %q", got.shown, got.msg.Model)
	}
	// what was said on the way is taken back
	two := shapes()[9]
	got = say(t, preset(t, two.cli), output{out: two.out}, 90)
	if !slices.Contains(got.shown, "I look first.") || got.msg.Text() != "Hello there." {
		t.Errorf("%q", got.shown)
	}
	got = say(t, preset(t, "claude-code"), output{out: `{"type":"result","subtype":"success","result":"cut","stop_reason":"max_tokens"}`})
	if got.msg.Stop != agent.StopLength {
		t.Errorf("%s %v", got.msg.Stop, got.err)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, cli string
		o         output
		kind      agent.ErrorKind
		retry     bool
		words     []string
	}{
		{"nothing", "codebuddy", output{}, agent.ErrInvalidResponse, true, []string{"answered nothing"}},
		{"white space", "codebuddy", output{out: " \n", err: "warning: x"}, agent.ErrInvalidResponse, true, []string{"answered nothing", "warning: x"}},
		{"nothing, not logged in", "codebuddy", output{err: "Please log in first"}, agent.ErrAuth, false, []string{"log in first"}},
		{"an empty text", "codebuddy", output{out: `{"content":""}`}, agent.ErrInvalidResponse, false, []string{"no answer", `{"content":""}`}},
		{"an empty object", "codebuddy", output{out: "{}"}, agent.ErrInvalidResponse, false, []string{"no answer", "{}"}},
		{"an empty list", "codebuddy", output{out: "[]"}, agent.ErrInvalidResponse, false, []string{"no answer"}},
		{"another object", "codebuddy", output{out: `{"foo":1}`}, agent.ErrInvalidResponse, false, []string{"no answer", "foo"}},
		{"numbers", "codebuddy", output{out: `[1,2,3]`}, agent.ErrInvalidResponse, false, []string{"no answer"}},
		{"half an object", "codebuddy", output{out: `{"content":"Hel`}, agent.ErrTruncated, true, []string{"in the middle"}},
		{"half a list", "codebuddy", output{out: `[{"type":"message"`}, agent.ErrTruncated, true, []string{"in the middle"}},
		{"half the events", "claude-code", output{out: claudeStream[:700]}, agent.ErrTruncated, true, []string{"in the middle"}},
		{"half of Gemini's events", "gemini-cli", output{out: geminiStream[:200]}, agent.ErrTruncated, true, []string{"in the middle"}},
		{"is_error with status 0", "claude-code", output{out: `{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}`}, agent.ErrAuth, false, []string{"/login", "ANTHROPIC_API_KEY", `-p "Hello"`}},
		{"overloaded", "claude-code", output{out: `{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"}`, code: 1}, agent.ErrServer, true, []string{"Overloaded"}},
		{"too many requests", "claude-code", output{out: `{"type":"result","is_error":true,"result":"API Error: 429 rate limit"}`}, agent.ErrRateLimit, true, []string{"rate limit"}},
		{"the subscription's limit", "claude-code", output{out: `{"type":"result","is_error":true,"result":"Claude usage limit reached. Your limit will reset at 3pm."}`}, agent.ErrQuota, false, []string{"usage limit"}},
		{"too long", "claude-code", output{out: `{"type":"result","is_error":true,"result":"Prompt is too long"}`}, agent.ErrContextLength, false, []string{"too long"}},
		{"out of turns", "claude-code", output{out: `{"type":"result","subtype":"error_max_turns","is_error":false,"num_turns":2}`}, agent.ErrServer, false, []string{"error_max_turns"}},
		{"died within", "claude-code", output{out: `{"type":"result","subtype":"error_during_execution","errors":["boom"]}`}, agent.ErrServer, false, []string{"error_during_execution", "boom"}},
		{"a list that ends in an error", "codebuddy", output{out: `[{"type":"message","role":"assistant","content":"x"},{"type":"result","subtype":"error","is_error":true,"result":"credit exhausted: insufficient balance"}]`}, agent.ErrQuota, false, []string{"insufficient balance"}},
		{"Gemini's error", "gemini-cli", output{out: `{"session_id":"s","error":{"type":"FatalAuthenticationError","message":"Please set an Auth method","code":41}}`, code: 41}, agent.ErrAuth, false, []string{"exit status 41", "Auth method", "GEMINI_API_KEY"}},
		{"Gemini's error on standard error", "gemini-cli", output{err: "Please set an Auth method in your settings", code: 41}, agent.ErrAuth, false, []string{"Auth method"}},
		{"Gemini's input", "gemini-cli", output{err: "bad input", code: 42}, agent.ErrBadRequest, false, []string{"exit status 42", "bad input"}},
		{"Gemini's settings", "gemini-cli", output{err: "bad settings.json", code: 52}, agent.ErrConfig, false, []string{"settings.json"}},
		{"Gemini's turns", "gemini-cli", output{code: 53}, agent.ErrInvalidResponse, false, []string{"exit status 53"}},
		{"an event of an error", "gemini-cli", output{out: `{"type":"error","severity":"error","message":"quota exceeded for today"}` + "\n"}, agent.ErrQuota, false, []string{"quota exceeded"}},
		{"a result of an error", "gemini-cli", output{out: `{"type":"result","status":"error","error":{"type":"API","message":"internal server error"}}`}, agent.ErrServer, true, []string{"internal server error"}},
		{"a turn that failed", "claude-code", output{out: `{"type":"turn.failed","error":{"message":"stream disconnected, try again later"}}`}, agent.ErrServer, true, []string{"disconnected"}},
		{"a status", "codebuddy", output{out: `{"content":"Hello."}`, err: "boom", code: 3}, agent.ErrServer, false, []string{"exit status 3", "boom"}},
		{"a status, nothing said", "codebuddy", output{code: 1}, agent.ErrServer, false, []string{"exit status 1", "said nothing"}},
		{"a connection", "codebuddy", output{err: "Error: status 503 from upstream", code: 1}, agent.ErrServer, true, []string{"503"}},
		{"no network", "codebuddy", output{err: "TypeError: fetch failed (getaddrinfo ENOTFOUND api.example.com)", code: 1}, agent.ErrNetwork, true, []string{"ENOTFOUND"}},
		{"not logged in, in Chinese", "codebuddy", output{err: "错误：未登录", code: 1}, agent.ErrAuth, false, []string{"未登录", "CODEBUDDY_API_KEY"}},
		{"killed", "codebuddy", output{out: `{"content":"Hello."}`, code: -1, signal: "SIGKILL"}, agent.ErrServer, true, []string{"SIGKILL"}},
		{"a key in what it says", "codebuddy", output{err: "bad key sk-abcdefghijklmnop1234 given", code: 1}, agent.ErrServer, false, []string{"bad key"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := say(t, preset(t, c.cli), c.o)
			if got.err == nil || got.err.Kind != c.kind || got.err.Retryable != c.retry || got.err.Provider != c.cli {
				t.Fatalf("%+v, said %q", got.err, got.msg.Text())
			}
			for _, w := range c.words {
				if !strings.Contains(got.err.Error(), w) {
					t.Errorf("no %q in %s", w, got.err.Error())
				}
			}
			if strings.Contains(got.err.Error(), "sk-abc") {
				t.Error(got.err.Error())
			}
		})
	}
}

func TestWhatFailedIsCounted(t *testing.T) {
	got := say(t, preset(t, "claude-code"), output{out: `{"type":"result","is_error":true,"result":"boom","total_cost_usd":0.25}`})
	if got.err == nil || usageLine(got.msg.Usage) != "$0.25" {
		t.Errorf("%v, %s", got.err, usageLine(got.msg.Usage))
	}
}

func FuzzOutput(f *testing.F) {
	for _, s := range shapes() {
		f.Add(s.out, uint16(len(s.out)/2), 0)
	}
	f.Add("[\n[\n[\n{\n", uint16(2), 1)
	p := preset(f, "claude-code")
	m := &model{Config{CLI: *p.CLI, Preset: p}}
	hear := func(t *testing.T, out string, code, at int) (text string, stop agent.StopReason, failure error) {
		var b agent.Builder
		d := &draft{yield: func(c agent.Chunk, err error) bool {
			if failure = err; err == nil {
				failure = b.Add(c)
			}
			return true
		}}
		at = min(at, len(out))
		d.feed([]byte(out[:at]))
		d.feed([]byte(out[at:]))
		m.finish(d, &shell.Result{Code: code})
		msg := b.Message()
		return msg.Text(), msg.Stop, failure
	}
	f.Fuzz(func(t *testing.T, out string, at uint16, code int) {
		text, stop, failure := hear(t, out, code, 0)
		again, _, failed := hear(t, out, code, int(at))
		if text != again || (failure == nil) != (failed == nil) {
			t.Fatalf("%q cut at %d: %q %v, whole: %q %v", out, at, again, failed, text, failure)
		}
		if failure == nil && (code != 0 || strings.TrimSpace(text) == "" || stop == "") {
			t.Fatalf("%q with status %d is an answer: %q, %s", out, code, text, stop)
		}
	})
}
