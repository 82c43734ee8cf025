package completions

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// thoughtsOf is what one delta says about thoughts. Several fields may carry the same text; it counts once.
type thoughtsOf struct {
	text    gjson.Result // the first plain field with text
	field   string       // its name
	details gjson.Result // reasoning_details
	blocks  gjson.Result // thinking_blocks
	keep    []kept       // fields that only the vendor understands
}

type kept struct {
	key string
	raw string
}

// take takes one field of the delta.
func (t *thoughtsOf) take(key string, v gjson.Result) {
	switch key {
	case "reasoning_content", "reasoning", "reasoning_text", "thinking", "thought", "thinking_content":
		if v.IsObject() {
			v = first(v, "content", "text", "thinking")
		}
		if v.Type == gjson.String {
			if v.Str != "" && t.text.Str == "" {
				t.text = v
			}
			if v.Str != "" && t.field == "" {
				t.field = key
			}
		}
	case "reasoning_details":
		t.details = v
	case "thinking_blocks":
		t.blocks = v
	case "extra_content", "reasoning_opaque", "encrypted_content", "reasoning_signature", "thought_signature":
		if v.Type != gjson.Null && v.Raw != `""` {
			t.keep = append(t.keep, kept{key, v.Raw})
		}
	}
}

func first(v gjson.Result, keys ...string) gjson.Result {
	for _, k := range keys {
		if f := v.Get(k); f.Exists() {
			return f
		}
	}
	return gjson.Result{}
}

// keeping collects what has to go back to the vendor unchanged.
type keeping struct {
	field   string // the field the thoughts came in
	source  string // "plain" or "details": the one whose text counts
	details []map[string]json.RawMessage
	blocks  []map[string]json.RawMessage
	fields  map[string]json.RawMessage
}

// thought takes the thoughts of one delta.
func (d *decoder) thought(t *thoughtsOf) {
	k := &d.keeping
	for _, f := range t.keep {
		if k.fields == nil {
			k.fields = map[string]json.RawMessage{}
		}
		k.fields[f.key] = json.RawMessage(f.raw)
	}
	if t.text.Str != "" {
		if k.source == "" {
			k.source, k.field = "plain", t.field
		}
		if k.source == "plain" {
			d.Thought(t.text)
		}
	}
	if t.details.IsArray() {
		t.details.ForEach(func(_, e gjson.Result) bool {
			d.Keep(len(e.Raw))
			merge(&k.details, e, "type", "index", "id")
			d.detailText(e, "text", "summary")
			return true
		})
	}
	if t.blocks.IsArray() {
		t.blocks.ForEach(func(_, e gjson.Result) bool {
			d.Keep(len(e.Raw))
			merge(&k.blocks, e, "type")
			d.detailText(e, "thinking")
			return true
		})
	}
}

// detailText takes the text of an entry, unless the same text comes in a plain field.
func (d *decoder) detailText(e gjson.Result, keys ...string) {
	v := first(e, keys...)
	if v.Type != gjson.String || v.Str == "" {
		return
	}
	if d.keeping.source == "" {
		d.keeping.source = "details"
	}
	if d.keeping.source == "details" {
		d.Thought(v)
	}
}

// merge appends an entry to a list, or its pieces to the entry they continue: the last one, if the keys that tell
// entries apart do not differ. Texts are joined; of other fields the last value that says something stays.
func merge(list *[]map[string]json.RawMessage, e gjson.Result, apart ...string) {
	if !e.IsObject() {
		return
	}
	if n := len(*list); n == 0 || !sameEntry((*list)[n-1], e, apart) {
		*list = append(*list, map[string]json.RawMessage{})
	}
	last := (*list)[len(*list)-1]
	e.ForEach(func(key, v gjson.Result) bool {
		old := last[key.Str]
		switch {
		case isText(key.Str) && v.Type == gjson.String && len(old) > 1 && old[0] == '"':
			last[key.Str] = append(old[:len(old)-1], v.Raw[1:]...)
		case old == nil || v.Type != gjson.Null && v.Raw != `""`:
			last[key.Str] = json.RawMessage(v.Raw)
		}
		return true
	})
}

// sameEntry reports whether a piece continues an entry.
func sameEntry(last map[string]json.RawMessage, e gjson.Result, apart []string) bool {
	for _, key := range apart {
		if v := e.Get(key); v.Exists() && last[key] != nil && string(last[key]) != v.Raw {
			return false
		}
	}
	if s := last["signature"]; s != nil && string(s) != "null" && e.Get("text").Str+e.Get("thinking").Str != "" {
		return false // the entry was closed
	}
	return last["data"] == nil || !e.Get("data").Exists()
}

func isText(key string) bool { return key == "text" || key == "summary" || key == "thinking" }

// memory is the data of a thought's opaque part: what the encoder needs to send it back.
type memory struct {
	Field   string                       `json:"field,omitempty"`  // that the thoughts came in; "" = as tags in the text
	Before  string                       `json:"before,omitempty"` // what stood before the thoughts in the text
	After   string                       `json:"after,omitempty"`
	Details []map[string]json.RawMessage `json:"reasoning_details,omitempty"`
	Blocks  []map[string]json.RawMessage `json:"thinking_blocks,omitempty"`
	Fields  map[string]json.RawMessage   `json:"fields,omitempty"`
}

// Thoughts marks the thoughts with where they came from, and with what else has to go back there.
func (d *decoder) Thoughts() *agent.Opaque {
	k := &d.keeping
	if !d.HasThoughts() && len(k.details) == 0 && len(k.blocks) == 0 && len(k.fields) == 0 {
		return nil
	}
	before, after := d.Tags()
	mem := memory{Field: k.field, Before: before, After: after, Details: k.details, Blocks: k.blocks, Fields: k.fields}
	data, err := agent.EncodeJSON(mem)
	if err != nil {
		d.m.Logger.Warn("what belongs to the thoughts cannot be kept", "error", err)
		return nil
	}
	return &agent.Opaque{Origin: d.m.Info().Origin(), Data: data}
}
