package app

import (
	"context"
	"iter"
	"path/filepath"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/skill"
	"react-agent/provider"
	"react-agent/provider/offline"
)

// taught is the offline model with the rules of the skills that were read last: it is opened before they are.
type taught struct {
	agent.Model
	p *product
}

// Stream answers by the rules there are now.
func (t taught) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	t.p.mu.Lock()
	model := t.p.offline
	t.p.mu.Unlock()
	if model == nil {
		model = t.Model
	}
	return model.Stream(ctx, req)
}

// teach gives the offline model the rules of the skills of a session.
func (p *product) teach(set *skill.Set) error {
	if p.c.API != "offline" {
		return nil
	}
	lines, faults := p.offlineLines(set)
	model, err := provider.Open(provider.Spec{API: p.c.API, Rules: lines})
	if err != nil {
		return err
	}
	p.mu.Lock()
	first := p.offline == nil
	p.offline = model
	p.mu.Unlock()
	if first {
		p.tellRules(faults)
	}
	return nil
}

// tellRules names the rules that were left out, as skills that were left out are named.
func (p *product) tellRules(faults []skill.Diagnostic) {
	c := msg.For(p.c.Language)
	for i, d := range faults {
		if i == maxSkipped {
			p.warn(c.Text(msg.OfflineSkippedMore, len(faults)-maxSkipped))
			return
		}
		p.warn(c.Text(msg.OfflineSkipped, d.In(c)))
	}
}

// offlineLines are the rules that skills bring for the offline model. Their commands are run like those of any model, but
// nobody has thought them up in sight of the person: rules of the project count only once its programs are trusted.
func (p *product) offlineLines(set *skill.Set) (lines offline.Lines, faults []skill.Diagnostic) {
	lines.Lang = string(p.c.Language)
	for _, k := range set.All() {
		if !k.ByModel || set.Needs(k) != "" || !p.offlineTrusted(k) {
			continue
		}
		own, notes := k.Offline()
		for _, d := range notes {
			if d.Severity == skill.Error {
				faults = append(faults, d)
			}
		}
		for _, r := range own.Rules {
			lines.Rules = append(lines.Rules, offlineRule(k.Name, r))
		}
		for _, a := range own.Agents {
			voice := offline.Agent{Name: a.Name, System: a.System, Message: a.Message}
			for _, r := range a.Replies {
				voice.Replies = append(voice.Replies, offline.Reply(r))
			}
			lines.Agents = append(lines.Agents, voice)
		}
	}
	return lines, faults
}

func offlineRule(name string, r skill.OfflineRule) offline.Rule {
	out := offline.Rule{
		Name: r.Name, Skill: name, Match: r.Match, Take: r.Take, Answer: r.Answer, Otherwise: r.Otherwise, Words: r.Words, Example: r.Example,
	}
	for _, a := range r.Run {
		out.Run = append(out.Run, offline.Action(a))
	}
	return out
}

func (p *product) offlineTrusted(k *skill.Skill) bool {
	if k.Root.Scope != skill.Project || p.content == nil {
		return true
	}
	return p.content.programs(k.Dir) == ""
}

// offlineFacts are what doctor says of these rules: only what is wrong with them.
func (p *product) offlineFacts(set *skill.Set) (facts []command.Fact) {
	for _, k := range set.All() {
		_, notes := k.Offline()
		for _, d := range notes {
			facts = append(facts, command.Fact{
				Group: "skills", Name: filepath.Base(d.File) + ": " + string(d.Code), Value: p.host.Msg.Err(d.Reason), Origin: d.Place(),
				Bad: d.Severity == skill.Error, Fix: p.host.Msg.Err(d.Fix),
			})
		}
	}
	return facts
}
