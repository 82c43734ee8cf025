package sandbox

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"react-agent/internal/msg"
)

// abilities tries everything, whatever the options ask for.
func abilities(ctx context.Context, o Options) []Ability {
	o.Kind, o.Network = Auto, false
	say := msg.For(msg.Lang(o.Lang))
	s, err := Open(o)
	if err != nil {
		return []Ability{{Name: "sandbox", Detail: say.Err(err)}}
	}
	defer func() { _ = s.Close() }()
	var list []Ability
	note := func(name string, err error, good string) {
		a := Ability{Name: name, OK: err == nil, Detail: good}
		if err != nil {
			a.Detail = say.Err(err)
		}
		list = append(list, a)
	}
	program, err := s.tryBwrap()
	note("bwrap", err, say.Text(msg.SandboxAbilityWorks, program+version(ctx, program)))
	var f finding
	s.tryLandlock(&f)
	note("landlock", f.lock, say.Text(msg.SandboxAbilityABI, f.abi)+"; "+s.describe(f))
	users := say.Text(msg.SandboxAbilityUsers)
	if os.Geteuid() == 0 {
		users = say.Text(msg.SandboxAbilityRoot)
	}
	if f.lock == nil {
		note("user namespaces", f.confine, users)
		note("network namespaces", f.confine, say.Text(msg.SandboxAbilityUsers))
	}
	return append(list, Ability{Name: "seccomp", OK: true, Detail: say.Text(msg.SandboxAbilitySeccomp)})
}

// version is what the program says of itself.
func version(ctx context.Context, program string) string {
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return ""
	}
	return ", " + strings.TrimSpace(string(out))
}

// describe says what Landlock leaves open.
func (s *Sandbox) describe(f finding) string {
	if f.spaces {
		return s.say.Text(msg.SandboxAbilityAll)
	}
	return s.openings(f)
}

// openings says what Landlock without namespaces does not stop; empty: it has them.
func (s *Sandbox) openings(f finding) string {
	if f.spaces {
		return ""
	}
	var open []msg.Key
	if !s.o.Network {
		if f.abi < abiNet {
			open = append(open, msg.SandboxOpenTCP)
		}
		if f.abi < abiUDP {
			open = append(open, msg.SandboxOpenUDP)
		}
	}
	if f.abi < abiUnix {
		open = append(open, msg.SandboxOpenUnix)
	}
	if f.abi < abiScope {
		open = append(open, msg.SandboxOpenAbs)
		open = append(open, msg.SandboxOpenSignal)
	}
	if f.abi < abiTruncate {
		open = append(open, msg.SandboxOpenTrunc)
	}
	open = append(open, msg.SandboxOpenPolicy)
	open = append(open, msg.SandboxOpenMode)
	var words []string
	for _, k := range open {
		words = append(words, s.say.Text(k))
	}
	return s.say.Text(msg.SandboxOpen, f.confine, strings.Join(words, ", "))
}
