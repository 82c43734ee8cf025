package install

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange lets two paths change places in one step; false: this file system cannot.
func exchange(a, b string) (bool, error) {
	err := unix.RenamexNp(a, b, unix.RENAME_SWAP)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return false, nil
	}
	if err != nil {
		return false, &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return true, nil
}
