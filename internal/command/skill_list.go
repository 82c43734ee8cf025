package command

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
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
	stateUnused   = "unused"
)

// The scope of skills that come with the program.
const scopeShipped = "shipped"

// skillRow is one skill in the list.
type skillRow struct {
	Name  string `json:"name"`
	Scope string `json:"scope"`
	State string `json:"state"`
	Loads bool   `json:"loads"`
	// Held says that it waits for the project to be trusted.
	Held   bool   `json:"held,omitempty"`
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
	set, err := known(ctx, h, false)
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
		unused := unusedShipped(h)
		for _, f := range set.Doctor() {
			if f.Command || isCopied(f) {
				continue
			}
			r := foundRow(h, f, states, used)
			if f.Scope == skill.System {
				if r.Scope = scopeShipped; r.Loads && unused != "" {
					r.State, r.Loads, r.Reason = stateUnused, false, unused
				}
			}
			rows = append(rows, r)
		}
	}
	for i := range states {
		if !used[i] {
			rows = append(rows, lockedRow(h, &states[i]))
		}
	}
	return rows, nil
}

// unusedShipped says who uses the skills that come with the program; "" if the profile at hand does.
func unusedShipped(h *Host) string {
	if h.ShippedUsers == nil {
		return ""
	}
	users := h.ShippedUsers()
	if users == nil {
		return ""
	}
	return h.Msg.Text(msg.SkillUnused, h.Profile, strings.Join(users, ", "))
}

// isCopied says that a skill that comes with the program is there as an unchanged copy, which stands for it.
func isCopied(f skill.Finding) bool {
	return f.Scope == skill.System && f.Status == skill.Shadowed && len(f.Diagnostics) == 0
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
			r.State, r.Held, r.Reason = stateHeld, true, h.Msg.Text(msg.InstallHeld)
		default:
			r.Held, r.Reason = true, h.Msg.Text(msg.InstallHeld)
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
	// Each column is as wide as what stands in it.
	table := [][]string{{h.Msg.Text(msg.ListName), h.Msg.Text(msg.ListScope), h.Msg.Text(msg.ListState), h.Msg.Text(msg.ListFile)}}
	for _, r := range rows {
		table = append(table, []string{r.Name, scopeWord(h, r.Scope), stateText(h, &r), placeText(h, &r)})
	}
	var wide [3]int
	for _, cells := range table {
		for i := range wide {
			wide[i] = max(wide[i], text.Columns(cells[i]))
		}
	}
	var common []string // said once, for all that it is true of
	for i, cells := range table {
		line := pad(cells[0], wide[0]) + "  " + pad(cells[1], wide[1]) + "  " + pad(cells[2], wide[2]) + "  " + cells[3]
		switch {
		case i == 0:
		case rows[i-1].State == stateUnused || rows[i-1].Held:
			if !slices.Contains(common, rows[i-1].Reason) {
				common = append(common, rows[i-1].Reason)
			}
		case rows[i-1].Reason != "":
			line += "\n    " + rows[i-1].Reason
		}
		if err := in.printf("%s\n", line); err != nil {
			return err
		}
	}
	if len(common) > 0 {
		return in.printf("\n%s\n", strings.Join(common, "\n"))
	}
	return nil
}

// placeText is where a skill lies, where it came from, and what is changed in it.
func placeText(h *Host, r *skillRow) string {
	text := shortPath(h, r.Path)
	if r.Path == "" {
		text = "-"
	}
	if r.Source != "" {
		text += "  <- " + r.Source
		if r.Ref != "" {
			text += "#" + r.Ref
		}
	}
	if len(r.Changed) > 0 {
		text += "  " + h.Msg.Text(msg.InstallChanged, clip(strings.Join(r.Changed, ", "), 120))
	}
	return text
}

// scopeWord is whose a skill is, in the person's language.
func scopeWord(h *Host, scope string) string {
	key, ok := map[string]msg.Key{
		string(skill.Project): msg.ScopeProject, string(skill.User): msg.ScopeUser, scopeShipped: msg.ScopeShipped,
	}[scope]
	if !ok {
		return "-"
	}
	return h.Msg.Text(key)
}

func stateWord(state string) msg.Key {
	return map[string]msg.Key{
		stateLoaded: msg.StateLoaded, stateShadowed: msg.StateShadowed, stateSkipped: msg.StateSkipped, stateHeld: msg.StateHeld,
		stateUnused:            msg.StateUnused,
		string(install.Intact): msg.StateInstalled, string(install.Modified): msg.StateModified,
		string(install.Missing): msg.StateMissing, string(install.Linked): msg.StateLinked,
	}[state]
}

// pad fills a word with blanks up to a width.
func pad(s string, wide int) string { return s + strings.Repeat(" ", max(0, wide-text.Columns(s))) }
