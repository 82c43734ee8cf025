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

func TestResultKeepsItsIndent(t *testing.T) {
	v := &textView{look: command.Look{Call: "x", Result: "     Result: %s", Cut: 9}}
	if got := v.resultText(agent.TextResult("one\ntwo\nthree")); got != "     Result: one\n     two\n     t" {
		t.Errorf("%q", got)
	}
}
