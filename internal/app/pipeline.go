package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
	"react-agent/kit/pipeline"
	"react-agent/kit/policy"
	"react-agent/kit/skill"
	"react-agent/kit/team"
	"react-agent/tool"
)

// openPipelines makes the pipelines of the skills that have a program for it.
func (p *product) openPipelines(w *world, set *skill.Set) (*pipeline.Pipelines, error) {
	var list []pipeline.Skill
	for _, k := range set.All() {
		if isPipeline(k) {
			list = append(list, pipeline.Skill{Name: k.Name, Dir: k.Dir})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	var refused []string // commands that hold one of these
	if p.face.Blocklist {
		refused = policy.SourceBlocklist()
	}
	out, err := pipeline.New(pipeline.Options{
		Avoid: refused, Skills: list, WorkDir: w.root, KV: p.store, Log: p.log.logger, Mask: p.secrets.Mask, Lang: string(p.c.Language),
		Run:     func(ctx context.Context, c pipeline.Command) (pipeline.Outcome, error) { return p.runStep(ctx, w, c) },
		Ask:     p.askStep,
		Files:   stepFiles{w},
		Trusted: func(ctx context.Context, s pipeline.Skill) error { return p.mayRunSkill(ctx, set, s.Name) },
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// tellPipelines names at the start what is wrong with them.
func (p *product) tellPipelines(lines *pipeline.Pipelines) {
	if lines == nil || !p.o.Works {
		return
	}
	p.places.Lock()
	first := !p.toldPipelines
	p.toldPipelines = true
	p.places.Unlock()
	if first {
		c := msg.For(p.c.Language)
		for _, x := range lines.Problems() {
			p.warn(c.Text(msg.PipelineProblem, x.Skill, x.In(c)))
		}
	}
}

// isPipeline reports whether a skill has a program that leads through phases. Most have none, so the cheap look comes first.
func isPipeline(k *skill.Skill) bool {
	for _, name := range []string{"scripts/run.py", pipeline.SettingsFile} {
		if _, err := os.Lstat(filepath.Join(k.Dir, filepath.FromSlash(name))); err == nil && k.Has(name) {
			return true
		}
	}
	return false
}

// pipelineParts are the tools and the hook of pipelines, if there are any.
func (p *product) pipelineParts(w *world) (tools []agent.Tool, hook agent.Hook) {
	p.places.Lock()
	lines := w.lines
	p.places.Unlock()
	if lines == nil {
		return nil, agent.Hook{Name: "pipeline"}
	}
	tools = lines.Tools()
	if w.box != nil { // all that they run is held, so a call is no more than what it writes
		for i := range tools {
			tools[i].Effect = agent.Writes
		}
	}
	return tools, lines.Hook()
}

// mayRunSkill says whether a skill's program, or a command in its text, may run. What the project or somebody else brought has to be trusted as it is
// now; what the person has written, or what is shipped, may.
func (p *product) mayRunSkill(ctx context.Context, set *skill.Set, name string) error {
	k, ok := set.Find(name)
	if !ok {
		return msg.Errorf(msg.PipelineGone)
	}
	if k.Root.Scope != skill.Project && !k.Installed {
		return nil
	}
	if k.Flat {
		return p.content.Runs(ctx, k.File, nil)
	}
	return p.content.Runs(ctx, k.Dir, nil)
}

// stepKeep is how much of each end of a step's output is kept.
const stepKeep = 256 << 10

// runStep runs a command of a pipeline as the shell tool would; the skill's own program needs no permission of its own.
func (p *product) runStep(ctx context.Context, w *world, c pipeline.Command) (pipeline.Outcome, error) {
	in := innerCommand{
		call: c.Call, text: c.Text, args: c.Args, own: ownRules(c.Own), keep: stepKeep, timeout: c.Timeout, output: c.Show,
		vars: append([]string{"PYTHONPYCACHEPREFIX=" + filepath.Join(p.dir, "cache", "python")}, c.Env...),
		ask: func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
			q.ID = c.ID // a step that is done is not asked about again after a restart
			return agent.AskUser(ctx, q)
		},
	}
	if strings.Contains(c.Text, "\n") {
		in.before = "set -e\n"
	}
	r, err := p.inner(ctx, w, in)
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) && len(c.Args) > 0 {
			err = msg.Errorf(msg.PipelineProgram, c.Args[0])
		}
		return pipeline.Outcome{}, err
	}
	out := pipeline.Outcome{
		Output: slices.Concat(r.Head, r.Tail), Errors: text.Clean(r.Errors), Lost: r.Lost, Code: r.Code, Status: r.Status(), TimedOut: r.TimedOut,
	}
	if w.box != nil && r.Failed() {
		out.Why = w.box.Explain(text.Clean(out.Output) + "\n" + out.Errors)
	}
	if r.Human != "" {
		out.Why = strings.TrimSpace(out.Why + "\n[needs a human: " + r.Human + "]")
		out.Code = or(out.Code, -1)
	}
	return out, nil
}

// ownRules allow commands that begin so.
func ownRules(own [][]string) (rules []policy.Rule) {
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `"`, `\"`, `'`, `\'`, ` `, `\ `)
	for _, words := range own {
		spec := make([]string, 0, len(words))
		for _, word := range words {
			spec = append(spec, escape.Replace(word))
		}
		if rule, err := policy.ParseRule("bash(" + strings.Join(spec, " ") + " *)"); err == nil { // else it is asked about
			rules = append(rules, rule)
		}
	}
	return rules
}

// stepFiles are the files of a pipeline's sub-agents, read and written as read_file and write_file do.
type stepFiles struct{ w *world }

// stepCut is more than any file that a sub-agent is given, in characters: the pipeline has bounds of its own.
const stepCut = 64 << 20

// Read implements [pipeline.Files]. Where a skill lies, and what the pipeline may look at, is its own matter; the rules
// for reading hold.
func (f stepFiles) Read(ctx context.Context, call, path string) (string, error) {
	err := f.w.policy.PermitFile(ctx, policy.InnerFile{Call: call, Path: path}, func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
		q.ID = "read " + path // not asked about again after a restart
		return agent.AskUser(ctx, q)
	})
	if err != nil {
		return "", err
	}
	env := f.w.env
	env.Cut, env.Vision, env.Files, env.Confine = stepCut, false, false, false
	raw, err := agent.EncodeJSON(map[string]string{"path": path})
	if err != nil {
		return "", err
	}
	r, err := tool.ReadFile(env).Run(ctx, agent.Call{Name: "read_file", Args: raw})
	if err != nil {
		return "", err
	}
	if r.Error || len(r.Parts) == 0 {
		return "", errors.New(strings.TrimPrefix(r.Text(), "Error: "))
	}
	return r.Parts[0].Text, nil // the rest are notes about the file
}

