package instruct

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"react-agent/internal/msg"
)

// The bounds of a search.
const (
	maxDepth = 5   // of imports
	maxFiles = 200 // of one scope
	maxRules = 200 // of one directory, looked at
	maxChain = 64  // directories from the top of the project to the work directory
)

// section is a file whose text is used.
type section struct {
	path string // absolute, without links
	name string // as it is shown
	text string
	size int64
	at   int // its finding
	when []string
}

// loader collects the files of one scope.
type loader struct {
	o        *Options
	scope    Scope
	within   string // links and imports must not leave it; without links; "" is no bound
	sections []section
	seen     map[string]string // real paths, with the names they were found under
	texts    map[string]string // likewise by text
	found    []Finding
}

// chain lists the directories from the top of the project down to the work directory, without links.
func chain(dir, top string) []string {
	if dir == "" {
		return nil
	}
	dir, top = resolved(dir), resolved(top)
	dirs := []string{dir}
	if top != "" && inside(dir, top) {
		for dir != top && len(dirs) < maxChain {
			dir = filepath.Dir(dir)
			dirs = append(dirs, dir)
		}
	}
	slices.Reverse(dirs)
	return dirs
}

func resolved(path string) string {
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil { //nolint:predeclared // what the path really is
		path = real
	}
	return filepath.Clean(path)
}

// inside says whether a path is dir or below it, by their text alone.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// user takes the person's own files.
func (l *loader) user() {
	var files []string
	if l.o.Home != "" {
		files = append(files, filepath.Join(l.o.Home, ".claude", "CLAUDE.md"))
		files = append(files, l.first(filepath.Join(l.o.Home, ".codex"))...)
	}
	if l.o.Config != "" {
		files = append(files, l.first(l.o.Config)...)
	}
	for _, f := range files {
		l.take(f, "", mention{}, 0)
	}
}

// first is AGENTS.override.md of a directory, or AGENTS.md if there is nothing in the other.
func (l *loader) first(dir string) []string {
	override, plain := filepath.Join(dir, "AGENTS.override.md"), filepath.Join(dir, "AGENTS.md")
	info, err := os.Stat(override)
	if err != nil || info.Size() == 0 {
		return []string{plain}
	}
	if info, err := os.Stat(plain); err == nil {
		l.found = append(l.found, Finding{
			Path: plain, Scope: l.scope, Status: Skipped, Bytes: info.Size(), Reason: msg.Errorf(msg.InstructOverride, filepath.Base(override)),
		})
	}
	return []string{override}
}

// dir takes the files of one directory of the project.
func (l *loader) dir(dir string) {
	files := l.first(dir)
	claude := filepath.Join(dir, "CLAUDE.md")
	if _, err := os.Lstat(claude); err != nil {
		claude = filepath.Join(dir, ".claude", "CLAUDE.md")
	}
	for _, f := range append(files, claude, filepath.Join(dir, "CLAUDE.local.md")) {
		l.take(f, "", mention{}, 0)
	}
	l.rules(filepath.Join(dir, ".claude", "rules"))
}

// take adds a file and what it imports. from and at say where an import stands.
func (l *loader) take(path, from string, at mention, depth int) {
	f := Finding{Path: path, Scope: l.scope, From: from, Line: at.line}
	info, err := os.Lstat(path)
	if err != nil {
		if from != "" && likeFile(at.path) {
			l.skip(f, msg.Errorf(msg.InstructMissing))
		} else if from == "" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			l.skip(f, cause(err))
		}
		return
	}
	if info.IsDir() {
		return
	}
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		l.skip(f, cause(err))
		return
	}
	if err := l.allowed(path, from); err != nil {
		l.skip(f, err)
		return
	}
	if name, ok := l.seen[path]; ok {
		if from == "" {
			f.Status, f.Reason = Same, msg.Errorf(msg.InstructSame, name)
			l.found = append(l.found, f)
		}
		return
	}
	if l.seen[path] = l.name(f.Path); depth > maxDepth {
		l.skip(f, msg.Errorf(msg.InstructDeep, maxDepth))
		return
	}
	l.add(f, path, depth)
}

func (l *loader) skip(f Finding, why error) {
	f.Status, f.Reason = Skipped, why
	l.found = append(l.found, f)
}

// allowed says why a file must not be taken, by its path without links.
func (l *loader) allowed(path, from string) error {
	switch {
	case l.within == "" || inside(path, l.within):
	case l.scope == User && from == "": // a link of the person's own may lead anywhere
	case l.scope == User:
		return msg.Errorf(msg.InstructOutHome)
	case from == "":
		return msg.Errorf(msg.InstructOut, path)
	default:
		return msg.Errorf(msg.InstructOutImport)
	}
	if l.o.Refuse != nil {
		return l.o.Refuse(path)
	}
	return nil
}

// add reads a file, adds its text, and takes what it imports.
func (l *loader) add(f Finding, path string, depth int) {
	if len(l.sections) >= maxFiles {
		l.skip(f, msg.Errorf(msg.InstructMany, maxFiles))
		return
	}
	text, size, err := read(path)
	f.Bytes = size
	if err != nil {
		l.skip(f, err)
		return
	}
	var when []string
	if f.From == "" && filepath.Ext(path) == ".md" && isRule(f.Path) {
		text, when = header(text)
	}
	if l.o.Mask != nil {
		text = l.o.Mask(text)
	}
	p := parse(text)
	switch name, same := l.texts[p.text]; {
	case p.text == "":
		l.skip(f, msg.Errorf(msg.InstructEmpty))
	case same:
		f.Status, f.Reason = Same, msg.Errorf(msg.InstructSame, name)
		l.found = append(l.found, f)
	case p.bare && l.imports(path, p.mentions):
		f.Status, f.Reason = Same, msg.Errorf(msg.InstructOnly, l.name(l.target(path, p.mentions[0].path)))
		l.found = append(l.found, f)
	default:
		l.texts[p.text] = l.name(f.Path)
		f.Status, f.When = Taken, when
		if len(when) > 0 {
			f.Reason = msg.Errorf(msg.InstructNotNow)
		}
		l.sections = append(l.sections, section{
			path: path, name: l.name(f.Path), text: p.text, size: size, at: len(l.found), when: when,
		})
		l.found = append(l.found, f)
	}
	for _, m := range p.mentions {
		if to := l.target(path, m.path); to != "" {
			l.take(to, f.Path, m, depth+1)
		}
	}
}

// imports says whether all mentions lead to files.
func (l *loader) imports(path string, list []mention) bool {
	return !slices.ContainsFunc(list, func(m mention) bool {
		info, err := os.Stat(l.target(path, m.path))
		return err != nil || !info.Mode().IsRegular()
	})
}

// target is the path that a mention in a file means.
func (l *loader) target(file, path string) string {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		if l.o.Home == "" {
			return ""
		}
		return filepath.Join(l.o.Home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
}

// name is a path as it is shown: relative to the work directory, or from the home directory.
func (l *loader) name(path string) string { return shown(l.o, path) }

func shown(o *Options, path string) string {
	if o.Dir != "" {
		dir, top := resolved(o.Dir), resolved(o.Top)
		if top == "" || !inside(dir, top) {
			top = dir
		}
		for _, p := range []string{path, resolved(path)} {
			if rel, err := filepath.Rel(dir, p); err == nil && inside(p, top) {
				return filepath.ToSlash(rel)
			}
		}
	}
	if o.Home != "" {
		for _, home := range []string{o.Home, resolved(o.Home)} {
			if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
				return "~/" + filepath.ToSlash(rel)
			}
		}
	}
	return filepath.ToSlash(path)
}
