package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"react-agent/internal/msg"
)

func TestNoDiagnosticIsLong(t *testing.T) {
	long := strings.Repeat("k字", 200_000)
	dir := write(t, map[string]string{
		"c/a.toml": "\"" + long + "\" 1\n", "c/b.toml": "prompt = \"x\"\n" + strings.Repeat("k", 1<<20) + " 1\n",
		"s/a/SKILL.md": "---\nname: a\ndescription: x\ncontext: " + long[:9000] + "\n" + long[:9000] + ": [\n---\nx\n",
	})
	s := load(t, Options{Roots: []Root{{Path: filepath.Join(dir, "c"), Commands: toml}, {Path: filepath.Join(dir, "s")}}})
	list := s.Diagnostics()
	if len(list) < 2 {
		t.Fatalf("diagnostics: %d", len(list))
	}
	linted, err := s.Lint(t.Context(), LintOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range linted {
		list = append(list, l.Diagnostics...)
	}
	for _, d := range list {
		for _, text := range []string{d.String(), d.In(msg.For(msg.Zh)), d.Reason.Error()} {
			if n := utf8.RuneCountInString(text); n > 1500 || !utf8.ValidString(text) {
				t.Errorf("%s: %d characters", d.Code, n)
			}
		}
	}
	if _, err := readTOML("\"" + long + "\" 1"); err == nil || len(err.Error()) > 2000 {
		t.Error("the error of a file is long")
	}
}

// TestOneSkillForEachFile: whatever ways lead to a file, it is found once, also where nothing of it is used.
func TestOneSkillForEachFile(t *testing.T) {
	dir := write(t, map[string]string{
		"p/.agents/skills/a/SKILL.md": file("a"), "p/.agents/skills/b/SKILL.md": "---\nname: [\n", "p/.agents/skills/c.toml/x": "x",
	})
	for link, to := range map[string]string{"p/.agents/skills/up": "..", "p/.agents/skills/z": "a"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip("not here: symbolic links")
		}
	}
	for _, untrusted := range []bool{false, true} {
		roots := []Root{{Path: filepath.Join(dir, "p", ".agents", "skills"), Scope: Project, Within: filepath.Join(dir, "p")}}
		var got []string
		for _, f := range load(t, Options{Roots: roots, Untrusted: untrusted}).Doctor() {
			got = append(got, filepath.Base(filepath.Dir(f.Path)))
			if f.Held != untrusted {
				t.Errorf("%s: held %v", f.Path, f.Held)
			}
		}
		if strings.Join(got, " ") != "a b" {
			t.Errorf("untrusted %v: %q", untrusted, got)
		}
	}
}
