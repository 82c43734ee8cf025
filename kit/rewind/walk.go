package rewind

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// errTooMany: the work directory has more files than the bound.
var errTooMany = errors.New("too many files")

// errTooSlow: going through the work directory takes too long.
var errTooSlow = errors.New("too slow")

// walker goes through the work directory and finds what differs from the index. The index is only read meanwhile.
type walker struct {
	root  string
	index *index
	scan  int             // its number
	ask   *asker          // nil: no git
	all   bool            // keep what is ignored too
	leave map[string]bool // absolute paths that are no part of it
	anew  bool            // decide again what is left out
	again bool            // what is not kept is tried again: the bound is another
	limit int64
	until time.Time // it is given up then

	count atomic.Int64
	slots chan struct{} // one for every further goroutine
	wg    sync.WaitGroup

	mu      sync.Mutex
	changed []seen
	hidden  []name // newly left out
	blocked []name // directories that cannot be read
	rules   bool   // a .gitignore is new or changed
	err     error

	asking sync.Mutex
}

// seen is a path that differs from the index, or may.
type seen struct {
	path name
	info fs.FileInfo
	old  *entry
}

func (w *walker) run(ctx context.Context) error {
	w.slots = make(chan struct{}, runtime.GOMAXPROCS(0)-1)
	w.folder(ctx, "", false)
	w.wg.Wait()
	return w.err
}

func (w *walker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *walker) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

// folder looks at one directory. foreign: it lies in a repository of its own, of which ours knows nothing.
func (w *walker) folder(ctx context.Context, rel string, foreign bool) {
	if err := ctx.Err(); err != nil {
		w.fail(context.Cause(ctx))
	}
	if w.failed() {
		return
	}
	list, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		if rel == "" {
			w.fail(err)
		} else if !errors.Is(err, fs.ErrNotExist) {
			w.mu.Lock()
			w.blocked = append(w.blocked, name(rel))
			w.mu.Unlock()
		}
		return
	}
	if rel != "" && !foreign && exists(filepath.Join(w.root, filepath.FromSlash(rel), ".git")) {
		foreign = true
	}
	found := w.infos(rel, list)
	if w.count.Add(int64(len(found))) > w.limit {
		w.fail(errTooMany)
		return
	}
	if time.Now().After(w.until) {
		w.fail(errTooSlow)
		return
	}
	w.decide(ctx, found, foreign)
	for _, s := range found {
		if s.info != nil && s.info.IsDir() {
			w.descend(ctx, string(s.path), foreign)
		}
	}
}

func (w *walker) descend(ctx context.Context, rel string, foreign bool) {
	select {
	case w.slots <- struct{}{}:
		w.wg.Go(func() {
			defer func() { <-w.slots }()
			w.folder(ctx, rel, foreign)
		})
	default:
		w.folder(ctx, rel, foreign)
	}
}

// infos leaves out what is no part of the work directory.
func (w *walker) infos(rel string, list []fs.DirEntry) []seen {
	found := make([]seen, 0, len(list))
	for _, d := range list {
		path := d.Name()
		if versionControl(path) {
			continue
		}
		if rel != "" {
			path = rel + "/" + path
		}
		if len(w.leave) > 0 && w.leave[filepath.Join(w.root, filepath.FromSlash(path))] {
			continue
		}
		info, err := d.Info()
		if err != nil {
			continue // it has gone meanwhile
		}
		found = append(found, seen{name(path), info, w.index.m[name(path)]})
	}
	return found
}

func versionControl(base string) bool {
	switch base {
	case ".git", ".hg", ".svn", ".jj":
		return true
	}
	return false
}

// decide sets aside what is left out, and collects what differs from the index. What is left out loses its info.
func (w *walker) decide(ctx context.Context, found []seen, foreign bool) {
	unknown := make([]int, 0, len(found))
	for i := range found {
		old := found[i].old
		if old == nil || w.anew && !old.Extra {
			unknown = append(unknown, i)
		}
	}
	out := w.leftOut(ctx, found, unknown, foreign)
	var changed []seen
	var hidden []name
	rules := false
	for i := range found {
		s := &found[i]
		skip := s.old != nil && s.old.Skip
		if s.old != nil {
			s.old.seen = w.scan
		}
		switch {
		case out[i], skip && !w.anew:
			s.info = nil
			if !skip {
				hidden = append(hidden, s.path)
			}
		case !s.old.still(stampFor(s.info)), w.again && !s.old.State.kept():
			changed = append(changed, *s)
			rules = rules || strings.HasSuffix(string(s.path), ".gitignore")
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed, w.hidden, w.rules = append(w.changed, changed...), append(w.hidden, hidden...), w.rules || rules
}

// stampFor is the stamp by which a path is known: of a directory only what its own state says.
func stampFor(info fs.FileInfo) stamp {
	if info.IsDir() {
		return stamp{Mode: info.Mode()}
	}
	return stampOf(info)
}

// leftOut decides on the unknown ones.
func (w *walker) leftOut(ctx context.Context, found []seen, unknown []int, foreign bool) map[int]bool {
	out := map[int]bool{}
	if w.all || len(unknown) == 0 {
		return out
	}
	if w.ask == nil || foreign {
		for _, i := range unknown {
			out[i] = found[i].info.IsDir() && madeAgain(filepath.Join(w.root, filepath.FromSlash(string(found[i].path))))
		}
		return out
	}
	paths := make([]string, len(unknown))
	for n, i := range unknown {
		paths[n] = string(found[i].path)
	}
	w.asking.Lock()
	answers := w.ask.ignored(ctx, paths)
	w.asking.Unlock()
	for n, i := range unknown {
		out[i] = answers[n]
	}
	return out
}

// madeAgain reports whether a directory holds what tools can make again: by its name, or by the mark that tools put in.
func madeAgain(path string) bool {
	switch filepath.Base(path) {
	case "node_modules", "__pycache__":
		return true
	}
	const mark = "Signature: 8a477f597d28d172789f06886806bc55"
	if f, err := openRead(filepath.Join(path, "CACHEDIR.TAG")); err == nil {
		head := make([]byte, len(mark))
		_, err = f.Read(head)
		_ = f.Close()
		if err == nil && string(head) == mark {
			return true
		}
	}
	return exists(filepath.Join(path, "pyvenv.cfg"))
}
