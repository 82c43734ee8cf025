package install

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// What a lock file records counts as installed, by every way that leads there; what it does not record is one's own.
func TestInstalledReadsTheLockFiles(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	write(t, filepath.Join(dir, ".agents/skills/up-case/SKILL.md"), "x")
	write(t, filepath.Join(dir, ".agents/skills/own/SKILL.md"), "x")
	write(t, filepath.Join(dir, "skills/own/SKILL.md"), "x")
	write(t, filepath.Join(home, ".agents/skills/mine/SKILL.md"), "x")
	write(t, filepath.Join(deep, "x"), "x")
	link(t, "../../.agents/skills/up-case", filepath.Join(dir, ".claude/skills/up-case"))
	link(t, ".agents/skills/up-case", filepath.Join(dir, "other-name"))
	write(t, filepath.Join(dir, projectLock), `{"version":1,"skills":{"Up Case":{"source":"a/b","sourceType":"github"},"gone":{}}}`)
	write(t, filepath.Join(home, ".agents", userLock), `{"version":3,"skills":{"mine":{}},"dismissed":{}}`)
	is := Installed(Places(deep, dir, home, ""))
	for path, want := range map[string]bool{
		filepath.Join(dir, ".agents/skills/up-case"): true, filepath.Join(dir, ".claude/skills/up-case"): true,
		filepath.Join(dir, "other-name"): true, filepath.Join(home, ".agents/skills/mine"): true,
		filepath.Join(dir, ".agents/skills/up-case/SKILL.md"): true,
		filepath.Join(dir, ".agents/skills/own"):              false, filepath.Join(dir, "skills/own"): false, dir: false,
		filepath.Join(dir, ".agents/skills"): false, filepath.Join(dir, "nowhere"): false,
	} {
		if got := is(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	write(t, filepath.Join(dir, projectLock), `{"version":1,"skills":{"Up`)
	is = Installed(Places(deep, dir, home, ""))
	if !is(filepath.Join(dir, ".agents/skills/own")) || !is(filepath.Join(dir, ".claude/skills/x")) || is(filepath.Join(dir, "skills/own")) {
		t.Error("with a lock file that cannot be read, everything in the folders of installed skills counts as installed")
	}
	if Installed(Places(t.TempDir(), "", "", ""))("/x") {
		t.Error("nothing is installed where no lock file is")
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		dir, top, home string
		want           []string
	}{
		{"/p/a/b", "/p", "/h", []string{"/p/a/b", "/p/a", "/p", "/h"}},
		{"/p", "", "", []string{"/p"}},
		{"/p", "/other", "/h", []string{"/p", "/h"}},
		{"/h/p", "/h", "/h", []string{"/h/p", "/h"}},
	} {
		var got []string
		for _, p := range Places(c.dir, c.top, c.home, "") {
			got = append(got, filepath.ToSlash(p.Dir))
		}
		if len(got) != len(c.want) {
			t.Fatalf("%v: %v", c, got)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v: %v", c, got)
			}
		}
	}
	if p := UserPlace("/h", "/s"); filepath.ToSlash(p.Lock) != "/s/skills/.skill-lock.json" || p.version() != 3 {
		t.Error(p)
	}
}
