package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider/wire"
)

func argTexts() []struct {
	name   string
	pieces []string
	cut    bool
	want   string // "" = cannot be read
} {
	return []struct {
		name   string
		pieces []string
		cut    bool
		want   string
	}{
		{"nothing", nil, false, `{}`},
		{"white space", []string{" \n"}, false, `{}`},
		{"null", []string{"null"}, false, `{}`},
		{"pieces", []string{`{"a":`, `"b c"`, `}`}, false, `{"a":"b c"}`},
		{"compacted", []string{"{ \"a\" : [ 1 ] }\n"}, false, `{"a":[1]}`},
		{"numbers as written", []string{`{"a":1.50e3,"b":12345678901234567890}`}, false, `{"a":1.50e3,"b":12345678901234567890}`},
		{"markup as written", []string{`{"a":"<b>&</b>"}`}, false, `{"a":"<b>&</b>"}`},
		{"a list", []string{`["a"]`}, false, `["a"]`},
		{"ever longer copies", []string{`{"a"`, `{"a":"x`, `{"a":"xy"}`}, false, `{"a":"xy"}`},
		{"ever longer, repeated", []string{`{"a"`, `{"a"`, `{"a":1}`, `{"a":1}`}, false, `{"a":1}`},
		{"a nested object is no copy", []string{`{"a":`, `{"a":1}}`}, false, `{"a":{"a":1}}`},
		{"pieces, then whole", []string{`{"a"`, `:1}`, `{"a":1}`}, false, `{"a":1}`},
		{"some pieces, then whole", []string{`{"a"`, `:[1,`, `{"a":[1,2]}`}, false, `{"a":[1,2]}`},
		{"equal pieces are real", []string{`{"a":"1`, `00`, `00`, `"}`}, false, `{"a":"10000"}`},
		{"three copies", []string{`{"a":1}{"a":1} {"a": 1}`}, false, `{"a":1}`},
		{"an empty object first", []string{`{}`, `{"a":`, `1}`}, false, `{"a":1}`},
		{"two different objects", []string{`{"a":1}{"a":2}`}, false, ``},
		{"an object, then an empty one", []string{`{"a":1}{}`}, false, ``},
		{"encoded twice", []string{`"{\"a\":\"x\\ny\"}"`}, false, `{"a":"x\ny"}`},
		{"encoded three times", []string{`"\"{\\\"a\\\":1}\""`}, false, `{"a":1}`},
		{"a string of words", []string{`"run it"`}, false, ``},
		{"an empty string", []string{`""`}, false, `{}`},
		{"trailing comma", []string{`{"a":1,}`}, false, `{"a":1}`},
		{"trailing comma in a list", []string{`{"a":[1,2, ],}`}, false, `{"a":[1,2]}`},
		{"raw line ends", []string{"{\"a\":\"x\n\ty\r\x01\"}"}, false, `{"a":"x\n\ty\r\u0001"}`},
		{"unknown escapes", []string{`{"a":"\d+\*\u12"}`}, false, `{"a":"\\d+\\*\\u12"}`},
		{"written line ends between tokens", []string{`{\n"a": \n 1\r\n}\n`}, false, `{"a":1}`},
		{"tokens behind", []string{`{"a":1}<|tool_call_end|><|x_en`}, false, `{"a":1}`},
		{"tokens of wide bars behind", []string{`{"a":1}<｜tool▁call▁end｜>`}, false, `{"a":1}`},
		{"closing tags behind", []string{"{\"a\":1}\n</tool_call></s>"}, false, `{"a":1}`},
		{"tokens before", []string{`<|x|> {"a":1}`}, false, `{"a":1}`},
		{"a brace too many", []string{`{"a":1}}`}, false, `{"a":1}`},
		{"in a fence", []string{"```json\n{\"a\":1}\n```"}, false, `{"a":1}`},
		{"python", []string{`{'a': 'it\'s "x"', 'b': True, 'c': None, 'd': [False]}`}, false, `{"a":"it's \"x\"","b":true,"c":null,"d":[false]}`},
		{"bare keys", []string{`{a: 1, b_2: "x"}`}, false, `{"a":1,"b_2":"x"}`},
		{"repaired inside a string", []string{`"{\"a\":1,}"`}, false, `{"a":1}`},
		{"beyond a float64", []string{`{"a":0.10e700}`}, false, `{"a":0.10e700}`},
		{"cut, whole", []string{`{"a":1}`}, true, `{"a":1}`},
		{"cut, comma", []string{`{"a":1,}`}, true, ``},
		{"cut, open", []string{`{"a":"x`}, true, ``},
		{"open string", []string{`{"a":"x`}, false, ``},
		{"open object", []string{`{"a":"x"`}, false, ``},
		{"words", []string{`list the files`}, false, ``},
		{"words around", []string{`Sure: {"a":1}`}, false, ``},
		{"words behind", []string{`{"a":1} as asked`}, false, ``},
		{"quotes inside", []string{`{"a":"say "x" now"}`}, false, ``},
		{"missing comma", []string{`{"a":1 "b":2}`}, false, ``},
		{"missing value", []string{`{"a":}`}, false, ``},
		{"two commas", []string{`{"a":1,,"b":2}`}, false, ``},
		{"NaN", []string{`{"a":NaN}`}, false, ``},
		{"deep", []string{strings.Repeat("[", 500)}, false, ``},
	}
}

