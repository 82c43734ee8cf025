package provider_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// object and list read a JSON value leniently: what is something else is empty.
func object(v any) map[string]any { o, _ := v.(map[string]any); return o }

func list(v any) []any { l, _ := v.([]any); return l }

// entry is what one message (or item) of a body means for the pairing of calls and results.
type entry struct {
	calls, results []string // ids
	args           []any    // beside calls
	model          bool     // the model speaks
	first          bool     // results are the first blocks
}

// entries reads the conversation of a body of any wire. wire is chat, anthropic, responses or gemini.
func entries(body any) (wire string, out []entry) {
	b := object(body)
	switch {
	case b["contents"] != nil:
		for _, m := range list(b["contents"]) {
			out = append(out, geminiEntry(object(m)))
		}
		return "gemini", out
	case b["input"] != nil:
		for _, item := range list(b["input"]) {
			out = append(out, responsesEntry(object(item)))
		}
		return "responses", out
	}
	wire = "chat"
	if isAnthropic(b) {
		wire = "anthropic"
	}
	for _, m := range list(b["messages"]) {
		if wire == "chat" {
			out = append(out, chatEntry(object(m)))
		} else {
			out = append(out, anthropicEntry(object(m)))
		}
	}
	return wire, out
}

// isAnthropic tells two wires apart whose bodies both have messages.
func isAnthropic(b map[string]any) bool {
	for _, m := range list(b["messages"]) {
		if o := object(m); o["role"] == "tool" || o["tool_calls"] != nil {
			return false
		}
	}
	for _, m := range list(b["messages"]) {
		for _, block := range list(object(m)["content"]) {
			if t, _ := object(block)["type"].(string); slices.Contains([]string{"tool_use", "tool_result", "thinking", "redacted_thinking"}, t) {
				return true
			}
		}
	}
	return b["max_tokens"] != nil && b["tools"] == nil
}

func text(v any) string { s, _ := v.(string); return s }

func chatEntry(m map[string]any) (e entry) {
	if m["role"] == "tool" {
		e.results = []string{text(m["tool_call_id"])}
		return e
	}
	e.model = m["role"] == "assistant"
	for _, c := range list(m["tool_calls"]) {
		e.calls = append(e.calls, text(object(c)["id"]))
		e.args = append(e.args, object(object(c)["function"])["arguments"])
	}
	return e
}

func anthropicEntry(m map[string]any) (e entry) {
	e.model, e.first = m["role"] == "assistant", true
	other := false
	for _, b := range list(m["content"]) {
		block := object(b)
		switch block["type"] {
		case "tool_use":
			e.calls = append(e.calls, text(block["id"]))
			e.args = append(e.args, block["input"])
			other = true
		case "tool_result":
			e.results = append(e.results, text(block["tool_use_id"]))
			e.first = e.first && !other
		default:
			other = true
		}
	}
	return e
}

func responsesEntry(item map[string]any) (e entry) {
	switch item["type"] {
	case "function_call":
		e.calls, e.args = []string{text(item["call_id"])}, []any{item["arguments"]}
	case "function_call_output":
		e.results = []string{text(item["call_id"])}
	}
	return e
}

func geminiEntry(m map[string]any) (e entry) {
	e.model = m["role"] != "user"
	for _, p := range list(m["parts"]) {
		if c := object(p)["functionCall"]; c != nil {
			e.calls = append(e.calls, "")
			e.args = append(e.args, object(c)["args"])
		}
		if object(p)["functionResponse"] != nil {
			e.results = append(e.results, "")
		}
	}
	return e
}

// invariant reports whether a body keeps a rule that holds for every request.
func invariant(body, name any) bool {
	wire, all := entries(body)
	var ids []string
	var args []any
	for _, e := range all {
		ids, args = append(ids, e.calls...), append(args, e.args...)
	}
	matching := func(pattern string) bool {
		re := regexp.MustCompile(pattern)
		return !slices.ContainsFunc(ids, func(id string) bool { return !re.MatchString(id) })
	}
	switch name {
	case "tool_pairs":
		return paired(wire, all)
	case "ids_mistral":
		return matching(`^[a-zA-Z0-9]{9}$`) && distinct(ids)
	case "ids_anthropic":
		return matching(`^[a-zA-Z0-9_-]{1,64}$`)
	case "arguments_json_objects":
		return !slices.ContainsFunc(args, func(a any) bool { return !argumentsOK(wire, a) })
	case "no_empty_text":
		return !slices.ContainsFunc(list(object(body)["messages"]), func(m any) bool { return saysNothing(object(m)) })
	}
	return false
}

func distinct(ids []string) bool {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) == len(ids)
}

// argumentsOK: an object, which chat and responses write as a string.
func argumentsOK(wire string, a any) bool {
	if wire == "anthropic" || wire == "gemini" {
		return object(a) != nil
	}
	s, ok := a.(string)
	var o map[string]any
	return ok && json.Unmarshal([]byte(s), &o) == nil && o != nil
}

// saysNothing: an empty text block, or an assistant message with neither content nor calls.
func saysNothing(m map[string]any) bool {
	if blocks, ok := m["content"].([]any); ok {
		return len(blocks) == 0 || slices.ContainsFunc(blocks, func(b any) bool {
			return object(b)["type"] == "text" && strings.TrimSpace(text(object(b)["text"])) == ""
		})
	}
	return m["role"] == "assistant" && text(m["content"]) == "" && len(list(m["tool_calls"])) == 0
}

// paired: every call has exactly one result, right behind its message, and there is no other result.
func paired(wire string, all []entry) bool {
	var open []string
	var calls, results []string
	for _, e := range all {
		calls, results = append(calls, e.calls...), append(results, e.results...)
		switch wire {
		case "responses": // pairs by id, the result behind the call
			if len(e.results) > 0 && !slices.Contains(calls, e.results[0]) {
				return false
			}
			continue
		case "chat":
			if len(e.results) > 0 {
				i := slices.Index(open, e.results[0])
				if i < 0 {
					return false
				}
				open = slices.Delete(open, i, i+1)
				continue
			}
			if len(open) > 0 || slices.Contains(e.calls, "") {
				return false
			}
		default: // all results are the first blocks of the next message
			if e.model && (len(open) > 0 || len(e.results) > 0) || !e.model && !sameIDs(open, e.results) || wire == "anthropic" && !e.first {
				return false
			}
		}
		if wire != "gemini" && !distinct(e.calls) {
			return false
		}
		open = slices.Clone(e.calls)
	}
	if wire == "responses" {
		return sameIDs(calls, results)
	}
	return len(open) == 0
}

func sameIDs(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
