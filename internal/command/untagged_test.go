package command

import "testing"

// TestUntagged takes off what only the model needs, and nothing of what was said.
func TestUntagged(t *testing.T) {
	for in, want := range map[string]string{
		"<results>\n[bg:1] completed\n</results>\n": "[bg:1] completed",
		"<a>\n<b>\n</a>":   "<b>",
		"<a>\nopen":        "<a>\nopen",
		"<a> and <b>\nx\n": "<a> and <b>\nx",
		"plain":            "plain",
		"":                 "",
	} {
		if got := untagged(in); got != want {
			t.Errorf("untagged(%q) = %q, want %q", in, got, want)
		}
	}
}
