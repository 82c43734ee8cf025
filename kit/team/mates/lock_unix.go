//go:build unix

package mates

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock says that this process drives a teammate, until release is called or the process dies. ok is false when another one
// does.
func lock(dir, key string) (release func(), ok bool, err error) {
	f, err := lockFile(dir, key)
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, false, nil
		}
		return nil, false, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	return func() { _ = f.Close() }, true, nil
}

func lockFile(dir, key string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, key+".lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	return f, nil
}
