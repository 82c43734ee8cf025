package mates

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock says that this process drives a teammate, until release is called or the process dies: the file can be opened once.
// ok is false when another one does.
func lock(dir, key string) (release func(), ok bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, key+".lock"))
	if err != nil {
		return nil, false, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	const sharing = syscall.Errno(32)
	if errors.Is(err, sharing) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	return func() { _ = syscall.CloseHandle(h) }, true, nil
}
