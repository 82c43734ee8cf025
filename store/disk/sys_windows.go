package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// gone is never true: Windows keeps the name of an open file.
func gone(os.FileInfo) bool { return false }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func syncData(f *os.File) error { return f.Sync() }

// syncFolder does nothing: Windows has no such call for folders.
func syncFolder(*os.File) error { return nil }
