//go:build unix

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestNoLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Take(filepath.Join(dir, "lock")); ok || err == nil {
		t.Error("a link was followed")
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made where a link leads: %v", err)
	}
}
