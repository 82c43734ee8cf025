package command

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/skill"
)

// skillShowCommand shows one skill: what its header says, where it is, its files and its text.
func skillShowCommand() Command {
	return Command{
		Name: "skill show", Args: "NAME", Help: msg.HelpSkillShow, Shell: true, Min: 1, Max: 1, Lenient: true,
		Flags: []Flag{jsonFlag()},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			in.JSON = in.wantsJSON()
			set, err := known(ctx, h, true)
			if err != nil {
				return Outcome{}, err
			}
			if set != nil {
				if k, ok := set.Find(in.Args[0]); ok {
					return Outcome{}, showSkill(ctx, h, in, k)
				}
			}
			return Outcome{}, notShown(ctx, h, in, set)
		},
	}
}

// notShown says why a skill cannot be shown.
func notShown(ctx context.Context, h *Host, in Input, set *skill.Set) error {
	rows, err := skillRows(ctx, h)
	if err != nil {
		return err
	}
	want := skill.NormalizeSkillName(in.Args[0])
	for _, r := range rows {
		if skill.NormalizeSkillName(r.Name) == want {
			why := strings.Join(slices.DeleteFunc([]string{r.Path, r.Reason}, func(s string) bool { return s == "" }), ": ")
			return usage(msg.InstallNotLoaded, r.Name, h.Msg.Text(stateWord(r.State)), why)
		}
	}
	var names []string
	if set != nil {
		for _, k := range set.All() {
			if !k.Command() {
				names = append(names, k.Name)
			}
		}
	}
	if len(names) == 0 {
		return usage(msg.SkillUnknownNone, in.Args[0])
	}
	return usage(msg.SkillUnknown, in.Args[0], clip(strings.Join(names, ", "), 300))
}

// shownSkill is a skill for programs.
type shownSkill struct {
	skillRow
	Header map[string]string `json:"header"`
	Files  []string          `json:"files"`
	Body   string            `json:"body"`
}

func showSkill(ctx context.Context, h *Host, in Input, k *skill.Skill) error {
	body, err := k.Body()
	if err != nil {
		return err
	}
	out := shownSkill{skillRow: rowOf(ctx, h, k), Header: k.Fields, Files: filesOf(k), Body: body}
	if in.JSON {
		return printJSON(in, out)
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + strings.ReplaceAll(strings.TrimSpace(value), "\n", "\n  ") + "\n")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.Fields)) {
		line(name, k.Fields[name])
	}
	for _, name := range slices.Sorted(maps.Keys(k.Metadata)) {
		line("metadata."+name, k.Metadata[name])
	}
	b.WriteString("\n")
	line(h.Msg.Text(msg.ShowPath), k.File)
	line(h.Msg.Text(msg.ShowState), scopeWord(h, out.Scope)+h.Msg.Text(msg.ListComma)+stateText(h, &out.skillRow))
	if out.Source != "" {
		line(h.Msg.Text(msg.ShowSource), strings.TrimSuffix(out.Source+"#"+out.Ref, "#")+" "+out.Commit)
	}
	line(h.Msg.Text(msg.ShowChanged), strings.Join(out.Changed, ", "))
	line(h.Msg.Text(msg.ShowNotes), out.Reason)
	line(h.Msg.Text(msg.ShowFiles), strings.Join(out.Files, "\n"))
	return in.printf("%s\n%s\n", text.Clean([]byte(b.String())), text.Clean([]byte(body)))
}

// stateText is what became of a skill.
func stateText(h *Host, r *skillRow) string {
	state := h.Msg.Text(stateWord(r.State))
	if r.Held && r.State != stateHeld {
		state += h.Msg.Text(msg.ListComma) + h.Msg.Text(msg.StateHeld)
	}
	return state
}

// rowOf is the skill's row in the list.
func rowOf(ctx context.Context, h *Host, k *skill.Skill) skillRow {
	rows, err := skillRows(ctx, h)
	if i := slices.IndexFunc(rows, func(r skillRow) bool { return r.Path == k.File }); err == nil && i >= 0 {
		return rows[i]
	}
	return skillRow{Name: k.Name, Scope: string(k.Root.Scope), State: stateSkipped, Path: k.File}
}

// listedFiles bounds the files that are named.
const listedFiles = 1000

// filesOf lists the files of a skill's folder.
func filesOf(k *skill.Skill) []string {
	if k.Flat {
		return []string{}
	}
	root, err := os.OpenRoot(k.Dir)
	if err != nil {
		return []string{}
	}
	defer func() { _ = root.Close() }()
	out := []string{}
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch base := path.Base(p); {
		case err != nil || len(out) >= listedFiles:
			return fs.SkipAll
		case d.IsDir() && (base == ".git" || base == "node_modules" || base == "__pycache__"):
			return fs.SkipDir
		case !d.IsDir():
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		return []string{}
	}
	return out
}
