package skill

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// The bounds of a search: levels below a root, directories of a root, entries of a directory.
const (
	maxLevels  = 6
	maxDirs    = 2000
	maxEntries = 10_000
)

const (
	fileName  = "SKILL.md"
	extraName = "REACT_AGENT.md"
)

// candidate is a file that should be a skill.
type candidate struct {
	file   string // of the Markdown file
	folder string // name that the skill's name is compared with
	flat   bool
	lower  bool // it is called skill.md
	root   *Root
	info   fs.FileInfo  // of the file, when the search has looked at it
	notes  []Diagnostic // with one, it is not to be read
}

// walker looks through one root.
type walker struct {
	root   *Root
	dirs   int
	chain  []string        // directories from the root down to the present one
	linked map[string]bool // real directories that links led to
	found  []candidate
}

// search lists the candidates of a root: folders in byte order, then flat files.
func search(ctx context.Context, root *Root) []candidate {
	w := &walker{root: root, linked: map[string]bool{}}
	info, err := os.Stat(root.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		w.unreadable(root.Path, err)
	case !w.inBounds():
	case info.IsDir() && root.Commands != "":
		w.commands(ctx, root.Path, "", 0)
	case info.IsDir():
		w.dir(ctx, root.Path, filepath.Base(root.Path), 0)
	default:
		w.found = append(w.found, candidate{file: root.Path, folder: stem(root.Path), flat: true, root: root})
	}
	return w.found
}

func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

func (w *walker) bad(path string, code Code, sev Severity, reason, fix error) {
	w.found = append(w.found, candidate{file: path, folder: filepath.Base(path), root: w.root, notes: []Diagnostic{{
		Code: code, Severity: sev, File: path, Reason: reason, Fix: fix,
	}}})
}

func (w *walker) unreadable(path string, err error) {
	w.bad(path, Unreadable, Error, msg.Errorf(msg.SkillUnreadable, cause(err)), msg.Errorf(msg.SkillFixUnreadable))
}

// cause is an error without the path, which is said already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// dir looks at one directory, level levels below the root.
func (w *walker) dir(ctx context.Context, path, name string, level int) {
	if ctx.Err() != nil || !w.another() {
		return
	}
	file := filepath.Join(path, fileName)
	if fi, err := os.Lstat(file); err == nil && !fi.IsDir() {
		w.take(candidate{file: file, folder: name, root: w.root}, fi)
		return
	}
	entries, cut, err := entriesOf(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	if cut {
		w.bad(path, TooMany, Warn, msg.Errorf(msg.SkillTooManyEntries, maxEntries), msg.Errorf(msg.SkillFixMove))
	}
	if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), fileName) }); i >= 0 {
		lower := filepath.Join(path, entries[i].Name())
		if fi, err := os.Lstat(lower); err == nil && !fi.IsDir() {
			w.take(candidate{file: lower, folder: name, lower: true, root: w.root}, fi)
			return
		}
		w.bad(lower, NotAFile, Warn, msg.Errorf(msg.SkillNotAFile), msg.Errorf(msg.SkillFixNotAFile))
		if level > 0 {
			return
		}
	}
	w.chain = append(w.chain, path)
	w.below(ctx, path, entries, level)
	w.chain = w.chain[:len(w.chain)-1]
}

// another counts a directory; false: there were too many.
func (w *walker) another() bool {
	if w.dirs++; w.dirs == maxDirs+1 {
		w.bad(w.root.Path, TooMany, Warn, msg.Errorf(msg.SkillTooManyDirs, maxDirs), msg.Errorf(msg.SkillFixMove))
	}
	return w.dirs <= maxDirs
}

