//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// gone reports whether an open file has no name any more.
func gone(fi os.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

// isFull covers quotas and limits too: there is no room for the file to grow.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func syncFolder(d *os.File) error { return d.Sync() }
