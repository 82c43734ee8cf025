package provider

import (
	"context"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/provider/command"
	"react-agent/provider/texttag"
	"react-agent/provider/wire"
)

// commandAPI is the wire to a program that answers a prompt.
const commandAPI = wire.APICommand

// Program says in what surroundings a model runs that is a program. Env is its environment, without the names in Hide
// unless its preset needs them; Base is where a relative path of a program begins; Dir is where it starts, "" = an empty
// directory for each call. Run starts it, nil = for real.
type Program struct {
	Env, Hide []string
	Base, Dir string
	Run       func(ctx context.Context, c shell.Cmd) (shell.Result, error)
}

// command is what such a model is made of.
func (s Spec) command() command.Config {
	p := s.Preset
	c := command.Config{
		Preset: p, Model: s.Model, Key: s.Key, Env: s.Program.Env, Hide: s.Program.Hide, Base: s.Program.Base, Dir: s.Program.Dir,
		Timeout: s.RequestTimeout, Info: s.Info, Run: s.Program.Run,
	}
	c.Info.Vision, c.Info.Files, c.Info.Audio = false, false, false // a prompt is text
	if p.CLI != nil {
		c.CLI = *p.CLI
	}
	if c.Model == "" {
		c.Model = p.DefaultModel
	}
	if c.Info.Context == 0 && c.Model == p.DefaultModel {
		c.Info.Context, c.Info.MaxOutput = p.Context, p.MaxOutput
	}
	return c
}

// FindProgram looks for the program of a model that is one, and gives its path. The error says how to get it.
func FindProgram(s Spec) (string, error) { return command.Find(s.command()) }

// program makes a model of a program. It takes text and nothing else, so tools are always tags.
func (s Spec) program() agent.Model {
	o := texttag.Options{}
	if s.Tags != nil {
		o = *s.Tags
	}
	o.OneText = true
	return texttag.New(command.New(s.command()), o)
}

// tagged puts tools into the text where that is asked for.
func (s Spec) tagged(m agent.Model) agent.Model {
	if s.Tags == nil {
		return m
	}
	return texttag.New(m, *s.Tags)
}
