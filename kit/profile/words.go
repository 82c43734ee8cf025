package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"react-agent/agent"
)

// reword changes what the model is told of a tool and its arguments, under our names. The tool itself stays as it is.
func (f Face) reword(t agent.Tool) (agent.Tool, error) {
	if f.Doc != "" {
		t.Doc = strings.TrimSpace(f.Doc)
	}
	if len(f.About) == 0 && len(f.Hide) == 0 {
		return t, nil
	}
	schema, err := rewordSchema(t.Schema, f.About, f.Hide)
	t.Schema = schema
	return t, err
}

func rewordSchema(schema json.RawMessage, about map[string]string, hide []string) (json.RawMessage, error) {
	top, err := members(schema)
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(about)), hide) {
		left[name] = true
	}
	for i := range top {
		switch top[i].key {
		case "properties":
			if top[i].value, err = rewordProperties(top[i].value, about, hide, left); err != nil {
				return nil, err
			}
		case "required":
			var names []string
			if err := json.Unmarshal(top[i].value, &names); err != nil {
				return nil, err
			}
			if j := slices.IndexFunc(names, func(n string) bool { return slices.Contains(hide, n) }); j >= 0 {
				return nil, fmt.Errorf("argument %s is required and cannot be hidden", names[j])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return nil, fmt.Errorf("argument %s is unknown", name)
	}
	return object(top), nil
}

// rewordProperties takes arguments out and describes others; left loses those that it has met.
func rewordProperties(raw json.RawMessage, about map[string]string, hide []string, left map[string]bool) (json.RawMessage, error) {
	props, err := members(raw)
	if err != nil {
		return nil, err
	}
	var kept []member
	for _, m := range props {
		delete(left, m.key)
		if slices.Contains(hide, m.key) {
			continue
		}
		if text, ok := about[m.key]; ok {
			if m.value, err = described(m.value, text); err != nil {
				return nil, err
			}
		}
		kept = append(kept, m)
	}
	return object(kept), nil
}

// described puts a description into the schema of one argument.
func described(schema json.RawMessage, text string) (json.RawMessage, error) {
	list, err := members(schema)
	if err != nil {
		return nil, err
	}
	raw, err := agent.EncodeJSON(text)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m member) bool { return m.key == "description" })
	return object(append(list, member{key: "description", value: raw})), nil
}
