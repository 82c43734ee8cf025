package shell

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
)

// markName is the variable by which the processes of one command know each other when they have left its session.
const markName = "AGENT_COMMAND_ID"

func newMark() string { return markName + "=" + strconv.FormatUint(rand.Uint64(), 36) } //nolint:gosec // it has to be different, not secret

// settings keep programs from waiting for a person or starting a pager.
func settings() []string {
	return []string{
		"TERM=dumb",
		"PAGER=cat",
		"GIT_PAGER=cat",
		"MANPAGER=cat",
		"SYSTEMD_PAGER=cat",
		"GIT_TERMINAL_PROMPT=0",
		"GCM_INTERACTIVE=never",
		"SSH_ASKPASS_REQUIRE=never",
		"DEBIAN_FRONTEND=noninteractive",
		"PIP_NO_INPUT=1",
	}
}

// environment is vars without the hidden names, with our settings, the directory and the mark.
func environment(vars, hide []string, dir, mark string) []string {
	own := append(settings(), mark)
	if dir != "" {
		own = append(own, "PWD="+dir)
	}
	out := make([]string, 0, len(vars)+len(own))
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		if !hidden(name, hide) && !set(name, own) {
			out = append(out, v)
		}
	}
	return append(out, own...)
}

func hidden(name string, hide []string) bool {
	for _, h := range hide {
		if name == h || runtime.GOOS == "windows" && strings.EqualFold(name, h) {
			return true
		}
	}
	return false
}

func set(name string, own []string) bool {
	for _, o := range own {
		if len(o) > len(name) && o[len(name)] == '=' && o[:len(name)] == name {
			return true
		}
	}
	return false
}
