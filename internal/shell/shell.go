package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Cmd is what to run. Command, or Args in its place, is the only field that must be set.
type Cmd struct {
	Command string
	// Args, if set, are a program and its arguments that are run without a shell; Command and Shell are not used then.
	Args []string
	// Shell runs it as `Shell -c Command`; empty is [Find]("").
	Shell string
	// Dir is where it starts, an absolute path. If it is gone, the nearest directory above it that is there is used and
	// Result.Dir says which.
	Dir string
	// Vars is the environment as "NAME=value"; nil is this process's own. Hide takes variables out of it by name.
	Vars []string
	Hide []string
	// Timeout is how long it may run; 0 is no limit.
	Timeout time.Duration
	// Input is what it reads, which stays open; nil is nothing.
	Input *os.File
	// Keep is how many bytes of each end of the output stay in memory; 0 is 64 KiB.
	Keep int
	// Logs is the directory for outputs longer than twice Keep; empty: their middle is lost.
	Logs string
	// Split keeps standard error apart from the output: its end is Result.Errors, and Output does not see it.
	Split bool
	// Prepare, if set, may change the process just before it starts: its program, arguments, environment, attributes and
	// extra files. A sandbox does that. Its error says that the command could not be started.
	Prepare func(cmd *exec.Cmd) error
	// Output, if set, is given the output while the command runs, some 20 times a second at most, in pieces that hold
	// whole characters. It is called from one goroutine and never after Run has returned; the last pieces may not come. A
	// slow Output slows the command down.
	Output func(piece []byte)
	// Stream, if set, is given every byte of the output, in order and as soon as it comes. It is called from one goroutine
	// and never after Run has returned; the piece is only good during the call. A slow Stream slows the command down.
	Stream func(piece []byte)
}

// Result is what became of a command.
type Result struct {
	Captured
	// Errors is the end of standard error, at most 64 KiB, when Cmd.Split asked for it; ErrorsLost counts the bytes before it.
	Errors     []byte
	ErrorsLost int64
	// Code is the exit status; -1 when a signal ended the command. Signal then names it: "SIGSEGV".
	Code   int
	Signal string
	// TimedOut says that the time limit stopped it, Cancelled that the context did.
	TimedOut, Cancelled bool
	// Human says why the command needs a person, empty if it does not.
	Human string
	// Dir is set when the command could not start in Cmd.Dir.
	Dir string
	// Left are the processes that the command left behind.
	Left []Process
}

// Failed reports whether the command did anything but end by itself with status 0.
func (r *Result) Failed() bool {
	return r.Code != 0 || r.TimedOut || r.Cancelled || r.Human != ""
}

// Status says in words how the command ended: "exit status 2", "killed by SIGKILL".
func (r *Result) Status() string {
	switch {
	case r.Signal != "":
		return "killed by " + r.Signal
	case r.Code > 128 && signalName(r.Code-128) != "":
		return fmt.Sprintf("exit status %d", r.Code) + " (" + signalName(r.Code-128) + ")"
	default:
		return fmt.Sprintf("exit status %d", r.Code)
	}
}

// Process is a process that was left behind. Command is its command line, bytes as they are. Running says that it was not
// stopped.
type Process struct {
	PID     int
	Command string
	Running bool
}

// Causes of a stop.
var (
	errTimeout = errors.New("shell: time limit reached")
	errHuman   = errors.New("shell: a person is needed")
)

const (
	termGrace  = 200 * time.Millisecond // from SIGTERM to SIGKILL
	pipeGrace  = 200 * time.Millisecond // for processes that are just about to close the pipe
	closeGrace = time.Second            // for the pipe to close after its holders were killed
)

// Find gives the path of the shell to use: the one asked for, else bash, else sh. On Windows without any of them it is
// cmd.exe. The answer may be kept.
func Find(name string) (string, error) {
	if name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("shell %q: %w", name, err)
		}
		return path, nil
	}
	names := []string{"bash", "sh"}
	if runtime.GOOS == "windows" {
		names = append(names, "cmd.exe")
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no shell found: install bash or sh, or name one in the configuration")
}

// Run runs c and waits. The error says that the command could not be started; everything that happened to a command that
// did start is in the Result.
func Run(ctx context.Context, c Cmd) (Result, error) {
	if strings.ContainsRune(c.Command, 0) {
		return Result{}, errors.New("the command holds a NUL byte, which no shell can take; write it as \\0 for printf")
	}
	if err := ctx.Err(); err != nil {
		return Result{Code: -1, Cancelled: true}, nil
	}
	if len(c.Args) > 0 {
		c.Shell = c.Args[0] // the program, from here on
	} else if c.Shell == "" {
		var err error
		if c.Shell, err = Find(""); err != nil {
			return Result{}, err
		}
	}
	argv, done, err := arguments(c)
	if err != nil {
		return Result{}, err
	}
	defer done()
	dir, err := startDir(c.Dir)
	if err != nil {
		return Result{}, err
	}
	j := job{c: c, dir: dir, mark: newMark()}
	res, err := j.run(ctx, argv)
	if err == nil && dir != c.Dir {
		res.Dir = dir
	}
	return res, err
}

// longCommand is a size that every system takes as one argument.
const longCommand = 96 << 10

// arguments are the shell's. A command too long for an argument goes through a file.
func arguments(c Cmd) (argv []string, done func(), err error) {
	if len(c.Args) > 0 {
		if strings.ContainsRune(strings.Join(c.Args, ""), 0) {
			return nil, nil, errors.New("an argument holds a NUL byte, which no program can be given")
		}
		return c.Args[1:], func() {}, nil
	}
	flag := "-c"
	if base := strings.ToLower(filepath.Base(c.Shell)); base == "cmd.exe" || base == "cmd" {
		flag = "/C"
	}
	if len(c.Command) <= longCommand {
		return []string{flag, c.Command}, func() {}, nil
	}
	f, err := os.CreateTemp("", "command-*.sh")
	if err != nil {
		return nil, nil, fmt.Errorf("file for a long command: %w", err)
	}
	_, err = f.WriteString(c.Command)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("file for a long command: %w", err), os.Remove(f.Name()))
	}
	return []string{f.Name()}, func() { _ = os.Remove(f.Name()) }, nil
}

// startDir is dir, or the nearest directory above that is there.
func startDir(dir string) (string, error) {
	for d := dir; d != ""; {
		info, err := os.Stat(d)
		if err == nil && info.IsDir() {
			return d, nil
		}
		up := filepath.Dir(d)
		if up == d {
			return "", fmt.Errorf("no directory to start in: %s: %w", dir, err)
		}
		d = up
	}
	return "", nil
}
