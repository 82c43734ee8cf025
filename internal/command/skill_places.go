package command

import (
	"context"
	"net/netip"
	"path/filepath"
	"strings"

	"react-agent/internal/config"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/kit/skill"
	"react-agent/kit/skill/install"
)

// The flags that more than one of the commands for installed skills has.
const (
	flagGlobal   = "global"
	flagInsecure = "insecure"
)

func globalFlag() Flag {
	return Flag{Name: flagGlobal, Short: "g", Default: "false", Help: msg.FlagGlobal}
}

func yesFlag() Flag {
	return Flag{Name: wordYes, Short: "y", Default: "false", Help: msg.FlagYes}
}

func loseFlag() Flag { return Flag{Name: wordForce, Default: "false", Help: msg.FlagLose} }

func insecureFlag() Flag {
	return Flag{Name: flagInsecure, Default: "false", Help: msg.FlagInsecure}
}

// places are where installed skills may be, and those that the person means.
func places(h *Host) []install.Place {
	top := ""
	if h.Config != nil {
		top = h.Config.Project()
	}
	home, state := homeOf(h)
	return install.Places(h.WorkDir, top, home, state)
}

func homeOf(h *Host) (home, state string) {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home = config.Getenv(h.Options.Env, name); filepath.IsAbs(home) {
			break
		}
		home = ""
	}
	if state = config.Getenv(h.Options.Env, "XDG_STATE_HOME"); !filepath.IsAbs(state) {
		state = ""
	}
	return home, state
}

// placeFor is where a new skill goes: the work directory, or the person's own place.
func placeFor(h *Host, in Input) (install.Place, error) {
	home, state := homeOf(h)
	if in.isSet(flagGlobal) || install.Same(h.WorkDir, home) {
		if home == "" {
			return install.Place{}, usage(msg.InstallNoHome)
		}
		return install.UserPlace(home, state), nil
	}
	return install.ProjectPlace(h.WorkDir), nil
}

func skillStore(h *Host) *install.Store { return &install.Store{Places: places(h)} }

// fetcher brings sources here. A person at a terminal is asked about private addresses.
func fetcher(h *Host, in Input) *install.Fetcher {
	f := &install.Fetcher{Env: h.Options.Env, Plain: in.isSet(flagInsecure)}
	if h.Config != nil {
		for _, s := range h.Config.SecretEnv() {
			f.Hide = append(f.Hide, s.Name)
		}
	}
	switch {
	case f.Plain:
		f.Private = func(string, netip.Addr, httpx.Net) bool { return true }
	case h.Options.Confirm != nil:
		f.Private = func(host string, ip netip.Addr, _ httpx.Net) bool {
			return h.Options.Confirm(h.Msg.Text(msg.InstallAskPrivate, host, ip)) == Yes
		}
	}
	return f
}

// agreed asks before something is done. Where nobody can be asked, only --yes does it.
func agreed(h *Host, in Input, question string) error {
	switch {
	case in.isSet(wordYes):
		return nil
	case h.Options.Confirm == nil || in.JSON:
		return usage(msg.InstallSayYes)
	case h.Options.Confirm(question) != Yes:
		return usage(msg.InstallRefused)
	}
	return nil
}

// shortPath is a path as people like to read it: below the work directory or the home.
func shortPath(h *Host, path string) string {
	if rel, err := filepath.Rel(h.WorkDir, path); err == nil && filepath.IsLocal(rel) {
		return "./" + filepath.ToSlash(rel)
	}
	home, _ := homeOf(h)
	if rel, err := filepath.Rel(home, path); home != "" && err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// known are the skills that are there to be looked at; with trusted also those of a project that is not trusted.
func known(ctx context.Context, h *Host, trusted bool) (*skill.Set, error) {
	if h.KnownSkills == nil {
		return nil, nil
	}
	return h.KnownSkills(ctx, trusted)
}

// reasons are a finding's diagnostics on one line.
func reasons(h *Host, list []skill.Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, h.Msg.Err(d.Reason))
	}
	return strings.Join(out, "; ")
}
