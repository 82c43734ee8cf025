//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// What git believes and what was not there when the command began cannot be put there either.
func TestGitIsNotSentElsewhere(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		if w.bare {
			return // hooks are open there, and the warning says so
		}
		git(t, r.root, "init", "-q")
		git(t, r.root, "config", "extensions.worktreeConfig", "true")
		dot := filepath.Join(r.root, ".git")
		for _, name := range []string{"hooks", "config.worktree"} {
			if err := os.RemoveAll(filepath.Join(dot, name)); err != nil {
				t.Fatal(err)
			}
		}
		r.stray = repository(r.root).stray() // as for one that is opened now
		r.fails(t, "mkdir -p .git/hooks && echo x >.git/hooks/pre-commit")
		r.fails(t, "git config --worktree core.fsmonitor x")
		r.fails(t, "echo x >.git/config.worktree")
		r.works(t, "mkdir e; echo ../e >.git/commondir")
		r.works(t, "true")
		git(t, r.root, "status")
		r.works(t, "echo ../e >.git/commondir")
		r.Explain("x")
		git(t, r.root, "status")
		r.works(t, "mkdir .git/commondir")
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		git(t, r.root, "status")
	})
}

// A file that was there before is the person's.
func TestCommondirOfThePersonStays(t *testing.T) {
	top := resolved(t.TempDir())
	git(t, top, "init", "-q")
	file := filepath.Join(top, ".git", "commondir")
	write0(t, file, ".\n")
	s, err := Open(Options{Kind: Auto, Root: top, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || content(t, file) != ".\n" {
		t.Error(err)
	}
}
