//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A killed process leaves its directory; the next one tidies up, but touches nothing that is in use.
func TestDirectoriesOfTheDeadAreRemoved(t *testing.T) {
	dir := resolved(t.TempDir())
	t.Setenv("TMPDIR", dir)
	folder := func(name string, lock bool, age time.Duration) string {
		path := filepath.Join(dir, name)
		put(t, filepath.Join(path, tempName, "x"), "x")
		if lock {
			write0(t, filepath.Join(path, lockName), "")
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dead := folder(scratchName+"1", true, 0)
	old := folder(scratchName+"2", false, time.Hour)
	young := folder(scratchName+"3", false, 0)
	mine := folder("something-else", false, time.Hour)
	var live, s scratch
	first, err := live.dir()
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.dir()
	if err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(second, lockName)) || exists(filepath.Join(second, lockName+".new")) || abandoned(second) {
		t.Error("the directory is not held")
	}
	for path, want := range map[string]bool{dead: false, old: false, young: true, mine: true, first: true, second: true} {
		if exists(path) != want {
			t.Errorf("%s: there is %t", path, !want)
		}
	}
	for _, one := range []*scratch{&live, &s} {
		if err := one.remove(); err != nil {
			t.Error(err)
		}
	}
	if exists(first) || exists(second) {
		t.Error("not removed")
	}
}
