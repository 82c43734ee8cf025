package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The lock lies far behind the data, because Windows keeps others from reading what is locked.
const lockAt = 1 << 30

func tryLock(f *os.File) (bool, error) {
	o := windows.Overlapped{OffsetHigh: lockAt}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &o)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockAt})
}

// gone is never true: Windows keeps the name of an open file.
func gone(os.FileInfo) bool { return false }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func syncData(f *os.File) error { return f.Sync() }

// syncFolder does nothing: Windows has no such call for folders.
func syncFolder(*os.File) error { return nil }
