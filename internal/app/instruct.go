package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
	"react-agent/kit/instruct"
	"react-agent/tool"
)

// openInstructions reads the standing orders that hold where a session works.
func (p *product) openInstructions(ctx context.Context, w *world) *instruct.Set {
	o := p.instructions(w.root)
	o.Project = p.content.Trusted()
	o.Touched = func(c agent.Call) []string { return w.touched(c) }
	o.Ignored = p.ignoredByGit
	o.Skipped = func(path string, why error) {
		c := msg.For(p.c.Language)
		if why != nil {
			p.warn(c.Text(msg.InstructForeign, text.Name(path), why))
			return
		}
		p.warn(c.Text(msg.InstructNested, text.Name(path)))
		if !p.content.refused {
			p.unrecorded(p.content.file.Meet(path))
		}
	}
	o.Refuse = func(path string) error { return w.mayRead(ctx, agent.NewSession(""), path) }
	o.Mask = p.secrets.Mask
	return instruct.Load(o)
}

// ignoredByGit asks git whether a directory is none of its repository's. Without git, or outside of a repository, it is not.
func (p *product) ignoredByGit(ctx context.Context, dir string) bool {
	r, err := shell.Run(ctx, shell.Cmd{
		Args: []string{"git", "-c", "core.fsmonitor=false", "check-ignore", "-q", "--", dir},
		Dir:  filepath.Dir(dir), Vars: p.o.Env, Hide: p.secretNames(), Timeout: 5 * time.Second, Keep: 1 << 10,
	})
	return err == nil && r.Code == 0
}

// instructions says where standing orders are.
func (p *product) instructions(dir string) instruct.Options {
	o := instruct.Options{Dir: dir, Top: p.c.ProjectOf(dir), Home: config.Getenv(p.o.Env, "HOME")}
	if dirs, err := config.FindDirs(p.o.Env); err == nil {
		o.Config = dirs.Config
	}
	return o
}

// touched lists the files that a call has read or changed.
func (w *world) touched(c agent.Call) (files []string) {
	if !slices.Contains([]string{"read_file", "write_file", "edit_file", "multi_edit", "apply_patch"}, c.Name) {
		return nil
	}
	list, _ := tool.Paths(w.env, agent.Tool{Name: c.Name}, c)
	for _, p := range list {
		files = append(files, p.Real)
	}
	return files
}

// mayRead says why a file may not be read unasked, as read_file would be judged; nil: it may.
func (w *world) mayRead(ctx context.Context, s *agent.Session, path string) error {
	raw, err := agent.EncodeJSON(map[string]string{"path": path})
	if err != nil {
		return err
	}
	d, err := w.policy.Hook().BeforeTool(ctx, s,
		agent.Tool{Name: "read_file", Effect: agent.Reads}, agent.Call{Key: "look", Name: "read_file", Args: raw})
	if err != nil || d.Verdict == agent.Pass {
		return err
	}
	return errors.New(strings.Join(strings.Fields(d.Reason), " "))
}

// surveyInstructions are the files of the project itself.
func (p *product) surveyInstructions() (found []brought) {
	o := p.instructions(p.c.WorkDir)
	o.Project = true
	for _, f := range instruct.Load(o).Findings() {
		if f.Scope != instruct.Project || f.Status == instruct.Skipped || f.Status == instruct.Same {
			continue
		}
		path := f.Path
		if resolved, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(resolved, filepath.Base(path))
		}
		found = append(found, brought{kind: msg.ContentInstr, name: relative(p.content.root, path), path: path})
	}
	for _, path := range p.content.file.Met(p.content.root) { // below the work directory, when it was touched
		if !slices.ContainsFunc(found, func(b brought) bool { return b.path == path }) {
			found = append(found, brought{kind: msg.ContentInstr, name: relative(p.content.root, path), path: path})
		}
	}
	return found
}

// instructionFacts are what doctor says of them.
func (p *product) instructionFacts() (facts []command.Fact) {
	o := p.instructions(p.c.WorkDir)
	o.Project = p.content.Trusted()
	for _, f := range instruct.Load(o).Findings() {
		fact := command.Fact{Group: "instructions", Name: f.Path, Value: string(f.Status), Origin: string(f.Scope)}
		if f.From != "" {
			fact.Origin = f.From + ":" + itoa(f.Line)
		}
		if f.Reason != nil {
			fact.Value += ": " + f.In(p.host.Msg)
		}
		switch f.Status {
		case instruct.Cut:
			fact.Bad, fact.Fix = true, p.host.Msg.Text(msg.InstructFixCut)
		case instruct.Skipped:
			fact.Bad = true
		case instruct.Taken, instruct.Same:
		}
		facts = append(facts, fact)
	}
	return facts
}
