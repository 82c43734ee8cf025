package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncData waits until the bytes are on the disk; the time stamps may come later.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
