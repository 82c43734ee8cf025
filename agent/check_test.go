package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
)

const deepSchema = `{"type":"object","properties":{
	"path":{"type":"string"},"mode":{"type":"string","enum":["r","w"]},"lines":{"type":"integer"},"ratio":{"type":"number"},"on":{"type":"boolean"},
	"level":{"type":"integer","enum":[1,2]},"either":{"type":["string","null"]},
	"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"}},"required":["old"],"additionalProperties":false}},
	"env":{"type":"object","additionalProperties":{"type":"string"}}},"required":["path"]}`

func TestCheckArgs(t *testing.T) {
	for _, c := range []struct {
		name, args string
		want       []string // in this order; empty = valid
	}{
		{"least", `{"path":"x"}`, nil},
		{"all", `{"path":"x","mode":"w","lines":-3,"ratio":1,"on":true,"level":2,"either":null,"edits":[{"old":"a","new":"b"}],"env":{"A":"b"}}`, nil},
		{"unknown keys pass", `{"path":"x","more":{"a":[1,{"b":2}]}}`, nil},
		{"null for an optional one", `{"path":"x","mode":null,"lines":null}`, nil},
		{"null for a required one", `{"path":null}`, []string{"path: must be string, not null"}},
		{"white space", "  {\"path\" :\n\"x\"} ", nil},
		{
			"all faults at once", `{"mode":"x","lines":1.5,"ratio":"1","on":1,"edits":[{"new":2,"old":"a","old":"b"},7,{"Old":"x"}],"env":{"A":1}}`,
			[]string{
				`mode: must be one of "r", "w", not "x"`, "lines: must be integer, not number", "ratio: must be number, not string", "on: must be boolean, not integer",
				"edits[0].new: must be string, not integer", "edits[0].old: is given twice", "edits[1]: must be object, not integer",
				`edits[2].Old: is unknown; write "old" exactly so`, "edits[2].old: is required", "env.A: must be string, not integer", "path: is required",
			},
		},
		{"closed object", `{"path":"x","edits":[{"old":"a","x":1}]}`, []string{"edits[0].x: is unknown; known are new, old"}},
		{"a letter too many", `{"path":"x","liness":3}`, []string{`liness: is unknown; did you mean "lines"?`}},
		{"two letters swapped", `{"path":"x","raito":3,"leveel":1}`, []string{`raito: is unknown; did you mean "ratio"?`, `leveel: is unknown; did you mean "level"?`}},
		{"a word too many", `{"file_path":"x","maxLines":3}`, []string{`file_path: is unknown; did you mean "path"?`, `maxLines: is unknown; did you mean "lines"?`, "path: is required"}},
		{"near to what is there", `{"path":"x","paths":["y"],"file_path":"z"}`, nil},
		{"near to nothing", `{"path":"x","_":1,"":2,"why":"so"}`, nil},
		{"near inside", `{"path":"x","edits":[{"old":"a"},{"old":"b","old_new":"x"}]}`, []string{`edits[1].old_new: is unknown; did you mean "new"?`}},
		{"open objects take any key", `{"path":"x","env":{"PATH":"y"}}`, nil},
		{"duplicates far inside what is unknown", `{"path":"x","more":[{"a":{"b":1,"b":2}}]}`, []string{"more[0].a.b: is given twice"}},
		{"duplicate by escape", `{"path":"x","p\u0061th":"y"}`, []string{"path: is given twice"}},
		{"wrong case by a letter that folds", "{\"path\":\"x\",\"line\u017f\":1}", []string{"line\u017f: is unknown"}},
		{"enum of numbers", `{"path":"x","level":3}`, []string{"level: must be one of 1, 2, not 3"}},
		{"either", `{"path":"x","either":1}`, []string{"either: must be string or null, not integer"}},
		{"no object: list", `[]`, []string{"must be one JSON object, not []"}},
		{"no object: number", `7`, []string{"must be one JSON object, not 7"}},
		{"no object: null", `null`, []string{"must be one JSON object, not null"}},
		{"no object: nothing", ``, []string{"must be one JSON object"}},
		{"text that is no JSON", `"{\"path\":"`, []string{"not valid JSON", `{"path":`}},
		{"an object as text", `"{\"path\":1}"`, []string{"not a string"}},
		{"two objects", `{"path":"x"} {}`, []string{"not valid JSON", "after top-level value"}},
		{"cut", `{"path":"x"`, []string{"not valid JSON"}},
		{"cut inside", `{"path":"x","edits":[{`, []string{"not valid JSON"}},
		{"cut in a list", `{"path":"x","edits":[`, []string{"not valid JSON"}},
		{"long text is quoted short", `"` + strings.Repeat("é", 500) + `"`, []string{strings.Repeat("é", 80) + "…"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := agent.CheckArgs(json.RawMessage(deepSchema), json.RawMessage(c.args))
			if len(c.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("was not refused")
			}
			rest := err.Error()
			for _, w := range c.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("%q is missing or out of order in:\n%s", w, err)
				}
				rest = after
			}
			if got := strings.Count(err.Error(), "\n") + 1; len(c.want) > 2 && got != len(c.want) {
				t.Errorf("%d faults, want %d:\n%s", got, len(c.want), err)
			}
		})
	}
}

