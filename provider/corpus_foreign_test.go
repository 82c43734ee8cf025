package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// saidLast reports whether the last thing in a body is this text of the person.
func saidLast(api string, root any, words string) bool {
	history := list(object(root)[bodyOf(api).history])
	if len(history) == 0 {
		return false
	}
	m := object(history[len(history)-1])
	content := m["content"]
	if api == "gemini" {
		content = m["parts"]
	}
	if blocks := list(content); len(blocks) > 0 {
		content = object(blocks[len(blocks)-1])["text"]
	}
	return m["role"] == "user" && text(content) == words
}

// shape lists what of a body breaks rules of its wire beside those of the format.
func shape(api string, root any) (faults []string) {
	all := entries(api, root)
	var ids []string
	for i, e := range all {
		ids = append(ids, e.calls...)
		if api == "gemini" && len(e.calls) > 0 && (i == 0 || all[i-1].model) {
			faults = append(faults, fmt.Sprintf("the calls of content %d do not follow upon the user's turn", i))
		}
	}
	history := list(object(root)[bodyOf(api).history])
	switch api {
	case "responses":
		if !distinct(ids) {
			faults = append(faults, "calls share an id")
		}
		for i, it := range history {
			if object(it)["type"] == "reasoning" && (i+1 == len(history) || object(history[i+1])["role"] == "user" || object(history[i+1])["type"] == "function_call_output") {
				faults = append(faults, fmt.Sprintf("nothing of the model follows reasoning item %d", i))
			}
		}
	case "anthropic", "gemini":
		if len(history) > 0 && object(history[0])["role"] != "user" {
			faults = append(faults, "the user does not begin")
		}
	}
	return faults
}

// foreign lists what a body carries of a vendor that is not its receiver: fields that are not of the protocol, and opaque
// data.
func foreign(root any, history []agent.Message, p wire.Preset) (faults []string) {
	origin := p.API + "/" + p.Name + "/m"
	mine := false
	var others []any
	for i := range history {
		for _, part := range history[i].Parts {
			switch {
			case part.Opaque == nil:
			case part.Opaque.Origin == origin:
				mine = true
			default:
				var v any
				_ = json.Unmarshal(part.Opaque.Data, &v)
				others = append(others, v)
			}
		}
	}
	for _, s := range sealedTexts(root, "", others, visible(history)) {
		faults = append(faults, "has the opaque "+short(s)+" of another vendor")
	}
	if !mine {
		faults = append(faults, strangeFields(root, history, p)...)
	}
	return faults
}

// visible is everything in a history that any vendor may be sent.
func visible(history []agent.Message) string {
	var b strings.Builder
	for i := range history {
		for _, part := range history[i].Parts {
			b.WriteString(part.Text)
			if part.Call != nil {
				b.WriteString(part.Call.ID + part.Call.Name + string(part.Call.Args))
			}
			if part.Result != nil {
				b.WriteString(part.Result.Text())
			}
		}
	}
	return b.String()
}

// sealedTexts are texts of the body, under no matter which key, that stand in others' opaque data and nowhere else.
func sealedTexts(v any, key string, others []any, said string) (found []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, f := range v {
			found = append(found, sealedTexts(f, k, others, said)...)
		}
	case []any:
		for _, f := range v {
			found = append(found, sealedTexts(f, key, others, said)...)
		}
	case string:
		if len(v) >= 4 && key != "type" && key != "role" && slices.ContainsFunc(others, func(o any) bool { return holdsText(o, v) }) && !strings.Contains(said, v) {
			found = append(found, v)
		}
	}
	return found
}

func holdsText(v any, s string) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, f := range v {
			if holdsText(f, s) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(f any) bool { return holdsText(f, s) })
	case string:
		return v == s
	}
	return false
}

// strangeFields lists the fields of a history that are not of the protocol. None of it is the receiver's own.
func strangeFields(root any, history []agent.Message, p wire.Preset) (faults []string) {
	said := []string{""}
	for i := range history {
		said = append(said, history[i].Text())
	}
	var empty []string // fields that a vendor wants although there is nothing to say
	if p.ReasoningAlways {
		empty = []string{p.ReasoningField, "thinking", "signature"}
	}
	strange := func(i int, o any, known ...string) {
		for key, v := range object(o) {
			if !slices.Contains(known, key) && (v != "" || !slices.Contains(empty, key)) {
				faults = append(faults, fmt.Sprintf("message %d has a foreign %s", i, key))
			}
		}
	}
	for i, m := range list(object(root)[bodyOf(p.API).history]) {
		switch p.API {
		case "chat":
			strange(i, m, "role", "content", "tool_calls", "tool_call_id")
			if object(m)["role"] == "assistant" && !slices.Contains(said, text(object(m)["content"])) {
				faults = append(faults, fmt.Sprintf("message %d has more than the answer in its content", i))
			}
			for _, call := range list(object(m)["tool_calls"]) {
				strange(i, call, "id", "type", "function")
			}
		case "responses":
			strange(i, m, "type", "role", "content", "call_id", "name", "arguments", "output")
			for _, part := range list(object(m)["content"]) {
				strange(i, part, "type", "text", "annotations", "detail", "image_url", "filename", "file_data")
			}
		case "anthropic":
			strange(i, m, "role", "content")
			for _, block := range list(object(m)["content"]) {
				strange(i, block, "type", "text", "id", "name", "input", "tool_use_id", "content", "is_error", "cache_control", "source")
			}
		case "gemini":
			strange(i, m, "role", "parts")
			for _, part := range list(object(m)["parts"]) {
				o := object(part)
				if o["thoughtSignature"] == standIn {
					delete(o, "thoughtSignature")
				}
				strange(i, part, "text", "functionCall", "functionResponse", "inlineData", "fileData")
			}
		}
	}
	return faults
}

// standIn is what Google's documentation wants in the place of a signature that a call from elsewhere cannot have.
const standIn = "skip_thought_signature_validator"
