package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"react-agent/internal/msg"
)

// Status says how the files of an installed skill compare with what its lock file records.
type Status string

// The states.
const (
	Intact   Status = "installed"
	Modified Status = "modified"
	Missing  Status = "missing"
	Linked   Status = "linked" // its place holds a link to a folder that somebody else keeps
)

// State is one entry of a lock file and what is there of it.
type State struct {
	Name  string
	Place Place
	// Dirs are the folders that hold its files, the first one before others; empty if it is Missing. Links lead to them.
	Dirs, Links []string
	Status      Status
	// Changed are the files that differ, if that is known. Reason says why it is not, or that files could not be read.
	Changed []string
	Reason  error
	// Source is where it came from, for people; Ref and Commit as recorded.
	Source, Ref, Commit string

	entry entry
}

// Store keeps account of installed skills. Its fields do not change; it may be used from many goroutines and processes.
type Store struct {
	Places []Place

	step func(name string) // tests stop the program there
	// What tests put in the place of the system.
	exchange func(a, b string) (bool, error)
	rename   func(a, b string) error
}

// swaps is [exchange], moves is os.Rename, unless a test wants something else.
func (s *Store) swaps(a, b string) (bool, error) {
	if s.exchange != nil {
		return s.exchange(a, b)
	}
	return exchange(a, b)
}

func (s *Store) moves(a, b string) error {
	if s.rename != nil {
		return s.rename(a, b)
	}
	return os.Rename(a, b)
}

func (s *Store) at(name string) {
	if s.step != nil {
		s.step(name)
	}
}

// States lists what the lock files of all places name. The errors of lock files that cannot be read are joined; the other
// places are listed all the same.
func (s *Store) States(ctx context.Context) ([]State, error) {
	var out []State
	var errs []error
	for _, p := range s.Places {
		l, err := readLock(p)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range l.entries {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out = append(out, p.state(ctx, e))
		}
	}
	return out, errors.Join(errs...)
}

// Find is the nearest installed skill of a name, in any spelling; level may be empty.
func (s *Store) Find(ctx context.Context, name string, level Level) (*State, error) {
	var other *Place
	for _, p := range s.Places {
		l, err := readLock(p)
		if err != nil {
			return nil, err
		}
		e, ok := l.find(name)
		switch {
		case ok && (level == "" || p.Level == level):
			st := p.state(ctx, *e)
			return &st, nil
		case ok:
			other = &p
		}
	}
	if other != nil {
		return nil, msg.Errorf(msg.InstallOtherLevel, name, other.Level)
	}
	return nil, msg.Errorf(msg.InstallNotInstalled, name)
}

// state looks at what is there of an entry.
func (p Place) state(ctx context.Context, e entry) State {
	st := State{
		Name: e.key, Place: p, Status: Intact, Source: e.text(fSource), Ref: e.text(fRef), Commit: e.text(fCommit), entry: e,
	}
	st.Dirs, st.Links = p.copies(ctx, e)
	if len(st.Dirs) == 0 {
		st.Status = Missing
		if i := slices.IndexFunc(st.Links, func(l string) bool { return filepath.Dir(l) == p.Skills() }); i >= 0 {
			if _, err := os.Stat(st.Links[i]); err == nil {
				st.Status = Linked
			}
		}
		return st
	}
	for _, dir := range st.Dirs {
		t, err := readTree(ctx, dir)
		if err != nil {
			st.Status, st.Reason = Modified, err
			continue
		}
		if same, changed, _ := e.matches(t); !same {
			st.Status = Modified
			st.Changed = append(st.Changed, changed...)
			if len(changed) == 0 && st.Reason == nil {
				st.Reason = msg.Errorf(msg.InstallHashOnly)
			}
		}
	}
	slices.Sort(st.Changed)
	st.Changed = slices.Compact(st.Changed)
	return st
}

// usable are the place's folders that exist and lie within it, each once by what it really is.
func (p Place) usable() []string {
	var out []string
	seen := map[string]bool{}
	for _, dir := range p.folders() {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		at := resolved(dir)
		if seen[at] || p.Level == Project && !inside(at, resolved(p.Dir)) {
			continue
		}
		seen[at] = true
		out = append(out, dir)
	}
	return out
}

// copies finds the folders that hold an entry's files, and links to them. A folder in another agent's place counts if the
// skill in it has the name.
func (p Place) copies(ctx context.Context, e entry) (dirs, links []string) {
	var maybe []string
	targets := map[string]bool{}
	for _, dir := range p.usable() {
		for i, name := range folderNames(e.key) {
			path := filepath.Join(dir, name)
			info, err := os.Lstat(path)
			switch {
			case err != nil:
			case info.Mode()&fs.ModeSymlink != 0:
				maybe = append(maybe, path)
			case info.IsDir() && (dir == p.Skills() && i == 0 || holds(ctx, path, e.key)):
				dirs = append(dirs, path)
				targets[resolved(path)] = true
			}
		}
	}
	for _, l := range maybe {
		target, err := filepath.EvalSymlinks(l)
		own := filepath.Dir(l) == p.Skills() // in our own place the entry means this link
		if own || err == nil && targets[target] || err != nil && leadsTo(l, p.Skills()) {
			links = append(links, l)
		}
	}
	return dirs, links
}

// holds says whether a folder holds a skill of this name.
func holds(ctx context.Context, dir, name string) bool {
	f, err := readSkill(ctx, dir)
	return err == nil && sameName(f.Name, name)
}

// leadsTo says whether a link, which may lead nowhere now, means something directly in dir.
func leadsTo(link, dir string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(resolved(filepath.Dir(link)), target)
	}
	return resolved(filepath.Dir(target)) == resolved(dir) && filepath.Base(target) == filepath.Base(link)
}
