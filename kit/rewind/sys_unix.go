//go:build unix

package rewind

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"react-agent/internal/ordinary"
)

// openRead opens a file for reading. It neither follows a link nor waits for a FIFO.
func openRead(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|ordinary.NonBlocking, 0)
}

// syncAll waits until everything that was written is on the disk.
func syncAll() bool {
	syscall.Sync()
	return true
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // narrower on some systems
	}
	return 1
}

// sameOwner gives a new file the owner of the one it replaces, as far as that is allowed.
func sameOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
