package tool

import (
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/ordinary"
)

// ignoreLevel is the rules of one file, and of those that count less. It is never changed once it is made.
type ignoreLevel struct {
	up    *ignoreLevel
	rules []ignoreRule
	skip  int // length of the beginning of a path that leads to the directory of the file, slash included
}

// ignored judges one path, slashes between its elements, by the last rule that speaks about it; it does not look at the
// directories above it.
func (l *ignoreLevel) ignored(path string, dir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for ; l != nil; l = l.up {
		below := path[l.skip:]
		for i := len(l.rules) - 1; i >= 0; i-- {
			if l.rules[i].match(below, name, dir) {
				return !l.rules[i].negate
			}
		}
	}
	return false
}

// with adds the rules of one file.
func (l *ignoreLevel) with(file string, skip int) *ignoreLevel {
	rules := parseIgnore(smallFile(file))
	if len(rules) == 0 {
		return l
	}
	return &ignoreLevel{up: l, rules: rules, skip: skip}
}

// enter adds what a directory brings along: its .gitignore and, where it is the top of a repository, that one's own
// rules instead of those from above. prefix is the path of the directory, with a slash at its end unless it is empty.
func (l *ignoreLevel) enter(dir, prefix string, top, rules bool) *ignoreLevel {
	if top {
		l = (*ignoreLevel)(nil).with(excludeFile(filepath.Join(dir, ".git")), len(prefix))
	}
	if rules {
		l = l.with(filepath.Join(dir, ".gitignore"), len(prefix))
	}
	return l
}

// ignoreAbove gives the rules that hold in dir, an absolute path, from the directories above it, and the beginning of
// paths that they judge: the way from the top to dir. The top is that of the repository that dir is in; without one it is
// root when dir is below that, else dir itself.
func ignoreAbove(dir, root string) (l *ignoreLevel, prefix string) {
	top := dir
	if within(root, dir) && strings.HasPrefix(dir, root) {
		top = root
	}
	for d := dir; ; d = filepath.Dir(d) {
		if isTop(d) {
			top = d
			break
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, ""
	}
	at := top
	for _, name := range elements(rel) {
		if name == "." {
			break
		}
		l = l.enter(at, prefix, isTop(at), true)
		at = filepath.Join(at, name)
		prefix += name + "/"
	}
	return l, prefix
}

// isTop reports whether a directory is the top of a repository or of a further work tree of one.
func isTop(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// excludeFile is where a repository keeps rules of its own; .git may be a file that names the real place.
func excludeFile(git string) string {
	if to, ok := strings.CutPrefix(smallFile(git), "gitdir: "); ok {
		git = beside(git, to)
		if common := smallFile(filepath.Join(git, "commondir")); common != "" {
			git = beside(filepath.Join(git, "commondir"), common)
		}
	}
	return filepath.Join(git, "info", "exclude")
}

// beside reads a path that stands in a file.
func beside(file, path string) string {
	path = filepath.FromSlash(strings.TrimRight(path, "\r\n"))
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// maxRules is how much of a file of rules is read.
const maxRules = 1 << 20

// smallFile is the content of a regular file, empty if there is none. It does not follow a link, like git, and never waits.
func smallFile(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, _, err := ordinary.Read(path, maxRules)
	if err != nil {
		return ""
	}
	return string(b)
}
