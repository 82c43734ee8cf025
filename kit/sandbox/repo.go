package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// repo is what git needs outside the work directory, and what of its own must not be changed because git runs it or
// believes it when the person uses git the next time.
type repo struct {
	write, protect []string
	own            string // the git directory of a whole repository, which is no worktree of another; empty: none
}

// repository finds the repository that root belongs to, without running git.
func repository(root string) repo {
	for dir := root; ; dir = filepath.Dir(dir) {
		dot := filepath.Join(dir, ".git")
		info, err := os.Stat(dot)
		switch {
		case err == nil && info.IsDir():
			r := repo{protect: gitFiles(dot), own: dot}
			if dir != root {
				r.write = []string{dot}
			}
			return r
		case err == nil && info.Mode().IsRegular():
			return linked(dot)
		case filepath.Dir(dir) == dir:
			return repo{}
		}
	}
}

// linked is a worktree or a submodule: dot is a file that names the directory.
func linked(dot string) repo {
	r := repo{protect: []string{dot}}
	own := pointer(dot, "gitdir: ")
	if info, err := os.Stat(filepath.Join(own, "HEAD")); own == "" || err != nil || info.IsDir() {
		return r
	}
	common := pointer(filepath.Join(own, "commondir"), "")
	if !belongs(dot, own, common) {
		return r
	}
	if common == "" { // a submodule has all of it
		r.write, r.own = []string{own}, own
		r.protect = append(r.protect, gitFiles(own)...)
		return r
	}
	r.write = []string{own}
	for _, name := range []string{"objects", "refs", "logs"} {
		r.write = append(r.write, filepath.Join(common, name))
	}
	r.protect = append(r.protect, gitFiles(common)...)
	for _, name := range []string{"commondir", "gitdir", "config.worktree", "hooks"} {
		r.protect = append(r.protect, filepath.Join(own, name))
	}
	return r
}

// belongs reports whether the git directory own is really that of dot, so that a file which anybody may write does not
// open somebody else's repository: a worktree's directory names dot, a submodule's lies in the repository around it.
func belongs(dot, own, common string) bool {
	if common != "" {
		return pointer(filepath.Join(own, "gitdir"), "") == dot
	}
	around, _, ok := strings.Cut(own, "/.git/modules/")
	return ok && within(dot, around)
}

// pointer reads a file of git that names a path; empty: it does not.
func pointer(file, prefix string) string {
	b, err := os.ReadFile(file)
	if err != nil || len(b) > 8<<10 {
		return ""
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	if !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return resolved(path)
}

// gitFiles are those of a git directory that commands must not change.
func gitFiles(dir string) []string {
	list := []string{}
	for _, name := range []string{"hooks", "config", "config.worktree", "commondir", "info/attributes"} {
		list = append(list, filepath.Join(dir, name))
	}
	for _, pattern := range []string{
		"modules/*/config", "modules/*/hooks", "modules/*/*/config", "modules/*/*/hooks", "modules/*/*/*/config", "modules/*/*/*/hooks",
		"worktrees/*/commondir", "worktrees/*/gitdir", "worktrees/*/config.worktree",
	} {
		found, _ := filepath.Glob(filepath.Join(globQuote(dir), pattern)) // the pattern is well formed
		list = append(list, found...)
	}
	return list
}

// complete makes what can only be protected when it is there: the directory of hooks, and the second file of settings if
// the first one wants it. Empty ones mean nothing to git.
func (r repo) complete() {
	if r.own == "" {
		return
	}
	_ = os.Mkdir(filepath.Join(r.own, "hooks"), 0o755) //nolint:gosec // as git makes it; where it cannot be made, a command cannot either
	config, err := os.ReadFile(filepath.Join(r.own, "config"))
	if err != nil || !bytes.Contains(bytes.ToLower(config), []byte("worktreeconfig")) {
		return
	}
	f, err := os.OpenFile(filepath.Join(r.own, "config.worktree"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // as git makes it
	if err == nil {
		_ = f.Close()
	}
}

// stray is the file that sends git elsewhere for hooks and settings. A whole repository has none, and an empty one would
// break it, so it cannot be held off beforehand: what a command has made is removed. Empty: there is one already.
func (r repo) stray() string {
	file := filepath.Join(r.own, "commondir")
	if _, err := os.Lstat(file); r.own == "" || err == nil {
		return ""
	}
	return file
}

// sweep removes what commands have made to send git elsewhere.
func (s *Sandbox) sweep() {
	if s.stray != "" {
		_ = os.RemoveAll(s.stray) // when it cannot be removed, the next command tries again
	}
}

// globQuote makes a path stand for itself in a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
