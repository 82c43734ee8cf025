package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/skill/install"
)

// skillInstallCommand brings skills from elsewhere.
func skillInstallCommand() Command {
	return Command{
		Name: "skill install", Args: "SOURCE [SKILL...]", Help: msg.HelpSkillInstall, Shell: true, Min: 1, Max: -1, Lenient: true,
		Flags: []Flag{
			{Name: "skill", Short: "s", Help: msg.FlagSkill},
			{Name: "all", Default: "false", Help: msg.FlagAllSkills},
			{Name: "list", Short: "l", Default: "false", Help: msg.FlagListSkills},
			{Name: "ref", Help: msg.FlagRef},
			{Name: "name", Help: msg.FlagName},
			{Name: "copy", Default: "false", Help: msg.FlagCopy},
			globalFlag(), loseFlag(), yesFlag(), insecureFlag(), jsonFlag(),
		},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			in.JSON = in.wantsJSON()
			return Outcome{}, skillInstall(ctx, h, in)
		},
	}
}

// wanted are the names of skills that the person gave.
func wanted(in Input) []string {
	names := slices.Clone(in.Args[1:])
	for name := range strings.SplitSeq(in.Flags["skill"], ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	if in.isSet("all") {
		names = append(names, "*")
	}
	return names
}

func skillInstall(ctx context.Context, h *Host, in Input) (err error) {
	place, err := placeFor(h, in)
	if err != nil {
		return err
	}
	source, err := install.Parse(in.Args[0], h.WorkDir)
	if err == nil && in.Flags["ref"] != "" {
		source, err = source.WithRef(in.Flags["ref"])
	}
	if err != nil {
		return &UsageError{err}
	}
	names := wanted(in)
	b, err := fetcher(h, in).Fetch(ctx, source, len(names) > 0 && !slices.Contains(names, "*") || internalToo(h))
	if err != nil {
		return mistake(err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if in.isSet("list") {
		return listSource(ctx, h, in, b)
	}
	chosen, sure, err := b.Choose(names)
	if err != nil {
		return &UsageError{err}
	}
	if !sure {
		quiet := in
		if in.JSON {
			quiet.JSON, quiet.Out = false, io.Discard
		}
		if err := listSource(ctx, h, quiet, b); err != nil {
			return err
		}
		return usage(msg.InstallWhich, len(chosen))
	}
	var refused []install.Skipped
	if slices.Contains(names, "*") {
		refused = b.Skipped
	}
	return installChosen(ctx, h, in, place, b, chosen, refused)
}

// installChosen installs those skills that can be; refused are some that cannot.
func installChosen(
	ctx context.Context, h *Host, in Input, place install.Place, b *install.Bundle, chosen []install.Found, refused []install.Skipped,
) error {
	store := skillStore(h)
	changes, more, err := store.Plan(ctx, place, b, chosen, install.Ask{Name: in.Flags["name"], Copy: in.isSet("copy")})
	if err != nil {
		return mistake(err)
	}
	refused = slices.Concat(more, refused)
	changes, refused, err = apart(h, in, changes, refused)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return noneLeft(h, in, place, refused)
	}
	if err := sayRefused(h, in, place, refused); err != nil {
		return err
	}
	err = carryOutChanges(ctx, h, in, store, changes, func(n int) string {
		return h.Msg.Text(msg.InstallQuestion, n, b.Source.String())
	})
	if err == nil && len(refused) > 0 {
		err = msg.Errorf(msg.InstallNotAll, len(refused), len(changes)+len(refused))
	}
	return err
}

// apart takes out the changes by which something would be lost, unless that is wanted; they are shown all the same.
func apart(h *Host, in Input, changes []install.Change, refused []install.Skipped) (good []install.Change, bad []install.Skipped, err error) {
	for i := range changes {
		c := &changes[i]
		if c.Blocked == nil || in.isSet(wordForce) {
			good = append(good, *c)
			continue
		}
		refused = append(refused, install.Skipped{Name: c.Name, Reason: c.Blocked})
		if !in.JSON {
			err = errors.Join(err, printChange(h, in, c))
		}
	}
	return good, refused, err
}

// noneLeft is the error when every skill is refused.
func noneLeft(h *Host, in Input, place install.Place, refused []install.Skipped) error {
	var all []error
	for _, r := range refused {
		all = append(all, r.Reason)
	}
	if len(all) == 1 {
		if r := refused[0]; r.Path != "" {
			return mistake(fmt.Errorf("%s: %w", cmp.Or(r.Name, r.Path), r.Reason))
		}
		return mistake(all[0]) // it names what is in the way
	}
	if err := sayRefused(h, in, place, refused); err != nil {
		return err
	}
	return mistake(msg.Errorf(msg.InstallNotAll, len(all), len(all)))
}

// sayRefused names the skills that are not installed, each with its reason.
func sayRefused(h *Host, in Input, place install.Place, refused []install.Skipped) error {
	for _, r := range refused {
		name := cmp.Or(r.Name, r.Path)
		var err error
		if in.JSON {
			err = printJSON(in, installed{Name: name, Level: string(place.Level), Status: "failed", Error: h.Msg.Err(r.Reason)})
		} else {
			err = in.printf("%s\n", h.Msg.Text(msg.InstallRefusedOne, name, r.Reason))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// internalToo says whether skills for a source's own authors are shown.
func internalToo(h *Host) bool {
	v := config.Getenv(h.Options.Env, "INSTALL_INTERNAL_SKILLS")
	return v == "1" || v == "true"
}

// mistake tells what the person can mend in the command line from faults of this machine and of connections.
func mistake(err error) error {
	told, ok := errors.AsType[*msg.Error](err)
	if !ok || slices.Contains([]msg.Key{msg.InstallGit, msg.InstallSlow, msg.InstallNoGit}, told.Key) {
		return err
	}
	return &UsageError{err}
}

// listSource shows what a source offers, and what of it would be refused.
func listSource(ctx context.Context, h *Host, in Input, b *install.Bundle) error {
	if in.JSON {
		type one struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Path        string `json:"path,omitempty"`
			Refused     string `json:"refused,omitempty"`
		}
		type out struct {
			Source  string   `json:"source"`
			Commit  string   `json:"commit,omitempty"`
			Skills  []one    `json:"skills"`
			Skipped []string `json:"skipped,omitempty"`
		}
		o := out{Source: b.Source.String(), Commit: b.Commit, Skills: []one{}}
		for _, f := range b.Found {
			o.Skills = append(o.Skills, one{f.Name, f.Description, f.Path, h.Msg.Err(b.Refused(ctx, f))})
		}
		for _, s := range b.Skipped {
			o.Skipped = append(o.Skipped, s.Path+": "+h.Msg.Err(s.Reason))
		}
		return printJSON(in, o)
	}
	for _, f := range b.Found {
		text := f.Name + "\n    " + clip(f.Description, 200) + "\n"
		if why := b.Refused(ctx, f); why != nil {
			text += "    ! " + h.Msg.Text(msg.InstallWouldRefuse, why) + "\n"
		}
		if err := in.printf("%s", text); err != nil {
			return err
		}
	}
	for _, s := range b.Skipped {
		if err := in.printf("%s\n", h.Msg.Text(msg.InstallSkipped, s.Path, s.Reason)); err != nil {
			return err
		}
	}
	if len(b.Found) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.InstallNothing, b.Source.String()))
	}
	return nil
}

// installed is what became of one skill, for programs.
type installed struct {
	Name   string `json:"name"`
	Level  string `json:"level"`
	Path   string `json:"path,omitempty"`
	Status string `json:"status"` // installed, updated, restored, same, modified, gone, failed
	Error  string `json:"error,omitempty"`
}

// carryOutChanges shows changes, asks, and makes them.
func carryOutChanges(ctx context.Context, h *Host, in Input, store *install.Store, changes []install.Change, question func(n int) string) error {
	todo := 0
	for i := range changes {
		if !in.JSON {
			if err := printChange(h, in, &changes[i]); err != nil {
				return err
			}
		}
		if !changes[i].Same {
			todo++
		}
	}
	if todo > 0 {
		if err := agreed(h, in, question(todo)); err != nil {
			return err
		}
		if err := store.Apply(ctx, changes, in.isSet(wordForce)); err != nil {
			return mistake(err)
		}
		if err := trustChanges(h, changes); err != nil {
			return err
		}
	}
	project := false
	for i := range changes {
		project = project || changes[i].Place.Level == install.Project
		if err := reportChange(h, in, &changes[i]); err != nil {
			return err
		}
	}
	if project && todo > 0 {
		return sayUntrusted(h, in)
	}
	return nil
}

// trustChanges records that the person has seen what was installed: its programs are not asked about until they change.
func trustChanges(h *Host, changes []install.Change) error {
	if h.TrustSkill == nil {
		return nil
	}
	for i := range changes {
		if changes[i].Same {
			continue
		}
		for _, dir := range changes[i].Folders() {
			if err := h.TrustSkill(dir, changes[i].Shown()); err != nil {
				return err
			}
		}
	}
	return nil
}

// sayUntrusted says to a person that what is in the project is not used before the project is trusted.
func sayUntrusted(h *Host, in Input) error {
	if in.JSON || h.Untrusted == nil {
		return nil
	}
	if why := h.Untrusted(); why != "" {
		return in.printf("%s\n", h.Msg.Text(msg.InstallUntrusted, why))
	}
	return nil
}

func reportChange(h *Host, in Input, c *install.Change) error {
	status, key := "installed", msg.InstallDone
	switch {
	case c.Same && c.Old.Status == install.Modified:
		status, key = "modified", msg.InstallSameEdited
	case c.Same:
		status, key = "same", msg.InstallSame
	case c.Restores:
		status, key = "restored", msg.InstallRestored
	case c.Old != nil:
		status, key = "updated", msg.InstallUpdated
	}
	if in.JSON {
		return printJSON(in, installed{Name: c.Name, Level: string(c.Place.Level), Path: c.Dir, Status: status})
	}
	return in.printf("%s\n", h.Msg.Text(key, c.Name, shortPath(h, c.Dir)))
}

// shownFiles is how many files of a skill are named before it is installed.
const shownFiles = 40

// printChange shows what a change would do: each file, those that can be run first.
func printChange(h *Host, in Input, c *install.Change) error {
	if c.Same {
		return nil
	}
	scripts := 0
	diffs := slices.Clone(c.Diffs)
	for _, d := range diffs {
		if d.Script && d.What != install.Delete {
			scripts++
		}
	}
	head := h.Msg.Text(msg.InstallHead, c.Name, shortPath(h, c.Dir), len(c.Files), c.Files.Bytes(), scripts)
	if err := in.printf("%s\n", head); err != nil {
		return err
	}
	slices.SortStableFunc(diffs, func(a, b install.Diff) int { return weight(a) - weight(b) })
	for i, d := range diffs {
		if i == shownFiles {
			if err := in.printf("  %s\n", h.Msg.Text(msg.InstallMoreFiles, len(diffs)-i)); err != nil {
				return err
			}
			break
		}
		if err := in.printf("  %s\n", diffLine(h, d)); err != nil {
			return err
		}
	}
	for _, n := range c.Notes {
		if err := in.printf("  ! %s\n", h.Msg.Err(n)); err != nil {
			return err
		}
	}
	return nil
}

// weight puts first what matters most.
func weight(d install.Diff) int {
	switch {
	case d.Edited:
		return 0
	case d.Script:
		return 1
	}
	return 2
}

func diffLine(h *Host, d install.Diff) string {
	sign := map[install.Op]string{install.Add: "+", install.Replace: "~", install.Delete: "-"}[d.What]
	line := h.Msg.Text(msg.InstallFile, sign, d.Path, d.Size)
	if d.Script {
		line += h.Msg.Text(msg.InstallScript)
	}
	if d.Edited {
		line += h.Msg.Text(msg.InstallEditedMark)
	}
	return line
}
