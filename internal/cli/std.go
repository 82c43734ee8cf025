package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"react-agent/internal/text"
)

// Std is what the process has: streams, arguments, environment, terminals, signals.
type Std struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Args are the arguments behind the program's name; Env is as os.Environ gives it.
	Args []string
	Env  []string
	// InTTY, OutTTY and ErrTTY say which stream is a terminal.
	InTTY, OutTTY, ErrTTY bool
	// Size gives the columns and rows of the terminal, 0 when there is none.
	Size func() (cols, rows int)
	// Signals delivers os.Interrupt and the terminating signals.
	Signals <-chan os.Signal
	// Exit ends the process at once. It is called when a signal shall end it and what goes on in it does not let it. nil:
	// the program then waits.
	Exit func(code int)
	// Version is the program's version.
	Version string
}

// Process is the Std of this process: its own streams, arguments and terminal.
func Process(environ []string, signals <-chan os.Signal, version string) Std {
	return Std{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Args: os.Args[1:], Env: environ,
		InTTY: isTerminal(os.Stdin), OutTTY: isTerminal(os.Stdout), ErrTTY: isTerminal(os.Stderr),
		Size: size, Signals: signals, Exit: os.Exit, Version: version,
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func size() (cols, rows int) {
	cols, rows, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return cols, rows
}

// fitted is a text of which no word is broken at the edge of the terminal; where there is none it stays as it is.
func (s Std) fitted(lines string) string {
	if s.Size == nil {
		return lines
	}
	cols, _ := s.Size()
	return text.Wrap(lines, cols)
}

// env looks a variable up; the last one of a name counts.
func (s Std) env(name string) string {
	value := ""
	for _, kv := range s.Env {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			value = kv[len(name)+1:]
		}
	}
	return value
}

// escapes reports whether escape codes may be written to the terminal at the output.
func (s Std) escapes() bool {
	return s.OutTTY && s.env("NO_COLOR") == "" && s.env("TERM") != "dumb"
}
