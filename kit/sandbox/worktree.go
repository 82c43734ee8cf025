package sandbox

import (
	"context"
	"time"
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

// Worktree is the git worktree of one session. Its methods may be used by one goroutine at a time.
type Worktree struct{ o WorktreeOptions }

// OpenWorktree makes the session's worktree, or finds it again. Where there can be none (no git, no repository, no commit
// yet) it gives nil and a warning for the person, and the session works in the plain folder. A warning may also come with
// a worktree: changes of the main tree that are not committed are not in it.
func OpenWorktree(ctx context.Context, o WorktreeOptions) (w *Worktree, warning string, err error) {
	_ = ctx
	return &Worktree{o: o}, "", nil
}

// Root is the folder in which the session works: what WorktreeOptions.Root is in the main tree.
func (w *Worktree) Root() string { return w.o.Root }

// Branch is wt/NAME.
func (w *Worktree) Branch() string { return "" }

// Diff is everything that the session changed since the worktree was made, committed or not, new files included, as a
// patch that `git apply` takes. Empty: nothing.
func (w *Worktree) Diff(ctx context.Context) (string, error) { _ = ctx; return "", nil }

// Merge commits what the worktree holds and merges it into the branch of the main tree. It returns what was done, for the
// person. A main tree with changes of its own in the way, or a conflict, is an error that names the files; then the main
// tree is as it was, and the worktree too but for the commit.
func (w *Worktree) Merge(ctx context.Context) (string, error) { _ = ctx; return "", nil }

// Discard commits what the worktree holds to a ref that stays, removes worktree and branch, and returns how to get it
// back, for the person. The caller has asked before.
func (w *Worktree) Discard(ctx context.Context) (string, error) { _ = ctx; return "", nil }
