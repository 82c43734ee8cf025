package shell

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// identify names a process; without one, only this run of the machine and this set of process numbers.
func identify(pid int) Ident {
	id := Ident{PID: pid, Boot: machine()}
	if p, ok := readProc(pid); ok && !p.dead() {
		id.Start = p.start
	}
	return id
}

// machine names the set of process numbers that this process sees.
func machine() string {
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err1 != nil || err2 != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + "/" + strings.Trim(space, "pid:[]")
}

// findMarked finds the first process of a background command: the leader of its session.
func findMarked(mark string) Ident {
	j := job{mark: mark}
	for _, p := range processes() {
		if p.session == p.pid && p.group == p.pid && j.hasMark(p) && hasWrapper(p.pid) {
			return identify(p.pid)
		}
	}
	return Ident{}
}

// hasWrapper tells the command's own first process from a child that has made itself a session.
func hasWrapper(pid int) bool {
	return slices.Contains(strings.Fields(argumentsOf(pid)), wrapperName)
}

// waiter gives a function that waits for the end of the command, and reports false when it was released before.
func (t *Task) waiter() (wait func() bool, release func()) {
	released := make(chan struct{})
	once := sync.OnceFunc(func() { close(released) })
	if t.id.PID == 0 {
		return func() bool { return t.pollStatus(released) }, once
	}
	fd, err := unix.PidfdOpen(t.id.PID, unix.PIDFD_NONBLOCK)
	if err != nil { // gone, or an old kernel
		return func() bool { return t.pollStatus(released) }, once
	}
	f := os.NewFile(uintptr(fd), "process")
	raw, err := f.SyscallConn()
	if err != nil || t.own == nil && identify(t.id.PID) != t.id {
		_ = f.Close() // nothing is lost
		return func() bool { return t.pollStatus(released) }, once
	}
	wait = func() bool {
		defer func() { _ = f.Close() }()
		err := raw.Read(func(fd uintptr) bool {
			poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor is small
			n, _ := unix.Poll(poll, 0)                                  // an error is as good as nothing yet
			return n > 0
		})
		if err == nil {
			return true
		}
		return t.pollStatus(released)
	}
	return wait, func() {
		once()
		_ = f.Close() // wakes the wait
	}
}