func TestCheckArgsBounds(t *testing.T) {
	const schema = `{"properties":{
		"n":{"type":"integer","minimum":1,"maximum":10},"f":{"exclusiveMinimum":0,"exclusiveMaximum":1.5},"s":{"minLength":1,"maxLength":3},"t":{"minLength":2},
		"l":{"minItems":1,"maxItems":2,"items":{"minimum":0}},"m":{"minItems":2},"odd":{"minimum":"x","maximum":true,"minLength":-1.5,"maxItems":{},"exclusiveMinimum":true}}}`
	for args, want := range map[string]string{
		`{"n":1,"f":0.1,"s":"éé","l":[0],"odd":5}`:       "",
		`{"n":10,"f":1.4,"s":"漢漢漢","l":[0,1],"odd":"x"}`: "",
		`{"n":0}`:                                "n: must be at least 1, not 0",
		`{"n":11}`:                               "n: must be at most 10, not 11",
		`{"n":` + strings.Repeat("9", 400) + `}`: "n: must be at most 10, not 999",
		`{"f":0}`:                                "f: must be more than 0, not 0",
		`{"f":1.5}`:                              "f: must be less than 1.5, not 1.5",
		`{"f":1e999}`:                            "f: must be less than 1.5, not 1e999",
		`{"s":""}`:                               "s: must not be empty",
		`{"s":"漢漢漢漢"}`:                           "s: must have at most 3 characters, not 4",
		`{"t":"x"}`:                              "t: must have at least 2 characters, not 1",
		`{"l":[]}`:                               "l: must not be empty",
		`{"l":[0,0,0]}`:                          "l: must have at most 2 items, not 3",
		`{"m":[0]}`:                              "m: must have at least 2 items, not 1",
		`{"l":[0,-1],"n":0,"s":""}`:              "l[1]: must be at least 0, not -1\nn: must be at least 1, not 0\ns: must not be empty",
	} {
		err := agent.CheckArgs(json.RawMessage(schema), json.RawMessage(args))
		if (want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", args, err, want)
		}
	}
}

// Schemas of others come in many forms; what we do not know, we pass over.
func TestCheckArgsTakesAnySchema(t *testing.T) {
	const args = `{"a":"x","b":[1],"c":{"d":null}}`
	for _, schema := range []string{
		``, `{}`, `true`, `null`, `[]`, `{"properties":{"a":true,"b":{"items":false},"c":null}}`, `{"properties":[],"required":true}`,
		`{"type":null,"additionalProperties":null,"required":null,"properties":null,"enum":null,"items":null}`,
		`{"type":7,"properties":{"b":{"items":[{"type":"integer"}]}},"enum":"x"}`, `{"additionalProperties":true}`, `{"additionalProperties":{"$ref":"#/x"}}`,
		`{"properties":{"aaaaaa_a":{},"z_a":{}},"additionalProperties":true}`,
		`{"type":["object","null"],"properties":{"a":{"oneOf":[{"type":"integer"}]}}}`,
	} {
		if err := agent.CheckArgs(json.RawMessage(schema), json.RawMessage(args)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	for schema, want := range map[string]string{
		`{"additionalProperties":false}`:                                  "a: is unknown",
		`{"properties":{"c":{"additionalProperties":{"type":"string"}}}}`: "",
		`{"type":"array"}`:                       "arguments: must be array, not object",
		`{"properties":{"b":{"type":"string"}}}`: "b: must be string, not array",
		`{`:                                      "the tool's own schema is broken",
	} {
		err := agent.CheckArgs(json.RawMessage(schema), json.RawMessage(args))
		if (want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}
