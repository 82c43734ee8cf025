package app

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/skill"
	"react-agent/kit/team"
)

// brought is one thing that a project brings along.
type brought struct {
	kind msg.Key
	name string   // relative to the project
	path string   // of the folder or the file
	runs []string // programs in it, and commands in its text
}

// The bounds of the look at what a project brings.
const (
	surveyLevels  = 4
	surveyEntries = 2000
	surveyHead    = 256 << 10 // bytes of a file that are looked through for commands
)

// survey looks at what the project brings, in the usual places from the project's root down to the work directory. Nothing
// is run, no pipe is waited for, and the looking is bounded. Only with programs it is also told what programs are among it,
// for which all of it has to be looked through.
func (p *product) survey(programs bool) (found []brought) {
	found = append(p.surveyInstructions(), p.surveySkills(programs)...)
	var places []team.Place
	for _, dir := range p.projectDirs() {
		if dir != p.home() { // there these places are the person's own
			places = append(places, team.ProjectPlaces(dir, p.content.root)...)
		}
	}
	for _, f := range team.LoadAgents(places, nil).Findings {
		b := brought{kind: msg.ContentAgents, name: relative(p.content.root, f.File), path: f.File}
		if !f.Skipped && !slices.ContainsFunc(found, func(o brought) bool { return o.path == b.path }) {
			found = append(found, b)
		}
	}
	return found
}

// home is the person's home directory, links resolved; "" without one.
func (p *product) home() string {
	home := config.Getenv(p.o.Env, "HOME")
	if resolved, err := filepath.EvalSymlinks(home); err == nil && home != "" {
		return resolved
	}
	return home
}

// projectDirs are the directories from the project's root down to the work directory, links resolved.
func (p *product) projectDirs() []string {
	dir := p.c.WorkDir
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	dirs := []string{dir}
	for dir != p.content.root && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

// surveySkills are the project's skills and command files.
func (p *product) surveySkills(programs bool) (found []brought) {
	dirs, home := p.projectDirs(), p.home()
	places := func(dir, top, home string) []skill.Root {
		return append(skill.Places(dir, top, home, ""), skill.CommandPlaces(dir, top, home, "")...)
	}
	own := places("", "", home)
	roots := slices.DeleteFunc(places(dirs[len(dirs)-1], p.content.root, ""), func(r skill.Root) bool {
		return slices.ContainsFunc(own, func(o skill.Root) bool { return o.Path == r.Path })
	})
	for _, path := range p.c.Skills.Paths {
		if r := p.configured(path); r.Scope == skill.Project {
			roots = append(roots, r)
		}
	}
	set, err := skill.Load(context.WithoutCancel(p.ctx), skill.Options{Roots: roots, Loose: p.face.Skills.Loose})
	if err != nil {
		return nil
	}
	shipped := len(p.shippedRoot()) > 0
	for _, s := range set.All() {
		if shipped && isShipped(s.Dir) {
			continue // the program has brought it itself
		}
		b := brought{kind: msg.ContentSkills, name: s.Name, path: s.Dir}
		switch {
		case s.Command():
			b.kind, b.path = msg.ContentCommands, s.File
		case s.Flat:
			b.path = s.File
		case programs:
			b.runs = programsIn(p.content.root, s.Dir)
		}
		if programs && hasCommands(s.File) {
			b.runs = append(b.runs, relative(p.content.root, s.File))
		}
		found = append(found, b)
	}
	return found
}

// programsIn lists the files of a skill that are programs: by their place, their ending, or the right to be run.
func programsIn(root, dir string) (list []string) {
	walk(dir, func(path string, info fs.FileInfo) {
		inner := relative(dir, path)
		if strings.HasPrefix(inner, "scripts/") || strings.HasPrefix(inner, "bin/") || info.Mode()&0o111 != 0 ||
			slices.Contains(programEndings(), strings.ToLower(filepath.Ext(path))) {
			list = append(list, relative(root, path))
		}
	})
	return list
}

func programEndings() []string {
	return []string{
		".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".ps1", ".bat", ".cmd", ".exe", ".go", ".jar",
	}
}

// hasCommands says whether a text asks for commands to be run while it is put together.
func hasCommands(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, surveyHead))
	text := string(head)
	return err == nil && (strings.Contains(text, "!`") || strings.Contains(text, "```!") || strings.Contains(text, "!{"))
}

// walk visits the ordinary files below a directory, within bounds, in order. Links to directories are not followed.
func walk(dir string, visit func(path string, info fs.FileInfo)) {
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read brings nothing
		if seen++; err != nil || seen > surveyEntries {
			return fs.SkipAll
		}
		if d.IsDir() {
			if path != dir && (strings.Count(relative(dir, path), "/") >= surveyLevels || d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "__pycache__") {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			visit(path, info)
		}
		return nil
	})
}

// relative is a path as it is shown: from dir, with slashes.
func relative(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		rel = path
	}
	return filepath.ToSlash(rel)
}

func itoa(n int) string { return strconv.Itoa(n) }
