package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/kit/profile"
	"react-agent/provider"
	"react-agent/provider/wire"
)

// commandAPI is the wire to a program that answers a prompt.
const commandAPI = wire.APICommand

// asksProgram reports whether a profile's model is a program where nobody names another.
func asksProgram(name string) bool {
	if name == "" || name == profile.Default { // read at every start
		return false
	}
	face, err := profile.Load(name)
	return err == nil && face.API == commandAPI
}

// toolMode is how a model calls tools: as the configuration says of it, then of all, else as the face does, else as the wire
// has it ("").
func (p *product) toolMode(vendor, model string) string {
	own := p.settings(vendor, model).Tools
	switch {
	case own != nil && *own:
		return "native"
	case own != nil:
		return "tags"
	case p.c.IsSet("tool_mode"):
		return p.c.ToolMode
	case p.face.Tags.On:
		return "tags"
	}
	return ""
}

// surround says where a model runs that is a program: in a directory of its own, without anybody's keys but its own.
func (p *product) surround(s *provider.Spec) {
	if or(s.API, s.Preset.API) != commandAPI {
		return
	}
	s.Tags = p.tags()
	s.Key = "" // it stands in the environment, under the name it came with
	s.Program = provider.Program{
		Env: p.programEnv(s.Preset), Hide: p.secretNames(), Base: p.c.WorkDir, Dir: filepath.Join(p.dir, "program"), Run: runProgram,
	}
	if p.c.Program != "" && s.Preset.Name == p.c.Provider && s.Preset.CLI != nil {
		own := *s.Preset.CLI
		own.Command = append([]string{p.c.Program}, own.Command[1:]...)
		s.Preset.CLI = &own
	}
}

// programEnv is the environment, with the program's keys also where they stand in .env alone.
func (p *product) programEnv(preset wire.Preset) []string {
	env := slices.Clone(p.o.Env)
	for _, s := range p.c.SecretEnv() {
		if slices.Contains(preset.KeyEnv, s.Name) && config.Getenv(p.o.Env, s.Name) == "" {
			env = append(env, s.Name+"="+s.Value)
		}
	}
	return env
}

// programPreset is a preset of the person's own whose model is a program.
func programPreset(own config.Preset, known wire.Preset) wire.Preset {
	if known.CLI == nil {
		known = wire.Preset{}
	}
	known.API = commandAPI
	if len(own.KeyEnv) > 0 {
		known.KeyEnv = own.KeyEnv
	}
	if len(own.Command) > 0 {
		cli := wire.CLI{}
		if known.CLI != nil && filepath.Base(own.Command[0]) == known.CLI.Command[0] {
			cli = *known.CLI
		}
		cli.Command = own.Command
		known.CLI = &cli
	}
	return known
}

// runProgram runs a program, unless somebody only looks.
func runProgram(ctx context.Context, c shell.Cmd) (shell.Result, error) {
	look := lookOf(ctx)
	if look == nil {
		return shell.Run(ctx, c)
	}
	shown := map[string]any{"command": c.Args}
	if c.Input != nil {
		input, err := io.ReadAll(c.Input)
		if err != nil {
			return shell.Result{}, err
		}
		shown["input"] = string(input)
	}
	body, err := json.Marshal(shown)
	if err != nil {
		return shell.Result{}, err
	}
	look.take(body)
	return shell.Result{}, errLooked
}

// programFacts say for doctor whether the program is there that is asked, and whether it starts: most of what goes wrong
// has nothing to do with us, and shows when it is tried alone.
func (p *product) programFacts(ctx context.Context) []command.Fact {
	if p.c.API != commandAPI || p.c.Ready() != nil {
		return nil
	}
	t, err := p.c.Target(config.Want{})
	if err != nil {
		return nil // said elsewhere
	}
	s := p.spec(t, nil)
	c := p.host.Msg
	f := command.Fact{Group: "model", Name: "program", Origin: p.c.Origin("provider").In(c)}
	path, err := provider.FindProgram(s)
	if err != nil {
		f.Value, f.Bad = c.Text(msg.ProgramAbsent, s.Preset.Name), true
		if me, ok := errors.AsType[*agent.ModelError](err); ok {
			f.Fix = c.Err(me.Err)
		}
		return []command.Fact{f}
	}
	f.Value = path
	facts := []command.Fact{f, p.programStarts(ctx, path, s.Program)}
	if s.Preset.CLI.Install != "" { // one of those that take -p
		facts = append(facts, command.Fact{Group: "model", Name: "check", Value: c.Text(msg.ProgramCheck, filepath.Base(path)+` -p "Hello"`)})
	}
	return facts
}

// absent says that a session's model is a program which is not there.
func (p *product) absent(ctx context.Context, session string) error {
	c, err := p.chosen(ctx, engine.Spec{Session: session})
	if err != nil || c == (choice{}) && p.c.Ready() != nil {
		return nil //nolint:nilerr // it is met at the next message
	}
	t, err := p.target(config.Want(c))
	if err != nil || t.API != commandAPI {
		return nil //nolint:nilerr // likewise
	}
	_, err = provider.FindProgram(p.spec(t, nil))
	if me, ok := errors.AsType[*agent.ModelError](err); ok {
		return me.Err
	}
	return err
}

// programStarts asks a program for its version, which costs nothing.
func (p *product) programStarts(ctx context.Context, path string, at provider.Program) command.Fact {
	f := command.Fact{Group: "model", Name: filepath.Base(path) + " --version"}
	res, err := shell.Run(ctx, shell.Cmd{
		Args: []string{path, "--version"}, Dir: p.c.WorkDir, Vars: at.Env, Hide: at.Hide, Timeout: 10 * time.Second, Split: true,
	})
	line, _, _ := strings.Cut(strings.TrimSpace(string(res.Head)), "\n")
	switch {
	case err != nil:
		f.Value, f.Bad = err.Error(), true
	case res.Failed():
		f.Value, f.Bad = strings.TrimSpace(res.Status()+" "+string(res.Errors)), true
	default:
		f.Value = or(strings.TrimSpace(line), p.host.Msg.Text(msg.ProgramStarts))
	}
	return f
}
