//go:build unix

package main

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ending are the signals that ask the program to end.
func ending() []os.Signal { return []os.Signal{syscall.SIGTERM, syscall.SIGHUP} }

// pasteGap is how long the next line of a paste may take to arrive.
const pasteGap = 20 * time.Millisecond

// more waits a moment for more input on the terminal: the rest of a paste.
func more() bool {
	fds := []unix.PollFd{{Fd: int32(os.Stdin.Fd()), Events: unix.POLLIN}} //nolint:gosec // a descriptor is a small number
	n, err := unix.Poll(fds, int(pasteGap.Milliseconds()))
	return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
}
