//go:build unix

package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// pollEvery is how often a command is looked at where the system does not tell when a process ends.
const pollEvery = 100 * time.Millisecond

func isCmdExe(string) bool { return false }

// wrapperName is what the wrapper is called in a list of processes.
const wrapperName = "background-job"

// wrapped is the command with the shell that notes its end in status, the third file.
func wrapped(inner []string, status *os.File, terminal bool) *exec.Cmd {
	sh := inner[0]
	if path, err := exec.LookPath("sh"); err == nil { // the one asked for may speak another language
		sh = path
	}
	//nolint:noctx // it is to outlive whoever starts it
	cmd := exec.Command(sh, append([]string{"-c", wrapper(terminal), wrapperName}, inner...)...)
	cmd.ExtraFiles = []*os.File{status}
	return cmd
}

// lockedStatus opens the status file and takes the lock, which goes over to the command.
func lockedStatus(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file for the exit status: %w", err)
	}
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	for range 10 {
		if err = syscall.Flock(descriptor(f), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			break
		}
		<-tick.C // it may be somebody who only looks
	}
	_ = f.Close() // nothing was written
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrRunning
	}
	return nil, fmt.Errorf("lock of the exit status: %w", err)
}

// lookTime is longer than statusHeld holds the lock.
const lookTime = 5 * time.Millisecond

// statusHeld reports whether somebody holds the lock.
func statusHeld(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	err = syscall.Flock(descriptor(f), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}

// pollStatus waits until nobody holds the lock; false: it was released before.
func (t *Task) pollStatus(released <-chan struct{}) bool {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for statusHeld(t.b.Status) {
		select {
		case <-released:
			return false
		case <-tick.C:
		}
	}
	return true
}

func pidAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// noteExit has nothing to do: the wrapper notes it.
func (t *Task) noteExit() {}
