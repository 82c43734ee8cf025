// Package sandboxtest has what a test of confined commands needs: a directory that is not among those for temporary files,
// which are others inside a sandbox. It works wherever home and TMPDIR are.
package sandboxtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Folder is a new directory, links resolved, that is removed when the test ends. Where nothing outside of the temporary
// directories can be written to, the test is skipped.
func Folder(t testing.TB) string {
	t.Helper()
	for _, above := range places() {
		dir, err := os.MkdirTemp(above, "sandbox test ") //nolint:usetesting // not below TMPDIR
		if err != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		})
		return resolved(dir)
	}
	t.Skip("not here: no place to write to outside of the temporary directories")
	return ""
}

// places are the cache, the package under test, then what root may write to.
func places() []string {
	special := []string{"/tmp", "/var/tmp", resolved(os.TempDir())}
	var out []string
	for _, ask := range []func() (string, error){os.UserCacheDir, os.Getwd} {
		if dir, err := ask(); err == nil && os.MkdirAll(dir, 0o700) == nil {
			out = append(out, resolved(dir))
		}
	}
	return slices.DeleteFunc(append(out, "/var/cache", "/srv", "/opt"), func(dir string) bool {
		return slices.ContainsFunc(special, func(temp string) bool {
			return dir == temp || strings.HasPrefix(dir, temp+string(filepath.Separator))
		})
	})
}

func resolved(dir string) string {
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return dir
}
