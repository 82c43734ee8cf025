package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"react-agent/internal/msg"
)

// Diff is everything that the session changed and that is not in the main tree's branch yet, committed or not, new files
// included, as a patch that `git apply` takes. Empty: nothing.
func (w *Worktree) Diff(ctx context.Context) (string, error) {
	if err := w.valid(ctx); err != nil {
		return "", err
	}
	base, err := w.base(ctx)
	if err != nil {
		return "", err
	}
	tree, err := w.git.snapshot(ctx, w.Path)
	if err != nil {
		return "", err
	}
	return w.git.call(ctx, w.Path, nil, "diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short",
		"--src-prefix=a/", "--dst-prefix=b/", base, tree, "--")
}

// base is where the worktree and the main tree parted.
func (w *Worktree) base(ctx context.Context) (string, error) {
	head, err := w.git.line(ctx, w.main, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	base, err := w.git.line(ctx, w.Path, "merge-base", head, "HEAD")
	if no(err) { // they have nothing in common
		return head, nil
	}
	return base, err
}

// Merge commits what the worktree holds and merges it into the branch of the main tree. It returns what was done, for the
// person. A main tree with changes of its own, or in the middle of something, and a conflict, are errors that name the
// files; then the main tree is as it was, and the worktree too but for the commit.
func (w *Worktree) Merge(ctx context.Context) (string, error) {
	unlock, err := w.records.open()
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := w.valid(ctx); err != nil {
		return "", err
	}
	if err := w.abandonMerge(ctx); err != nil {
		return "", err
	}
	branch, err := w.target(ctx)
	if err != nil {
		return "", err
	}
	if err := w.commit(ctx); err != nil {
		return "", err
	}
	before, err := w.git.line(ctx, w.main, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	if ahead, err := w.git.line(ctx, w.Path, "rev-list", "--count", before+"..HEAD"); err != nil || ahead == "0" {
		return w.say.Text(msg.TreeNothing, w.Branch(), branch), err
	}
	if err := w.takeIn(ctx, before, branch); err != nil {
		return "", err
	}
	after, err := w.git.line(ctx, w.Path, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	// The main tree only moves forward to a commit that is ready, so it is never half merged.
	if _, err := w.git.line(ctx, w.main, "merge", "--ff-only", "--no-verify-signatures", after); err != nil {
		return "", msg.Errorf(msg.TreeRefused, branch, gitText(err))
	}
	names, err := w.git.paths(ctx, w.main, "diff", "--name-only", "-z", "--no-renames", before, after)
	if err != nil {
		return "", err
	}
	return w.say.Text(msg.TreeMerged, w.Branch(), branch, after[:min(12, len(after))], len(names), list(names)), nil
}

// gitText is all that git said, for an error whose lines name files.
func gitText(err error) string {
	if e, ok := errors.AsType[*gitError](err); ok {
		return or(e.said, e.err.Error())
	}
	return err.Error()
}

// target is the branch of the main tree, if something can be merged into it now.
func (w *Worktree) target(ctx context.Context) (string, error) {
	branch, err := w.git.line(ctx, w.main, "symbolic-ref", "--quiet", "--short", "HEAD")
	if no(err) {
		return "", msg.Errorf(msg.TreeDetached, w.main)
	}
	if err != nil {
		return "", err
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START", "rebase-merge", "rebase-apply"} {
		path, err := w.git.line(ctx, w.main, "rev-parse", "--path-format=absolute", "--git-path", name)
		if err != nil {
			return "", err
		}
		if _, err := os.Lstat(path); err == nil {
			return "", msg.Errorf(msg.TreeBusy, w.main, name)
		}
	}
	changed, err := w.changes(ctx, w.main, false)
	if err != nil {
		return "", err
	}
	if len(changed) > 0 {
		return "", msg.Errorf(msg.TreeDirty, w.main, list(changed))
	}
	return branch, nil
}

// commit puts everything in the worktree into a commit, if there is anything.
func (w *Worktree) commit(ctx context.Context) error {
	open, err := w.git.paths(ctx, w.Path, "diff", "--name-only", noNested, "--diff-filter=U", "-z")
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return msg.Errorf(msg.TreeUnmerged, w.Path, list(open))
	}
	if err := w.git.addAll(ctx, w.Path, nil); err != nil {
		return err
	}
	_, err = w.git.line(ctx, w.Path, "diff", "--cached", "--quiet")
	if err == nil || !no(err) {
		return err
	}
	args := append(w.git.identity(ctx, w.Path), "commit", "--quiet", "--no-verify", "-m", "Changes of session "+w.Name)
	_, err = w.git.line(ctx, w.Path, args...)
	return err
}

// mergeMark is a file in the worktree's git directory that says that a merge there is ours.
const mergeMark = "agent-merge"

// takeIn merges the main tree's commit into the worktree, where a conflict does no harm.
func (w *Worktree) takeIn(ctx context.Context, commit, branch string) error {
	mark := filepath.Join(w.gitDir(ctx), mergeMark)
	if err := os.WriteFile(mark, []byte(commit+"\n"), 0o600); err != nil {
		return fmt.Errorf("mark of a merge: %w", err)
	}
	args := append(w.git.identity(ctx, w.Path), "merge", "--no-edit", "--no-verify", "--quiet",
		"-m", "Merge "+branch+" into "+w.Branch(), commit)
	_, err := w.git.line(ctx, w.Path, args...)
	if err != nil {
		names, _ := w.git.paths(ctx, w.Path, "diff", "--name-only", noNested, "--diff-filter=U", "-z") // the error says enough
		if aerr := w.abandonMerge(context.WithoutCancel(ctx)); aerr != nil {
			return errors.Join(err, aerr)
		}
		if len(names) > 0 {
			return msg.Errorf(msg.TreeConflict, w.Branch(), branch, list(names), w.Path)
		}
		return err
	}
	return os.Remove(mark)
}

// abandonMerge takes back a merge of ours that was not finished.
func (w *Worktree) abandonMerge(ctx context.Context) error {
	dir := w.gitDir(ctx)
	mark := filepath.Join(dir, mergeMark)
	if _, err := os.Lstat(mark); dir == "" || err != nil {
		return nil //nolint:nilerr // there is none
	}
	if _, err := os.Lstat(filepath.Join(dir, "MERGE_HEAD")); err == nil {
		if _, err := w.git.line(ctx, w.Path, "merge", "--abort"); err != nil {
			return err
		}
	}
	return os.Remove(mark)
}

// Discard commits what the worktree holds to a ref that stays, removes worktree and branch, and returns how to get it
// back, for the person. Files that git ignores are gone for good. The caller has asked before. The worktree must not be
// used afterwards.
func (w *Worktree) Discard(ctx context.Context) (string, error) {
	unlock, err := w.records.open()
	if err != nil {
		return "", err
	}
	defer unlock()
	ref, err := w.keep(ctx)
	if err != nil {
		return "", err
	}
	if err := w.records.note(treeRemoveBefore, w.treeName, nil); err != nil {
		return "", err
	}
	if err := w.remove(ctx); err != nil {
		return "", err
	}
	return w.say.Text(msg.TreeDiscarded, w.Branch(), w.Branch(), ref), nil
}

// keep makes a commit of everything and a ref to it, without touching the worktree.
func (w *Worktree) keep(ctx context.Context) (ref string, err error) {
	ref = "refs/discarded/" + w.Name + "/" + strconv.FormatInt(w.records.now().UnixMilli(), 10)
	commit, err := w.all(ctx)
	if err != nil {
		return "", err
	}
	_, err = w.git.line(ctx, w.main, "update-ref", "-m", "discarded worktree", ref, commit)
	return ref, err
}

// all is a commit of everything that the worktree holds; of its branch, when the worktree itself is gone.
func (w *Worktree) all(ctx context.Context) (string, error) {
	if w.valid(ctx) != nil {
		return w.git.line(ctx, w.main, "rev-parse", "--verify", "refs/heads/"+w.Branch())
	}
	tree, err := w.git.snapshot(ctx, w.Path)
	if err != nil {
		return "", err
	}
	args := append(w.git.identity(ctx, w.Path), "commit-tree", "-p", "HEAD", "-m", "Discarded: session "+w.Name, tree)
	return w.git.line(ctx, w.Path, args...)
}

// remove takes worktree and branch away and notes it. It may be called again after a crash.
func (w *Worktree) remove(ctx context.Context) error {
	err := w.erase(ctx)
	if err != nil {
		return errors.Join(err, w.records.note(treeRemoveFailed, w.treeName, err))
	}
	one, known, err := w.records.get(w.Name)
	if err != nil {
		return err
	}
	if !known {
		one = treeRecord{Name: w.Name, Path: w.Path, Branch: w.Branch(), CreatedAt: w.records.seconds()}
	}
	one.Status, one.RemovedAt = treeRemoved, w.records.seconds()
	if err := w.records.put(one); err != nil {
		return err
	}
	return w.records.note(treeRemoveAfter, w.treeName, nil)
}

func (w *Worktree) erase(ctx context.Context) error {
	// Git removes what it knows as a worktree; what is left of one that it does not know goes too.
	_, err := w.git.line(ctx, w.main, "worktree", "remove", "--force", "--force", w.Path)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err := os.RemoveAll(w.Path); err != nil {
		return err
	}
	if _, err := w.git.line(ctx, w.main, "worktree", "prune"); err != nil {
		return err
	}
	if !w.hasBranch(ctx) {
		return nil
	}
	_, err = w.git.line(ctx, w.main, "branch", "--quiet", "-D", w.Branch())
	return err
}
