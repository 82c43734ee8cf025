package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func textTools() []agent.Tool {
	return []agent.Tool{
		{Name: "bash", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"}}}`)},
		{Name: "now", Schema: json.RawMessage(`{"type":"object"}`)},
	}
}

// find runs pieces through a fresh recogniser.
func find(cut bool, pieces ...string) string {
	t := wire.NewTextCalls(textTools())
	var text strings.Builder
	emit := func(s string) { text.WriteString(s) }
	for _, p := range pieces {
		t.Add(p, emit)
	}
	out := ""
	for _, c := range t.Finish(cut, emit) {
		args, ok := wire.CleanArgs(c.Args, false)
		if !ok {
			args = json.RawMessage("unreadable")
		}
		out += fmt.Sprintf(" %s%s(%s)", c.Name, c.ID, args)
	}
	return text.String() + "|" + strings.TrimSpace(out)
}

func markups() map[string]string {
	const ls, both = `|bash({"command":"ls"})`, `|bash({"command":"ls"}) now({})`
	return map[string]string{
		"just text":               "just text|",
		"a < b [c] {d}":           "a < b [c] {d}|",
		" \n":                     " \n|",
		"text \n":                 "text \n|",
		`{"name":"Ada","age":36}`: `{"name":"Ada","age":36}|`,
		`<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>`:           ls,
		`Hi <tool_call>{"name":"bash","parameters":{"command":"ls"}}</tool_call> there`: "Hi  there" + ls,
		`<tool_call>{"name":"bash","arguments":{"command":"ls"}}`:                       ls,
		`<tool_call>{"name":"bash","arguments":{"command":"l`:                           `|bash(unreadable)`,
		`<tool_call>{"na`: `<tool_call>{"na|`,
		`<tool_call>bash{"command":"ls"}</tool_call>`:                                                                                       ls,
		`<tool_call><function=bash><parameter=command>ls</parameter></function></tool_call>`:                                                ls,
		"<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value></tool_call>":                                                ls,
		"<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>":                                                 ls,
		`<function=other>{"a":1}</function>`:                                                                                                `<function=other>{"a":1}</function>|`,
		`<invoke name="bash"><parameter name="command">ls</parameter></invoke>`:                                                             ls,
		`<invoke name="other"><parameter name="command">ls</parameter></invoke>`:                                                            `<invoke name="other"><parameter name="command">ls</parameter></invoke>|`,
		`<function_calls><invoke name="bash"><parameter name="timeout">5</parameter></invoke><invoke name="now"></invoke></function_calls>`: `|bash({"timeout":5}) now({})`,
		`<｜DSML｜function_calls><｜DSML｜invoke name="bash"><｜DSML｜parameter name="command" string="true">ls</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>`:   ls,
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>{\"command\":\"ls\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>":                                             ls,
		"<｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n```json\n{\"command\":\"ls\"}\n```<｜tool▁call▁end｜>":                                                           ls,
		"<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{\"command\":\"ls\"}<|tool_call_end|><|tool_calls_section_end|>": `|bashfunctions.bash:0({"command":"ls"})`,
		`[TOOL_CALLS][{"name":"bash","arguments":{"command":"ls"}},{"name":"now","arguments":{}}]`:                                                                   both,
		`[TOOL_CALLS]bash[ARGS]{"command":"ls"}[TOOL_CALLS]now[ARGS]{}`:                                                                                              both,
		`<|python_tag|>{"name":"bash","parameters":{"command":"ls"}}; {"name":"now","parameters":{}}`:                                                                both,
		`<|tool_call_start|>[bash(command="ls"), now()]<|tool_call_end|>`:                                                                                            both,
		`[bash(command='ls'), now()]`:                                                   both,
		`[bash(command='ls')] is how`:                                                   `[bash(command='ls')] is how|`,
		`{"name":"bash","parameters":{"command":"ls"}}`:                                 ls,
		`{"type":"function","name":"bash","parameters":{"command":"ls"}}`:               ls,
		`{"name":"bash","parameters":{"command":"ls"}} as I said`:                       `{"name":"bash","parameters":{"command":"ls"}} as I said|`,
		`{"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`:               ls,
		`<TOOLCALL>[{"name":"bash","arguments":{"command":"ls"}}]</TOOLCALL>`:           ls,
		`<|channel|>commentary to=functions.bash <|message|>{"command":"ls"}<|call|>`:   ls,
		"`<tool_call>{\"name\":\"now\"}</tool_call>`":                                   "`<tool_call>{\"name\":\"now\"}</tool_call>`|",
		"```\n<tool_call>{\"name\":\"now\"}</tool_call>\n```":                           "```\n<tool_call>{\"name\":\"now\"}</tool_call>\n```|",
		`<tool_call>{"name":"other","arguments":{"x":1}}</tool_call>`:                   `|other({"x":1})`,
		`see <tool_call> and </tool_call>.`:                                             `see <tool_call> and </tool_call>.|`,
		`<tool_call>{"name":"bash","arguments":{"command":"</tool_call>"}}</tool_call>`: `|bash({"command":"</tool_call>"})`,
		`<tool_call>{"name":"bash","arguments":{"command":"a "b" c"}}</tool_call> end`:  ` end|bash(unreadable)`,
	}
}

func TestTextCallsEverySplit(t *testing.T) {
	for in, want := range markups() {
		for i := range len(in) + 1 {
			if got := find(false, in[:i], in[i:]); got != want {
				t.Errorf("%q split at %d:\n got %q\nwant %q", in, i, got, want)
				break
			}
		}
		if got := find(false, strings.Split(in, "")...); got != want {
			t.Errorf("%q rune by rune: %q, want %q", in, got, want)
		}
	}
}

func TestThoughtCalls(t *testing.T) {
	const block = "<|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
	for in, want := range map[string]string{
		"Let me see. " + block + "\n":                "Let me see.|1",
		block + " but no":                            block + " but no|0",
		"<tool_call>{\"name\":\"bash\"}</tool_call>": "<tool_call>{\"name\":\"bash\"}</tool_call>|0",
	} {
		for i := range len(in) + 1 {
			r := wire.NewThoughtCalls(textTools())
			var text strings.Builder
			emit := func(s string) { text.WriteString(s) }
			r.Add(in[:i], emit)
			r.Add(in[i:], emit)
			if calls := r.Finish(false, emit); fmt.Sprintf("%s|%d", text.String(), len(calls)) != want {
				t.Fatalf("%q at %d: %q, %d calls; want %q", in, i, text.String(), len(calls), want)
			}
		}
	}
}

// FuzzTextCalls holds that cuts do not matter and that what is no call is not lost.
func FuzzTextCalls(f *testing.F) {
	for in := range markups() {
		f.Add(in, uint16(9))
	}
	f.Fuzz(func(t *testing.T, in string, at uint16) {
		i := int(at) % (len(in) + 1)
		whole := find(false, in)
		if got := find(false, in[:i], in[i:]); got != whole {
			t.Fatalf("%q at %d: %q, in one piece %q", in, i, got, whole)
		}
		if text, found := strings.CutSuffix(whole, "|"); found && text != in && !strings.Contains(in, "tool") && !strings.Contains(in, "|") {
			t.Fatalf("%q became the text %q", in, text)
		}
	})
}
