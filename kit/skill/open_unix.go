//go:build unix

package skill

import "syscall"

// nonBlocking keeps the opening of a pipe from waiting.
const nonBlocking = syscall.O_NONBLOCK
