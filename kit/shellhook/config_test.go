package shellhook

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"react-agent/internal/msg"
)

func TestParse(t *testing.T) {
	c, faults := ParseJSON("settings.json", []byte(`{"other":1,"hooks":{
		"PreToolUse":[{"matcher":"Bash|Edit","hooks":[{"type":"command","command":"a","timeout":1.5},{"command":"b","statusMessage":"x"}]},
			{"matcher":"(","hooks":[{"command":"c"}]},{"matcher":5,"hooks":[]},{"hooks":"x"},7,
			{"hooks":[{"type":"http","url":"x"},{"command":" "},{"command":"d","timeout":-1},{"command":"e","async":true},{"command":"f","if":"x"},{"command":"g","once":true},"h"],"more":1}],
		"Setup":[],"Stop":{},"PostToolUse":null}}`))
	text := ""
	for _, err := range faults {
		text += err.Error() + "\n"
	}
	for _, gone := range []string{"never runs", "does nothing", "usual limit", "not run"} { // a wrong setting ends the program
		if strings.Contains(text, gone) {
			t.Errorf("%q in\n%s", gone, text)
		}
	}
	for _, err := range faults {
		if zh := msg.For(msg.Zh).Err(err); !strings.ContainsFunc(zh, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("no Chinese: %s", zh)
		}
	}
	if zh := msg.For(msg.Zh).Err(faults[0]); zh != "settings.json: hooks.PostToolUse：应当是 {matcher, hooks} 组成的列表，而不是空值" {
		t.Error(zh)
	}
	for _, want := range []string{
		"settings.json: hooks.PreToolUse[1].matcher: \"(\" is no regular expression", "PreToolUse[2].matcher: must be a text, not a number", "PreToolUse[3].hooks: must be a list",
		"PreToolUse[4]: must be a map", "PreToolUse[5].hooks[0].type: only command can be run here, not http", "[5].hooks[1].command: the command is empty", "[5].hooks[2].timeout: must be a number of seconds",
		"[5].hooks[3].async", "[5].hooks[4].if", "[5].hooks[5].once: unknown key; known are type, command", "[5].hooks[6]: must be a map", "[5].more: unknown key; known are matcher, hooks", "hooks.Setup: there is no such event here", "hooks.Stop: must be a list of groups {matcher, hooks}, not a map", "hooks.PostToolUse: must be a list",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no fault %q in\n%s", want, text)
		}
	}
	groups := c.Events[preToolUse]
	if len(groups) != 2 || groups[0].Commands[0].Timeout != 1500*time.Millisecond || groups[0].Commands[1].Command != "b" || len(groups[1].Commands) != 3 ||
		groups[1].Commands[0].Where != "settings.json: hooks.PreToolUse[5].hooks[2]" {
		t.Errorf("%+v", groups)
	}
	if _, faults := ParseJSON("x.json", []byte("{")); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "x.json: ") {
		t.Error(faults)
	}
	if _, faults := Parse("text"); len(faults) != 1 || !strings.Contains(faults[0].Error(), "hooks: must be a map") {
		t.Error(faults)
	}
	if c, faults := Parse(nil); len(faults) != 0 || len(c.Events) != 0 {
		t.Error(faults)
	}
	y, faults := Parse(map[any]any{"Stop": []any{map[any]any{"hooks": []any{map[any]any{"command": "x", "timeout": uint64(5)}, map[string]any{"command": "y", "timeout": int64(2)}, map[string]any{"command": "z", "timeout": 3}}}}})
	if len(faults) > 0 || y.Events[stop][0].Commands[0].Timeout != 5*time.Second {
		t.Errorf("%v %+v", faults, y)
	}
	if both := c.Merge(y); len(both.Events[preToolUse]) != 2 || len(both.Events[stop]) != 1 || len(c.Events[stop]) != 0 {
		t.Errorf("%+v", both)
	}
}

