package mates

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A folder in which .team leads elsewhere gets no lock there.
func TestALockStaysInTheFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not here: links need a right")
	}
	for _, link := range []string{".team", ".team/inbox"} {
		root, elsewhere := t.TempDir(), t.TempDir()
		at := filepath.Join(root, link)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, at); err != nil {
			t.Fatal(err)
		}
		_, ok, err := lock(filepath.Join(root, ".team", "inbox"), "bob")
		if want := at + " cannot be used (a symbolic link): mend it or remove it"; ok || err == nil || err.Error() != want || !IsMistake(err) {
			t.Errorf("%s: %v %v", link, ok, err)
		}
		if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v %v", link, left, err)
		}
	}
}
