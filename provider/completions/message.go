package completions

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"react-agent/provider/wire"
)

// delta takes one piece of the message, or all of it.
func (d *decoder) delta(v gjson.Result) {
	thought := thoughtsOf{}
	var content, calls, function gjson.Result
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "content":
			content = f
		case "tool_calls":
			calls = f
		case "function_call":
			function = f
		case "refusal":
			if f.Type == gjson.String && f.Str != "" {
				d.Refuses()
				d.Text(f)
			}
		default:
			thought.take(key.Str, f)
		}
		return true
	})
	d.thought(&thought)
	d.contentValue(content)
	if calls.Type == gjson.JSON || function.IsObject() {
		d.Batch()
		for _, c := range wire.Values(calls) {
			d.callDelta(c)
		}
		if function.IsObject() && len(wire.Values(calls)) == 0 || calls.Type != gjson.JSON {
			d.functionDelta(function)
		}
	}
}

// contentValue takes content in its shapes: a string, a list of parts, one part. There are no lists of lists.
func (d *decoder) contentValue(v gjson.Result) {
	if !v.IsArray() {
		d.contentPart(v)
		return
	}
	v.ForEach(func(_, part gjson.Result) bool {
		d.contentPart(part)
		return true
	})
}

func (d *decoder) contentPart(v gjson.Result) {
	switch {
	case v.Type == gjson.String:
		d.Text(v)
	case v.IsObject():
		if t := v.Get("thinking"); t.Exists() {
			d.thinkingParts(t)
			return
		}
		switch v.Get("type").Str {
		case "", "text", "output_text":
			d.Text(v.Get("text"))
		case "refusal":
			d.Refuses()
			d.Text(v.Get("refusal"))
		}
	}
}

// thinkingParts takes the thinking of a content part: a string, or parts with text.
func (d *decoder) thinkingParts(v gjson.Result) {
	if v.Type == gjson.String {
		d.Thought(v)
		return
	}
	v.ForEach(func(_, part gjson.Result) bool {
		d.Thought(part.Get("text"))
		return true
	})
}

// callDelta takes one element of tool_calls.
func (d *decoder) callDelta(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	var p wire.Piece
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "index":
			p.Index, p.Indexed = f.Int(), f.Type == gjson.Number || f.Type == gjson.String && f.Str != ""
		case "id":
			p.ID = word(f)
		case "function", "custom":
			function(&p, f)
		case "name":
			p.Name = word(f)
		case "arguments":
			p.Args = f
		case "extra_content", "thought_signature", "provider_specific_fields", "signature":
			if f.Type != gjson.Null && f.Raw != `""` && f.Raw != "{}" {
				if p.Extra == nil {
					p.Extra = map[string]json.RawMessage{}
				}
				p.Extra[key.Str] = json.RawMessage(f.Raw)
			}
		}
		return true
	})
	d.Call(p)
}

// functionDelta takes the old form, in which there is one call without an id.
func (d *decoder) functionDelta(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	p := wire.Piece{Indexed: true}
	function(&p, v)
	d.Call(p)
}

func function(p *wire.Piece, v gjson.Result) {
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "name":
			p.Name = word(f)
		case "arguments", "input", "parameters":
			p.Args = f
		}
		return true
	})
}

// word is a string, or a number where a string should be.
func word(v gjson.Result) string {
	if v.Type == gjson.String || v.Type == gjson.Number {
		return v.String()
	}
	return ""
}
