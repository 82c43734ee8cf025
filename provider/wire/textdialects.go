package wire

import (
	"regexp"
	"strings"

	"react-agent/agent"
)

// elementCalls reads <function=NAME> and <invoke name="NAME"> with <parameter> elements or JSON inside.
func elementCalls(body, open, end string, tools []agent.Tool) []TextCall {
	var calls []TextCall
	for {
		_, rest, ok := strings.Cut(body, open)
		if !ok {
			return calls
		}
		name, whole := bareName(rest)
		if !whole || name == "" {
			return calls
		}
		_, rest, _ = strings.Cut(rest, ">")
		element, after, _ := strings.Cut(rest, end)
		body = after
		args, ok := elementArgs(element, schemaOf(name, tools))
		if !ok {
			args = element
		}
		calls = append(calls, TextCall{Name: name, Args: args})
	}
}

// elementArgs reads <parameter=KEY>value</parameter> and <parameter name="KEY">value</parameter>.
func elementArgs(element string, types map[string]string) (string, bool) {
	trimmed := strings.TrimSpace(element)
	if trimmed == "" || trimmed[0] == '{' {
		return trimmed, true
	}
	var o object
	for rest := trimmed; rest != ""; rest = strings.TrimSpace(rest) {
		if !strings.HasPrefix(rest, "<param") {
			return "", false
		}
		tag, after, ok := strings.Cut(rest, ">")
		element, _, _ := strings.Cut(strings.TrimPrefix(tag, "<"), "=")
		element, _, _ = strings.Cut(element, " ")
		if !ok {
			return "", false
		}
		value, next, ok := strings.Cut(after, "</"+element+">")
		if !ok {
			return "", false
		}
		key, _ := bareName(strings.TrimLeft(tag[1+len(element):], "= ") + ">")
		kind := types[key]
		switch {
		case strings.Contains(tag, `string="true"`):
			kind = "string"
		case strings.Contains(tag, `string="false"`) && kind == "":
			kind = "any"
		}
		o.add(strings.TrimSpace(key), typed(unwrapLines(value), kind))
		rest = next
	}
	return o.String(), true
}

// glmCalls reads NAME and pairs of <arg_key> and <arg_value>.
func glmCalls(body string, tools []agent.Tool) []TextCall {
	name, pairs, _ := strings.Cut(body, "<arg_key>")
	name = strings.TrimSpace(name)
	types := schemaOf(name, tools)
	var o object
	for pair := range strings.SplitSeq(pairs, "<arg_key>") {
		key, rest, ok1 := strings.Cut(pair, "</arg_key>")
		_, rest, ok2 := strings.Cut(rest, "<arg_value>")
		value, _, ok3 := strings.Cut(rest, "</arg_value>")
		if !ok1 || !ok2 || !ok3 || name == "" {
			return nil
		}
		key = strings.TrimSpace(key)
		o.add(key, typed(unwrapLines(value), types[key]))
	}
	return []TextCall{{Name: name, Args: o.String()}}
}

// kimiCalls reads <|tool_call_begin|>functions.NAME:N<|tool_call_argument_begin|>{…}<|tool_call_end|>.
func kimiCalls(body string) []TextCall {
	var calls []TextCall
	for _, one := range strings.Split(body, "<|tool_call_begin|>")[1:] {
		one, _, _ = strings.Cut(one, "<|tool_call_end|>")
		id, args, ok := strings.Cut(one, "<|tool_call_argument_begin|>")
		id = strings.TrimSpace(id)
		if !ok || id == "" {
			return calls
		}
		name := strings.TrimPrefix(id, "functions.")
		if i := strings.LastIndexByte(name, ':'); i > 0 {
			name = name[:i]
		}
		if name == id { // no id in it
			id = ""
		}
		calls = append(calls, TextCall{ID: id, Name: name, Args: strings.TrimSpace(args)})
	}
	return calls
}

// deepseekCalls reads both forms: NAME<sep>{…}, and the older function<sep>NAME with the JSON in a fence.
func deepseekCalls(body string) []TextCall {
	const sep = "<｜tool▁sep｜>"
	var calls []TextCall
	for _, one := range strings.Split(body, "<｜tool▁call▁begin｜>")[1:] {
		one, _, _ = strings.Cut(one, "<｜tool▁call▁end｜>")
		name, args, ok := strings.Cut(one, sep)
		if !ok {
			return calls
		}
		if args = strings.TrimSpace(args); strings.TrimSpace(name) == "function" && !strings.HasPrefix(args, "{") {
			name, args, _ = strings.Cut(args, "\n")
		}
		args = strings.TrimPrefix(strings.TrimSpace(args), "```json")
		args = strings.TrimSuffix(strings.TrimPrefix(args, "```"), "```")
		calls = append(calls, TextCall{Name: strings.TrimSpace(name), Args: strings.TrimSpace(args)})
	}
	return calls
}

