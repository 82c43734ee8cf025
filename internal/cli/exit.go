package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// The exit codes of the program.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitModel       = 3
	exitLoop        = 4
	exitSteps       = 5
	exitBudget      = 6
	exitDenied      = 7
	exitOverflow    = 8
	exitTimeout     = 9
	exitInterrupted = 130
	exitPipe        = 141
	exitTerminated  = 143
)

// exitCode says how a run that ended like this ends the program.
func exitCode(stop agent.RunStop, e *agent.Error) int {
	switch stop {
	case agent.RunEnd:
		return exitOK
	case agent.RunLoop:
		return exitLoop
	case agent.RunSteps:
		return exitSteps
	case agent.RunBudget:
		return exitBudget
	case agent.RunDenied:
		return exitDenied
	case agent.RunOverflow:
		return exitOverflow
	case agent.RunTimeout:
		return exitTimeout
	case agent.RunCancelled:
		return exitInterrupted
	case agent.RunLength, agent.RunRefused:
		return exitModel
	case agent.RunError:
		return errorCode(e)
	}
	return exitInternal
}

func errorCode(e *agent.Error) int {
	if e == nil {
		return exitInternal
	}
	switch e.Kind {
	case agent.ErrConfig:
		return exitUsage
	case agent.ErrInternal:
		return exitInternal
	case agent.ErrContextLength:
		return exitOverflow
	default:
		return exitModel
	}
}

// usageError is a mistake in how the program was called or configured: exit 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(k msg.Key, args ...any) error { return &usageError{msg.Errorf(k, args...)} }

// exitError ends the program with a code, everything that is to be said having been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return "exit" }

// closedPipe reports whether the reader of our output has gone away.
func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed)
}

func signalCode(sig os.Signal) int {
	if sig == os.Interrupt {
		return exitInterrupted
	}
	return exitTerminated
}
