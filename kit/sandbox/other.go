//go:build !linux

package sandbox

import (
	"context"
	"os/exec"

	"react-agent/internal/msg"
)

func (s *Sandbox) find() finding {
	f := finding{kind: Off}
	if s.o.Kind != Auto {
		f.err = msg.Errorf(msg.SandboxLinuxOnly, string(s.o.Kind))
	} else {
		f.bwrap = msg.Errorf(msg.SandboxAbilityLinux)
		f.lock = f.bwrap
	}
	return f
}

func (s *Sandbox) wrap(finding, *exec.Cmd) error { return nil }

func (s *Sandbox) openings(finding) string { return "" }

func abilities(_ context.Context, o Options) []Ability {
	return []Ability{{Name: "sandbox", Detail: msg.For(msg.Lang(o.Lang)).Text(msg.SandboxNoneHere)}}
}

// Main is the helper's side of kind landlock, which this system does not have. It is never handled.
func Main([]string) (handled bool, code int) { return false, 0 }

func (s *scratch) hold(string) error { return nil }

func tidy(string) {}
