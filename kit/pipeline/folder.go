package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/shell"
)

// maxTaken bounds the numbers behind a name.
const maxTaken = 9999

// start finds out which folder a call works in: its own from before a crash, the one it was told, or a new one.
func (r *run) start(ctx context.Context, query, dir string, fresh bool) error {
	old, rev, err := r.states.load(ctx, r.call)
	if err != nil {
		return err
	}
	r.rev = rev
	if old != nil && !fresh && old.Skill == r.skill.Name {
		r.rec, r.resumed, r.died = *old, true, old.Running
	} else if err := r.begin(ctx, query, dir); err != nil {
		return err
	}
	if err := r.checkFolder(); err != nil {
		return err
	}
	if !r.hold(r.rec.Dir) {
		return fmt.Errorf("another call is at work in %s: wait for its end", r.folder())
	}
	if r.died {
		r.endOrphans()
	}
	if r.rec.Mark == "" {
		r.rec.Mark = newMark()
	}
	r.rec.Owner, r.rec.Running = shell.Self(), true
	return r.save(ctx)
}

// begin makes the record of a call that is made for the first time: for the folder that it names, for that of a run with
// the same question that has not ended, or for a new one.
func (r *run) begin(ctx context.Context, query, dir string) error {
	r.rec = record{Call: r.call, Skill: r.skill.Name, Query: CleanQuery(query)}
	if dir == "" {
		var err error
		if dir, err = r.unfinished(ctx); err != nil {
			return err
		}
		r.found = dir != ""
	}
	if dir == "" {
		return r.newFolder(ctx)
	}
	return r.takeFolder(ctx, dir)
}

// unfinished finds the folder of a run that was begun with the same question and has come to no end; nobody is at work
// there. Empty: there is none.
func (r *run) unfinished(ctx context.Context) (string, error) {
	best, over := map[string]int{}, map[string]bool{}
	for d, err := range r.states.kv.List(ctx, kind) {
		if err != nil {
			return "", fmt.Errorf("states of pipelines: %w", err)
		}
		var was record
		if json.Unmarshal(d.Data, &was) != nil || was.Skill != r.skill.Name || was.Query != r.rec.Query || !r.canTake(was.Dir) {
			continue
		}
		best[was.Dir] = max(best[was.Dir], was.Step)
		over[was.Dir] = over[was.Dir] || was.Ended != "" || was.Running && was.Owner.Alive()
	}
	found := ""
	for _, dir := range slices.Sorted(maps.Keys(best)) {
		if !over[dir] && (found == "" || best[dir] > best[found]) {
			found = dir
		}
	}
	return found, nil
}

// canTake reports whether a folder is one of this pipeline's in this work directory, and still there.
func (r *run) canTake(dir string) bool {
	info, err := os.Lstat(dir)
	home := r.home()
	return err == nil && info.IsDir() && dir != home && inside(home, dir)
}

// home is the directory that the run folders are in.
func (r *run) home() string {
	before, _, _ := strings.Cut(r.set.RunDir, slugWord)
	return filepath.Dir(placed(before+"x", r.paths.work, folderName(r.skill.Name), ""))
}

// newFolder makes a folder that nobody has.
func (r *run) newFolder(ctx context.Context) error {
	root, err := os.OpenRoot(r.paths.work)
	if err != nil {
		return fmt.Errorf("the work directory: %w", err)
	}
	defer func() { _ = root.Close() }()
	base := without(Slug(r.rec.Query), r.o.Avoid)
	for n := 1; n <= maxTaken; n++ {
		slug := base
		if n > 1 {
			slug += "_" + strconv.Itoa(n)
		}
		rel := placed(r.set.RunDir, "", folderName(r.skill.Name), slug)
		if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
			return fmt.Errorf("the folder for runs: %w", err)
		}
		err := root.Mkdir(rel, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the run folder: %w", err)
		}
		r.rec.Slug, r.rec.Dir = slug, filepath.Join(r.paths.work, rel)
		return r.states.forget(ctx, r.rec.Dir, r.call)
	}
	return fmt.Errorf("all run folders from %s to %s_%d are taken", base, base, maxTaken)
}

// ignoreRuns makes the directory that holds all runs, with a word to git that nothing in it is to be kept. One that is there
// is left as it is; where it cannot be made, whoever needs it will say so.
func ignoreRuns(work, runDir string) {
	root, err := os.OpenRoot(work)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	top, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(runDir)), "/")
	if strings.Contains(top, "{") { // each run has its own: there is nothing that holds them all
		return
	}
	if root.Mkdir(top, 0o755) == nil {
		_ = root.WriteFile(filepath.Join(top, ".gitignore"), []byte("*\n"), 0o644)
	}
}

// takeFolder goes on with a folder that a person or the model names: its path, or its name alone.
func (r *run) takeFolder(ctx context.Context, given string) error {
	name := folderName(r.skill.Name)
	home, dir := r.home(), ""
	for _, at := range []string{given, filepath.Join(r.paths.work, given), placed(r.set.RunDir, r.paths.work, name, given)} {
		to, err := filepath.EvalSymlinks(at)
		if err != nil || !filepath.IsAbs(at) {
			continue
		}
		if info, err := os.Stat(to); err == nil && info.IsDir() && inside(home, to) && to != home {
			dir = to
			break
		}
	}
	if dir == "" {
		return fmt.Errorf("run_dir %q is no run folder of this pipeline; they are in %s%s", given, home, foldersIn(home))
	}
	last, busy, err := r.states.ofDir(ctx, dir, r.call)
	if err != nil {
		return err
	}
	if busy {
		return fmt.Errorf("another call is at work in %s: wait for its end", dir)
	}
	r.rec.Dir, r.rec.Slug, r.resumed = dir, filepath.Base(dir), true
	if last != nil { // the program wants the question it was begun with
		was := *last
		was.Seen, was.Same, was.Idle, was.Disk, was.Others = 0, 0, 0, "", "" // somebody may have mended what went round
		was.Call, was.Before, was.Usage, was.Steps, was.Ended = r.call, last.Step, nil, 0, ""
		r.rec, r.died = was, last.Running
	}
	return nil
}

// foldersIn lists some of the folders there are, for an error.
func foldersIn(home string) string {
	entries, err := os.ReadDir(home)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && len(names) < 20 {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// checkFolder sees that the folder is there, and no link that leads elsewhere.
func (r *run) checkFolder() error {
	root, err := os.OpenRoot(r.paths.work)
	if err != nil {
		return fmt.Errorf("the work directory: %w", err)
	}
	defer func() { _ = root.Close() }()
	rel, err := filepath.Rel(r.paths.work, r.rec.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("the run folder %s lies outside of the work directory %s", r.rec.Dir, r.paths.work)
	}
	if err := root.MkdirAll(rel, 0o755); err != nil { // it may have been removed since
		return fmt.Errorf("the run folder: %w", err)
	}
	r.paths.run = r.rec.Dir
	return nil
}

// folderName makes a part of a path of a skill's name.
func folderName(skill string) string {
	name := strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '-'
		}
		return c
	}, skill)
	if name = strings.TrimLeft(name, ". "); name == "" {
		return "skill"
	}
	return name
}
