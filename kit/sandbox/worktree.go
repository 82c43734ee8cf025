package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// WorktreeOptions say where a session's worktree lives. Root and Session must be set.
type WorktreeOptions struct {
	// Root is the work directory, an absolute path; it may be a folder within the repository.
	Root string
	// Session is the session's id; the worktree's name is made from it.
	Session string
	// Dir is where worktrees and their records live; empty is .worktrees in the repository's top folder.
	Dir string
	// Git is the program; empty: looked up. Vars is its environment as "NAME=value"; nil is this process's own.
	Git  string
	Vars []string
	// Lang is the language of texts for the person, "zh" or "en"; empty is English.
	Lang string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Worktree is the git worktree of one session. Its methods may be used by one goroutine at a time; other processes may
// use other worktrees of the repository meanwhile.
type Worktree struct {
	git     gitRunner
	say     msg.Catalogue
	records records
	main    string // top folder of the main tree
	prefix  string // of the work directory within it
	treeName
}

// OpenWorktree makes the session's worktree, or finds it again, and repairs what a crash has left. Where there can be
// none (no git, no repository, no commit yet) it gives nil and a warning for the person, and the session works in the
// plain folder. A warning may also come with a new worktree: changes of the main tree that are not committed, and
// submodules, are not in it.
func OpenWorktree(ctx context.Context, o WorktreeOptions) (w *Worktree, warning string, err error) {
	w = &Worktree{say: msg.For(msg.Lang(o.Lang))}
	if warning, err = w.locate(ctx, o); warning != "" || err != nil {
		return nil, warning, err
	}
	unlock, err := w.records.open()
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	fresh, err := w.restore(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(w.Root(), 0o755); err != nil { //nolint:gosec // as git makes directories
		return nil, "", err
	}
	if fresh {
		warning = w.missing(ctx)
	}
	return w, warning, nil
}

// locate finds the repository; a warning says that there is none to use.
func (w *Worktree) locate(ctx context.Context, o WorktreeOptions) (warning string, err error) {
	w.git.vars = o.Vars
	if w.git.program, err = exec.LookPath(or(o.Git, "git")); err != nil {
		return w.say.Text(msg.TreeNoGit), nil //nolint:nilerr // it is a warning
	}
	if w.main, err = w.git.line(ctx, o.Root, "rev-parse", "--show-toplevel"); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return w.say.Text(msg.TreeNoRepository, o.Root, gitSaid(err)), nil
	}
	if w.main == "" {
		return w.say.Text(msg.TreeNoRepository, o.Root, "bare"), nil
	}
	if w.prefix, err = w.git.line(ctx, o.Root, "rev-parse", "--show-prefix"); err != nil {
		return "", err
	}
	if _, err := w.git.line(ctx, w.main, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return w.say.Text(msg.TreeNoCommit, w.main), nil //nolint:nilerr // it is a warning
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	w.records = records{dir: o.Dir, now: now}
	if o.Dir == "" {
		w.records.dir = filepath.Join(filepath.FromSlash(w.main), ".worktrees")
	}
	if err := os.MkdirAll(w.records.dir, 0o755); err != nil { //nolint:gosec // as readable as the repository it belongs to
		return "", fmt.Errorf("directory for worktrees: %w", err)
	}
	w.records.dir = resolved(w.records.dir)
	name := treeNameOf(o.Session)
	w.treeName = treeName{Name: name, Branch: "wt/" + name, Path: filepath.Join(w.records.dir, name)}
	return "", nil
}

// gitSaid is the first line of what git said.
func gitSaid(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*gitError](err); ok {
		text = or(e.said, e.err.Error())
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// treeNameOf makes a name of 1 to 40 letters, digits, dots, underscores and hyphens, that git takes as part of a branch.
// Different sessions have different names.
func treeNameOf(session string) string {
	const longest = 40
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, session)
	for strings.Contains(name, "..") {
		name = strings.ReplaceAll(name, "..", ".-")
	}
	name = strings.Trim(name, ".-")
	name = strings.TrimSuffix(name, ".lock")
	if name == session && len(name) <= longest && name != "" {
		return name
	}
	sum := sha256.Sum256([]byte(session))
	hash := hex.EncodeToString(sum[:4])
	if name == "" {
		return hash
	}
	return strings.TrimRight(name[:min(len(name), longest-1-len(hash))], ".-") + "-" + hash
}

// Root is the folder in which the session works: what WorktreeOptions.Root is in the main tree.
func (w *Worktree) Root() string { return filepath.Join(w.Path, filepath.FromSlash(w.prefix)) }

// Branch is wt/NAME.
func (w *Worktree) Branch() string { return w.treeName.Branch }

// restore gives the worktree as it should be, whatever a crash or a person has left of it. fresh says that it was made.
func (w *Worktree) restore(ctx context.Context) (fresh bool, err error) {
	old, known, err := w.records.get(w.Name)
	if err != nil {
		return false, err
	}
	if known && old.Status == treeActive && w.records.last(w.Name) == treeRemoveBefore {
		if err := w.remove(ctx); err != nil { // it was on its way out
			return false, err
		}
		known = false
	}
	if w.mend(ctx) {
		if err := w.abandonMerge(ctx); err != nil {
			return false, err
		}
		if known && old.Status == treeActive {
			return false, nil
		}
		return false, w.created() // made, and not noted before a crash
	}
	if err := w.clear(ctx); err != nil {
		return false, err
	}
	if err := w.records.note(treeCreateBefore, w.treeName, nil); err != nil {
		return false, err
	}
	if err := w.create(ctx); err != nil {
		return false, errors.Join(err, w.records.note(treeCreateFailed, w.treeName, err))
	}
	return true, w.created()
}

// valid says why there is no whole worktree of this repository at the path; nil: there is one. Nothing else that looks
// like a repository is touched, since it might bring settings that run programs.
func (w *Worktree) valid(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(w.Path, ".git")); err != nil {
		return msg.Errorf(msg.TreeGone, w.Path, err)
	}
	const which = "--git-common-dir"
	its, err1 := w.git.line(ctx, w.Path, "rev-parse", "--path-format=absolute", which)
	ours, err2 := w.git.line(ctx, w.main, "rev-parse", "--path-format=absolute", which)
	_, err3 := w.git.line(ctx, w.Path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	_, err4 := os.Stat(filepath.Join(w.gitDir(ctx), "index")) // the checkout was finished
	err := errors.Join(err1, err2, err3, err4)
	if err == nil && its != ours {
		err = errors.New(its)
	}
	if err != nil {
		return msg.Errorf(msg.TreeGone, w.Path, err)
	}
	return nil
}

// mend tells git where the worktree is now, if the repository was moved, and reports whether it is whole.
func (w *Worktree) mend(ctx context.Context) bool {
	if w.valid(ctx) == nil {
		return true
	}
	if _, err := os.Lstat(filepath.Join(w.Path, ".git")); err != nil {
		return false
	}
	_, _ = w.git.line(ctx, w.main, "worktree", "repair", w.Path) // what it could not do is seen next
	return w.valid(ctx) == nil
}

// gitDir is the worktree's own directory within the repository's.
func (w *Worktree) gitDir(ctx context.Context) string {
	dir, err := w.git.line(ctx, w.Path, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return ""
	}
	return filepath.FromSlash(dir)
}

// clear makes room for a worktree: what an attempt that was cut off has left goes away; what is somebody's stays, and is
// an error.
func (w *Worktree) clear(ctx context.Context) error {
	entries, err := os.ReadDir(w.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(entries) == 0 || w.records.last(w.Name) == treeCreateBefore:
		if err := os.RemoveAll(w.Path); err != nil {
			return err
		}
	default:
		return msg.Errorf(msg.TreeInTheWay, w.Path)
	}
	_, err = w.git.line(ctx, w.main, "worktree", "prune")
	return err
}

// create makes the worktree: at the commit of the main tree, or at what its branch has from earlier.
func (w *Worktree) create(ctx context.Context) error {
	args := []string{"worktree", "add", "--force", "--force", "--no-track", "-b", w.Branch(), w.Path, "HEAD"}
	if w.hasBranch(ctx) {
		args = []string{"worktree", "add", "--force", "--force", w.Path, w.Branch()}
	}
	_, err := w.git.line(ctx, w.main, args...)
	return err
}

func (w *Worktree) hasBranch(ctx context.Context) bool {
	_, err := w.git.line(ctx, w.main, "rev-parse", "--verify", "--quiet", "refs/heads/"+w.Branch())
	return err == nil
}

// created notes that the worktree stands.
func (w *Worktree) created() error {
	one := treeRecord{Name: w.Name, Path: w.Path, Branch: w.Branch(), Status: treeActive, CreatedAt: w.records.seconds()}
	if err := w.records.put(one); err != nil {
		return err
	}
	return w.records.note(treeCreateAfter, w.treeName, nil)
}

// missing says what of the main tree is not in the worktree.
func (w *Worktree) missing(ctx context.Context) string {
	var lines []string
	changed, err := w.changes(ctx, w.main, true)
	if err == nil && len(changed) > 0 {
		lines = append(lines, w.say.Text(msg.TreeUncommitted, w.Path, list(changed)))
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".gitmodules")); err == nil {
		lines = append(lines, w.say.Text(msg.TreeSubmodules, w.Path))
	}
	return strings.Join(lines, "\n")
}

// changes names the files of a work tree that are not as its commit has them.
func (w *Worktree) changes(ctx context.Context, dir string, untracked bool) ([]string, error) {
	how := "--untracked-files=no"
	if untracked {
		how = "--untracked-files=normal"
	}
	entries, err := w.git.paths(ctx, dir, "status", "--porcelain", "-z", "--no-renames", noNested, how)
	var names []string
	for _, e := range entries {
		if len(e) > 3 {
			names = append(names, e[3:])
		}
	}
	return names, err
}

// list names some files.
func list(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(", … (%d)", len(names))
}

// linesOf gives lines without their ends.
func linesOf(b []byte) iter.Seq[[]byte] { return bytes.SplitSeq(b, []byte("\n")) }
