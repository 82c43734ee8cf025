package agent_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"react-agent/agent"
)

// FuzzCheckArgs: whatever passes is one object without duplicate keys, at any depth, that decodes without surprises.
func FuzzCheckArgs(f *testing.F) {
	for _, args := range []string{`{"path":"x"}`, `{"path":"x","edits":[{"old":"a","old":"b"}]}`, `[]`, `{"Path":1}`, "{\"line\u017f\":1}", `{"path":"x"}{}`, `"{}"`, `{"a":{"b":[{"c":1,"c":2}]}}`} {
		f.Add(deepSchema, args)
	}
	f.Add(`{"properties":{"a":true},"additionalProperties":false}`, `{"a":1}`)
	f.Add(`true`, `{"a":1}`)
	f.Add(`true`, `{"a":[1e999]}`)
	f.Add(`{"properties":{"n":{"minimum":1e999,"exclusiveMaximum":-0},"l":{"minItems":-1,"items":{"maxLength":2}}}}`, `{"n":1e999,"l":["abc"],"nn_n":0}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		if agent.CheckArgs(json.RawMessage(schema), json.RawMessage(args)) != nil {
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(args), &object); err != nil || object == nil {
			t.Fatalf("passed, but is no object: %s (%v)", args, err)
		}
		if n := countKeys(t, []byte(args)); n != countMembers(t, []byte(args)) {
			t.Fatalf("passed with a duplicate key: %s", args)
		}
		var known struct {
			Path string `json:"path"`
		}
		if schema == deepSchema {
			if _, ok := object["path"]; !ok || json.Unmarshal([]byte(args), &known) != nil {
				t.Fatalf("passed without a path, or with one that does not decode: %s", args)
			}
			var exact string
			if json.Unmarshal(object["path"], &exact) != nil || exact != known.Path {
				t.Fatalf("the tool reads another path than the policy: %s", args)
			}
		}
	})
}

// countKeys counts keys as they are written, countMembers those that a decoder keeps.
func countKeys(t *testing.T, raw []byte) (n int) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // they may be larger than a float64
	type level struct {
		object, key bool
	}
	var stack []level
	for {
		tok, err := dec.Token()
		if err != nil {
			return n
		}
		top := len(stack) - 1
		isKey := top >= 0 && stack[top].object && stack[top].key
		if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:top]
			continue
		}
		if top >= 0 && stack[top].object {
			stack[top].key = !stack[top].key
		}
		if isKey {
			n++
		}
		if d, ok := tok.(json.Delim); ok {
			stack = append(stack, level{object: d == '{', key: d == '{'})
		}
	}
}

func countMembers(t *testing.T, raw []byte) int {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var count func(v any) int
	count = func(v any) (n int) {
		switch v := v.(type) {
		case map[string]any:
			for _, x := range v {
				n += 1 + count(x)
			}
		case []any:
			for _, x := range v {
				n += count(x)
			}
		}
		return n
	}
	return count(v)
}

// FuzzBuilder: any bytes, cut anywhere, give the same message, which survives the log.
func FuzzBuilder(f *testing.F) {
	f.Add("text", `{"a":1}`, uint8(1))
	f.Add("好\xff", `{"a": "好\u2028<>"`, uint8(2))
	f.Add("", "", uint8(0))
	f.Add("x", "[1,2] {", uint8(3))
	f.Fuzz(func(t *testing.T, text, args string, at uint8) {
		chunks := []agent.Chunk{
			{Part: &agent.Part{Kind: agent.Text, Text: text}},
			{Index: 1, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "i", Name: "n"}, Text: args}},
			{Stop: agent.StopCalls},
		}
		whole := build(t, chunks)
		cut := build(t, recut(chunks, func(size int) int { return 1 + int(at)%size }))
		if d := cmp.Diff(whole, cut, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		raw, err := agent.EncodeJSON(whole)
		if err != nil {
			t.Fatalf("the message cannot be stored: %v", err)
		}
		var back agent.Message
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(whole, back, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("the log changes it:\n%s", d)
		}
	})
}

// FuzzLoad: no log makes Load panic, and what it takes can be gone on with.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"seq":1,"type":"message","run":"1","message":{"role":"user","parts":[{"kind":"text","text":"x"}]}}` + "\n" +
		`{"seq":2,"type":"message","run":"1","message":{"role":"assistant","parts":[{"kind":"call","call":{"key":"s/2.1","name":"b","args":{}}}]}}` + "\n" +
		`{"seq":3,"type":"call","run":"1","call":{"key":"s/2.1","name":"b"}}` + "\n" +
		`{"seq":4,"type":"message","run":"1","message":{"role":"tool","parts":[{"kind":"result","result":{"key":"s/2.1"}}]}}` + "\n" +
		`{"seq":5,"type":"compact","trim":{"from":2,"clear":{"4":"x"}},"carry":{},"took":[{"log":"l","pos":3,"through":true}]}` + "\n" +
		`{"seq":6,"type":"void","void":{"from":5,"to":5}}`))
	f.Add([]byte(`{"seq":1,"type":"state","state":{"a":{"$blob":"x"}}}`))
	f.Add([]byte(`{"seq":1,"type":"state","state":{"a":{"$blob":"` + strings.Repeat("0", 64) + `","size":6},"b":{"$blob":"` + strings.Repeat("0", 64) + `","size":7}}}`))
	f.Add([]byte(`{"seq":1,"type":"message","message":{"role":"tool"}}`))
	f.Add([]byte("{\"seq\":1,\"type\":\"end\"}\n{\"seq\":2,\"type\":\"ask\",\"ask\":{}}"))
	f.Fuzz(func(t *testing.T, log []byte) {
		var lines [][]byte
		if len(log) > 0 {
			lines = bytes.Split(log, []byte("\n"))
		}
		s, err := agent.Load("s", seqOf(lines), func(string) ([]byte, error) { return []byte(`"body"`), nil })
		if err != nil {
			return
		}
		s.OpenCalls()
		if err := s.Apply(agent.Event{Seq: s.Seq + 1, Type: agent.EvEnd}); err != nil {
			t.Fatal(err)
		}
		if s.Open || len(s.Asks)+len(s.Answers)+len(s.Started) != 0 {
			t.Fatalf("open after its end: %+v", s)
		}
	})
}
