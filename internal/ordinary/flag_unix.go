//go:build unix

package ordinary

import "syscall"

// NonBlocking keeps the opening of a pipe from waiting for its other end, and the opening of a terminal from waiting for a
// line. It is for those who open by themselves; an ordinary file behaves as it does without it.
const NonBlocking = syscall.O_NONBLOCK
