//go:build unix

package shell

import (
	"errors"
	"os"
	"syscall"
)

// ownSession starts the command as leader of a new session: it has no controlling terminal, so a program that opens
// /dev/tty to ask for a password fails at once, and its process group has its number.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func ending(p *os.ProcessState) (code int, signal string) {
	if p == nil {
		return -1, "an unknown cause"
	}
	ws, ok := p.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return p.ExitCode(), ""
	}
	name := signalName(int(ws.Signal()))
	if name == "" {
		name = ws.Signal().String()
	}
	return -1, name
}

// groupAlive reports whether the process group still has members. Its leader must have been waited for.
func groupAlive(pgid int) bool {
	err := syscall.Kill(-pgid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
