package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// question is what a person has to know about a call.
type question struct {
	tool, command, path, args string
	writes                    bool
	rule                      string // what "always" would allow: exactly this
}

func subject(t agent.Tool, c agent.Call, e agent.Effect) question {
	var known struct {
		Command string `json:"command"`
		Path    string `json:"path"`
	}
	// Arguments of another type are shown as they are.
	_ = json.Unmarshal(c.Args, &known)
	q := question{tool: t.Shown(), command: known.Command, path: known.Path, args: string(c.Args), writes: e == agent.Writes}
	switch {
	case q.command != "":
		q.rule = t.Name + "(" + q.command + ")"
	case q.path != "":
		q.rule = t.Name + "(" + q.path + ")"
	default:
		q.rule = t.Name + "(" + q.args + ")"
	}
	return q
}

// maxShown bounds the text of a question, in characters. What is left out is said in it.
const maxShown = 4000

func (q question) text(lang string) string {
	say := msg.For(msg.Lang(lang))
	show := func(s string) string { return text.Cut(visible(s), maxShown, "") }
	switch {
	case q.command != "":
		return say.Text(msg.PolicyCommand, show(q.command))
	case q.writes && q.path != "":
		return say.Text(msg.PolicyWrite, q.tool, show(q.path))
	default:
		return say.Text(msg.PolicyTool, q.tool, show(q.args))
	}
}

// visible shows every character that a terminal would act on instead of showing it, so that a command cannot hide.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
