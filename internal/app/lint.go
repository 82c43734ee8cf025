package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/kit/pipeline"
	"react-agent/kit/profile"
	"react-agent/kit/secret"
	"react-agent/kit/skill"
	"react-agent/tool"
)

// lintSkills checks skills by name or path, or all of the project.
func (p *product) lintSkills(ctx context.Context, names []string) ([]skill.Linted, int, error) {
	w, err := p.world(ctx, "")
	if err != nil {
		return nil, 0, err
	}
	o := skill.LintOptions{
		Tools: p.everyTool(ctx, w), Secrets: findSecrets(secret.New(secret.Options{})), Pipeline: lintPipeline, Tracked: p.trackedProducts,
	}
	set, err := p.lintSet(ctx, p.skillRoots(w.root), p.installed(w.root))
	if err != nil {
		return nil, 0, err
	}
	if len(names) == 0 {
		all, err := set.Lint(ctx, o, p.ofProject)
		own := slices.DeleteFunc(slices.Clone(all), func(l skill.Linted) bool { return l.Installed })
		return own, len(all) - len(own), err
	}
	var out []skill.Linted
	for _, name := range names {
		list, err := p.lintOne(ctx, set, o, name)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, list...)
	}
	return out, 0, nil
}

func (p *product) lintSet(ctx context.Context, roots []skill.Root, installed func(path string) bool) (*skill.Set, error) {
	return skill.Load(ctx, skill.Options{Roots: roots, Strict: p.face.Skills.Strict, Installed: installed})
}

// lintOne checks one skill by its name, or what is at a path.
func (p *product) lintOne(ctx context.Context, set *skill.Set, o skill.LintOptions, name string) ([]skill.Linted, error) {
	if k, ok := set.Find(name); ok && !strings.ContainsAny(name, `/\`) {
		return set.Lint(ctx, o, func(f skill.Finding) bool { return f.Path == k.File })
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.c.WorkDir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		var known []string
		for _, k := range set.All() {
			known = append(known, k.Name)
		}
		return nil, &command.UsageError{Err: msg.Errorf(msg.LintUnknown, name, or(strings.Join(known, ", "), "-"))}
	case err != nil:
		return nil, err
	case !info.IsDir() && strings.EqualFold(info.Name(), "SKILL.md"):
		path = filepath.Dir(path)
	}
	there, err := p.lintSet(ctx, []skill.Root{{Path: path, Scope: skill.Project}}, nil)
	if err != nil {
		return nil, err
	}
	list, err := there.Lint(ctx, o, nil)
	if err == nil && len(list) == 0 {
		err = &command.UsageError{Err: msg.Errorf(msg.LintNothingHere, name)}
	}
	return list, err
}

// ofProject says whether a skill is part of the project, wherever the configuration has it from.
func (p *product) ofProject(f skill.Finding) bool {
	rel, err := filepath.Rel(p.c.Project(), f.Path)
	return f.Scope == skill.Project || err == nil && filepath.IsLocal(rel)
}

// everyTool lists the names of tools of all faces.
func (p *product) everyTool(ctx context.Context, w *world) []string {
	var out []string
	add := func(tools []agent.Tool) {
		for i := range tools {
			out = append(append(out, tools[i].Name, tools[i].Shown()), tools[i].Aliases...)
		}
	}
	add(tool.All(p.env(w)))
	add(w.jobs.Tools(nil))
	if set, err := skill.Load(ctx, skill.Options{Texts: skill.Classic()}); err == nil {
		add(set.Tools())
	}
	if a, err := p.forSession(ctx, ""); err == nil {
		add(a.Tools)
	}
	for _, name := range profile.Names() {
		face, err := profile.Load(name)
		if err != nil {
			continue // doctor says so
		}
		for ours, f := range face.Tools {
			out = append(append(out, ours, f.Show), f.Aliases...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// findSecrets names the lines in which the keeper finds something.
func findSecrets(k *secret.Keeper) func(text string) []skill.Secret {
	kind := regexp.MustCompile(`\[masked:([a-z0-9-]+):`)
	return func(text string) []skill.Secret {
		if k.Mask(text) == text {
			return nil
		}
		var out []skill.Secret
		n := 0
		for line := range strings.Lines(text) {
			n++
			masked := k.Mask(line)
			if masked == line {
				continue
			}
			s := skill.Secret{Line: n, Kind: "secret"}
			if m := kind.FindStringSubmatch(masked); m != nil {
				s.Kind = m[1]
			}
			out = append(out, s)
		}
		if len(out) > 0 {
			return out
		}
		// It goes over several lines.
		masked := k.Mask(text)
		same := 0
		for same < min(len(masked), len(text)) && masked[same] == text[same] {
			same++
		}
		return []skill.Secret{{Line: strings.Count(text[:same], "\n") + 1, Kind: "secret"}}
	}
}

// lintPipeline checks a skill's settings of its pipeline.
func lintPipeline(dir string) []skill.Diagnostic {
	file := filepath.Join(dir, pipeline.SettingsFile)
	if _, err := os.Lstat(file); err != nil {
		return nil // all defaults
	}
	settings, problems := pipeline.LoadSettings(dir)
	var out []skill.Diagnostic
	if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(settings.Entry))); err != nil || !info.Mode().IsRegular() {
		out = append(out, skill.Diagnostic{
			Code: skill.EntryMissing, Severity: skill.Error, File: file,
			Reason: msg.Errorf(msg.LintNoRun, settings.Entry), Fix: msg.Errorf(msg.LintFixNoRun),
		})
	}
	for _, x := range problems {
		d := skill.Diagnostic{
			Code: skill.SettingsInvalid, Severity: skill.Warn, File: x.File, Line: x.Line, Reason: x.Reason,
			Fix: msg.Errorf(msg.LintFixSettings),
		}
		if x.Bad {
			d.Severity = skill.Error
		}
		if x.Field != "" {
			d.Reason = msg.Errorf(msg.LintField, x.Field, x.Reason)
		}
		out = append(out, d)
	}
	return out
}

// trackedProducts asks git for the folders with products of runs that it keeps. No git and no repository keep nothing.
func (p *product) trackedProducts(ctx context.Context, dir string) ([]string, error) {
	r, err := shell.Run(ctx, shell.Cmd{
		Args: []string{
			"git", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "ls-files", "-z", "--full-name", "--",
			":(top,glob)**/" + products + "/**",
		},
		Dir: dir, Vars: p.o.Env, Hide: p.secretNames(), Timeout: 30 * time.Second, Keep: 1 << 20, Split: true,
	})
	if err != nil || r.Code != 0 {
		return nil, ctx.Err()
	}
	top := config.GitRoot(dir)
	var out []string
	for name := range strings.SplitSeq(string(r.Head)+string(r.Tail), "\x00") {
		before, _, ok := strings.Cut("/"+name, "/"+products+"/")
		if folder := filepath.Join(top, filepath.FromSlash(before), products); ok && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out, nil
}

// products is the folder of what runs of skills make.
const products = "skill_run"
