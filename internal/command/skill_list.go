package command

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/skill"
	"react-agent/kit/skill/install"
)

// skillListCommand lists every skill that loads here, and what does not.
func skillListCommand() Command {
	return Command{
		Name: "skill list", Help: msg.HelpSkillList, Shell: true, Lenient: true,
		Flags: []Flag{jsonFlag()},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			in.JSON = in.wantsJSON()
			rows, err := skillRows(ctx, h)
			if err != nil {
				return Outcome{}, err
			}
			if in.JSON {
				return Outcome{}, printJSON(in, map[string]any{"skills": rows})
			}
			return Outcome{}, printRows(h, in, rows)
		},
	}
}

// Words for the state of a skill, beside those of install.Status.
const (
	stateLoaded   = "loaded"
	stateShadowed = "shadowed"
	stateSkipped  = "skipped"
	stateHeld     = "held"
)

// skillRow is one skill in the list.
type skillRow struct {
	Name   string `json:"name"`
	Scope  string `json:"scope"`
	State  string `json:"state"`
	Loads  bool   `json:"loads"`
	Path   string `json:"path,omitempty"`
	Source string `json:"source,omitempty"`
	Ref    string `json:"ref,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Changed are files that differ from what was installed.
	Changed []string `json:"changed,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// skillRows puts together what the loader found and what the lock files record.
func skillRows(ctx context.Context, h *Host) ([]skillRow, error) {
	set, err := loaded(ctx, h)
	if err != nil {
		return nil, err
	}
	states, err := skillStore(h).States(ctx)
	rows := []skillRow{}
	if err != nil { // the lock files that cannot be read are named; everything else is listed
		rows = append(rows, skillRow{Name: "-", State: stateSkipped, Reason: h.Msg.Err(err)})
	}
	used := map[int]bool{}
	if set != nil {
		for _, f := range set.Doctor() {
			if f.Command {
				continue
			}
			rows = append(rows, foundRow(h, f, states, used))
		}
	}
	for i := range states {
		if !used[i] {
			rows = append(rows, lockedRow(h, &states[i]))
		}
	}
	return rows, nil
}

// foundRow is the row of something that the loader found.
func foundRow(h *Host, f skill.Finding, states []install.State, used map[int]bool) skillRow {
	r := skillRow{Name: f.Name, Scope: string(f.Scope), State: stateLoaded, Path: f.Path, Reason: reasons(h, f.Diagnostics)}
	if i := slices.IndexFunc(states, func(s install.State) bool { return holdsFile(&s, f.Path) }); i >= 0 {
		used[i] = true
		s := &states[i]
		r.State, r.Source, r.Ref, r.Commit, r.Changed = string(s.Status), s.Source, s.Ref, s.Commit, s.Changed
		if s.Reason != nil {
			r.Reason = strings.TrimPrefix(r.Reason+"; "+h.Msg.Err(s.Reason), "; ")
		}
	}
	switch f.Status {
	case skill.Shadowed:
		r.State = stateShadowed
	case skill.Skipped:
		held := slices.ContainsFunc(f.Diagnostics, func(d skill.Diagnostic) bool { return d.Code == skill.Untrusted })
		switch {
		case !held:
			r.State, r.Reason = stateSkipped, reasons(h, f.Diagnostics)
		case r.Source == "": // one that is installed is that, whether or not it may be used
			r.State, r.Reason = stateHeld, h.Msg.Text(msg.InstallHeld)
		default:
			r.Reason = h.Msg.Text(msg.InstallHeld)
		}
	case skill.Loaded:
		r.Loads = true
	}
	return r
}

// holdsFile says whether a file belongs to an installed skill.
func holdsFile(s *install.State, file string) bool {
	dir := realPath(filepath.Dir(file))
	return slices.ContainsFunc(s.Dirs, func(d string) bool { return realPath(d) == dir }) ||
		slices.ContainsFunc(s.Links, func(l string) bool { return realPath(l) == dir })
}

func realPath(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// lockedRow is the row of an entry that nothing was loaded for.
func lockedRow(h *Host, s *install.State) skillRow {
	r := skillRow{
		Name: s.Name, Scope: string(s.Place.Level), State: string(s.Status), Source: s.Source, Ref: s.Ref, Commit: s.Commit, Changed: s.Changed,
	}
	if len(s.Dirs) > 0 {
		r.Path = s.Dirs[0]
	}
	if s.Status == install.Missing {
		r.Reason = h.Msg.Text(msg.InstallMissing)
	}
	return r
}

func printRows(h *Host, in Input, rows []skillRow) error {
	if len(rows) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.InstallNone))
	}
	for _, r := range rows {
		line := pad(r.Name, 24) + " " + pad(r.Scope, 8) + " " + pad(h.Msg.Text(stateWord(r.State)), 11) + " " + shortPath(h, r.Path)
		if r.Source != "" {
			line += "  <- " + r.Source
			if r.Ref != "" {
				line += "#" + r.Ref
			}
		}
		if len(r.Changed) > 0 {
			line += "  " + h.Msg.Text(msg.InstallChanged, clip(strings.Join(r.Changed, ", "), 120))
		}
		if r.Reason != "" {
			line += "\n    " + r.Reason
		}
		if err := in.printf("%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

func stateWord(state string) msg.Key {
	return map[string]msg.Key{
		stateLoaded: msg.StateLoaded, stateShadowed: msg.StateShadowed, stateSkipped: msg.StateSkipped, stateHeld: msg.StateHeld,
		string(install.Intact): msg.StateInstalled, string(install.Modified): msg.StateModified,
		string(install.Missing): msg.StateMissing, string(install.Linked): msg.StateLinked,
	}[state]
}

// pad fills a word with blanks up to a width; a Chinese character is two wide.
func pad(s string, width int) string {
	n := 0
	for _, r := range s {
		if n++; r >= 0x1100 {
			n++
		}
	}
	return s + strings.Repeat(" ", max(0, width-n))
}
