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
	for name := range about {
		left[name] = true
	}
	for _, name := range hide {
		left[name] = true
	}
	for i := range top {
		switch top[i].key {
		case "properties":
			props, err := members(top[i].value)
			if err != nil {
				return nil, err
			}
			props = slices.DeleteFunc(props, func(m member) bool {
				hidden := slices.Contains(hide, m.key)
				if hidden {
					delete(left, m.key)
				}
				return hidden
			})
			for j := range props {
				text, ok := about[props[j].key]
				if !ok {
					continue
				}
				delete(left, props[j].key)
				if props[j].value, err = described(props[j].value, text); err != nil {
					return nil, err
				}
			}
			top[i].value = object(props)
		case "required":
			var names []string
			if err := json.Unmarshal(top[i].value, &names); err != nil {
				return nil, err
			}
			for _, name := range names {
				if slices.Contains(hide, name) {
					return nil, fmt.Errorf("argument %s is required and cannot be hidden", name)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return nil, fmt.Errorf("argument %s is unknown", name)
	}
	return object(top), nil
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
