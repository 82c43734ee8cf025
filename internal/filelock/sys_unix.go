//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// Try locks an open file unless somebody else has the lock.
func Try(f *os.File) (bool, error) {
	for {
		err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// Unlock gives the lock of an open file back.
func Unlock(f *os.File) { _ = flock(f, syscall.LOCK_UN) }

// flock does without [os.File.Fd], which makes two system calls more to set the file to blocking.
func flock(f *os.File, how int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := conn.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), how) }); err != nil {
		return err
	}
	return locked
}
