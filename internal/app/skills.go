package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/policy"
	"react-agent/kit/skill"
	"react-agent/kit/team"
)

// openSkills reads the skills of a place anew: what a person has added is there in the next session.
func (p *product) openSkills(ctx context.Context, w *world) (*skill.Set, error) {
	strict := p.face.Skills.Strict
	if p.c.Skills.Strict != nil {
		strict = *p.c.Skills.Strict
	}
	set, err := skill.Load(ctx, skill.Options{
		Roots: p.skillRoots(w.root), Untrusted: !p.content.Trusted(), Strict: strict, Loose: p.face.Skills.Loose, Installed: p.installed(w.root),
		Texts: skill.Named(p.face.Skills.Texts), View: p.face.Shown("skill_view"), ProjectDir: w.root, Effort: p.settings(p.c.Provider, p.modelName()).Effort,
		Run:  func(ctx context.Context, c skill.Command) (string, error) { return p.runSkillCommand(ctx, w, c) },
		File: w.readsFor,
		Attach: func(ctx context.Context, s *agent.Session, text string) []agent.Part {
			return p.attachedTo(ctx, w, s, text)
		},
		Pipeline:  func(k *skill.Skill) (string, skill.Entry, bool) { return p.pipelineOf(w, k) },
		Needs:     func(k *skill.Skill) string { return p.needsOf(w, k) },
		Fork:      p.forkSkill,
		KnownTool: knownTool, CheckRule: checkRule, Meets: w.policy.Meets,
	})
	if err != nil {
		return nil, err
	}
	lines, err := p.openPipelines(w, set)
	if err != nil {
		return nil, err
	}
	p.places.Lock()
	first := !p.toldSkills
	p.toldSkills = true
	w.skills, w.lines = set, lines
	p.places.Unlock()
	if first && p.o.Works {
		p.tellSkipped(set)
	}
	p.tellPipelines(lines)
	return set, p.teach(set)
}

// maxSkipped bounds the lines at the start; doctor has them all.
const maxSkipped = 5

// tellSkipped names at the start the skills that were left out, and why.
func (p *product) tellSkipped(set *skill.Set) {
	c := msg.For(p.c.Language)
	n := 0
	for _, f := range set.Doctor() {
		for _, d := range f.Diagnostics {
			if d.Severity != skill.Error || f.Held { // one line about trust is about all of those
				continue
			}
			if n++; n <= maxSkipped {
				p.warn(c.Text(msg.SkillSkipped, d.In(c)))
			}
		}
	}
	if n > maxSkipped {
		p.warn(c.Text(msg.SkillSkippedMore, n-maxSkipped))
	}
}

// skillRoots are the places of skills, first those that win: those the configuration names, the project's, the person's.
func (p *product) skillRoots(root string) []skill.Root {
	var roots []skill.Root
	for _, path := range p.c.Skills.Paths {
		roots = append(roots, p.configured(path))
	}
	settings := ""
	if dirs, err := config.FindDirs(p.o.Env); err == nil {
		settings = filepath.Dir(dirs.Config)
	}
	roots = append(roots, p.usualRoots(root, settings)...)
	return append(roots, p.shippedRoot()...)
}

// configured is a place that the configuration names. One in the project holds what the project brings, whoever named it.
func (p *product) configured(path string) skill.Root {
	top, there := p.c.Project(), path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		there = resolved
	}
	if rel, err := filepath.Rel(top, there); err == nil && filepath.IsLocal(rel) {
		return skill.Root{Path: path, Scope: skill.Project, Within: top}
	}
	return skill.Root{Path: path, Scope: skill.User}
}

// runSkillCommand runs a command that stands in a skill's text.
func (p *product) runSkillCommand(ctx context.Context, w *world, c skill.Command) (string, error) {
	p.places.Lock()
	set := w.skills
	p.places.Unlock()
	if err := p.mayRunSkill(ctx, set, c.Skill); err != nil {
		return "", err
	}
	r, err := p.inner(ctx, w, innerCommand{call: c.Call, text: c.Text, shell: c.Shell})
	if err != nil {
		return "", err
	}
	out := p.innerOutput(&r)
	if r.Failed() {
		return "", fmt.Errorf("%s: %s", r.Status(), out)
	}
	return out, nil
}

// checkRule says what is wrong with a rule of permissions.
func checkRule(text string) error {
	_, err := policy.ParseRule(text)
	return err
}

// forkSkill has a child of the session work on a skill: it knows the skill's text and nothing else.
func (p *product) forkSkill(ctx context.Context, f skill.Fork) (agent.Result, error) {
	if looking(ctx) {
		return agent.Result{}, msg.Errorf(msg.RequestNotRun)
	}
	parent, _, _ := strings.Cut(f.Call.Key, "/")
	r, err := p.team.Run(ctx, team.Task{
		Key: f.Call.Key, Parent: parent, Name: f.Skill.Name, Title: f.Skill.Title(), Type: f.Skill.Agent, AnyType: true, All: true, Text: f.Prompt,
		Model: f.Skill.Model, Effort: f.Skill.Effort, State: f.State,
	})
	if err != nil {
		return agent.Result{}, err
	}
	return r.Result(0), nil
}

// skillsOf gives the skills of a session, as its agent has them or would have them.
func (p *product) skillsOf(ctx context.Context, session string) (*skill.Set, error) {
	w, err := p.world(ctx, session)
	if err != nil {
		return nil, err
	}
	p.places.Lock()
	set := w.skills
	p.places.Unlock()
	if set != nil {
		return set, nil
	}
	return p.openSkills(ctx, w)
}

// skillFacts are what doctor says of skills: all that was found, and what became of it.
func (p *product) skillFacts(ctx context.Context) []command.Fact {
	set, err := p.skillsOf(ctx, "")
	if err != nil {
		return []command.Fact{{Group: "skills", Name: "skills", Value: p.host.Msg.Err(err), Bad: true}}
	}
	var facts []command.Fact
	for _, f := range set.Doctor() {
		told := slices.ContainsFunc(f.Diagnostics, func(d skill.Diagnostic) bool { return d.Severity == skill.Error })
		facts = append(facts, command.Fact{ // that it was left out is one problem, whatever lines tell of it
			Group: "skills", Name: or(f.Name, filepath.Base(f.Path)), Value: string(f.Status), Origin: f.Path, Bad: f.Status == skill.Skipped && !told,
		})
		for _, d := range f.Diagnostics {
			facts = append(facts, command.Fact{
				Group: "skills", Name: string(d.Code), Value: p.host.Msg.Err(d.Reason), Origin: d.Place(),
				Bad: d.Severity == skill.Error, Fix: p.host.Msg.Err(d.Fix),
			})
		}
	}
	return append(facts, p.offlineFacts(set)...)
}
