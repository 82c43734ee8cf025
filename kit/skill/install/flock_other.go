//go:build !unix

package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// hold keeps other processes out of a folder until release is called: who holds it has a file open there that cannot be
// removed meanwhile.
func hold(ctx context.Context, dir string) (release func(), err error) {
	name := filepath.Join(dir, ".lock")
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err == nil {
			return func() { _ = f.Close(); _ = os.Remove(name) }, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if os.Remove(name) == nil { // nobody has it open
			continue
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tryHold has nothing to hold: that the process is there says enough.
func tryHold(string) (release func(), err error) { return func() {}, nil }

// own is not known here; folders for a while are in the person's own place.
func own(fs.FileInfo) bool { return true }
