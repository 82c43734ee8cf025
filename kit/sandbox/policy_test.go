//go:build linux

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git outside of the sandbox, with nobody's settings.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// ident lets git commit.
const ident = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "

func TestPolicyFilesStayAsTheyAre(t *testing.T) {
	each(t, Options{Protect: []string{"", ""}}, func(t *testing.T, r *rig, w way) {
		if w.bare {
			if !strings.Contains(r.Warning(), ".git/hooks") {
				t.Errorf("they are open and the warning does not say so: %q", r.Warning())
			}
			return
		}
		git(t, r.root, "init", "-q")
		config := filepath.Join(r.root, "config.yaml")
		own := filepath.Join(r.root, ".agent")
		write0(t, config, "mode: ask\n")
		if err := os.Mkdir(own, 0o755); err != nil {
			t.Fatal(err)
		}
		write0(t, filepath.Join(own, "rules"), "deny")
		r.o.Protect = []string{config, own, filepath.Join(r.root, "not there")}
		before := content(t, filepath.Join(r.root, ".git", "config"))
		for _, command := range []string{
			"echo 'mode: yolo' >config.yaml", "rm config.yaml", "mv config.yaml c", "cp /dev/null config.yaml", "echo x >c && mv c config.yaml", "sed -i s/ask/yolo/ config.yaml",
			"ln -f c config.yaml", "echo allow >.agent/rules", "rm -r .agent", "mv .agent a", "touch .agent/more", "chmod 777 config.yaml",
			"git config core.hooksPath /tmp", "git config user.name x", "echo x >>.git/config", "rm .git/config", "echo x >.git/hooks/pre-commit", "rm -r .git/hooks",
			"mv .git/hooks .git/h", "mv .git g", "rm -rf .git", "ln config.yaml other && echo x >other",
		} {
			r.fails(t, command)
		}
		if got := content(t, config); got != "mode: ask\n" {
			t.Errorf("config.yaml holds %q", got)
		}
		if got := content(t, filepath.Join(own, "rules")); got != "deny" {
			t.Errorf("rules hold %q", got)
		}
		if got := content(t, filepath.Join(r.root, ".git", "config")); got != before {
			t.Errorf(".git/config holds %q", got)
		}
		if _, err := os.Stat(filepath.Join(r.root, ".git", "hooks", "pre-commit")); err == nil {
			t.Error("a hook was made")
		}
	})
}

func TestGitWorks(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		git(t, r.root, "init", "-q", "-b", "main")
		r.works(t, ident+"echo 1 >file && git add -A && git commit -qm 一 && git checkout -qb other && git commit -qm two --allow-empty && git stash list && git gc -q && git log --oneline | wc -l")
		if got := git(t, r.root, "log", "--format=%s"); got != "two\n一" {
			t.Errorf("log %q", got)
		}
		sub := filepath.Join(r.root, "sub")
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		r.root, r.Sandbox.root = sub, sub
		r.works(t, ident+"echo 1 >file && git add -A && git commit -qm three")
		if got := git(t, sub, "log", "-1", "--format=%s"); got != "three" {
			t.Errorf("log %q", got)
		}
	})
}

func TestGitWorktreeWorks(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		main := filepath.Join(r.out, "main 仓库")
		git(t, r.out, "init", "-q", "-b", "main", main)
		git(t, main, "commit", "-qm", "one", "--allow-empty")
		if err := os.Remove(r.root); err != nil {
			t.Fatal(err)
		}
		git(t, main, "worktree", "add", "-q", "-b", "wt/x", r.root)
		r.works(t, ident+"echo 1 >file && git add -A && git commit -qm two && git status --short")
		if got := git(t, main, "log", "-1", "--format=%s", "wt/x"); got != "two" {
			t.Errorf("log %q", got)
		}
		at := filepath.Join(main, ".git")
		r.fails(t, "echo x >>'"+at+"/config'")
		r.fails(t, "echo x >'"+at+"/hooks/post-commit'")
		r.fails(t, "echo x >'"+main+"/file'")
		if !w.bare {
			r.fails(t, "echo x >.git")
			r.fails(t, "echo /tmp >\"$(git rev-parse --git-dir)/commondir\"")
		}
	})
}
