package install

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange lets two paths change places in one step; false: this file system cannot.
func exchange(a, b string) (bool, error) {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EXDEV) {
		return false, nil
	}
	if err != nil {
		return false, &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return true, nil
}
