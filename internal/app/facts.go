package app

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/kit/policy"
	"react-agent/kit/profile"
	"react-agent/kit/sandbox"
)

// facts are the lines of doctor that only the assembly knows.
func (p *product) facts(ctx context.Context) []command.Fact {
	c := p.host.Msg
	facts := []command.Fact{
		{Group: "places", Name: "work directory", Value: p.c.WorkDir, Origin: p.c.Origin("workdir").In(c)},
		p.stateFact(),
		{Group: "places", Name: "log", Value: or(p.logPath(), c.Text(msg.DoctorNoLog))},
		{Group: "agent", Name: "profile", Value: p.face.Name, Origin: p.c.Origin("profile").In(c)},
		{Group: "agent", Name: "mode", Value: string(p.mode())},
	}
	for _, name := range profile.Names() {
		if _, err := profile.Load(name); err != nil {
			facts = append(facts, command.Fact{Group: "agent", Name: "profile " + name, Value: c.Err(err), Bad: true})
		}
	}
	sh := command.Fact{Group: "agent", Name: "shell"}
	path, err := shell.Find("")
	if sh.Value = path; err != nil {
		sh.Value, sh.Bad = c.Err(err), true
	}
	facts = slices.Concat(facts, []command.Fact{sh}, p.programFacts(ctx), p.trustFacts(ctx), p.contentFacts(), p.instructionFacts(), p.reflectFacts(ctx), p.skillFacts(ctx), p.installFacts(ctx), p.pipelineFacts(ctx), p.localFacts(ctx), p.agentFacts(), p.modelFacts(), p.costFacts(), p.compactFacts(ctx), p.memoryFacts(ctx), p.serverFacts())
	a, err := p.forSession(ctx, "")
	if err != nil {
		return append(facts, command.Fact{Group: "agent", Name: "agent", Value: c.Err(err), Bad: true})
	}
	facts = append(facts, p.ruleFacts(a.Tools)...)
	for _, t := range a.Tools {
		facts = append(facts, command.Fact{Group: "tools", Name: t.Shown(), Value: c.Fact(t.Effect.String())})
	}
	return facts
}

// stateFact says where sessions are kept, and whether that place can be written.
func (p *product) stateFact() command.Fact {
	f := command.Fact{Group: "places", Name: "state directory", Value: p.dir, Origin: p.c.Origin("state_dir").In(p.host.Msg)}
	info, err := os.Stat(p.dir)
	switch {
	case os.IsNotExist(err):
		f.Value += " (" + p.host.Msg.Text(msg.DoctorNotYet) + ")"
	case err != nil:
		f.Value, f.Bad = err.Error(), true
	case !info.IsDir():
		f.Bad, f.Fix = true, p.host.Msg.Text(msg.DoctorNoDir)
	default:
		probe, err := os.CreateTemp(p.dir, ".probe-*")
		if err != nil {
			f.Bad, f.Fix = true, err.Error()
			break
		}
		_, err = probe.Write(make([]byte, 4096)) // a full disk still makes empty files
		if err = errors.Join(err, probe.Close()); err != nil {
			f.Bad, f.Fix = true, err.Error()
		}
		_ = os.Remove(probe.Name())
	}
	return f
}

// trustFacts say what holds commands, what is kept, and what the person has decided.
func (p *product) trustFacts(ctx context.Context) (facts []command.Fact) {
	c := p.host.Msg
	box := command.Fact{Group: "trust", Name: "sandbox", Value: string(p.held.Kind), Origin: p.c.Origin("sandbox").In(c)}
	if p.c.Sandbox == "" && p.held.Kind == sandbox.Off {
		box.Value = c.Text(msg.DoctorOffAuto)
	}
	facts = append(facts, box)
	o := p.boxOptions(p.c.WorkDir)
	o.Cache = "" // nothing is made for a look
	for _, a := range sandbox.Abilities(ctx, o) {
		facts = append(facts, command.Fact{Group: "trust", Name: a.Name, Value: a.Detail, Bad: !a.OK && p.held.Kind != sandbox.Off})
	}
	if p.exposed != nil {
		facts = append(facts, command.Fact{Group: "trust", Name: "keys", Value: c.Err(p.exposed), Bad: true})
	}
	always, err := p.always.Load()
	f := command.Fact{Group: "trust", Name: "rules", Value: c.Text(
		msg.DoctorRules, len(p.rules.Deny), len(p.rules.Ask), len(p.rules.Allow), len(always))}
	if err != nil {
		f.Value, f.Bad = c.Err(err), true
	}
	facts = append(facts, f)
	for _, event := range slices.Sorted(maps.Keys(p.hooks.Events)) {
		for _, g := range p.hooks.Events[event] {
			for _, h := range g.Commands {
				facts = append(facts, command.Fact{Group: "trust", Name: "hook " + event, Value: h.Command, Origin: h.Where})
			}
		}
	}
	return facts
}

// ruleFacts names the person's rules that no tool of this face meets. Of ours some always do not.
func (p *product) ruleFacts(tools []agent.Tool) (facts []command.Fact) {
	for _, rules := range [][]policy.Rule{p.rules.Deny, p.rules.Ask, p.rules.Allow} {
		for _, r := range rules {
			if r.Origin != p.host.Msg.Text(msg.RuleBuiltIn) && !slices.ContainsFunc(tools, r.Names) {
				facts = append(facts, command.Fact{
					Group: "trust", Name: "rule " + r.String(), Value: p.host.Msg.Text(msg.RuleNoTool), Origin: r.Origin, Bad: true,
				})
			}
		}
	}
	return facts
}
