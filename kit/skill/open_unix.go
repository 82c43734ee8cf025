//go:build unix

package skill

import (
	"errors"
	"syscall"

	"react-agent/internal/ordinary"
)

// readStart reads the first bytes of a file, -1 if that fails. It is the system's own open, read and close, because hundreds
// of files are read at every start, and a file of the standard library costs twice as much.
func readStart(file string, buf []byte) int {
	fd, err := again(func() (int, error) {
		return syscall.Open(file, syscall.O_RDONLY|ordinary.NonBlocking|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return -1
	}
	defer func() { _ = syscall.Close(fd) }()
	n, err := again(func() (int, error) { return syscall.Read(fd, buf) })
	if err != nil {
		return -1
	}
	return n
}

// again repeats a call that a signal has interrupted.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
