package wire

import (
	"regexp"
	"strings"

	"react-agent/agent"
)

// bareVerdict says whether a message may be one call without any tag.
type bareVerdict int

const (
	bareNone bareVerdict = iota
	bareMore             // too little of it is there
	bareCall             // it will be one if the rest fits
)

var bareKeyPattern = regexp.MustCompile(`^\{\s*"([^"\\]*)"\s*(:)\s*(.?)`)

// maxBareKey bounds the first key of an object with the white space around it, in bytes.
const maxBareKey = 100

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
	if m == nil || m[5] > maxBareKey+1 { // as when one byte came after the other
		if rest := strings.TrimLeft(s[1:], " \t\r\n"); rest != "" && rest[0] != '"' || len(s) > maxBareKey {
			return bareNone
		}
		return bareMore
	}
	return bareKey(s[m[2]:m[3]], s[m[6]:], tools)
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
