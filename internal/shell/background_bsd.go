//go:build unix && !linux

package shell

import "sync"

// identify names a process as well as such a system can without more.
func identify(pid int) Ident { return Ident{PID: pid} }

func findMarked(string) Ident { return Ident{} }

// waiter gives a function that waits for the end of the command, and reports false when it was released before.
func (t *Task) waiter() (wait func() bool, release func()) {
	released := make(chan struct{})
	return func() bool { return t.pollStatus(released) }, sync.OnceFunc(func() { close(released) })
}
