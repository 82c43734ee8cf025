package anthropic

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"react-agent/provider/wire"
)

// strict is a schema as the protocol takes it for answers: objects are closed, and nothing has a range. What the answer has
// to hold beyond that is checked by who asked for it. The order of the fields stays: it is the order they are answered in.
func strict(schema json.RawMessage) []byte {
	raw := wire.Compact(schema)
	v := gjson.ParseBytes(raw)
	if !v.IsObject() {
		return raw
	}
	return closed(nil, v)
}

// closed writes one schema with all schemas in it.
func closed(out []byte, v gjson.Result) []byte {
	if !v.IsObject() {
		return append(out, v.Raw...) // true and false are schemas too
	}
	out = append(out, '{')
	n := 0
	v.ForEach(func(key, inner gjson.Result) bool {
		if ranges(key.Str) || key.Str == "additionalProperties" && !inner.IsObject() {
			return true
		}
		out = field(out, &n, key)
		out = part(out, key.Str, inner)
		return true
	})
	object := v.Get("type").Str == "object" || v.Get("properties").IsObject()
	if object && !v.Get("additionalProperties").IsObject() {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, `"additionalProperties":false`...)
	}
	return append(out, '}')
}

func field(out []byte, n *int, key gjson.Result) []byte {
	if *n > 0 {
		out = append(out, ',')
	}
	*n++
	return append(append(out, key.Raw...), ':')
}

// part writes what stands under a keyword.
func part(out []byte, keyword string, v gjson.Result) []byte {
	switch keyword {
	case "properties", "$defs", "definitions":
		if !v.IsObject() {
			break
		}
		out = append(out, '{')
		n := 0
		v.ForEach(func(name, inner gjson.Result) bool {
			out = closed(field(out, &n, name), inner)
			return true
		})
		return append(out, '}')
	case "items", "anyOf", "allOf", "oneOf":
		if !v.IsArray() {
			return closed(out, v)
		}
		out = append(out, '[')
		for i, inner := range v.Array() {
			if i > 0 {
				out = append(out, ',')
			}
			out = closed(out, inner)
		}
		return append(out, ']')
	case "minItems":
		if v.Num > 1 {
			return append(out, '1')
		}
	}
	return append(out, v.Raw...)
}

// ranges reports whether a keyword is one that the protocol refuses.
func ranges(keyword string) bool {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems", "uniqueItems",
		"minProperties", "maxProperties", "$schema":
		return true
	}
	return false
}
