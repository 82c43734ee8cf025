package sandbox

import (
	"context"
	"os/exec"
)

// Sandbox holds commands. Its methods may be used by many goroutines at once. A nil Sandbox holds nothing.
type Sandbox struct{ o Options }

// Open makes a sandbox. It starts nothing: what works on this machine is found out at the first use. Kind off gives nil.
func Open(o Options) (*Sandbox, error) {
	if o.Kind == Off || o.Kind == "" {
		return nil, nil //nolint:nilnil // nil holds nothing, as documented
	}
	return &Sandbox{o: o}, nil
}

// Prepare changes a command that is about to start, so that it runs inside. Its error says that the sandbox that was
// asked for does not work here; the command must not run then.
func (s *Sandbox) Prepare(cmd *exec.Cmd) error { _ = cmd; return nil }

// Explain gives a line for the model when the output of a failed command shows that the sandbox was in the way, else "".
func (s *Sandbox) Explain(output string) string { _ = output; return "" }

// Kind is what holds commands here: bwrap, landlock, or off when nothing does. The first call tries it, some
// milliseconds.
func (s *Sandbox) Kind(ctx context.Context) Kind { _ = ctx; return Off }

// Warning is what the person should know before the first command: that nothing holds commands, or what stays open.
// Empty: nothing. The first call tries what works.
func (s *Sandbox) Warning(ctx context.Context) string { _ = ctx; return "" }

// Temp is the directory that commands see as /tmp; empty: the system's own.
func (s *Sandbox) Temp() string { return "" }

// Close removes the temporary directory. Commands that still run lose it.
func (s *Sandbox) Close() error { return nil }

// An Ability is something that a sandbox needs or does, as found on this machine. Detail says what was seen or what
// stays open, in the person's language.
type Ability struct {
	Name   string
	OK     bool
	Detail string
}

// Abilities tries what this machine can do, for doctor. It runs a few short processes.
func Abilities(ctx context.Context, o Options) []Ability { _, _ = ctx, o; return nil }

// Main is the helper's side of kind landlock. The program's main calls it before everything else with os.Args; when
// handled is true it exits with code. It does nothing, at no cost, in a process that is no helper.
func Main(args []string) (handled bool, code int) { _ = args; return false, 0 }
