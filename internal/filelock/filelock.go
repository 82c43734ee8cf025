// Package filelock locks open files against other processes, and against other openings of the same file in this one. The
// lock ends with [Unlock], with the closing of the file, or with the process. It keeps out those who ask for it, nobody
// else, and it is no use on file systems of other machines that do not pass it on.
package filelock

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Take opens a file, makes it if there is none, and locks it until it is closed; ok is false when somebody else has the
// lock. The file is for its user alone, and no link is followed where the system can say so.
func Take(path string) (f *os.File, ok bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, false, err
	}
	if ok, err = Try(f); err != nil || !ok {
		_ = f.Close() // nothing was written
		return nil, false, err
	}
	return f, true, nil
}

// Lock waits for the lock of an open file. It asks again and again instead of blocking, so that the wait ends with ctx even
// if the holder was stopped; it asks at least once.
func Lock(ctx context.Context, f *os.File) error {
	for wait := 100 * time.Microsecond; ; wait = min(2*wait, 20*time.Millisecond) {
		ok, err := Try(f)
		if err != nil {
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		if ok {
			return nil
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		}
	}
}
