//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A session can make repositories within its worktree. Their settings name programs, which must not run when the worktree
// is compared, merged or dropped: that happens outside of the sandbox.
func TestNestedRepositoriesRunNothing(t *testing.T) {
	r := newRepo(t)
	w, _ := r.open()
	sub, mark := filepath.Join(w.Path, "sub"), filepath.Join(t.TempDir(), "ran")
	git(t, w.Path, "init", "-q", "-b", "main", sub)
	put(t, filepath.Join(sub, "b"), "0\n")
	git(t, sub, "add", "-A")
	git(t, sub, "commit", "-qm", "nested")
	git(t, w.Path, "add", "sub")
	git(t, w.Path, "commit", "-qm", "with a link")
	git(t, sub, "config", "filter.x.clean", "touch "+mark+"; cat")
	put(t, filepath.Join(sub, ".gitattributes"), "* filter=x\n")
	put(t, filepath.Join(w.Path, ".gitmodules"), "[submodule \"sub\"]\n\tpath = sub\n\turl = x\n\tignore = none\n")
	touched := 0
	quiet := func(what string, f func() error) {
		t.Helper()
		touched++
		put(t, filepath.Join(sub, "b"), strconv.Itoa(touched)+"\n")
		if err := f(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Lstat(mark); err == nil {
			t.Fatalf("%s ran a program of a nested repository", what)
		}
	}
	quiet("open", func() error { again, _ := r.open(); w = again; return nil })
	quiet("changes", func() error { _, err := w.changes(t.Context(), w.Path, true); return err })
	quiet("diff", func() error { _, err := w.Diff(t.Context()); return err })
	git(t, sub, "-c", "filter.x.clean=cat", "commit", "-qam", "more")
	want := strings.TrimSpace(git(t, sub, "rev-parse", "HEAD"))
	quiet("merge", func() error { _, err := w.Merge(t.Context()); return err })
	if got := git(t, r.top, "ls-tree", "HEAD", "sub"); !strings.Contains(got, want) {
		t.Errorf("the nested commit was not taken over: %s", got)
	}
	quiet("changes of the main tree", func() error { _, err := w.changes(t.Context(), r.top, true); return err })
	git(t, sub, "status") // the filter does work
	if _, err := os.Lstat(mark); err != nil {
		t.Error("the filter runs never: this test shows nothing")
	}
}
