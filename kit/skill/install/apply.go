package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"react-agent/internal/msg"
)

const (
	staging = ".staging-"
	aside   = ".old"
	dirMode = 0o755 // skills are no secret
)

// Apply carries out changes of one place: all are written beside what is there, then the lock file, then each skill takes
// its place in one step. Force does it where Blocked says what would be lost. A change whose place has been touched since
// it was planned is not made.
func (s *Store) Apply(ctx context.Context, changes []Change, force bool) error {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Same })
	for _, c := range changes {
		if c.Blocked != nil && !force {
			return c.Blocked
		}
	}
	if len(changes) == 0 {
		return nil
	}
	p := changes[0].Place
	return s.locked(ctx, p, func(l *lockFile) error {
		for _, c := range changes {
			if fingerprint(ctx, c.dirs) != c.print {
				return msg.Errorf(msg.InstallMeanwhile, c.Name)
			}
		}
		staged, err := stageAll(changes)
		defer staged.clear()
		if err != nil {
			return err
		}
		s.at("staged")
		s.mark(ctx, foldersOf(changes), false)
		if err := record(l, changes); err != nil {
			return err
		}
		s.at("recorded")
		for i := range changes {
			if err := staged.place(s, &changes[i]); err != nil {
				for _, c := range changes[i:] {
					if c.Old == nil {
						s.mark(ctx, c.dirs, true)
					}
				}
				return errors.Join(err, p.unrecord(changes[i:]))
			}
		}
		return nil
	})
}

// locked does something to a place while nobody else does.
func (s *Store) locked(ctx context.Context, p Place, do func(l *lockFile) error) error {
	if err := p.safe(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Skills(), dirMode); err != nil {
		return err
	}
	release, err := hold(ctx, p.Skills())
	if err != nil {
		return msg.Errorf(msg.InstallBusy, p.Skills(), err)
	}
	defer release()
	l, err := readLock(p)
	if err != nil {
		return err
	}
	if err := s.finish(ctx, l); err != nil {
		return err
	}
	return do(l)
}

func foldersOf(changes []Change) (out []string) {
	for _, c := range changes {
		out = append(out, c.dirs...)
	}
	return out
}

func record(l *lockFile, changes []Change) error {
	for _, c := range changes {
		l.set(c.entry)
	}
	return l.write()
}

// unrecord gives entries back that say what did not happen.
func (p Place) unrecord(changes []Change) error {
	l, err := readLock(p)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Old == nil {
			l.drop(c.Name)
		} else {
			l.set(c.Old.entry)
		}
	}
	return l.write()
}

// stages are the folders in which skills are made ready: one beside each folder of skills, by that one's path.
type stages map[string]string

// in makes the stage beside the folders of dir.
func (s stages) in(dir string) (string, error) {
	if at, ok := s[dir]; ok {
		return at, nil
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return "", err
	}
	at, err := os.MkdirTemp(dir, staging)
	if err == nil {
		s[dir] = at
	}
	return at, err
}

func (s stages) clear() {
	for _, at := range s {
		_ = os.RemoveAll(at) // the next process tries again
	}
}

func stageAll(changes []Change) (stages, error) {
	s := stages{}
	for _, c := range changes {
		for _, dir := range c.dirs {
			at, err := s.in(filepath.Dir(dir))
			if err != nil {
				return s, err
			}
			to := filepath.Join(at, filepath.Base(dir))
			if err := os.Mkdir(to, dirMode); err != nil {
				return s, err
			}
			for _, f := range c.Files {
				if err := writeFile(to, f); err != nil {
					return s, err
				}
			}
		}
	}
	return s, nil
}

// place brings a staged skill to where it belongs.
func (s stages) place(store *Store, c *Change) error {
	for _, dir := range c.dirs {
		at := s[filepath.Dir(dir)]
		if err := swap(store, filepath.Join(at, filepath.Base(dir)), dir, at); err != nil {
			return err
		}
		store.at("placed")
	}
	if c.link == "" {
		return nil
	}
	return makeLink(c)
}

// swap puts what is staged in the place of a folder; what was there ends up in the stage.
func swap(store *Store, staged, dir, stage string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return store.moves(staged, dir)
	}
	done, err := store.swaps(staged, dir)
	if done || err != nil {
		return err
	}
	old := filepath.Join(stage, aside)
	if err := os.MkdirAll(old, 0o700); err != nil {
		return err
	}
	was := filepath.Join(old, filepath.Base(dir))
	if err := store.aside(dir, was); err != nil {
		return err
	}
	store.at("moved")
	if err := store.moves(staged, dir); err != nil {
		return errors.Join(err, store.moves(was, dir))
	}
	return nil
}

// aside moves a folder out of the way. Folders that a container's image brought cannot be moved: they are removed, and
// whatever ends the program then, what is staged and recorded takes their place.
func (s *Store) aside(dir, to string) error {
	err := s.moves(dir, to)
	if errors.Is(err, syscall.EXDEV) {
		return os.RemoveAll(dir)
	}
	return err
}

// makeLink links a skill for an agent that reads its own folder only; where links cannot be made it is a copy.
func makeLink(c *Change) error {
	if err := os.MkdirAll(filepath.Dir(c.link), dirMode); err != nil {
		return err
	}
	target, err := filepath.Rel(resolved(filepath.Dir(c.link)), resolved(c.Dir))
	if err != nil {
		return err
	}
	if os.Symlink(target, c.link) == nil {
		return nil
	}
	s := stages{}
	defer s.clear()
	at, err := s.in(filepath.Dir(c.link))
	if err != nil {
		return err
	}
	to := filepath.Join(at, filepath.Base(c.link))
	if err := os.Mkdir(to, dirMode); err != nil {
		return err
	}
	for _, f := range c.Files {
		if err := writeFile(to, f); err != nil {
			return err
		}
	}
	return os.Rename(to, c.link)
}

// finish completes or clears what a process that has died left behind: a staged skill that the lock file records already
// takes its place, unless it is there. The place is held.
func (s *Store) finish(ctx context.Context, l *lockFile) error {
	for _, dir := range l.place.usable() {
		list, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, d := range list {
			if !d.IsDir() || !strings.HasPrefix(d.Name(), staging) {
				continue
			}
			stage := filepath.Join(dir, d.Name())
			if err := l.finish(ctx, s, dir, stage); err != nil {
				return err
			}
			if err := os.RemoveAll(stage); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lockFile) finish(ctx context.Context, store *Store, dir, stage string) error {
	list, err := os.ReadDir(stage)
	if err != nil {
		return err
	}
	for _, d := range list {
		i := slices.IndexFunc(l.entries, func(e entry) bool { return slices.Contains(folderNames(e.key), d.Name()) })
		if i < 0 || !d.IsDir() {
			continue
		}
		staged, target := filepath.Join(stage, d.Name()), filepath.Join(dir, d.Name())
		t, err := readTree(ctx, staged)
		if err != nil {
			continue // not whole
		}
		if same, _, known := l.entries[i].matches(t); !same || !known {
			continue
		}
		if now, err := readTree(ctx, target); err == nil {
			if same, _, _ := l.entries[i].matches(now); same {
				continue
			}
		}
		if err := swap(store, staged, target, stage); err != nil {
			return err
		}
	}
	return nil
}