func TestMatchers(t *testing.T) {
	for _, c := range []struct {
		matcher, tool string
		want          bool
	}{
		{"", "bash", true},
		{"*", "x", true},
		{"Bash", "bash", true},
		{"bash", "bash", true},
		{"bas", "bash", false},
		{"BASH", "bash", false},
		{"Read|Bash", "bash", true},
		{"Edit", "edit_file", true},
		{"MultiEdit", "edit_file", true},
		{"Edit", "multi_edit", true},
		{"Edit", "apply_patch", true},
		{"Write", "write_file", true},
		{"Read", "read_file", true},
		{"Write", "read_file", false},
		{"LS", "list_dir", true},
		{"Glob", "glob", true},
		{"Grep", "grep", true},
		{"WebFetch", "web_fetch", true},
		{"WebSearch", "web_search", true},
		{"Task", "task", true},
		{"TodoWrite", "todo_write", true},
		{"Skill", "skill", true},
		{"mcp__.*", "mcp__files__read", true},
		{"mcp__files__read", "mcp__files__read", true},
		{"mcp__.*", "bash", false},
		{"^(Edit|Write)$", "write_file", true},
		{"Web.*", "web_fetch", true},
	} {
		match, err := matcher(c.matcher)
		if err != nil || match(append([]string{c.tool}, aliases(c.tool)...)...) != c.want {
			t.Errorf("%q on %s: %v", c.matcher, c.tool, err)
		}
	}
}

func TestMadeByHand(t *testing.T) {
	h := New(Options{Config: Config{Events: map[string][]Group{preToolUse: {
		{Matcher: "Bash", Commands: []Command{{Command: "a"}}}, {Matcher: "(", Commands: []Command{{Command: "b"}}},
	}}}})
	if got := h.matching(preToolUse, []string{"bash", "Bash"}); len(got) != 1 || got[0].Command != "a" {
		t.Error(got)
	}
}

func TestFieldNames(t *testing.T) {
	for _, c := range []struct{ tool, sent, got, want string }{
		{"edit_file", `{"path":"a"}`, `{"path":"a","file_path":"a"}`, `{"path":"a"}`},
		{"edit_file", `{"path":"a"}`, `{"file_path":"b"}`, `{"path":"b"}`},
		{"edit_file", `{"path":"a"}`, `{"path":"c","file_path":"a"}`, `{"path":"c"}`},
		{"edit_file", `[1]`, `{"path":"c"}`, `{"path":"c"}`},
		{"other", `{"path":"a"}`, `{"file_path":"b"}`, `{"file_path":"b"}`},
	} {
		if got := string(inward(c.tool, outward(c.tool, json.RawMessage(c.sent)), json.RawMessage(c.got))); got != c.want {
			t.Errorf("%s: %s gave %s", c.tool, c.got, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "text", "{}", `{"continue":false,"stopReason":"x"}`, `{"decision":"block"}`, `{"decision":"approve"}`, `{"hookSpecificOutput":{"hookEventName":"Stop"}}`,
		`{"hookSpecificOutput":{"updatedInput":null,"updatedToolOutput":"x"}}`, `{"hookSpecificOutput":{"updatedInput":[]}}`, `{"hookSpecificOutput":{"permissionDecision":"what"}}`, `{"continue":"no"}`, `{"async":true}`, "{\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, ok, err := decode(preToolUse, s)
		if err != nil && (!ok || a.blocked || a.input != nil || a.ends || len(a.context) > 0) {
			t.Errorf("%q: something of a wrong output is used: %+v", s, a)
		}
		if err != nil {
			return
		}
		if a.input != nil && (!json.Valid(a.input) || a.input[0] != '{') || a.output != nil && !json.Valid(a.output) {
			t.Errorf("%q: %+v", s, a)
		}
		if a.permission != "" && rank(a.permission) == 0 {
			t.Errorf("%q: permission %q", s, a.permission)
		}
	})
}
