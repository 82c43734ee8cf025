package wire

import (
	"encoding/json"
	"regexp"
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

// parseBody tries the forms of a call's body in turn; the first that fits wins.
func parseBody(body string, tools []agent.Tool) []TextCall {
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
		return nestedCalls(body, tools)
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
func nestedCalls(body string, tools []agent.Tool) []TextCall {
	var calls []TextCall
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		tag, _, ok := strings.Cut(body, ">")
		if !ok || !strings.HasPrefix(tag, "<") {
			return calls
		}
		one, rest, _ := strings.Cut(body[len(tag)+1:], "</"+tag[1:]+">")
		calls = append(calls, parseBody(one, tools)...)
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
		for _, one := range list {
			got := valueCalls(one, tools)
			if len(got) == 0 {
				return nil
			}
			calls = append(calls, got...)
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
		c, ok = objectCall(f, tools)
		c.ID = text(o["id"])
		return c, ok
	}
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

// openString reports whether a JSON text ends inside a string.
func openString(s string) bool {
	open := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && open:
			i++
		case s[i] == '"':
			open = !open
		}
	}
	return open
}

// object builds a JSON object whose members stay in order.
type object struct{ out []byte }

func (o *object) add(key string, value json.RawMessage) {
	o.out = append(o.out, ',')
	o.out = append(o.out, jsonString(key)...)
	o.out = append(o.out, ':')
	o.out = append(o.out, value...)
}

// String is the whole object.
func (o *object) String() string {
	if len(o.out) == 0 {
		return "{}"
	}
	return "{" + string(o.out[1:]) + "}"
}

func jsonString(s string) json.RawMessage {
	raw, err := agent.EncodeJSON(s)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return raw
}

// typed makes a value of a parameter's text as its schema says: text for a string, JSON for anything else that is JSON.
func typed(value, kind string) json.RawMessage {
	trimmed := strings.TrimSpace(value)
	switch kind {
	case "string":
	case "":
		if trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	default:
		if v, ok := compact(trimmed); ok {
			return v
		}
		switch trimmed {
		case "True", "False":
			return json.RawMessage(strings.ToLower(trimmed))
		case "None":
			return json.RawMessage("null")
		}
	}
	return jsonString(value)
}

// unwrapLines takes off the line ends that a template puts around a value, one on each side.
func unwrapLines(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	s, ok := strings.CutSuffix(s, "\n")
	if ok {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

// schemaOf gives the type of each of a tool's parameters; "any" is one with several types.
func schemaOf(name string, tools []agent.Tool) map[string]string {
	name, _ = ToolName(name, tools)
	for _, t := range tools {
		if !known(name, []agent.Tool{t}) {
			continue
		}
		var s struct {
			Properties map[string]struct{ Type json.RawMessage }
		}
		if json.Unmarshal(t.Schema, &s) != nil {
			return nil
		}
		types := make(map[string]string, len(s.Properties))
		for key, p := range s.Properties {
			if types[key] = text(p.Type); types[key] == "" {
				types[key] = "any"
			}
		}
		return types
	}
	return nil
}

// bareVerdict says whether a message may be one call without any tag.
type bareVerdict int

const (
	bareNone bareVerdict = iota
	bareMore             // too little of it is there
	bareCall             // it will be one if the rest fits
)

var bareKeyPattern = regexp.MustCompile(`^\{\s*"([^"\\]*)"\s*:\s*(.?)`)

// bareStart looks at the beginning of a message.
func bareStart(s string, tools []agent.Tool) bareVerdict {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" {
		return bareMore
	}
	if s[0] == '[' {
		rest := strings.TrimLeft(s[1:], " \t\r\n")
		switch {
		case rest == "":
			return bareMore
		case rest[0] == '{':
			s = rest
		default:
			return bareWord(rest, "(", tools)
		}
	}
	if s[0] != '{' {
		return bareNone
	}
	m := bareKeyPattern.FindStringSubmatchIndex(s)
	if m == nil {
		if rest := strings.TrimLeft(s[1:], " \t\r\n"); rest != "" && rest[0] != '"' || len(s) > 100 {
			return bareNone
		}
		return bareMore
	}
	return bareKey(s[m[2]:m[3]], s[m[4]:], tools)
}

// bareKey judges by the first key of an object and the beginning of its value.
func bareKey(key, value string, tools []agent.Tool) bareVerdict {
	switch key {
	case "type", "id", "arguments", "parameters", "args":
		return bareCall
	case "name", "tool_name", "tool", "function", "function_name":
		switch {
		case value == "":
			return bareMore
		case value[0] == '"':
			return bareWord(value[1:], `"`, tools)
		case value[0] == '{' && key == "function":
			return bareStart(value, tools)
		}
	}
	return bareNone
}

// bareWord looks for the name of an offered tool with end behind it.
func bareWord(s, end string, tools []agent.Tool) bareVerdict {
	word, _, whole := strings.Cut(s, end)
	if whole {
		if _, ok := ToolName(word, tools); ok {
			return bareCall
		}
		return bareNone
	}
	if len(word) > 100 || strings.ContainsAny(word, " \n{}<>") {
		return bareNone
	}
	return bareMore
}

// bareCalls reads a message that is nothing but calls, all of offered tools and with arguments.
func bareCalls(body string, tools []agent.Tool) []TextCall {
	body = strings.TrimSpace(body)
	var calls []TextCall
	if v, ok := compact(body); ok {
		calls = valueCalls(v, tools)
	} else {
		calls = pythonCalls(body)
	}
	for i, c := range calls {
		n, ok := ToolName(c.Name, tools)
		if !ok || c.Args == "" {
			return nil
		}
		calls[i].Name = n
	}
	return calls
}
