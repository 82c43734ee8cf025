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
	calls, results []string // ids; names where the wire has no ids
	args           []any    // beside calls
	model          bool     // the model speaks
	first          bool     // results are the first blocks
	silent         bool     // a text in it is empty, or there is nothing in it at all
}

// entries reads the conversation of a body.
func entries(api string, body any) (out []entry) {
	w := bodyOf(api)
	for _, m := range list(object(body)[w.history]) {
		out = append(out, w.entry(object(m)))
	}
	return out
}

// bodyOf tells how the bodies of a wire are read.
func bodyOf(api string) (w struct {
	history string
	entry   func(map[string]any) entry
},
) {
	switch api {
	case "responses":
		w.history, w.entry = "input", responsesEntry
	case "gemini":
		w.history, w.entry = "contents", geminiEntry
	case "anthropic":
		w.history, w.entry = "messages", anthropicEntry
	default:
		w.history, w.entry = "messages", chatEntry
	}
	return w
}

func text(v any) string { s, _ := v.(string); return s }

// blank reports whether content says nothing: a text without one, a list that is empty or has such a text in it.
func blank(content any) bool {
	blocks, ok := content.([]any)
	if !ok {
		return strings.TrimSpace(text(content)) == ""
	}
	return len(blocks) == 0 || slices.ContainsFunc(blocks, func(b any) bool {
		words, ok := object(b)["text"]
		return ok && strings.TrimSpace(text(words)) == "" && object(b)["thoughtSignature"] == nil
	})
}

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
	_, parts := m["content"].([]any)
	e.silent = (parts || e.model && len(e.calls) == 0) && blank(m["content"])
	return e
}

func anthropicEntry(m map[string]any) (e entry) {
	e.model, e.first, e.silent = m["role"] == "assistant", true, blank(m["content"])
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
		e.calls, e.args, e.model = []string{text(item["call_id"])}, []any{item["arguments"]}, true
	case "function_call_output":
		e.results = []string{text(item["call_id"])}
	case "message", nil:
		e.model, e.silent = item["role"] == "assistant", blank(item["content"])
	default:
		e.model = true
	}
	return e
}

func geminiEntry(m map[string]any) (e entry) {
	e.model, e.silent = m["role"] == "model", blank(m["parts"])
	for _, p := range list(m["parts"]) {
		if c := object(object(p)["functionCall"]); c != nil {
			e.calls = append(e.calls, text(c["name"]))
			e.args = append(e.args, c["args"])
		}
		if r := object(object(p)["functionResponse"]); r != nil {
			e.results = append(e.results, text(r["name"]))
		}
	}
	return e
}

// invariant reports whether a body keeps a rule that holds for every request.
func invariant(api string, body, name any) bool {
	all := entries(api, body)
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
		return paired(api, all)
	case "ids_mistral":
		return matching(`^[a-zA-Z0-9]{9}$`) && distinct(ids)
	case "ids_anthropic":
		return matching(`^[a-zA-Z0-9_-]{1,64}$`)
	case "arguments_json_objects":
		return !slices.ContainsFunc(args, func(a any) bool { return !argumentsOK(api, a) })
	case "no_empty_text":
		return !slices.ContainsFunc(all, func(e entry) bool { return e.silent })
	}
	return false
}

func distinct(ids []string) bool {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) == len(ids)
}

// argumentsOK: an object, which chat and responses write as a string.
func argumentsOK(api string, a any) bool {
	if api == "anthropic" || api == "gemini" {
		return object(a) != nil
	}
	s, ok := a.(string)
	var o map[string]any
	return ok && json.Unmarshal([]byte(s), &o) == nil && o != nil
}

// paired: every call has exactly one result, right behind its message, and there is no other result.
func paired(api string, all []entry) bool {
	if api == "responses" {
		return pairedItems(all)
	}
	var open []string
	for _, e := range all {
		switch {
		case api == "anthropic" || api == "gemini": // all results are the first blocks of the next message
			if e.model && (len(open) > 0 || len(e.results) > 0) || !e.model && !sameIDs(open, e.results) || api == "anthropic" && !e.first {
				return false
			}
		case len(e.results) > 0:
			i := slices.Index(open, e.results[0])
			if i < 0 {
				return false
			}
			open = slices.Delete(open, i, i+1)
			continue
		case len(open) > 0 || slices.Contains(e.calls, ""):
			return false
		}
		if api != "gemini" && !distinct(e.calls) {
			return false
		}
		open = slices.Clone(e.calls)
	}
	return len(open) == 0
}

// pairedItems: items pair by id, the result behind the call, before the model goes on.
func pairedItems(all []entry) bool {
	var open []string
	answering := false
	for _, e := range all {
		switch {
		case len(e.results) > 0:
			i := slices.Index(open, e.results[0])
			if i < 0 {
				return false
			}
			open = slices.Delete(open, i, i+1)
			answering = true
			continue
		case len(open) > 0 && (answering || !e.model): // a batch is answered as a whole, before anybody else speaks
			return false
		case slices.Contains(e.calls, "") || len(e.calls) > 0 && slices.Contains(open, e.calls[0]):
			return false
		}
		answering = false
		open = append(open, e.calls...)
	}
	return len(open) == 0
}

func sameIDs(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
