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

// startTime is how long a start waits for another one that has the lock and has not begun: it may be about to die, or a
// child of whoever had the lock that has not dropped it yet.
const startTime = 2 * time.Second

// lockedStatus opens the status file and takes the lock, which goes over to the command. [ErrRunning] says that the
// command has begun, or that somebody is about to begin it.
func lockedStatus(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file for the exit status: %w", err)
	}
	tick := time.NewTicker(startTime / 500)
	defer tick.Stop()
	for end := time.Now().Add(startTime); ; <-tick.C {
		err = syscall.Flock(descriptor(f), syscall.LOCK_EX|syscall.LOCK_NB)
		begun := readExit(file).Begun // asked with the lock: nobody begins meanwhile
		switch {
		case err == nil && !begun:
			return f, nil
		case err == nil, errors.Is(err, syscall.EWOULDBLOCK) && (begun || time.Now().After(end)):
			err = ErrRunning
		case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
			continue
		default:
			err = fmt.Errorf("lock of the exit status: %w", err)
		}
		_ = f.Close() // nothing was written
		return nil, err
	}
}

// statusHeld reports whether somebody holds the lock. What cannot be known counts as held: it will be asked again.
func statusHeld(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	defer func() { _ = f.Close() }()
	return syscall.Flock(descriptor(f), syscall.LOCK_SH|syscall.LOCK_NB) != nil
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
