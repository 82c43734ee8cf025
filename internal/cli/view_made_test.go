package cli

import (
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// What a model has made is in the store; the person learns which file it is, below the text.
func TestMade(t *testing.T) {
	for mime, want := range map[string]string{"image/png": "a picture.\nthe model made an image (image/png): /state/blob/5a\n", "audio/wav": "a picture.\nthe model made a sound (audio/wav): /state/blob/5a\n", "x": "a picture.\nthe model made a file (x): /state/blob/5a\n"} {
		var out strings.Builder
		v := &textView{out: &out, err: &out, msg: msg.For(msg.En), live: true, file: func(sha string) string { return "/state/blob/" + sha }}
		m := &agent.Message{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: mime, SHA256: "5a"}}, agent.TextPart("a picture."),
		}}
		if err := v.event(agent.Event{Type: agent.EvMessage, Message: m}, nil); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", mime, out.String(), err)
		}
	}
}
