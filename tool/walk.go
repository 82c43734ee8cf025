package tool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"react-agent/internal/ordinary"
)

// found is something that a walk came upon.
type found struct {
	path string // below the walk's root, with slashes
	kind fs.FileMode
}

func (f found) dir() bool { return f.kind.IsDir() }

// walk goes through a directory and all below it in the order of the paths, byte by byte. It does not enter .git, what is
// ignored, links, and the kernel's own file systems.
type walk struct {
	root string // absolute, without links
	top  string // work directory, resolved: where rules may begin
	all  bool   // ignored things too
	// enter says whether a directory needs to be entered; nil: every one. visit takes everything that is not ignored, false
	// ends the walk. named says that a directory was asked for by name, so that no rule keeps the walk out.
	enter, named func(path string) bool
	visit        func(found) bool

	*tally
}

// tally is what a walk left out. It may be read at any time.
type tally struct {
	ignored, links, denied atomic.Int64
}

// errStopped ends a walk.
var errStopped = errors.New("stopped")

// run walks until everything was seen, visit has enough, or ctx ends. Directories that cannot be read are counted; only
// for the root it is an error.
func (w *walk) run(ctx context.Context) error {
	var rules *ignoreLevel
	prefix := ""
	if !w.all {
		rules, prefix = ignoreAbove(w.root, w.top)
	}
	err := w.dir(ctx, "", prefix, rules)
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// dir walks one directory: path is its place below the root, "" or with a slash at its end; prefix is what stands before
// that for the rules.
func (w *walk) dir(ctx context.Context, path, prefix string, rules *ignoreLevel) error {
	full := filepath.Join(w.root, filepath.FromSlash(path))
	entries, err := w.read(ctx, full)
	if err != nil {
		return err
	}
	if !w.all {
		rules = rules.enter(full, prefix+path, has(entries, ".git/") || has(entries, ".git"), has(entries, ".gitignore"))
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.entry(ctx, e, path, prefix, rules); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(ctx context.Context, e dirEntry, path, prefix string, rules *ignoreLevel) error {
	name, isDir := strings.CutSuffix(e.key, "/")
	f := found{path: path + name, kind: e.kind}
	if name == ".git" || isDir && ofKernel(w.root, f.path) {
		return nil
	}
	if w.keptOut(f, prefix, rules) {
		w.ignored.Add(1)
		return nil
	}
	if f.kind&fs.ModeSymlink != 0 {
		w.links.Add(1)
	}
	if !w.visit(f) {
		return errStopped
	}
	if !isDir || w.enter != nil && !w.enter(f.path) {
		return nil
	}
	err := w.dir(ctx, f.path+"/", prefix, rules)
	if err != nil && !errors.Is(err, errStopped) && ctx.Err() == nil {
		w.denied.Add(1)
		return nil
	}
	return err
}

func (w *walk) keptOut(f found, prefix string, rules *ignoreLevel) bool {
	if w.all || f.dir() && w.named != nil && w.named(f.path) {
		return false
	}
	return rules.ignored(prefix+f.path, f.dir())
}

// dirEntry is an entry of a directory. Its key is the name, with a slash for a directory: sorted by that, a walk comes
// along in the order of whole paths.
type dirEntry struct {
	key  string
	kind fs.FileMode
}

func has(entries []dirEntry, key string) bool {
	_, ok := slices.BinarySearchFunc(entries, key, func(e dirEntry, k string) int { return strings.Compare(e.key, k) })
	return ok
}

func (w *walk) read(ctx context.Context, dir string) ([]dirEntry, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|ordinary.NonBlocking, 0) // it may have become a FIFO since
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []dirEntry
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		const some = 1024
		list, err := f.ReadDir(some)
		for _, d := range list {
			e := dirEntry{key: d.Name(), kind: d.Type()}
			if d.IsDir() {
				e.key += "/"
			}
			out = append(out, e)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b dirEntry) int { return strings.Compare(a.key, b.key) })
	return out, nil
}

// ofKernel reports whether a walk came from above to a file system that the kernel makes up.
func ofKernel(root, path string) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	switch filepath.Join(root, path) {
	case "/proc", "/sys", "/dev":
		return true
	}
	return false
}
