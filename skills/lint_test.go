package skills_test

import (
	"context"
	"slices"
	"testing"

	"react-agent/kit/pipeline"
	"react-agent/kit/profile"
	"react-agent/kit/skill"
	"react-agent/tool"
)

// What we ship is as we ask of others: no finding at all, not even a hint.
func TestShippedSkillsHaveNoFaults(t *testing.T) {
	set, err := skill.Load(t.Context(), skill.Options{Strict: true, Roots: []skill.Root{{Path: abs(t, "."), Scope: skill.Project}}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tl := range slices.Concat(tool.All(tool.Env{Root: t.TempDir()}), set.Tools()) {
		names = append(append(names, tl.Name), tl.Aliases...)
	}
	for _, p := range profile.Names() {
		face, err := profile.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		for ours, f := range face.Tools {
			names = append(append(names, ours, f.Show), f.Aliases...)
		}
	}
	for _, want := range []string{"run_shell_command", "spawn_subagent", "skills_list", "skill_view", "get_skill", "run_script"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among the names that are looked for", want)
		}
	}
	list, err := set.Lint(t.Context(), skill.LintOptions{
		Tools:   names,
		Tracked: func(context.Context, string) ([]string, error) { return nil, nil },
		Pipeline: func(dir string) []skill.Diagnostic {
			_, problems := pipeline.LoadSettings(dir)
			for _, p := range problems {
				t.Errorf("%s:%d: %s: %v", p.File, p.Line, p.Field, p.Reason)
			}
			return nil
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 8 {
		t.Errorf("only %d skills were found", len(list))
	}
	for _, l := range list {
		for _, d := range l.Diagnostics {
			t.Error(d.String())
		}
	}
}
