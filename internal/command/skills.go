package command

import (
	"context"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/skill"
)

// skillPrefix reaches a skill behind a command of ours that has its name.
const skillPrefix = "skill:"

// helpSkills is how many skills the help lists, columns how wide a description on one line is.
const (
	helpSkills = 12
	columns    = 76
)

// skillsCommand lists the skills and commands of the session, without the model.
func skillsCommand() Command {
	return Command{
		Name: "skills", Help: msg.HelpSkills, Slash: true, Prose: true,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			set, err := skillsOf(ctx, h, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, printSkills(h, in, set)
		},
	}
}

func printSkills(h *Host, in Input, set *skill.Set) error {
	var own, commands []*skill.Skill
	var findings []skill.Finding
	if set != nil {
		findings = set.Doctor()
		for _, k := range set.All() {
			if k.Command() {
				commands = append(commands, k)
			} else {
				own = append(own, k)
			}
		}
	}
	var b strings.Builder
	if len(own) > 0 {
		b.WriteString(h.Msg.Text(msg.SkillsTitle, len(own)) + "\n" + skillLines(h, set, own))
	}
	if len(commands) > 0 {
		b.WriteString(h.Msg.Text(msg.CommandsTitle, len(commands)) + "\n" + skillLines(h, set, commands))
	}
	if b.Len() == 0 {
		b.WriteString(h.Msg.Text(msg.SkillsNone) + "\n")
	}
	skipped, held := leftOut(findings)
	if held > 0 {
		b.WriteString(h.Msg.Text(msg.SkillsHeld, held) + "\n")
	}
	if skipped > 0 {
		b.WriteString(h.Msg.Text(msg.SkillsSkipped, skipped) + "\n")
	}
	return in.printf("%s", b.String())
}

// leftOut counts the skills that cannot be loaded, and those that wait for trust.
func leftOut(findings []skill.Finding) (skipped, held int) {
	for _, f := range findings {
		switch {
		case f.Status != skill.Skipped:
		case slices.ContainsFunc(f.Diagnostics, func(d skill.Diagnostic) bool { return d.Code == skill.Untrusted }):
			held++
		default:
			skipped++
		}
	}
	return skipped, held
}

// skillLines has one line a skill: how it is called, what it is for, and who may call it if not everybody.
func skillLines(h *Host, set *skill.Set, list []*skill.Skill) string {
	var b strings.Builder
	for _, k := range list {
		typed, mark := called(k)+hint(k), whose(h, k)
		if tool := set.Needs(k); tool != "" {
			typed, mark = k.Name, h.Msg.Text(msg.SkillNoTool, h.Profile, profilesWith(tool))
		}
		b.WriteString(helpLine(typed, strings.TrimSpace(headOf(k.Title(), columns)+" "+mark)))
	}
	return b.String()
}

// headOf is the beginning of a text, as wide as that; a Chinese character is two wide.
func headOf(s string, wide int) string {
	for i, r := range s {
		if wide -= text.Width(r); wide < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// called is how a person calls a skill; one that only the model may call has no slash.
func called(k *skill.Skill) string {
	switch {
	case !k.ByUser:
		return k.Name
	case builtIn(k.Name):
		return "/" + skillPrefix + k.Name
	}
	return "/" + k.Name
}

func hint(k *skill.Skill) string {
	if k.ArgumentHint == "" || !k.ByUser {
		return ""
	}
	return " " + headOf(k.ArgumentHint, columns/2)
}

// whose marks what is not open to everybody.
func whose(h *Host, k *skill.Skill) string {
	switch {
	case !k.ByUser && !k.ByModel:
		return h.Msg.Text(msg.SkillNobody)
	case !k.ByUser:
		return h.Msg.Text(msg.SkillByModel)
	case builtIn(k.Name):
		return h.Msg.Text(msg.SkillHidden, "/"+skill.NormalizeSkillName(k.Name))
	case !k.ByModel && !k.Command():
		return h.Msg.Text(msg.SkillByUser)
	}
	return ""
}

// helpSkillLines are the first skills that a person can call, for the help.
func helpSkillLines(ctx context.Context, h *Host, session string) (string, error) {
	set, err := skillsOf(ctx, h, session)
	if err != nil || set == nil {
		return "", err
	}
	list := set.ForUser()
	if len(list) == 0 {
		return "", nil
	}
	out := h.Msg.Text(msg.HelpOwn) + "\n" + skillLines(h, set, list[:min(len(list), helpSkills)])
	if more := len(list) - helpSkills; more > 0 {
		out += "  " + h.Msg.Text(msg.HelpMoreSkills, more) + "\n"
	}
	return out, nil
}