// mistralCalls reads NAME[CALL_ID]ID[ARGS]{…}, one or several with [TOOL_CALLS] between them.
func mistralCalls(body string) []TextCall {
	var calls []TextCall
	for one := range strings.SplitSeq(body, "[TOOL_CALLS]") {
		head, args, ok := strings.Cut(one, "[ARGS]")
		if !ok {
			continue
		}
		name, id, _ := strings.Cut(head, "[CALL_ID]")
		args, _, _ = strings.Cut(strings.TrimSpace(args), "[/TOOL_CALLS]")
		calls = append(calls, TextCall{ID: strings.TrimSpace(id), Name: strings.TrimSpace(name), Args: args})
	}
	return calls
}

// harmonyCalls reads <|channel|>commentary to=functions.NAME … <|message|>{…}<|call|>.
func harmonyCalls(body string) []TextCall {
	head, args, ok := strings.Cut(body, "<|message|>")
	_, name, to := strings.Cut(head, "to=")
	if !ok || !to {
		return nil
	}
	name, _, _ = strings.Cut(name, "<|")
	name = strings.TrimPrefix(name, "functions.")
	if f := strings.Fields(name); len(f) > 0 {
		args, _, _ = strings.Cut(args, "<|call|>")
		return []TextCall{{Name: f[0], Args: strings.TrimSpace(args)}}
	}
	return nil
}

// pythonCalls reads NAME(key=value, …), one or a list of them.
func pythonCalls(body string) []TextCall {
	body = strings.TrimSpace(body)
	list := strings.HasPrefix(body, "[") && strings.HasSuffix(body, "]")
	if list {
		body = strings.TrimSpace(body[1 : len(body)-1])
	}
	var calls []TextCall
	for body != "" {
		name, rest, ok := strings.Cut(body, "(")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
			return nil
		}
		f := fixer{in: rest}
		f.out = append(f.out, '{')
		if !f.keywords() {
			return nil
		}
		calls = append(calls, TextCall{Name: name, Args: string(f.out)})
		body = strings.TrimSpace(f.in[f.pos:])
		if body != "" && !list {
			return nil
		}
		body = strings.TrimSpace(strings.TrimPrefix(body, ","))
	}
	return calls
}

// keywords copies key=value pairs through the closing bracket as the members of an object.
func (f *fixer) keywords() bool {
	for n := 0; ; n++ {
		if f.peek() == ')' {
			f.pos++
			f.out = append(f.out, '}')
			return true
		}
		if n > 0 && !f.take(',') {
			return false
		}
		if !isName(f.peek()) || !f.key() || f.peek() != '=' {
			return false
		}
		f.pos++
		f.out = append(f.out, ':')
		if !f.value(0) {
			return false
		}
	}
}

// namedCall reads NAME{…}, NAME with JSON on the next line, and a name of an offered tool alone.
func namedCall(body string, tools []agent.Tool) []TextCall {
	i := strings.IndexByte(body, '{')
	if i < 0 {
		if n, ok := ToolName(body, tools); ok {
			return []TextCall{{Name: n}}
		}
		return nil
	}
	name := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(body[:i]), "<tool_sep>"))
	if name == "" || strings.ContainsAny(name, " \n<>{}[]\"") {
		return nil
	}
	return []TextCall{{Name: name, Args: strings.TrimSpace(body[i:])}}
}

// broken finds at least the name of a call that cannot be read, so that the model learns about it. Its arguments are what
// came, which is no JSON.
func broken(body string, tools []agent.Tool) []TextCall {
	name := ""
	for _, pattern := range []string{
		`"(?:name|tool_name|tool|function)"\s*:\s*"([^"\\]+)"`, `<(?:function|invoke name)=["']?([\w.:-]+)["']?>`,
		`^\s*(?:<\|tool_call_begin\|>)\s*(?:functions\.)?([\w.-]+)`, `<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)`, `^\s*([\w.-]+)\s*(?:<arg_key>|\[ARGS\])`,
		`to=(?:functions\.)?([\w.-]+)`,
	} {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(body); m != nil {
			name = m[1]
			break
		}
	}
	if name == "" {
		return nil
	}
	if n, ok := ToolName(name, tools); ok {
		name = n
	}
	return []TextCall{{Name: name, Args: "unfinished: " + strings.TrimSpace(body)}}
}
