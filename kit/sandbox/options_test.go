package sandbox

import (
	"reflect"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

func TestParse(t *testing.T) {
	for words, want := range map[string]Options{
		"":                         {Kind: Off},
		"off":                      {Kind: Off},
		" auto,network ":           {Kind: Auto, Network: true},
		"bwrap\tworktree":          {Kind: Bwrap, Worktree: true},
		"landlock, landlock":       {Kind: Landlock},
		"worktree":                 {Kind: Off, Worktree: true},
		"network":                  {Kind: Auto, Network: true},
		"auto write:/a write:~/.b": {Kind: Auto, Write: []string{"/a", "~/.b"}},
		`write:"/a b,c" worktree`:  {Kind: Auto, Write: []string{"/a b,c"}, Worktree: true},
		`auto write:/中文`:           {Kind: Auto, Write: []string{"/中文"}},
	} {
		got, err := Parse(words)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v %v, want %+v", words, got, err, want)
		}
	}
	for words, want := range map[string]string{
		"yes":             `"yes"`,
		"auto nework":     `"nework"`,
		"auto bwrap":      `"bwrap"`,
		"off,landlock":    `"off"`,
		"auto write:a":    `"write:a"`,
		"auto write:/":    `"write:/"`,
		"auto write:/..":  `"write:/.."`,
		"auto write:":     `"write:"`,
		`auto write:"/a`:  "quote",
		"AUTO":            "network",
		"auto write:~foo": "~/",
	} {
		_, err := Parse(words)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", words, err, want)
		}
		if err != nil && msg.For(msg.Zh).Err(err) == err.Error() {
			t.Errorf("%q: no Chinese text", words)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"auto", "auto,network write:/a", `write:"/ `, "\x00", "off off", `""`, "write:~/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		o, err := Parse(words)
		if err != nil {
			if !reflect.DeepEqual(o, Options{}) {
				t.Errorf("%q: an error and %+v", words, o)
			}
			return
		}
		if o.Kind == "" {
			t.Errorf("%q: no kind", words)
		}
		for _, w := range o.Write {
			if !strings.HasPrefix(w, "/") && !strings.HasPrefix(w, "~/") {
				t.Errorf("%q: writes %q", words, w)
			}
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	for _, o := range []Options{{Kind: "chroot", Root: "/work"}, {Kind: Auto}, {Kind: Auto, Root: "work"}, {Kind: Auto, Root: "/"}} {
		if s, err := Open(o); err == nil || s != nil {
			t.Errorf("%+v: %v %v", o, s, err)
		}
	}
}

// Without a sandbox everything can be asked and nothing changes.
func TestNilHoldsNothing(t *testing.T) {
	s, err := Open(Options{Kind: Off})
	if err != nil || s != nil {
		t.Fatal(s, err)
	}
	if err := s.Prepare(nil); err != nil {
		t.Error(err)
	}
	if s.Explain("Read-only file system") != "" || s.Kind() != Off || s.Warning() != "" || s.Temp() != "" || s.Close() != nil || s.Describe() != "" {
		t.Error("it does something")
	}
}
