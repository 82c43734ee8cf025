package command

import (
	"context"
	"fmt"
	"path/filepath"

	"react-agent/internal/msg"
	"react-agent/kit/skill"
)

// skillLintCommand checks skills as their authors want it.
func skillLintCommand() Command {
	return Command{
		Name: "skill lint", Args: "[NAME | PATH]...", Help: msg.HelpSkillLint, Max: -1, Shell: true, Lenient: true,
		Flags: []Flag{jsonFlag()},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			list, skipped, err := h.LintSkills(ctx, in.Args)
			if err != nil {
				return Outcome{}, err
			}
			r := lintReport(h, list)
			r.Installed = skipped
			if in.wantsJSON() {
				err = printJSON(in, r)
			} else {
				err = printLint(h, in, &r)
			}
			if err == nil && r.Errors > 0 {
				err = ErrSaid
			}
			return Outcome{}, err
		},
	}
}

// lintFinding is one thing that is said of a skill.
type lintFinding struct {
	Skill    string         `json:"skill,omitempty"`
	File     string         `json:"file"`
	Line     int            `json:"line"` // 1 also stands for the file as a whole
	Code     skill.Code     `json:"code"`
	Severity skill.Severity `json:"severity"`
	Text     string         `json:"text"`
	Fix      string         `json:"fix,omitempty"`
}

type lintResult struct {
	Skills    int           `json:"skills"`
	Installed int           `json:"installed_skipped,omitempty"`
	Errors    int           `json:"errors"`
	Warnings  int           `json:"warnings"`
	Hints     int           `json:"hints"`
	Findings  []lintFinding `json:"findings"`
}

func lintReport(h *Host, list []skill.Linted) lintResult {
	r := lintResult{Findings: []lintFinding{}}
	for _, l := range list {
		if l.Name != "" {
			r.Skills++
		}
		for _, d := range l.Diagnostics {
			switch d.Severity {
			case skill.Error:
				r.Errors++
			case skill.Hint:
				r.Hints++
			default:
				r.Warnings++
			}
			r.Findings = append(r.Findings, lintFinding{
				Skill: l.Name, File: shorter(h.WorkDir, d.File), Line: max(1, d.Line), Code: d.Code, Severity: d.Severity,
				Text: h.Msg.Err(d.Reason), Fix: h.Msg.Err(d.Fix),
			})
		}
	}
	return r
}

// shorter is a path as seen from dir, if it is there.
func shorter(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func printLint(h *Host, in Input, r *lintResult) error {
	for _, f := range r.Findings {
		text := f.Text
		switch f.Severity {
		case skill.Warn:
			text += h.Msg.Text(msg.LintWarn)
		case skill.Hint:
			text += h.Msg.Text(msg.LintHint)
		case skill.Error:
		}
		if err := in.printf("%s\n", oneLine(fmt.Sprintf("%s:%d: %s: %s -> %s", f.File, f.Line, f.Code, text, f.Fix))); err != nil {
			return err
		}
	}
	if r.Installed > 0 {
		if err := in.printf("%s\n", h.Msg.Text(msg.LintInstalled, r.Installed)); err != nil {
			return err
		}
	}
	if r.Skills == 0 && len(r.Findings) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.LintNone))
	}
	return in.printf("%s\n", h.Msg.Text(msg.LintTotal, r.Skills, r.Errors, r.Warnings, r.Hints))
}
