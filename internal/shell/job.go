package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// job is one run of a command.
type job struct {
	c    Cmd
	dir  string
	mark string // NAME=value in the environment of every process of this command

	cmd    *exec.Cmd
	pipe   *os.File // our end
	pipeFD int      // its number
	tree   family   // what was there when the stop began
	ended  chan struct{}
}

func (j *job) run(ctx context.Context, argv []string) (Result, error) {
	ctx, human := context.WithCancelCause(ctx)
	defer human(nil)
	if j.c.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, j.c.Timeout, errTimeout)
		defer stop()
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Result{}, fmt.Errorf("pipe for the output: %w", err)
	}
	defer func() { _ = r.Close() }()
	j.pipe, j.pipeFD = r, descriptor(r)
	apart, err := j.command(ctx, argv, w)
	if err != nil {
		return Result{}, errors.Join(err, w.Close())
	}
	err = j.start()
	if cerr := w.Close(); err == nil && cerr != nil {
		err = cerr
	}
	if err != nil {
		apart.finish()
		return Result{}, fmt.Errorf("start of %s: %w", j.c.Shell, err)
	}

	rd := newReader(j, func() { human(errHuman) })
	j.ended = make(chan struct{})
	go func() {
		defer close(j.ended)
		rd.loop()
	}()
	_ = j.cmd.Wait() // how it ended is in ProcessState
	res := Result{}
	res.Code, res.Signal = ending(j.cmd.ProcessState)
	if ctx.Err() != nil && j.tree.begun {
		j.tree.kill(j)
		cause := context.Cause(ctx)
		res.TimedOut = errors.Is(cause, errTimeout)
		res.Cancelled = !res.TimedOut && !errors.Is(cause, errHuman)
		if errors.Is(cause, errHuman) {
			res.Human = waitsForPassword
		}
		j.waitPipe(closeGrace)
	} else {
		res.Left = j.leftOvers()
	}
	_ = r.Close() // the reader comes back now, if it has not before
	<-j.ended
	res.Captured = rd.out.finish()
	res.Errors, res.ErrorsLost = apart.finish()
	if res.Human == "" && res.Failed() {
		res.Human = needsHuman(&res)
	}
	return res, nil
}

// command makes the process, not yet started, with its output going to w. Standard error may go apart.
func (j *job) command(ctx context.Context, argv []string, w *os.File) (apart *side, err error) {
	j.cmd = exec.CommandContext(ctx, j.c.Shell, argv...)
	j.cmd.Dir = j.dir
	vars := j.c.Vars
	if vars == nil {
		vars = j.cmd.Environ()
	}
	j.cmd.Env = environment(vars, j.c.Hide, j.dir, j.mark)
	j.cmd.Stdout, j.cmd.Stderr = w, w // files, so that Wait waits for the process and not for the pipe
	j.cmd.SysProcAttr = ownSession()
	j.cmd.Cancel = j.stop
	j.cmd.WaitDelay = termGrace
	if j.c.Split {
		if apart, err = newSide(); err != nil {
			return nil, err
		}
		j.cmd.Stderr = apart.w
	}
	return apart, nil
}

func (j *job) start() error {
	argv := slices.Clone(j.cmd.Args)
	if j.c.Input != nil {
		j.cmd.Stdin = j.c.Input
	}
	if j.c.Prepare != nil {
		if err := j.c.Prepare(j.cmd); err != nil {
			return err
		}
	}
	err := j.cmd.Start()
	j.cmd.Args = argv // a copy of the shell is known by these, not by what was put around it
	return err
}

// stop is called once, when the context ends: it asks the whole tree to go. What is left of it after the grace is killed
// by run.
func (j *job) stop() error {
	j.tree = j.family()
	j.tree.begun = true
	return j.tree.terminate(j)
}

// waitPipe waits until nobody holds the pipe any more, or for d.
func (j *job) waitPipe(d time.Duration) bool {
	select {
	case <-j.ended:
		return true
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-j.ended:
		return true
	case <-t.C:
		return false
	}
}

// leftOvers deals with the processes that a command left behind when it ended by itself.
func (j *job) leftOvers() []Process {
	closed := j.waitPipe(pipeGrace)
	if closed && !groupAlive(j.cmd.Process.Pid) {
		return nil
	}
	left := j.sweep(closed)
	if !closed {
		j.waitPipe(closeGrace)
	}
	return left
}

// descriptor is the number of an open file. File.Fd would take it out of the poller and with it the deadlines.
func descriptor(f *os.File) int {
	n := -1
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n = int(fd) }) // -1 finds nothing, which is right
	}
	return n
}
