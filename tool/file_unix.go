//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"
)

// mustStay reports whether the file would lose something if another took its place: further names, an access list.
func mustStay(path string, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1 || hasAttributes(path)
}

// sameOwner gives a new file the owner of another.
func sameOwner(path string, like fs.FileInfo) error {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == want.Uid && st.Gid == want.Gid {
		return nil
	}
	return os.Lchown(path, int(want.Uid), int(want.Gid))
}
