package rewind

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// tryLock opens a file that nobody else may open until it is closed; false: somebody else has it.
func tryLock(path string) (*os.File, bool, error) {
	p, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	h, err := syscall.CreateFile(p, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	const sharingViolation = syscall.Errno(32)
	switch {
	case err == nil:
		return os.NewFile(uintptr(h), path), true, nil
	case errors.Is(err, sharingViolation):
		return nil, false, nil
	}
	return nil, false, err
}

// openRead opens a file for reading.
func openRead(path string) (*os.File, error) { return os.Open(path) }

func syncAll() bool { return false }

func syncFolder(string) error { return nil }

func links(fs.FileInfo) uint64 { return 1 }

func sameOwner(*os.File, fs.FileInfo) {}
