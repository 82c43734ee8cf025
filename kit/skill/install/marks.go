package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// marksFile is beside a person's folder of skills, wherever lock files are kept: a folder that we have installed is not
// taken for the person's own when a lock file goes away or is looked for elsewhere.
const marksFile = ".installed-skills"

// marksOf is the path of the file for these places; empty without a home.
func marksOf(places []Place) string {
	for _, p := range places {
		if p.Level == User {
			return filepath.Join(p.Dir, ".agents", marksFile)
		}
	}
	return ""
}

// readMarks lists the folders that were installed, links resolved.
func readMarks(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	data, err := readBounded(file, maxLock)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return nil, nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if path, err := strconv.Unquote(strings.TrimSpace(line)); err == nil {
			out = append(out, path)
		}
	}
	return out, err
}

// mark notes that folders are installed, or with gone that they are not any more. The lock file is what counts first: where
// the home cannot be written, it is all there is.
func (s *Store) mark(ctx context.Context, dirs []string, gone bool) {
	file := marksOf(s.Places)
	if file == "" || len(dirs) == 0 {
		return
	}
	up := filepath.Dir(file)
	if gone {
		if _, err := os.Stat(file); err != nil {
			return
		}
	} else if os.MkdirAll(up, dirMode) != nil {
		return
	}
	release, err := hold(ctx, up)
	if err != nil {
		return
	}
	defer release()
	list, err := readMarks(file)
	if err != nil {
		return
	}
	was := slices.Clone(list)
	for _, dir := range dirs {
		dir = filepath.Join(resolved(filepath.Dir(dir)), filepath.Base(dir))
		list = slices.DeleteFunc(list, func(l string) bool { return l == dir })
		if !gone {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	if slices.Equal(was, list) {
		return
	}
	var b strings.Builder
	for _, l := range list {
		b.WriteString(strconv.Quote(l) + "\n")
	}
	_ = replaceFile(file, []byte(b.String()), 0o644)
}

// known are the lock files that may say something of a place: a person's may be in more than one, by the environment of
// whoever installed, and one who was at home without saying so got a project's.
func (p Place) known() []Place {
	if p.Level != User {
		return []Place{p}
	}
	out := []Place{p, ProjectPlace(p.Dir)}
	for _, state := range []string{"", filepath.Join(p.Dir, ".local", "state")} {
		if o := UserPlace(p.Dir, state); o.Lock != p.Lock {
			out = append(out, o)
		}
	}
	return out
}

// Same says whether two paths are one directory, however they are written.
func Same(a, b string) bool { return a != "" && b != "" && resolved(a) == resolved(b) }
