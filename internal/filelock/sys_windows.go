package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// The lock lies far behind the data, because Windows keeps others from reading what is locked.
const lockAt = 1 << 30

// Try locks an open file unless somebody else has the lock.
func Try(f *os.File) (bool, error) {
	o := windows.Overlapped{OffsetHigh: lockAt}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &o)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Unlock gives the lock of an open file back.
func Unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockAt})
}
