package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"react-agent/internal/msg"
)

// Remove takes an installed skill away: its folders, the links to them, and its entry. What else there is stays. Files that
// a person has changed keep it from going, without Force.
func (s *Store) Remove(ctx context.Context, st *State, force bool) error {
	p := st.Place
	return s.locked(ctx, p, func(l *lockFile) error {
		e, ok := l.find(st.Name)
		if !ok {
			return msg.Errorf(msg.InstallNotInstalled, st.Name)
		}
		now := p.state(ctx, *e)
		if now.Status == Modified && !force {
			return now.edited()
		}
		staged := stages{}
		defer staged.clear()
		for _, dir := range now.Dirs {
			at, err := staged.in(filepath.Dir(dir))
			if err != nil {
				return err
			}
			if err := s.aside(dir, filepath.Join(at, filepath.Base(dir))); err != nil {
				return err
			}
			s.at("taken")
		}
		for _, link := range now.Links {
			if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				continue
			}
			if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		l.drop(e.key)
		if err := l.write(); err != nil {
			return err
		}
		s.mark(ctx, now.Dirs, true)
		return nil
	})
}

// edited says what of a skill a person has changed.
func (st *State) edited() error {
	if len(st.Changed) > 0 {
		return msg.Errorf(msg.InstallEdited, st.Name, list(st.Changed))
	}
	return msg.Errorf(msg.InstallEditedSome, st.Name, st.Reason)
}
