package install

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever the environment was when something was installed, it counts as installed.
func TestInstalledReadsEveryLockOfAPerson(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		write(t, filepath.Join(home, ".agents/skills", name, "SKILL.md"), "x")
	}
	write(t, filepath.Join(home, ".agents", userLock), `{"version":3,"skills":{"a":{}}}`)
	write(t, filepath.Join(home, ".local/state/skills", userLock), `{"version":3,"skills":{"b":{}}}`)
	write(t, filepath.Join(home, projectLock), `{"version":1,"skills":{"c":{}}}`)
	for _, state := range []string{"", t.TempDir(), filepath.Join(home, ".local/state")} {
		is := Installed(Places(t.TempDir(), "", home, state))
		for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
			if got := is(filepath.Join(home, ".agents/skills", name)); got != want {
				t.Errorf("%q: %s: %v", state, name, got)
			}
		}
	}
}

// A home that is reached by a link is the home.
func TestAHomeByALink(t *testing.T) {
	home := t.TempDir()
	to := filepath.Join(t.TempDir(), "home")
	link(t, home, to)
	for _, c := range [][2]string{{home, to}, {to, home}} {
		if p := Places(c[0], "", c[1], ""); len(p) != 1 || p[0].Level != User {
			t.Errorf("%v: %v", c, p)
		}
	}
	write(t, filepath.Join(home, ".agents/skills/a/SKILL.md"), "x")
	write(t, filepath.Join(home, projectLock), `{"version":1,"skills":{"a":{}}}`)
	if !Installed(Places(home, "", to, ""))(filepath.Join(home, ".agents/skills/a")) {
		t.Error("installed at home, without saying so")
	}
}

func TestThePlainFolderOfSkillsCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "skills/a/SKILL.md"), "x")
	write(t, filepath.Join(dir, "skills/own/SKILL.md"), "x")
	write(t, filepath.Join(dir, projectLock), `{"version":1,"skills":{"a":{}}}`)
	is := Installed(Places(dir, "", "", ""))
	if !is(filepath.Join(dir, "skills/a")) || is(filepath.Join(dir, "skills/own")) {
		t.Error("plain skills/")
	}
}

// A lock file that goes away, or is looked for elsewhere, makes a foreign skill nobody's own; removing the skill does.
func TestWhatWeInstalledStaysKnown(t *testing.T) {
	source, home, dir := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(source, "SKILL.md"), md("one", "first", "x"))
	state := t.TempDir()
	s := &Store{Places: Places(dir, "", home, state)}
	for _, p := range s.Places {
		b := fetch(t, source)
		changes, refused, err := s.Plan(t.Context(), p, b, b.Found, Ask{})
		if err != nil || len(refused) > 0 {
			t.Fatal(refused, err)
		}
		if err := s.Apply(t.Context(), changes, false); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(p.Skills(), "one")
		kept, err := os.ReadFile(p.Lock)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(p.Lock); err != nil {
			t.Fatal(err)
		}
		if !Installed(Places(dir, "", home, ""))(path) {
			t.Errorf("%s: without its lock file it is one's own", path)
		}
		write(t, p.Lock, string(kept))
		st, err := s.Find(t.Context(), "one", p.Level)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(t.Context(), st, false); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(path, "SKILL.md"), "x")
		if Installed(Places(dir, "", home, state))(path) {
			t.Errorf("%s: removed, and written anew by the person", path)
		}
		_ = os.RemoveAll(path)
	}
}

// What cannot be read may have said anything.
func TestMarksThatCannotBeRead(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".agents/skills/a/SKILL.md"), "x")
	write(t, filepath.Join(home, ".agents", marksFile, "x"), "x")
	if !Installed(Places(t.TempDir(), "", home, ""))(filepath.Join(home, ".agents/skills/a")) {
		t.Error("unknown is installed")
	}
}