// entriesOf reads a directory up to a bound, sorted by bytes.
func entriesOf(path string) (entries []fs.DirEntry, cut bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	entries, err = f.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if cut = len(entries) > maxEntries; cut {
		entries = entries[:maxEntries]
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, cut, nil
}

// below goes through the entries of a directory that is no skill itself.
func (w *walker) below(ctx context.Context, path string, entries []fs.DirEntry, level int) {
	for _, e := range entries {
		kind := e.Type()
		if !kind.IsDir() && kind&fs.ModeSymlink == 0 || ignored(e.Name()) {
			continue
		}
		sub := filepath.Join(path, e.Name())
		if kind&fs.ModeSymlink != 0 && !w.follow(sub) {
			continue
		}
		if level < maxLevels {
			w.dir(ctx, sub, e.Name(), level+1)
		}
	}
	if level == 0 {
		w.flats(path, entries)
	}
}

// ignored are directories that hold no skills of their own.
func ignored(name string) bool {
	switch name {
	case ".system", ".curated", ".experimental":
		return false
	case "node_modules", "__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// inBounds says whether the root itself is where it seems to be: a folder of a project may be a link, too.
func (w *walker) inBounds() bool {
	if w.root.Scope != Project || w.root.Within == "" {
		return true
	}
	_, ok := w.allowed(w.root.Path)
	return ok
}

// follow says whether a link to a directory may be gone into: it leads neither back, nor to where another one led, nor
// out of the project.
func (w *walker) follow(link string) bool {
	info, err := os.Stat(link)
	if err != nil {
		w.unreadable(link, err)
		return false
	}
	if !info.IsDir() {
		return false
	}
	for _, above := range w.chain {
		if up, err := os.Stat(above); err == nil && os.SameFile(up, info) {
			return false
		}
	}
	target, ok := w.allowed(link)
	if !ok || w.linked[target] {
		return false
	}
	w.linked[target] = true
	return true
}

// allowed finds what a link leads to, and notes if that is out of bounds.
func (w *walker) allowed(link string) (string, bool) {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		w.unreadable(link, err)
		return "", false
	}
	if w.root.Scope != Project {
		return target, true
	}
	within := w.root.Within
	if within == "" {
		within = w.root.Path
	}
	if resolved, err := filepath.EvalSymlinks(within); err == nil {
		within = resolved
	}
	if !inside(target, within) {
		w.bad(link, LinkEscapes, Error, msg.Errorf(msg.SkillLinkEscapes, target), msg.Errorf(msg.SkillFixLink))
		return "", false
	}
	return target, true
}

// take notes a skill's file, whatever kind of file it is.
func (w *walker) take(c candidate, info fs.FileInfo) {
	if info.Mode()&fs.ModeSymlink != 0 {
		if _, ok := w.allowed(c.file); !ok {
			return
		}
		target, err := os.Stat(c.file)
		if err != nil {
			w.unreadable(c.file, err)
			return
		}
		info = target
	}
	if !info.Mode().IsRegular() {
		w.bad(c.file, NotAFile, Error, msg.Errorf(msg.SkillNotAFile), msg.Errorf(msg.SkillFixNotAFile))
		return
	}
	c.info = info
	w.found = append(w.found, c)
}

// flats takes the Markdown files of a root.
func (w *walker) flats(path string, entries []fs.DirEntry) {
	for _, e := range entries {
		name := e.Name()
		if !strings.EqualFold(filepath.Ext(name), ".md") || strings.HasPrefix(name, ".") || e.IsDir() || notes(name) {
			continue
		}
		c := candidate{file: filepath.Join(path, name), folder: stem(name), flat: true, root: w.root}
		if fi, err := os.Lstat(c.file); err == nil {
			w.take(c, fi)
		}
	}
}

// notes are Markdown files that people and programs put beside skills, also in other languages: AGENTS.zh.md.
func notes(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	switch strings.ToUpper(first) {
	case "README", "AGENTS", "CLAUDE", "GEMINI", "LICENSE", "NOTICE", "CHANGELOG", "CONTRIBUTING", "REACT_AGENT", "SKILL":
		return true
	}
	return false
}
