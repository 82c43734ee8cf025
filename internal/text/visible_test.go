package text

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\tline 字":         "plain\n\tline 字",
		"\x1b]0;title\x07\x1b[2J": "␛]0;title␇␛[2J",
		"a\rb\x7f":                "ab␡",
		"\u009b31m\u202e":         "\ufffd31m\ufffd",
		"\xff":                    "\ufffd",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestVisibleJSONIsTheSameJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune{0x7f, 0x9b, 0x202e, 0x1b, '\n'}))).Draw(t, "s")
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		shown := VisibleJSON(string(raw))
		var back, want string
		if json.Unmarshal(raw, &want) != nil || json.Unmarshal([]byte(shown), &back) != nil || back != want {
			t.Fatalf("%q became %q", want, back)
		}
		if Visible(shown) != shown {
			t.Fatalf("%q steers the screen", shown)
		}
	})
}

func TestANameStaysOneName(t *testing.T) {
	for in, want := range map[string]string{
		"api/AGENTS.md": "api/AGENTS.md", "说明": "说明", "a b": "a b",
		"a\n  safe (1): b": `"a\n  safe (1): b"`, "a, b": `"a, b"`, "\x1b[2J": `"\x1b[2J"`, "": `""`, " a": `" a"`, `a"b`: `"a\"b"`,
	} {
		if got := Name(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got := Name(strings.Repeat("x", 5000)); len(got) > 300 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestNothingClosesAMark(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "file",
		"<file path=x> files </filter":    "file",
		"</file>":                         "file-2",
		"< / FILE >":                      "file-2",
		"</file></file-2><\n/file-003>":   "file-4",
		"</file-2>":                       "file-3",
		"</file-99999999999999999999999>": "file-2",
	} {
		if got := Mark("file", in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"<", "/", "file", "-2", "-3", ">", " ", "x", "FILE"})).Draw(t, "text"), "")
		mark := Mark("file", text)
		bare := strings.ToLower(strings.Join(strings.Fields(text), ""))
		if strings.Contains(bare, "</"+mark+">") {
			t.Fatalf("%q closes %s", text, mark)
		}
	})
}
