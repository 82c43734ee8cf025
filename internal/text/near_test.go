package text_test

import (
	"testing"

	"react-agent/internal/text"
)

func TestNearest(t *testing.T) {
	names := []string{"message", "answer", "cancel", "command"}
	for word, want := range map[string]string{
		"mesage": "message", "MESSAGE": "message", "anwser": "answer", "cancle": "cancel", "cmd": "", "x": "", "": "",
	} {
		if got := text.Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
