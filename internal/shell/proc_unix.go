//go:build unix && !linux

package shell

import (
	"errors"
	"syscall"
)

// family is the command's process group; systems without /proc do not tell more.
type family struct{ begun bool }

func (j *job) family() family { return family{} }

func (f *family) terminate(j *job) error { return signalGroup(j, syscall.SIGTERM) }

func (f *family) kill(j *job) { _ = signalGroup(j, syscall.SIGKILL) }

func signalGroup(j *job, s syscall.Signal) error {
	if err := syscall.Kill(-j.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// sweep stops what a command left behind. A group that no longer has the pipe is hung up, so that what was started with
// nohup stays.
func (j *job) sweep(pipeClosed bool) []Process {
	s := syscall.SIGKILL
	if pipeClosed {
		s = syscall.SIGHUP
	}
	pid := j.cmd.Process.Pid
	if !groupAlive(pid) || signalGroup(j, s) != nil {
		return nil
	}
	return []Process{{PID: pid, Command: "process group", Running: pipeClosed}}
}

func (j *job) onOwnTerminal() bool { return false }
