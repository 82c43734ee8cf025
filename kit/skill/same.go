package skill

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
)

// copyOf says that a skill has every file of another one, as a copy of it has. What else is in its folder does not count.
func (s *Skill) copyOf(original *Skill) bool {
	if s.Flat || original.Flat {
		return false
	}
	err := filepath.WalkDir(original.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(original.Dir, path)
		if err != nil {
			return err
		}
		want, err := original.readInside(rel)
		if err != nil {
			return err
		}
		have, err := s.readInside(rel)
		if err != nil || !bytes.Equal(have, want) {
			return errors.Join(errDiffers, err)
		}
		return nil
	})
	return err == nil
}

var errDiffers = errors.New("another content")
