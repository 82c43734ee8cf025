package texttag

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// calls reads what stood in a tag: one call. Where a closing tag was forgotten, or stood behind a quote too many, there
// are several.
func calls(body string, tools []agent.Tool) []found {
	if f, ok := read(body, tools); ok {
		return []found{f}
	}
	var list []found
	rest := body
	for rest != "" {
		i := nextTag(rest)
		if i < 0 {
			i = len(rest)
		}
		piece := rest[:i]
		rest = rest[i:]
		if rest != "" {
			rest = rest[strings.IndexByte(rest, '>')+1:]
		}
		if strings.TrimSpace(piece) == "" {
			continue
		}
		f, _ := read(piece, tools)
		list = append(list, f)
	}
	if len(list) == 0 {
		list = []found{{args: body, bad: true}}
	}
	return list
}

// nextTag is where the next tag of a call stands, -1 = nowhere.
func nextTag(s string) int {
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], '<')
		if i < 0 {
			return -1
		}
		from += i
		if tag, _ := tagAt(s[from:]); tag == openCall || tag == closeCall {
			return from
		}
	}
}

// read reads one call. What cannot be read has all of what was written for its arguments, and a name if there is one.
func read(body string, tools []agent.Tool) (f found, ok bool) {
	text := unfence(body)
	if f, ok := foreign(text, tools); ok {
		return f, true
	}
	raw, ok := wire.CleanArgs(text, false)
	var o struct {
		ID        json.RawMessage
		Name      string
		Args      json.RawMessage
		Arguments json.RawMessage
	}
	if !ok || text == "" || json.Unmarshal(raw, &o) != nil || o.Name == "" {
		return found{name: o.Name, args: strings.TrimSpace(body), bad: true}, false
	}
	args := o.Args
	if len(args) == 0 {
		args = o.Arguments
	}
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if clean, ok := wire.CleanArgs(string(args), false); !ok || clean[0] != '{' {
		return found{name: o.Name, args: strings.TrimSpace(body), bad: true}, false
	}
	f = found{name: o.Name, args: string(args)}
	_ = json.Unmarshal(o.ID, &f.id)
	return f, true
}

// foreign reads the forms that models of other schools write between the same tags, such as <function=NAME>.
func foreign(text string, tools []agent.Tool) (f found, ok bool) {
	if !strings.HasPrefix(text, "<") {
		return f, false
	}
	w := wire.NewTextCalls(tools)
	w.Add(openCall+text+closeCall, func(string) {})
	list := w.Finish(false, func(string) {})
	if len(list) != 1 {
		return f, false
	}
	if args, ok := wire.CleanArgs(list[0].Args, false); !ok || args[0] != '{' {
		return f, false
	}
	return found{name: list[0].Name, args: list[0].Args, id: list[0].ID}, true
}

// unfence takes a code fence off.
func unfence(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "```") {
		return s
	}
	if line, rest, ok := strings.Cut(s, "\n"); ok && !strings.ContainsAny(line, "{[") {
		s = rest
	} else {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "```"), "json")
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "```"))
}
