package wire

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
)

// parseBlock reads a block with its tags. whole is false if the closing tag stands inside a string of the block.
func parseBlock(d dialect, raw string, tools []agent.Tool) (calls []TextCall, whole bool) {
	body := inner(d, raw)
	if calls := parseBody(body, tools); len(calls) > 0 {
		return calls, true
	}
	if body = strings.TrimSpace(body); body != "" && (body[0] == '{' || body[0] == '[') && openString(body) {
		return nil, false
	}
	return broken(body, tools), true
}

// parseOpen reads a block whose end is missing. What is not whole has arguments that cannot be read.
func parseOpen(d dialect, raw string, tools []agent.Tool, cut bool) []TextCall {
	body := inner(d, raw)
	if strings.Contains(body, "<parameter") || strings.Contains(body, "<arg_key>") {
		if cut {
			return broken(body, tools)
		}
	}
	if calls := parseBody(body, tools); len(calls) > 0 {
		return calls
	}
	return broken(body, tools)
}

// inner takes a block's tags off. Forms without a wrapper keep theirs.
func inner(d dialect, raw string) string {
	raw = strings.ReplaceAll(raw, "｜DSML｜", "")
	if d.bare || strings.HasPrefix(d.open, "<|channel|>") || strings.HasPrefix(d.open, "<|tool_call_begin") || strings.HasPrefix(d.open, "<｜tool▁call▁begin") {
		return raw
	}
	open, end := strings.ReplaceAll(d.open, "｜DSML｜", ""), strings.ReplaceAll(d.close, "｜DSML｜", "")
	raw = strings.TrimPrefix(raw, open)
	if end != "" {
		raw = strings.TrimSuffix(raw, end)
	}
	return raw
}

// maxWrappers is how many wrappers may stand inside one another.
const maxWrappers = 3

// parseBody tries the forms of a call's body in turn; the first that fits wins.
func parseBody(body string, tools []agent.Tool) []TextCall { return parseNested(body, tools, 0) }

// parseNested is parseBody within so many wrappers.
func parseNested(body string, tools []agent.Tool, depth int) []TextCall {
	body = strings.TrimSpace(body)
	switch {
	case body == "":
		return nil
	case strings.Contains(body, "<|tool_call_begin|>"):
		return kimiCalls(body)
	case strings.Contains(body, "<｜tool▁call▁begin｜>"):
		return deepseekCalls(body)
	case strings.HasPrefix(body, "<|channel|>"):
		return harmonyCalls(body)
	case strings.HasPrefix(body, "<tool_call>") || strings.HasPrefix(body, "<function_call>"):
		if depth >= maxWrappers {
			return nil
		}
		return nestedCalls(body, tools, depth+1)
	case strings.Contains(body, "<invoke "):
		return elementCalls(body, "<invoke ", "</invoke>", tools)
	case strings.Contains(body, "<function="):
		return elementCalls(body, "<function=", "</function>", tools)
	case strings.Contains(body, "<arg_key>"):
		return glmCalls(body, tools)
	case strings.Contains(body, "[ARGS]"):
		return mistralCalls(body)
	}
	for _, token := range []string{"<|plugin|>", "<|constrain|>json", "[TOOL_CALLS]"} {
		body = strings.TrimSpace(strings.TrimPrefix(body, token))
	}
	if calls := jsonCalls(body, tools); len(calls) > 0 {
		return calls
	}
	if calls := pythonCalls(body); len(calls) > 0 {
		return calls
	}
	return namedCall(body, tools)
}

// nestedCalls reads wrappers inside a wrapper.
func nestedCalls(body string, tools []agent.Tool, depth int) []TextCall {
	var calls []TextCall
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		tag, _, ok := strings.Cut(body, ">")
		if !ok || !strings.HasPrefix(tag, "<") {
			return calls
		}
		one, rest, _ := strings.Cut(body[len(tag)+1:], "</"+tag[1:]+">")
		calls = append(calls, parseNested(one, tools, depth)...)
		body = rest
	}
	return calls
}

// jsonCalls reads one call, several behind one another, or a list of calls.
func jsonCalls(body string, tools []agent.Tool) []TextCall {
	var calls []TextCall
	for body != "" {
		v, rest, ok := firstJSON(body)
		if !ok {
			if v, ok = repair(body); !ok {
				return nil
			}
			rest = ""
		}
		rest = skipTokens(strings.TrimLeft(strings.TrimSpace(rest), ";,"))
		if strings.HasPrefix(rest, "[TOOL_CALLS]") {
			rest = strings.TrimSpace(rest[len("[TOOL_CALLS]"):])
		}
		got := valueCalls(v, tools)
		if len(got) == 0 {
			return nil
		}
		calls = append(calls, got...)
		if rest != "" && rest[0] != '{' && rest[0] != '[' {
			break // words behind the calls
		}
		body = rest
	}
	return calls
}

// firstJSON reads the first value of a text.
func firstJSON(s string) (v json.RawMessage, rest string, ok bool) {
	if s[0] != '{' && s[0] != '[' {
		return nil, "", false
	}
	d := json.NewDecoder(strings.NewReader(s))
	if d.Decode(&v) != nil {
		return nil, "", false
	}
	return v, s[d.InputOffset():], true
}

func valueCalls(v json.RawMessage, tools []agent.Tool) []TextCall {
	if v[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			return nil
		}
		var calls []TextCall
		for _, one := range list { // a list in it is none of calls
			c, ok := objectCall(one, tools)
			if !ok {
				return nil
			}
			calls = append(calls, c)
		}
		return calls
	}
	if c, ok := objectCall(v, tools); ok {
		return []TextCall{c}
	}
	return nil
}

func nameKeys() []string { return []string{"name", "tool_name", "tool", "function", "function_name"} }

func argKeys() []string {
	return []string{"arguments", "parameters", "args", "input", "params", "tool_input", "kwargs"}
}

// objectCall reads a call from an object, under the keys that models use.
func objectCall(v json.RawMessage, tools []agent.Tool) (c TextCall, ok bool) {
	var o map[string]json.RawMessage
	if json.Unmarshal(v, &o) != nil {
		return c, false
	}
	if f := o["function"]; len(f) > 0 && f[0] == '{' {
		var inner map[string]json.RawMessage
		if json.Unmarshal(f, &inner) != nil {
			return c, false
		}
		c, ok = memberCall(inner, tools)
		c.ID = text(o["id"])
		return c, ok
	}
	return memberCall(o, tools)
}

// memberCall reads a call from an object's members.
func memberCall(o map[string]json.RawMessage, tools []agent.Tool) (c TextCall, ok bool) {
	for _, key := range nameKeys() {
		if c.Name = text(o[key]); c.Name != "" {
			break
		}
	}
	if c.Name == "" {
		return bareKeyCall(o, tools)
	}
	c.ID = text(o["id"])
	for _, key := range argKeys() {
		if raw, has := o[key]; has {
			c.Args = string(raw)
			return c, true
		}
	}
	return c, len(o) == 1 || known(c.Name, tools) && len(o) <= 2
}

// bareKeyCall reads {"NAME": {arguments}}.
func bareKeyCall(o map[string]json.RawMessage, tools []agent.Tool) (TextCall, bool) {
	for name, args := range o {
		if len(o) == 1 && known(name, tools) && len(args) > 0 && args[0] == '{' {
			return TextCall{Name: name, Args: string(args)}, true
		}
	}
	return TextCall{}, false
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
