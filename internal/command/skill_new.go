package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"react-agent/internal/config"
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
		Run: func(_ context.Context, h *Host, in Input) (Outcome, error) {
			name, dir := in.Args[0], in.Flags["dir"]
			if dir == "" {
				dir = filepath.Join(config.ProjectRoot(h.WorkDir), "skills")
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
			return Outcome{}, in.printf("%s", newText(h, name, at, files, in.isSet("pipeline")))
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
