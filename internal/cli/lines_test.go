package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// TestLatest: lines stay lines, and of many the last are shown.
func TestLatest(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"\n \n":                      "",
		"one":                        "one",
		"load: 1\nmem:  2 GiB\n\nok": "load: 1|mem:  2 GiB|ok",
		"10%\r50%\r100%\n":           "100%",
		"a\r\nb\r\n":                 "a|b",
		"1\n2\n3\n4\n5\n6\n7\n8\n9":  "…|2|3|4|5|6|7|8|9",
	} {
		if got := strings.Join(latest(in), "|"); got != want {
			t.Errorf("%q shows %q, want %q", in, got, want)
		}
	}
}

func TestResultOfASkillsSubAgent(t *testing.T) {
	r := agent.TextResult("a coin\nof gold")
	r.Detail = json.RawMessage(`{"skill":"done"}`)
	if got := resultLine(msg.For(msg.En), r, nil); got != "✓ Done: a coin" {
		t.Error(got)
	}
	if got := resultLine(msg.For(msg.Zh), r, nil); got != "✓ 子智能体已完成：a coin" {
		t.Error(got)
	}
}

// Who has said no does not read the question once more; who could not be asked does.
func TestDenied(t *testing.T) {
	f := newFollower("s")
	call := agent.Call{Key: "1", Name: "bash", Args: json.RawMessage(`{"command":"ls"}`)}
	f.event(agent.Event{Type: agent.EvMessage, Message: &agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Kind: agent.CallKind, Call: &call}}}})
	f.event(agent.Event{Type: agent.EvAsk, Ask: &agent.Ask{ID: "1/0", Call: &call, Text: "Run it?\nls"}})
	for text, want := range map[string]string{
		"denied by the person: not now: Run it?\nls": "✗ bash ls: 你没有允许：not now",
		"denied by the person: Run it?\nls":          "✗ bash ls: 你没有允许",
		"denied: this needs an approval and nobody can be asked: Run it?\nls": "✗ bash ls: " +
			msg.For(msg.Zh).Text(msg.ResultNobody) + "：Run it? … +1",
	} {
		r := agent.ErrorResult(text)
		r.Key = "1"
		if got := resultLine(msg.For(msg.Zh), r, f); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

func TestResultKeepsItsIndent(t *testing.T) {
	v := &textView{look: command.Look{Call: "x", Result: "     Result: %s", Cut: 9}}
	if got := v.resultText(agent.TextResult("one\ntwo\nthree")); got != "     Result: one\n     two\n     t" {
		t.Errorf("%q", got)
	}
}