func TestArgs(t *testing.T) {
	for _, c := range argTexts() {
		t.Run(c.name, func(t *testing.T) {
			var a wire.Args
			for _, p := range c.pieces {
				a.Add(p)
			}
			got, ok := a.Clean(c.cut)
			if string(got) != c.want || ok != (c.want != "") {
				t.Errorf("%q: %s, %v; want %s", c.pieces, got, ok, c.want)
			}
			if a.Text() != strings.Join(c.pieces, "") {
				t.Errorf("text is %q", a.Text())
			}
		})
	}
}

func TestArgsComplete(t *testing.T) {
	for text, want := range map[string]bool{"": false, "{}": false, "{ }": false, `{"a"`: false, `{"a":1}`: true, `{"a":1} `: true, `{"a":1}}`: false, `[1]`: false} {
		var a wire.Args
		a.Add(text)
		if a.Complete() != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// FuzzArgs holds: what is accepted is one compact JSON value; valid objects are never changed in meaning; a cut message
// is never repaired; nothing panics.
func FuzzArgs(f *testing.F) {
	for _, c := range argTexts() {
		f.Add(strings.Join(c.pieces, ""), uint8(3))
	}
	f.Add(`"{\"a\":1\u007d"`, uint8(3))
	f.Fuzz(func(t *testing.T, in string, cut uint8) {
		at := int(cut) % (len(in) + 1)
		var a wire.Args
		a.Add(in[:at])
		if first := in[:at]; a.Complete() != complete(first) {
			t.Fatalf("%q: complete %v", first, a.Complete())
		}
		a.Add(in[at:])
		if a.Complete() != complete(in) {
			t.Fatalf("%q in two pieces at %d: complete %v", in, at, a.Complete())
		}
		got, ok := a.Clean(false)
		if ok && !json.Valid(got) {
			t.Fatalf("%q: accepted as %s", in, got)
		}
		if trimmed := strings.TrimSpace(in); json.Valid([]byte(trimmed)) && trimmed[0] == '{' {
			if !ok || canonical(t, trimmed) != canonical(t, string(got)) {
				t.Fatalf("%q became %s", in, got)
			}
		}
		// An open brace is never closed for the model. Arguments may be a string that holds them, with escapes.
		text := in
		for strings.HasPrefix(strings.TrimSpace(text), `"`) && json.Unmarshal([]byte(text), &text) == nil {
		}
		if ok && strings.Count(text, "{") > 0 && strings.Count(text, "}") == 0 && got[0] == '{' && len(got) > 2 {
			t.Fatalf("%q was closed: %s", in, got)
		}
	})
}

// complete says what Complete promises of a text.
func complete(in string) bool {
	in = strings.TrimSpace(in)
	var o map[string]json.RawMessage
	return strings.HasPrefix(in, "{") && json.Unmarshal([]byte(in), &o) == nil && len(o) > 0
}

// canonical is a JSON value with its names in order. Numbers stay as they are written: JSON has larger ones than a float64.
func canonical(t *testing.T, in string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(in))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return string(out)
}

func TestToolName(t *testing.T) {
	tools := []agent.Tool{{Name: "bash", Aliases: []string{"run_command"}}, {Name: "read_file", Alias: "view"}, {Name: "Grep"}, {Name: "GREP"}}
	for name, want := range map[string]string{
		"bash": "bash", "run_command": "run_command", "view": "view", "read_file": "read_file",
		"functions.bash": "bash", "functions.bash:0": "bash", "bash:12": "bash", "default_api.view": "view", "BASH": "bash", "Functions.bash": "",
		"bash<|channel|>commentary": "bash", "<|x|>bash": "bash", " bash ": "bash", "bash()": "bash", "bash</s": "bash",
		"grep": "", "Grep": "Grep", "bashful": "", "": "", "shell": "", "functions.": "", "bash:x": "",
	} {
		got, ok := wire.ToolName(name, tools)
		if ok != (want != "") || ok && got != want || !ok && got != name {
			t.Errorf("%q: %q, %v; want %q", name, got, ok, want)
		}
	}
}
