package cli

import (
	"fmt"
	"strings"

	"react-agent/agent"
)

// answerMark stands before an answer in a conversation.
func (v *textView) answerMark() string {
	if v.chat {
		return v.look.Answer
	}
	return ""
}

// lead begins an answer.
func (v *textView) lead() {
	if mark := v.answerMark(); mark != "" {
		v.newline()
		v.write(mark)
	}
}

// callLine is the line of a call that begins.
func (v *textView) callLine(c agent.Call) string {
	if v.look.Call == "" {
		return "· " + callLine(c)
	}
	args := string(c.Args)
	if args == "" {
		args = "{}"
	}
	return fmt.Sprintf(v.look.Call, v.step, c.Name, args)
}

// resultLine is the line of a result; a call that was turned down has none of its own before.
func (v *textView) resultLine(r agent.Result, f *follower) string {
	if v.look.Result == "" {
		return "  " + resultLine(v.msg, r, f)
	}
	said := strings.TrimSpace(textOf(agent.Message{Parts: r.Parts}))
	if r.Error {
		said = told(v.msg, said)
	}
	text := []rune(said)
	line := fmt.Sprintf(v.look.Result, string(text[:min(len(text), v.look.Cut)]))
	if f == nil || f.begun[r.Key] {
		return line
	}
	call, ok := f.calls[r.Key]
	if !ok {
		return line
	}
	return v.callLine(call) + "\n" + line
}
