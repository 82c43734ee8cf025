//go:build unix

package instruct

import "syscall"

// nonBlocking keeps the opening of a pipe from waiting.
const nonBlocking = syscall.O_NONBLOCK
