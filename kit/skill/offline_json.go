package skill

import (
	"encoding/json"

	"react-agent/agent"
	"react-agent/internal/yaml"
)

// jsonOf is a value of a file as JSON, in the order of the file. Texts that look like numbers or truth values are these,
// unless they are quoted.
func jsonOf(n yaml.Node) json.RawMessage {
	switch n.Kind {
	case yaml.List:
		out := []byte{'['}
		for i, item := range n.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, jsonOf(item)...)
		}
		return append(out, ']')
	case yaml.Map:
		out := []byte{'{'}
		for i, p := range n.Pairs {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, jsonText(p.Key.Text)...), ':')
			out = append(out, jsonOf(p.Value)...)
		}
		return append(out, '}')
	case yaml.Scalar:
		if !n.String && json.Valid([]byte(n.Text)) {
			return json.RawMessage(n.Text)
		}
		return jsonText(n.Text)
	case yaml.Null:
	}
	return json.RawMessage("null")
}

func jsonText(s string) json.RawMessage {
	raw, err := agent.EncodeJSON(s)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return raw
}
