package texttag

import (
	"bytes"
	"encoding/json"
	"strings"

	"react-agent/agent"
)

// form is how a call looks.
const form = `<tool_call>{"name":"NAME","args":{"ARG":"VALUE"}}</tool_call>`

// manual is what the prompt says of tools: which there are, and how to call one.
func (m *model) manual(req *agent.Request) string {
	if len(req.Tools) == 0 {
		return ""
	}
	w := &m.words
	lines := []string{w.tools}
	for _, t := range req.Tools {
		lines = append(lines, "- "+t.Shown()+": "+strings.Join(strings.Fields(t.Doc), " ")+" "+m.shape(t.Schema))
	}
	lines = append(lines, "", w.how, form, w.several, w.noRepeat)
	if m.o.Thought {
		lines = append(lines, w.thought)
	}
	if m.o.Final {
		lines = append(lines, w.final)
	} else {
		lines = append(lines, w.plain)
	}
	if len(req.Schema) > 0 {
		lines = append(lines, w.schema, string(compact(req.Schema)))
	}
	switch req.Choice {
	case "", "none":
	case "required":
		lines = append(lines, w.required)
	default:
		lines = append(lines, w.say(w.named, req.Choice))
	}
	if m.o.Examples {
		lines = append(lines, m.examples(req.Tools)...)
	}
	return strings.Join(lines, "\n")
}

// examples are two replies: a call, and an answer from its result.
func (m *model) examples(tools []agent.Tool) []string {
	name, args := tools[0].Shown(), sample(tools[0].Schema)
	answer := "…"
	if m.o.Final {
		answer = "<final_answer>…</final_answer>"
	}
	call := `<tool_call>{"name":` + quoted(name) + `,"args":` + args + `}</tool_call>`
	return []string{"", m.words.example, userPrefix + "…", assistantPrefix + call, resultPrefix + "…", assistantPrefix + answer}
}

// property is one argument, in the order of the schema.
type property struct {
	name  string
	value json.RawMessage
}

// properties reads an object schema.
func properties(schema json.RawMessage) (list []property, required map[string]bool) {
	var s struct {
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
		return nil, nil
	}
	required = map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	dec := json.NewDecoder(bytes.NewReader(s.Properties))
	if _, err := dec.Token(); err != nil {
		return nil, nil
	}
	for dec.More() {
		tok, err := dec.Token()
		var p property
		if p.name, _ = tok.(string); err != nil || dec.Decode(&p.value) != nil {
			return list, required
		}
		list = append(list, p)
	}
	return list, required
}

// shape describes arguments: each name with its type and what is said about it.
func (m *model) shape(schema json.RawMessage) string {
	list, required := properties(schema)
	label, _, _ := strings.Cut(m.words.noArgs, "{")
	if len(list) == 0 {
		return m.words.noArgs
	}
	parts := make([]string, 0, len(list))
	for _, p := range list {
		parts = append(parts, quoted(p.name)+":"+m.describe(p.value, required[p.name]))
	}
	return label + "{" + strings.Join(parts, ",") + "}"
}

// describe puts a simple type into words; for others the schema itself says most.
func (m *model) describe(schema json.RawMessage, required bool) string {
	var s struct {
		Type        string
		Description string
		Enum        []string
		Items       json.RawMessage
		Properties  json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil || s.Type == "" || len(s.Items) > 0 || len(s.Properties) > 0 {
		return string(compact(schema))
	}
	text := s.Type
	if len(s.Enum) > 0 {
		text = strings.Join(s.Enum, "|")
	}
	if !required {
		text += ", " + m.words.optional
	}
	if s.Description != "" {
		text += ": " + s.Description
	}
	return quoted(text)
}

// sample makes up arguments that a schema accepts by its names and types.
func sample(schema json.RawMessage) string {
	list, required := properties(schema)
	var parts []string
	for _, p := range list {
		if !required[p.name] {
			continue
		}
		var s struct{ Type string }
		_ = json.Unmarshal(p.value, &s)
		value := `"…"`
		switch s.Type {
		case "integer", "number":
			value = "1"
		case "boolean":
			value = "true"
		case "array":
			value = "[]"
		case "object":
			value = "{}"
		}
		parts = append(parts, quoted(p.name)+":"+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func compact(raw json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return raw
	}
	return out.Bytes()
}

func quoted(s string) string {
	raw, err := agent.EncodeJSON(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(raw)
}

// paragraphs joins what is not empty.
func paragraphs(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if strings.TrimSpace(p) == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p)
	}
	return b.String()
}
