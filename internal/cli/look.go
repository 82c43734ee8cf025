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

// count follows the steps of a run.
func (v *textView) count(e agent.Event) {
	switch {
	case e.Type == agent.EvEnd:
		v.step = 0
	case e.Text == "model":
		v.step++
	}
}

// called shows a call that begins.
func (v *textView) called(c *agent.Call, f *follower) {
	if v.paired() {
		v.begin(c)
		return
	}
	v.activity("· " + callLine(shownCall(c, f)))
}

// pair is a call and its result, which such a face shows together, in the order of the calls.
type pair struct {
	call   agent.Call
	begun  bool
	shown  bool
	result *agent.Result
}

// paired says whether the face shows calls and results in a form of its own.
func (v *textView) paired() bool { return v.look.Call != "" && v.look.Result != "" }

// plan notes the calls of a message.
func (v *textView) plan(m *agent.Message) {
	v.pairs = v.pairs[:0]
	for _, c := range m.Calls() {
		v.pairs = append(v.pairs, pair{call: c})
	}
}

// begin notes that a call runs.
func (v *textView) begin(c *agent.Call) {
	for i := range v.pairs {
		if c != nil && v.pairs[i].call.Key == c.Key {
			v.pairs[i].begun = true
		}
	}
	v.showPairs()
}

// settled notes a result; one whose call this view has not seen stands alone.
func (v *textView) settled(r agent.Result) {
	for i := range v.pairs {
		if v.pairs[i].call.Key == r.Key {
			v.pairs[i].result = &r
			v.showPairs()
			return
		}
	}
	v.activity(v.resultText(r))
}

// showPairs shows what there is of the first calls that are not done.
func (v *textView) showPairs() {
	for len(v.pairs) > 0 {
		p := &v.pairs[0]
		if (p.begun || p.result != nil) && !p.shown {
			p.shown = true
			args := string(p.call.Args)
			if args == "" {
				args = "{}"
			}
			v.activity(fmt.Sprintf(v.look.Call, v.step, p.call.Name, args))
		}
		if p.result == nil {
			return
		}
		v.activity(v.resultText(*p.result))
		v.pairs = v.pairs[1:]
	}
}

// resultText is the line of a result: its first characters, as they are; further lines are set in as the first one is.
func (v *textView) resultText(r agent.Result) string {
	text := strings.TrimSpace(textOf(agent.Message{Parts: r.Parts}))
	if r.Error {
		text = told(v.msg, text)
	}
	if runes := []rune(text); len(runes) > v.look.Cut {
		text = string(runes[:v.look.Cut])
	}
	blanks := v.look.Result[:len(v.look.Result)-len(strings.TrimLeft(v.look.Result, " "))]
	return fmt.Sprintf(v.look.Result, strings.ReplaceAll(text, "\n", "\n"+blanks))
}
