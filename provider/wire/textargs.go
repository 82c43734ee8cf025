package wire

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
)

// object builds a JSON object whose members stay in order.
type object struct{ out []byte }

func (o *object) add(key string, value json.RawMessage) {
	o.out = append(o.out, ',')
	o.out = append(o.out, jsonString(key)...)
	o.out = append(o.out, ':')
	o.out = append(o.out, value...)
}

// String is the whole object.
func (o *object) String() string {
	if len(o.out) == 0 {
		return "{}"
	}
	return "{" + string(o.out[1:]) + "}"
}

func jsonString(s string) json.RawMessage {
	raw, err := agent.EncodeJSON(s)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return raw
}

// typed makes a value of a parameter's text as its schema says: text for a string, JSON for anything else that is JSON.
func typed(value, kind string) json.RawMessage {
	trimmed := strings.TrimSpace(value)
	switch kind {
	case "string":
	case "":
		if trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	default:
		if v, ok := compact(trimmed); ok {
			return v
		}
		switch trimmed {
		case "True", "False":
			return json.RawMessage(strings.ToLower(trimmed))
		case "None":
			return json.RawMessage("null")
		}
	}
	return jsonString(value)
}

// unwrapLines takes off the line ends that a template puts around a value, one on each side.
func unwrapLines(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	s, ok := strings.CutSuffix(s, "\n")
	if ok {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

// schemaOf gives the type of each of a tool's parameters; "any" is one with several types.
func schemaOf(name string, tools []agent.Tool) map[string]string {
	name, _ = ToolName(name, tools)
	for _, t := range tools {
		if !known(name, []agent.Tool{t}) {
			continue
		}
		var s struct {
			Properties map[string]struct{ Type json.RawMessage }
		}
		if json.Unmarshal(t.Schema, &s) != nil {
			return nil
		}
		types := make(map[string]string, len(s.Properties))
		for key, p := range s.Properties {
			if types[key] = text(p.Type); types[key] == "" {
				types[key] = "any"
			}
		}
		return types
	}
	return nil
}
