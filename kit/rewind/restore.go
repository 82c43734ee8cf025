package rewind

import (
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"react-agent/internal/msg"
)

// restorer brings paths from one state to another. A step that fails does not stop the others.
type restorer struct {
	r      *Rewind
	failed map[name]string // why
	made   []name          // directories that were missing on the way
	did    int
	steps  map[name]state
	names  map[inode][]name // of files with several; nil until the first one is met
	again  bool             // it was cut off: what is there was looked at a moment ago
}

// still reports whether a path is what it was when this was planned, or gone.
func (w *restorer) still(s step) error {
	info, err := os.Lstat(w.r.file(s.Path))
	if w.again || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if e := w.r.index.m[s.Path]; e != nil && (e.Stamp == stampFor(info) || links(info) > 1 && !info.IsDir()) {
		return nil
	}
	return ErrStale
}

// inode is the identity of a file, whatever its names.
type inode struct{ dev, ino uint64 }

// together reports whether all names of a file are about to get the same content. Then the bytes are written into the file, so
// that they stay names of one file; else a new file takes the place of this name, and the others keep what they have.
func (w *restorer) together(path name, info fs.FileInfo) bool {
	n := links(info)
	if n < 2 {
		return false
	}
	if w.names == nil {
		w.names = map[inode][]name{}
		for p, e := range w.r.index.m {
			if e.State.Kind == isFile {
				id := inode{e.Stamp.Dev, e.Stamp.Ino}
				w.names[id] = append(w.names[id], p)
			}
		}
	}
	st := stampOf(info)
	all := w.names[inode{st.Dev, st.Ino}]
	return uint64(len(all)) == n && !slices.ContainsFunc(all, func(p name) bool {
		now, err := os.Lstat(w.r.file(p))
		return err != nil || !os.SameFile(now, info) || w.steps[p] != w.steps[path]
	})
}

// run takes away first, from the inside out, then puts back from the outside in; modes of directories come last, since
// they may forbid what has to be done inside.
func (w *restorer) run(ctx context.Context, steps []step) {
	for _, s := range steps {
		w.steps[s.Path] = s.Then
	}
	for _, s := range slices.Backward(steps) { // sorted: what is inside comes behind its directory
		if s.Now.Kind != "" && (s.Then.Kind == "" || s.Then.Kind != s.Now.Kind && (s.Then.Kind == isDir || s.Now.Kind == isDir)) {
			w.note(s, w.remove(s))
		}
	}
	for _, s := range steps {
		if _, bad := w.failed[s.Path]; bad || s.Then.Kind == "" {
			continue
		}
		w.note(s, w.put(ctx, s))
	}
	for _, s := range slices.Backward(steps) {
		if _, bad := w.failed[s.Path]; !bad && s.Then.Kind == isDir {
			w.note(s, os.Chmod(w.r.file(s.Path), s.Then.Mode))
		}
	}
}

func (w *restorer) note(s step, err error) {
	w.did++
	if w.r.stepped != nil {
		w.r.stepped(w.did)
	}
	if err == nil {
		return
	}
	m := w.r.msg
	switch pe, ok := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, ErrStale):
		w.failed[s.Path] = m.Text(msg.RewindJustNow)
	case errors.Is(err, errLost):
		w.failed[s.Path] = m.Text(msg.RewindLostNow)
	case ok:
		w.failed[s.Path] = m.Text(msg.RewindInTheWay, pe.Err)
	default:
		w.failed[s.Path] = m.Text(msg.RewindInTheWay, err)
	}
}

func (w *restorer) remove(s step) error {
	path := w.r.file(s.Path)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := errors.Join(w.r.solid(s.Path), w.still(s)); err != nil {
		return err
	}
	return inFolder(filepath.Dir(path), func() error { return os.Remove(path) })
}

