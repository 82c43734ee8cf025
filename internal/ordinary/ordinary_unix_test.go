//go:build unix

package ordinary

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe that nobody writes to makes nobody wait, neither for the opening nor for what it would bring.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	dir, root := place(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip("not here: named pipes: " + err.Error())
	}
	_, _, err := Read(filepath.Join(dir, "pipe"), 10)
	_, _, in := ReadIn(root, "pipe", 10)
	for _, err := range []error{err, in} {
		if e, ok := errors.AsType[*Error](err); !ok || e.Mode&fs.ModeNamedPipe == 0 {
			t.Errorf("error: %v", err)
		}
	}
	if _, _, err := Open("/dev/null"); err == nil || err.Error() != "/dev/null is a device, no regular file" {
		t.Errorf("error: %v", err)
	}
}
