package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/kit/policy"
	"react-agent/kit/sandbox"
	"react-agent/kit/secret"
	"react-agent/kit/shellhook"
)

// guardians reads what the person decided about permissions, secrets, hooks and the sandbox. With Lenient what is wrong is
// returned as problems.
func (p *product) guardians() (problems []error, err error) {
	problems = append(problems, p.readRules()...)
	problems = append(problems, p.readSandbox()...)
	problems = append(problems, p.readHooks()...)
	if len(problems) > 0 && !p.o.Lenient {
		return nil, configError{errors.Join(problems...)}
	}
	user, err := p.c.UserState()
	if err != nil { // nobody's home: what the person decides is kept with the state that was named
		user = filepath.Join(p.dir, "user")
	}
	if p.always, err = policy.OpenAlways(filepath.Join(user, "rules"), p.c.Project()); err != nil {
		return problems, configError{err}
	}
	if err := p.openContent(user); err != nil {
		return problems, err
	}
	p.exposed = shell.ScrubEnviron(p.secretNames())
	p.secrets = secret.New(secret.Options{Known: p.known(), Salt: func() []byte { return p.salt(user) }})
	return problems, nil
}

// readRules parses the rules; a wrong one is named with file, line and column.
func (p *product) readRules() (problems []error) {
	c := msg.For(p.c.Language)
	parse := func(list []config.Rule) (rules []policy.Rule) {
		for _, r := range list {
			rule, err := policy.ParseRule(r.Text)
			if err != nil {
				column, why := 1, c.Err(err)
				if bad, ok := errors.AsType[*policy.RuleError](err); ok {
					column, why = bad.Column, c.Err(bad.Err)
				}
				problems = append(problems, msg.Errorf(msg.RuleBad, r.Origin.Spot(c, column), r.Text, why))
				continue
			}
			rule.Origin = r.Origin.In(c)
			rules = append(rules, rule)
		}
		return rules
	}
	p.rules = policy.Rules{
		Allow: parse(p.c.Permissions.Allow), Ask: parse(p.c.Permissions.Ask), Deny: parse(p.c.Permissions.Deny),
	}
	for _, text := range p.builtIn() {
		if rule, err := policy.ParseRule(text); err == nil {
			rule.Origin = c.Text(msg.RuleBuiltIn)
			p.rules.Ask = append(p.rules.Ask, rule)
		}
	}
	return problems
}

// builtIn are rules that ask about changes, in every mode but yolo: to what git itself runs and reads, to what shells
// run and let in, and to the agent's own settings and state. What stands there is believed later, outside of every
// sandbox; and where the work directory is the home directory, it lies inside.
func (p *product) builtIn() []string {
	list := []string{"Edit(**/.git/**)"}
	for _, name := range []string{
		".ssh/**", ".gitconfig", ".config/git/**", ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".profile",
		".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish/**", ".config/autostart/**", ".config/systemd/**",
	} {
		list = append(list, "Edit(~/"+name+")")
	}
	own := []string{p.dir}
	if dirs, err := config.FindDirs(p.o.Env); err == nil {
		own = append(own, dirs.State, dirs.Config)
	}
	for _, dir := range own {
		if dir != "" {
			list = append(list, "Edit("+strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(filepath.ToSlash(dir))+"/**)")
		}
	}
	return list
}

// readSandbox parses the setting. Without one, commands are held where they run unasked: in mode auto.
func (p *product) readSandbox() []error {
	words := p.c.Sandbox
	if words == "" {
		words = string(sandbox.Off)
		if p.usual() == policy.Auto {
			words = string(sandbox.Auto)
		}
	}
	var err error
	if p.held, err = sandbox.Parse(words); err != nil {
		c := msg.For(p.c.Language)
		p.held = sandbox.Options{Kind: sandbox.Off}
		return []error{msg.Errorf(msg.SandboxBad, p.c.Origin("sandbox").In(c), c.Err(err))}
	}
	return nil
}

func (p *product) readHooks() (problems []error) {
	c := msg.For(p.c.Language)
	var faults []error
	p.hooks, faults = shellhook.Parse(p.c.Hooks)
	for _, err := range faults {
		problems = append(problems, msg.Errorf(msg.HooksBad, p.c.Origin("hooks").In(c), c.Err(err)))
	}
	return problems
}

// shellHooks run the person's own commands in a session's work directory.
func (p *product) shellHooks(w *world) *shellhook.Hooks {
	return shellhook.New(shellhook.Options{
		Config: p.hooks, Dir: w.root, Vars: p.o.Env, Hide: p.secretNames(), Lang: string(p.c.Language), Notice: p.warn,
		Mode: func() string { return string(p.mode()) }, Mask: p.secrets.Mask,
		Transcript: func(session string) string { return filepath.Join(p.dir, "log", "session", session+".jsonl") },
	})
}

// known are the agent's own keys.
func (p *product) known() (list []secret.Known) {
	for _, s := range p.c.SecretEnv() {
		list = append(list, secret.Known{Name: or(s.Name, "api_key"), Value: s.Value})
	}
	return list
}

// receive takes the agent's own keys out of what the person types, before it is stored.
func (p *product) receive(in *engine.Input) {
	if in.Answer != nil {
		a := *in.Answer
		a.Text = p.secrets.MaskKnown(a.Text)
		in.Answer = &a
	}
	if in.Message != nil {
		m := *in.Message
		m.Parts = slices.Clone(m.Parts)
		for i := range m.Parts {
			m.Parts[i].Text = p.secrets.MaskKnown(m.Parts[i].Text)
		}
		in.Message = &m
	}
}

// salt makes placeholders the same after a restart and useless to others. Where it cannot be kept they last until the end.
func (p *product) salt(user string) []byte {
	if p.o.Demo {
		return nil
	}
	path := filepath.Join(user, "salt")
	if salt, err := os.ReadFile(path); err == nil && len(salt) >= 16 {
		return salt
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	if err := os.MkdirAll(user, 0o700); err != nil {
		return salt
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if other, err := os.ReadFile(path); err == nil && len(other) >= 16 {
			return other // another process was first
		}
		return salt
	}
	_, err = f.Write(salt)
	if err = errors.Join(err, f.Close()); err != nil {
		p.warn(err.Error())
	}
	return salt
}

// sessionMode gives a session's mode, after setting it to want unless that is empty.
func (p *product) sessionMode(ctx context.Context, session string, want policy.Mode) (mode policy.Mode, err error) {
	err = p.engine.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		if want != "" {
			raw, err := json.Marshal(want)
			if err != nil {
				return err
			}
			state, lead := map[string]json.RawMessage{policy.StateKey: raw}, p.planner(nil)
			switch {
			case want == policy.Plan:
				state = lead.Enter(s)
			case lead.On(s):
				state = lead.Leave(s, string(want))
			}
			if err := a.Append(ctx, s, &agent.Event{Type: agent.EvState, State: state}); err != nil {
				return err
			}
		}
		mode = policy.ModeOf(s, p.mode())
		return nil
	})
	return mode, err
}
