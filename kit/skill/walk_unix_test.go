//go:build unix

package skill

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipes puts pipes wherever a file is looked for: none of them may hold the program up.
func TestPipes(t *testing.T) {
	dir := write(t, map[string]string{"a/SKILL.md": file("a")})
	for _, name := range []string{"p/SKILL.md", "flat.md", "a/REACT_AGENT.md", "a/pipe"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Skip("not here: pipes cannot be made: ", err)
		}
	}
	link(t, filepath.Join(dir, "a", "pipe"), filepath.Join(dir, "l", "SKILL.md"))
	s := load(t, Options{Roots: []Root{{Path: dir, Scope: User}, {Path: filepath.Join(dir, "flat.md")}}})
	if got := namesOf(s); got != "a" {
		t.Errorf("%s", got)
	}
	if got := codes(s.Diagnostics()); got != "not_a_file/error:0 not_a_file/error:0 not_a_file/error:0 unreadable/error:0" {
		t.Error(got)
	}
	if res := run(t, s, toolView, "s/1.0", `{"name":"a"}`); res.Error || !strings.Contains(res.Text(), "REACT_AGENT.md cannot be read") {
		t.Errorf("%q", res.Text())
	}
	if res := run(t, s, toolView, "s/1.0", `{"name":"a","file_path":"pipe"}`); !res.Error {
		t.Errorf("%q", res.Text())
	}
}
