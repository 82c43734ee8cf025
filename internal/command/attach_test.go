package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/attach"
	"react-agent/kit/mention"
)

func TestPathsBehindAttach(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "my shot.png"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"a.png b.png":              "a.png|b.png",
		"my shot.png":              "my shot.png", // it is there
		"my other.png":             "my|other.png",
		`"my other.png" a.png`:     "my other.png|a.png",
		`'my other.png'`:           "my other.png",
		`my\ other.png a.png`:      "my other.png|a.png",
		`C:\shots\a.png`:           `C:\shots\a.png`,
		`a\\b.png`:                 `a\b.png`,
		`it's.png`:                 "it's.png",
		`"open`:                    "open",
		`a.png\`:                   `a.png\`,
		`"" b`:                     "|b",
		filepath.Join(dir, "x y"):  filepath.Join(dir, "x") + "|y",
		filepath.Join(dir, "nope"): filepath.Join(dir, "nope"),
	} {
		if strings.Contains(dir, `\`) && strings.HasPrefix(typed, dir) {
			continue // another system's separator
		}
		if got := strings.Join(paths(dir, strings.Fields(typed)), "|"); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// attachHost is a host that attaches what ends in .png and .txt, for a model that may be blind.
func attachHost(blind *bool) *Host {
	return &Host{
		WorkDir: "/nowhere",
		Attach: func(_ context.Context, _, path string) (attach.Item, error) {
			item := attach.Item{Path: path, Name: filepath.Base(path), What: "a thing"}
			switch filepath.Ext(path) {
			case ".png":
				item.Parts = []agent.Part{{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: item.Name, Data: []byte("x")}}}
			case ".txt":
				item.Parts = []agent.Part{agent.TextPart("see @other.txt")}
			default:
				return item, errors.New("no such file")
			}
			return item, nil
		},
		Sendable: func(_ context.Context, _ string, m *agent.Message) error {
			if *blind && slices.ContainsFunc(m.Parts, func(p agent.Part) bool { return p.Blob != nil }) {
				return errors.New("it is blind")
			}
			return nil
		},
		Msg: msg.For(msg.En),
	}
}

func TestAttachCommand(t *testing.T) {
	blind := false
	h := attachHost(&blind)
	for _, c := range []struct{ line, want, err string }{
		{"/attach", "nothing is attached (/attach PATH...)\n", ""},
		{"/attach a.png dir/b.txt", "attached a.png (a thing); it goes with the next message\nattached b.txt (a thing); it goes with the next message\n", ""},
		{"/attach", "1. a.png (a thing)\n2. b.txt (a thing)\n", ""},
		{"/attach c.zip", "", "no such file"},
		{"/attach remove 1 nobody", "took a.png off\n", "there is no attachment nobody (/attach lists them)"},
		{"/attach remove dir/b.txt", "took b.txt off\n", ""},
	} {
		var out strings.Builder
		_, err := Slash(t.Context(), h, "s", c.line, &out)
		if out.String() != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %q %v", c.line, out.String(), err)
		}
		if _, mistake := AsUsage(err); err != nil && !mistake {
			t.Errorf("%s: %v is not the person's mistake", c.line, err)
		}
	}
	blind = true
	if err := AttachFile(t.Context(), h, "s", "a.png"); err == nil || err.Error() != "it is blind" || len(h.Tray.List("s")) != 0 {
		t.Error(err)
	}
	blind = false
	for n := range attach.MaxFiles + 1 {
		if err := AttachFile(t.Context(), h, "t", "a.png"); (err != nil) != (n == attach.MaxFiles) {
			t.Errorf("file %d: %v", n+1, err)
		}
	}
}

func TestAttachedMessages(t *testing.T) {
	blind := false
	h := attachHost(&blind)
	plain := agent.TextMessage(agent.User, "hello")
	m, sent, err := Attached(t.Context(), h, "s", plain)
	if err != nil || sent != 0 || len(m.Parts) != 1 {
		t.Errorf("%+v %d %v", m, sent, err)
	}
	for _, path := range []string{"a.png", "b.txt"} {
		if err := AttachFile(t.Context(), h, "s", path); err != nil {
			t.Fatal(err)
		}
	}
	m, sent, err = Attached(t.Context(), h, "s", plain)
	if err != nil || sent != 2 || len(plain.Parts) != 1 || !mention.Marked(&m) {
		t.Fatalf("%+v %d %v", m, sent, err)
	}
	if len(m.Parts) != 4 || m.Parts[0].Text != "hello" || m.Parts[2].Blob == nil || m.Parts[3].Text != "see @other.txt" {
		t.Errorf("%+v", m.Parts)
	}
	// A mark that is there already holds.
	marked := agent.TextMessage(agent.User, "hello\n\nfrom a pipe")
	Typed(&marked, 5)
	if m, _, err = Attached(t.Context(), h, "s", marked); err != nil || len(m.Parts) != 4 {
		t.Errorf("%+v %v", m.Parts, err)
	}
	// What cannot be sent stays attached.
	blind = true
	if _, sent, err = Attached(t.Context(), h, "s", plain); err == nil || sent != 0 || len(h.Tray.List("s")) != 2 {
		t.Errorf("%d %v", sent, err)
	}
	h.Sendable = nil
	if _, sent, err = Attached(t.Context(), h, "s", plain); err != nil || sent != 2 {
		t.Errorf("%d %v", sent, err)
	}
}