// solid reports a link or file where a directory must be on the way to a path in the work directory: what was recorded
// there is not what lies behind it now.
func (r *Rewind) solid(p name) error {
	if filepath.IsAbs(string(p)) {
		return nil
	}
	for dir := filepath.Dir(r.file(p)); len(dir) > len(r.o.Root); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &fs.PathError{Op: "restore", Path: dir, Err: errors.New(dir + " is no directory")}
		}
	}
	return nil
}

// inFolder does something in a directory, also in one that does not let its owner write.
func inFolder(dir string, fn func() error) error {
	err := fn()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	info, statErr := os.Stat(dir)
	if statErr != nil || os.Chmod(dir, info.Mode()|0o700) != nil {
		return err
	}
	return errors.Join(fn(), os.Chmod(dir, info.Mode()))
}

func (w *restorer) put(ctx context.Context, s step) error {
	path := w.r.file(s.Path)
	if err := w.parents(s.Path); err != nil {
		return err
	}
	if err := errors.Join(w.r.solid(s.Path), w.still(s)); err != nil {
		return err
	}
	return inFolder(filepath.Dir(path), func() error {
		switch s.Then.Kind {
		case isDir:
			err := os.Mkdir(path, 0o700)
			if errors.Is(err, fs.ErrExist) {
				return nil // its mode comes later
			}
			return err
		case isLink:
			tmp := temporary(path)
			if err := os.Symlink(string(s.Then.To), tmp); err != nil {
				return err
			}
			return swap(tmp, path)
		}
		return w.putFile(ctx, path, temporary(path), s)
	})
}

// temporary is the name of a new file before it is renamed to path; after a crash it can be found again.
func temporary(path string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path))
	return filepath.Join(filepath.Dir(path), ".rewind-new-"+strconv.FormatUint(h.Sum64(), 36))
}

func swap(tmp, path string) error {
	err := os.Rename(tmp, path)
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// parents makes the directories that are missing on the way to a path.
func (w *restorer) parents(p name) error {
	var missing []string
	for dir := filepath.Dir(w.r.file(p)); !exists(dir); dir = filepath.Dir(dir) {
		missing = append(missing, dir)
	}
	for _, dir := range slices.Backward(missing) {
		if err := os.Mkdir(dir, 0o777); err != nil { //nolint:gosec // the user's umask decides
			return err
		}
		w.made = append(w.made, w.r.nameOf(dir))
	}
	return nil
}

// putFile writes and checks a new file and renames it into place.
func (w *restorer) putFile(ctx context.Context, path, tmp string, s step) error {
	old, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if old != nil && !old.Mode().IsRegular() {
		old = nil
	}
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = w.r.contentTo(ctx, f, s.Then.Sum)
	if err == nil && old != nil {
		sameOwner(f, old)
	}
	if err == nil {
		err = f.Chmod(s.Then.Mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if old == nil || !w.together(s.Path, old) {
		return swap(tmp, path)
	}
	return errors.Join(overwrite(path, tmp, s.Then.Mode), os.Remove(tmp))
}

func overwrite(path, from string, mode fs.FileMode) error {
	data, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	if err := os.Chmod(path, mode|0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.ReadFrom(data)
	return errors.Join(err, f.Close(), os.Chmod(path, mode))
}

// contentTo writes a content, from where it is kept, and checks it.
func (r *Rewind) contentTo(ctx context.Context, f *os.File, sum string) error {
	err := r.objects.copyTo(f, sum)
	oid := r.objects.git.oids[sum]
	if !errors.Is(err, errLost) || oid == "" {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	return r.git.copyTo(ctx, f, oid, sum)
}

// clean removes what steps that were cut off had not renamed yet.
func (r *Rewind) clean(steps []step) {
	for _, s := range steps {
		_ = os.Remove(temporary(r.file(s.Path)))
	}
}

// current reads the state that a path has now.
func (r *Rewind) current(p name) (state, error) {
	info, err := os.Lstat(r.file(p))
	if err != nil {
		return state{}, nil //nolint:nilerr // a path that leads nowhere has nothing at its end
	}
	l, err := r.read(seen{path: p, info: info}, "")
	return l.entry.State, err
}