// Write implements [pipeline.Files].
func (f stepFiles) Write(ctx context.Context, call, path, content string) error {
	if err := f.w.policy.PermitFile(ctx, policy.InnerFile{Call: call, Path: path, Write: true}, agent.AskUser); err != nil {
		return err
	}
	if f.w.env.Secrets != nil {
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if _, err := f.w.env.Secrets.Restore(old, content); err != nil {
			return errors.Join(pipeline.ErrReply, err)
		}
	}
	return files{f.w.env}.Write(ctx, path, content)
}

// askStep has a child of the session do a step: it knows only its task, and has no tools.
func (p *product) askStep(ctx context.Context, t pipeline.Task) (pipeline.Reply, error) {
	parent, _, _ := strings.Cut(t.Call, "/")
	r, err := p.team.Run(ctx, team.Task{
		Key: t.Call + "/" + t.ID, Parent: parent, Name: "step", Title: text.Head(t.Name, 80), System: t.System, Text: t.Text,
		Timeout: t.Timeout, Driver: true,
	})
	out := pipeline.Reply{Text: r.Text, Steps: r.Steps}
	if !r.Usage.IsZero() {
		out.Usage = &r.Usage
	}
	if err == nil && r.State != team.Done {
		err = errors.New(or(r.Reason, string(r.State)))
	}
	return out, err
}

// pipelineFacts are what doctor says of pipelines: what is wrong with them.
func (p *product) pipelineFacts(ctx context.Context) (facts []command.Fact) {
	w, err := p.world(ctx, "")
	if err != nil {
		return nil
	}
	set, err := p.skillsOf(ctx, "")
	if err != nil {
		return nil // said by those of skills
	}
	lines, err := p.openPipelines(w, set)
	if err != nil {
		return []command.Fact{{Group: "pipelines", Name: "pipelines", Value: p.host.Msg.Err(err), Bad: true}}
	}
	if lines == nil {
		return nil
	}
	for _, t := range lines.Tools() {
		facts = append(facts, command.Fact{Group: "pipelines", Name: t.Name, Value: "ok"})
	}
	for _, x := range lines.Problems() {
		facts = append(facts, command.Fact{Group: "pipelines", Name: x.Skill, Value: x.In(p.host.Msg), Origin: x.File, Bad: x.Bad || x.Left})
	}
	return append(facts, pythonFact(p))
}

// pythonFact says whether what most pipelines run with is there.
func pythonFact(p *product) command.Fact {
	f := command.Fact{Group: "pipelines", Name: "python3"}
	path, err := shell.Find("python3")
	if f.Value = path; err != nil {
		f.Value, f.Bad = p.host.Msg.Err(msg.Errorf(msg.PipelineProgram, "python3")), true
	}
	return f
}
