package app

import (
	"strings"
	"testing"

	"react-agent/internal/text"
)

// A line of the banner has at most 80 columns, also with ideographs; what is in it loses its beginning, not its end.
func TestFitted(t *testing.T) {
	in := func(s string) string { return "in " + s + " · /help lists commands" }
	for s, want := range map[string]string{
		"/work": "in /work · /help lists commands",
		"/home/" + strings.Repeat("a/", 40) + "end": "in …a" + strings.Repeat("/a", 24) + "/end · /help lists commands",
	} {
		if got := fitted(s, in); got != want || text.Columns(got) > bannerColumns {
			t.Errorf("%d: %q, want %q", text.Columns(got), got, want)
		}
	}
	if got := fitted("/"+strings.Repeat("目录", 30)+"/末", in); text.Columns(got) > bannerColumns || !strings.Contains(got, "目录/末 ·") {
		t.Errorf("%d %q", text.Columns(got), got)
	}
	wide := func(s string) string { return strings.Repeat("w", 90) + s }
	if got := fitted("0123456789", wide); !strings.HasSuffix(got, "…23456789") {
		t.Errorf("%q", got)
	}
}

// The face of a server that this program does not know is like any other; a number that only the server knows is not said.
func TestRemoteLook(t *testing.T) {
	if l := remoteLook("server"); l.Prompt != "s_full >> " || !l.Leave || l.Steps != "" {
		t.Errorf("%+v", l)
	}
	if l := remoteLook("of-tomorrow"); l.Prompt != "" || l.Leave {
		t.Errorf("%+v", l)
	}
}
