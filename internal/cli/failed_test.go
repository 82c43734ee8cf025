package cli

import (
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// The one line about a command that failed says why, and not what it printed first.
func TestFailedCommandSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"building\nmain.go:3: undefined: x\ndone\n[exit status 1]": "✗ exit status 1: main.go:3: undefined: x … +2",
		"one\ntwo\n[exit status 3]":                                "✗ exit status 3: one … +1",
		"one\n[killed by SIGSEGV]\n[2 processes were ended]":       "✗ killed by SIGSEGV: one … +1",
		"cat: x: No such file or directory\n[错误：exit status 1]":    "✗ exit status 1: cat: x: No such file or directory",
		"[exit status 2]":                    "✗ exit status 2",
		"one\n[timed out after 5 s]":         "✗ timed out after 5 s: one",
		"Error: Text not found in a\nlook":   "✗ Error: Text not found in a … +1",
		"denied by the person: another name": "✗ denied by the person: another name",
	} {
		r := agent.TextResult(text)
		r.Error = true
		if got := resultLine(msg.For(msg.En), r, nil); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
	r := agent.TextResult("fine\n[exit status 1]")
	if got := resultLine(msg.For(msg.En), r, nil); got != "✓ fine … +1" {
		t.Error(got)
	}
}
