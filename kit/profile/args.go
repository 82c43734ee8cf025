package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"react-agent/agent"
)

// renameArgs shows a tool's arguments under other names. The model writes those; the tool, its Check, hooks and logs see
// ours.
func renameArgs(t agent.Tool, shown map[string]string) (agent.Tool, error) {
	ours := map[string]string{}
	for _, our := range slices.Sorted(maps.Keys(shown)) {
		name := shown[our]
		if other, twice := ours[name]; twice {
			return t, fmt.Errorf("the argument name %s stands for both %s and %s", name, other, our)
		}
		ours[name] = our
	}
	schema, err := renameSchema(t.Schema, shown)
	if err != nil {
		return t, err
	}
	inner, own := t, t.Schema
	t.Schema = schema
	t.Rename = func(args json.RawMessage) (json.RawMessage, error) {
		list, err := members(args)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if our, ok := ours[list[i].key]; ok {
				list[i].key = our
			}
		}
		args = object(list)
		if inner.Rename != nil {
			return inner.Rename(args)
		}
		return args, nil
	}
	t.Check = func(args json.RawMessage) error {
		err := agent.CheckArgs(own, args)
		if err == nil && inner.Check != nil {
			err = inner.Check(args)
		}
		return err
	}
	return t, nil
}

// renameSchema renames properties in their place, so that the order the model reads stays.
func renameSchema(schema json.RawMessage, shown map[string]string) (json.RawMessage, error) {
	top, err := members(schema)
	if err != nil {
		return nil, err
	}
	left := maps.Clone(shown)
	for i := range top {
		switch top[i].key {
		case "properties":
			props, err := members(top[i].value)
			if err != nil {
				return nil, err
			}
			taken := map[string]bool{}
			for j := range props {
				if name, ok := shown[props[j].key]; ok {
					delete(left, props[j].key)
					props[j].key = name
				}
				if taken[props[j].key] {
					return nil, fmt.Errorf("two arguments would be called %s", props[j].key)
				}
				taken[props[j].key] = true
			}
			top[i].value = object(props)
		case "required":
			var names []string
			if err := json.Unmarshal(top[i].value, &names); err != nil {
				return nil, err
			}
			for j := range names {
				if name, ok := shown[names[j]]; ok {
					names[j] = name
				}
			}
			if top[i].value, err = agent.EncodeJSON(names); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return nil, fmt.Errorf("argument %s is unknown", name)
	}
	return object(top), nil
}

// member is one key of a JSON object, in its place.
type member struct {
	key   string
	value json.RawMessage
}

func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("must be a JSON object: %.80s", raw)
	}
	var list []member
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{}
		m.key, _ = tok.(string)
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	_, err := dec.Token()
	return list, err
}

func object(list []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := agent.EncodeJSON(m.key)
		if err != nil { // a string always encodes
			key = []byte(`""`)
		}
		out = append(append(append(out, key...), ':'), m.value...)
	}
	return append(out, '}')
}
