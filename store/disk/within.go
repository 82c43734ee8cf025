package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/ordinary"
	"react-agent/store"
)

// What is done with the files of a place. Of one that lies within a folder of others, such as a work directory that was
// cloned, nothing is believed: no link is followed, nothing but regular files is opened, and nothing outside is reached
// even if somebody exchanges a folder for a link in between.

// open is os.OpenFile.
func (p Place) open(path string, flag int) (f *os.File, err error) {
	if p.Within == "" {
		return os.OpenFile(path, flag, fileMode)
	}
	err = p.inside(path, func(root *os.Root, rel string) error {
		if f, err = root.OpenFile(rel, flag|ordinary.NonBlocking, fileMode); err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil {
			err = plain(path, info.Mode(), false)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// readFile is os.ReadFile.
func (p Place) readFile(path string) ([]byte, error) {
	if p.Within == "" {
		return os.ReadFile(path)
	}
	f, err := p.open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // was only read
	return io.ReadAll(f)
}

// stat is os.Stat.
func (p Place) stat(path string) (info fs.FileInfo, err error) {
	if p.Within == "" {
		return os.Stat(path)
	}
	err = p.inside(path, func(root *os.Root, rel string) error {
		info, err = root.Lstat(rel)
		return err
	})
	return info, err
}

// mkdir makes the folder of the place.
func (p Place) mkdir() error {
	if p.Within == "" {
		return os.MkdirAll(p.Dir, dirMode)
	}
	if err := os.MkdirAll(p.Within, dirMode); err != nil {
		return err
	}
	return p.inside(p.Dir, func(root *os.Root, rel string) error { return root.MkdirAll(rel, dirMode) })
}

func (p Place) rename(from, to string) error {
	if p.Within == "" {
		return os.Rename(from, to)
	}
	return p.inside(to, func(root *os.Root, rel string) error {
		return root.Rename(filepath.Join(filepath.Dir(rel), filepath.Base(from)), rel)
	})
}

func (p Place) remove(path string) error {
	if p.Within == "" {
		return os.Remove(path)
	}
	return p.inside(path, func(root *os.Root, rel string) error { return root.Remove(rel) })
}

// entries is os.ReadDir of the folder of the place.
func (p Place) entries() (list []fs.DirEntry, err error) {
	if p.Within == "" {
		return os.ReadDir(p.Dir)
	}
	err = p.inside(p.Dir, func(root *os.Root, rel string) error {
		f, err := root.Open(rel)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // was only read
		list, err = f.ReadDir(-1)
		return err
	})
	return list, err
}

// inside gives fn the folder that nothing leads out of, and the way from there to a path that is what it should be as far
// as it exists.
func (p Place) inside(path string, fn func(root *os.Root, rel string) error) error {
	rel, err := filepath.Rel(p.Within, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.Within)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	for i, c := range rel + string(filepath.Separator) {
		if c != filepath.Separator {
			continue
		}
		info, err := root.Lstat(rel[:i])
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err == nil {
			at := filepath.Join(p.Within, rel[:i])
			err = plain(at, info.Mode(), at == p.Dir || strings.HasPrefix(p.Dir, at+string(filepath.Separator)))
		}
		if err != nil {
			return err
		}
	}
	return fn(root, rel)
}

// plain says what is wrong with what is at a path: it is to be a regular file, or a folder.
func plain(path string, mode fs.FileMode, folder bool) error {
	switch {
	case folder && !mode.IsDir():
		return fmt.Errorf("%s is %s, no folder: %w", path, ordinary.Kind(mode), store.ErrForeign)
	case !folder && !mode.IsRegular():
		return fmt.Errorf("%s is %s, no regular file: %w", path, ordinary.Kind(mode), store.ErrForeign)
	}
	return nil
}
