package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"time"

	"react-agent/internal/msg"
)

// wrap puts cmd into what was found.
func (s *Sandbox) wrap(f finding, cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	if f.kind == Bwrap {
		return s.bwrap(f.program, cmd)
	}
	return s.helper(f, cmd)
}

// find tries what works here, in the order of what holds best.
func (s *Sandbox) find() finding {
	var f finding
	if s.o.Kind != Landlock {
		f.program, f.bwrap = s.tryBwrap()
		if f.bwrap == nil {
			f.kind = Bwrap
			return f
		}
		if s.o.Kind == Bwrap {
			return finding{kind: Off, bwrap: f.bwrap, err: msg.Errorf(msg.SandboxNoBwrap, f.bwrap)}
		}
	}
	s.tryLandlock(&f)
	if f.lock == nil {
		f.kind = Landlock
		return f
	}
	f.kind = Off
	if s.o.Kind == Landlock {
		f.err = msg.Errorf(msg.SandboxNoLandlock, f.lock)
	}
	return f
}

func (s *Sandbox) tryBwrap() (string, error) {
	program, err := exec.LookPath(or(s.o.Program, "bwrap"))
	if err != nil {
		return "", err
	}
	return program, s.probe(finding{kind: Bwrap, program: program})
}

// tryLandlock tries it with namespaces and, where there are none, without.
func (s *Sandbox) tryLandlock(f *finding) {
	if f.abi, f.lock = landlockABI(); f.lock != nil {
		return
	}
	if os.Args[0] == helperName { // a program that starts itself, and its main does not know why
		f.lock = errors.New("the program does not call sandbox.Main first")
		return
	}
	f.spaces = true
	if f.confine = s.probe(finding{kind: Landlock, spaces: true}); f.confine == nil {
		return
	}
	f.spaces = false
	f.lock = s.probe(finding{kind: Landlock})
}

// probeTime bounds one attempt; it takes some milliseconds where it works.
const probeTime = 10 * time.Second

// probe runs a command that does nothing in the sandbox of f.
func (s *Sandbox) probe(f finding) error {
	cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", ":"}, Env: []string{"PATH=/usr/bin:/bin"}}
	if err := s.wrap(f, cmd); err != nil {
		return err
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(probeTime, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	err := cmd.Wait()
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(failure(err, out.Bytes()))
	}
	return err
}
