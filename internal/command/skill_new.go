package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/skill"
)

// skillNewCommand makes a skill to begin with.
func skillNewCommand() Command {
	return Command{
		Name: "skill new", Args: "NAME", Help: msg.HelpSkillNew, Min: 1, Max: 1, Shell: true, Lenient: true,
		Flags: []Flag{
			{Name: "pipeline", Default: "false", Help: msg.FlagPipeline}, {Name: "dir", Help: msg.FlagSkillDir}, jsonFlag(),
		},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			name, dir := in.Args[0], in.Flags["dir"]
			if dir == "" {
				dir = filepath.Join(h.Config.ProjectOf(h.WorkDir), "skills")
			} else if !filepath.IsAbs(dir) {
				dir = filepath.Join(h.WorkDir, dir)
			}
			files, err := skill.Scaffold(dir, name, in.isSet("pipeline"))
			if err != nil {
				if _, ok := err.(msg.Translated); ok { //nolint:errorlint // only what is the person's mistake comes bare
					err = &UsageError{err}
				}
				return Outcome{}, err
			}
			for i, file := range files {
				files[i] = shorter(h.WorkDir, file)
			}
			at := shorter(h.WorkDir, filepath.Join(dir, name))
			if in.wantsJSON() {
				return Outcome{}, printJSON(in, map[string]any{"name": name, "dir": at, "files": files})
			}
			if err := in.printf("%s", newText(h, name, at, files, in.isSet("pipeline"))); err != nil {
				return Outcome{}, err
			}
			return Outcome{}, sayPlace(ctx, h, in, name, filepath.Join(dir, name))
		},
	}
}

func newText(h *Host, name, at string, files []string, pipeline bool) string {
	next := msg.NewNextSingle
	if pipeline {
		next = msg.NewNextPipeline
	}
	return fmt.Sprintf("%s\n  %s\n%s\n", h.Msg.Text(msg.NewMade, at), strings.Join(files, "\n  "), h.Msg.Text(next, at, name))
}

// sayPlace tells what stands between a new skill and its use, and which one of its name it takes the place of.
func sayPlace(ctx context.Context, h *Host, in Input, name, dir string) error {
	set, err := known(ctx, h, true)
	if err != nil || set == nil {
		return err
	}
	now, err := known(ctx, h, false)
	if err != nil {
		return err
	}
	for _, f := range set.Doctor() {
		if f.Command || f.Status != skill.Shadowed || skill.NormalizeSkillName(f.Name) != skill.NormalizeSkillName(name) {
			continue
		}
		at, key := f.Path, msg.NewShadows
		switch {
		case filepath.Dir(f.Path) == dir:
			key = msg.NewShadowed
			if first, ok := set.Find(name); ok {
				at = first.File
			}
		case f.Scope == skill.System:
			key = msg.NewShadowsShipped
		}
		if err := in.printf("%s\n", h.Msg.Text(key, name, shortPath(h, at))); err != nil {
			return err
		}
	}
	held := func(f skill.Finding) bool {
		return filepath.Dir(f.Path) == dir && slices.ContainsFunc(f.Diagnostics, func(d skill.Diagnostic) bool { return d.Code == skill.Untrusted })
	}
	if slices.ContainsFunc(now.Doctor(), held) {
		return sayUntrusted(h, in)
	}
	return nil
}
