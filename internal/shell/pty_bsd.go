//go:build unix && !linux

package shell

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
