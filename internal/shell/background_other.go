//go:build !unix

package shell

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

func isCmdExe(shell string) bool {
	base := strings.ToLower(filepath.Base(shell))
	return base == "cmd.exe" || base == "cmd"
}

// wrapped is the command itself: this process notes its end.
func wrapped(inner []string, _ *os.File, _ bool) *exec.Cmd {
	//nolint:noctx // it is to outlive whoever starts it
	return exec.Command(inner[0], inner[1:]...)
}

func lockedStatus(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file for the exit status: %w", err)
	}
	if _, err := f.WriteString("begun\n"); err != nil {
		_ = f.Close() // the first error says it
		return nil, fmt.Errorf("file for the exit status: %w", err)
	}
	return f, nil
}

// statusHeld is never true for a command of another process: without locks nobody can tell.
func statusHeld(string) bool { return false }

func identify(pid int) Ident { return Ident{PID: pid} }

func findMarked(string) Ident { return Ident{} }

func pidAlive(pid int) bool {
	_, err := os.FindProcess(pid)
	return err == nil
}

// waiter gives a function that waits for the end of the command, and reports false when it was released before.
func (t *Task) waiter() (wait func() bool, release func()) {
	released, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = t.own.Wait() // how it ended is in ProcessState
	}()
	return func() bool {
		select {
		case <-ended:
			return true
		case <-released:
			return false
		}
	}, sync.OnceFunc(func() { close(released) })
}

// noteExit writes what the wrapper writes elsewhere.
func (t *Task) noteExit() {
	f, err := os.OpenFile(t.b.Status, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return // the end is told as one without a status
	}
	defer func() { _ = f.Close() }()
	_, _ = fmt.Fprintf(f, "exit %d\n", t.own.ProcessState.ExitCode()) // likewise
}

// terminal is not there on this system.
type terminal struct{}

func openTerminal(*exec.Cmd, *os.File) (*terminal, *os.File, error) {
	return nil, nil, fmt.Errorf("not on this system: %w", ErrNoTerminal)
}

func (*terminal) close() {}

func (*terminal) copy(func(string)) {}

func (*terminal) drain(<-chan struct{}, bool) {}

func (*terminal) write(string) error { return ErrNoTerminal }
