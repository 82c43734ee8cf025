package providertest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// strictItems judges what the Responses API alone demands of a request: nothing refers to what a server would have had to
// store, a reasoning item stands before something that follows from it, calls are told apart by call_id in the whole list,
// and tools are flat, with schemas in which no list is null.
func strictItems(body []byte) error {
	req := gjson.ParseBytes(body)
	if id := req.Get("previous_response_id"); id.Exists() {
		return fmt.Errorf("response %s is not stored", id.Raw)
	}
	for i, tool := range req.Get("tools").Array() {
		switch name := tool.Get("name").Str; {
		case tool.Get("type").Str != "function" || name == "":
			return fmt.Errorf("missing required parameter: 'tools[%d].name'", i)
		case hasNullList(tool.Get("parameters")):
			return fmt.Errorf("invalid schema for function %q: null is not of type 'array'", name)
		}
	}
	items := req.Get("input").Array()
	calls := map[string]bool{}
	for i, item := range items {
		if err := strictItem(items, i); err != nil {
			return err
		}
		if item.Get("type").Str != "function_call" {
			continue
		}
		call := item.Get("call_id").Str
		if calls[call] {
			return fmt.Errorf("input[%d]: call_id '%s' is doubled", i, call)
		}
		calls[call] = true
	}
	return nil
}

// strictItem judges one item among the others.
func strictItem(items []gjson.Result, i int) error {
	id, kind := items[i].Get("id").Str, items[i].Get("type").Str
	switch {
	case id != "" && kind != "reasoning":
		return fmt.Errorf("item with id '%s' not found: items are not persisted when store is false", id)
	case len(id) > maxItemID || len(items[i].Get("call_id").Str) > maxItemID:
		return fmt.Errorf("input[%d]: an id is longer than %d", i, maxItemID)
	case kind == "reasoning" && !followed(items, i):
		return fmt.Errorf("item '%s' of type 'reasoning' was provided without its required following item", id)
	case kind == "reasoning" && !items[i].Get("summary").IsArray():
		return fmt.Errorf("missing required parameter: 'input[%d].summary'", i)
	}
	return nil
}

// maxItemID is how long ids may be.
const maxItemID = 64

// followed reports whether the model goes on behind a reasoning item.
func followed(items []gjson.Result, i int) bool {
	if i+1 >= len(items) {
		return false
	}
	next := items[i+1]
	switch next.Get("type").Str {
	case "function_call", "reasoning":
		return true
	}
	return next.Get("role").Str == "assistant"
}

// hasNullList reports whether a schema names no list of required fields, or no table of properties, where it should.
func hasNullList(schema gjson.Result) bool {
	var v any
	_ = json.Unmarshal([]byte(schema.Raw), &v) // what is no JSON has no schema in it
	return nullIn(v)
}

func nullIn(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, f := range v {
			if f == nil && (key == "required" || key == "properties" || key == "enum") || nullIn(f) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, nullIn)
	}
	return false
}
