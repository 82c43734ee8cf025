//go:build linux

package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"react-agent/internal/msg"
)

// repoRig is a repository with one commit.
type repoRig struct {
	t   *testing.T
	top string
	o   WorktreeOptions
}

func vars() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "EMAIL=a@b", "GIT_AUTHOR_NAME=a", "GIT_COMMITTER_NAME=a")
}

func newRepo(t *testing.T) *repoRig {
	t.Helper()
	top := filepath.Join(resolved(t.TempDir()), "仓库 with space")
	git(t, filepath.Dir(top), "init", "-q", "-b", "main", top)
	r := &repoRig{t: t, top: top, o: WorktreeOptions{Root: top, Session: "s1", Vars: vars()}}
	r.put("file", "one\n")
	r.put("dir/其他", "two\n")
	git(t, top, "add", "-A")
	git(t, top, "commit", "-qm", "first")
	return r
}

func (r *repoRig) put(name, text string) { put(r.t, filepath.Join(r.top, name), text) }

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write0(t, path, text)
}

func (r *repoRig) open() (*Worktree, string) {
	r.t.Helper()
	w, warning, err := OpenWorktree(r.t.Context(), r.o)
	if err != nil {
		r.t.Fatal(err)
	}
	if w == nil {
		r.t.Fatalf("no worktree: %s", warning)
	}
	return w, warning
}

func (r *repoRig) events() (names []string) {
	b, err := os.ReadFile(filepath.Join(r.top, ".worktrees", "events.jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var e struct {
			Event    string
			TS       float64
			Worktree struct{ Name, Branch, Path string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.TS == 0 || e.Worktree.Name == "" {
			r.t.Errorf("%s: %v", line, err)
		}
		names = append(names, e.Event)
	}
	return names
}

func TestWorktreeIsMadeOnce(t *testing.T) {
	r := newRepo(t)
	r.o.Now = func() time.Time { return time.UnixMilli(1500) }
	w, warning := r.open()
	if warning != "" {
		t.Errorf("warning %q", warning)
	}
	if w.Branch() != "wt/s1" || w.Root() != filepath.Join(r.top, ".worktrees", "s1") {
		t.Errorf("%s %s", w.Branch(), w.Root())
	}
	if got := content(t, filepath.Join(w.Root(), "dir", "其他")); got != "two\n" {
		t.Errorf("%q", got)
	}
	if got := git(t, w.Root(), "branch", "--show-current"); got != "wt/s1" {
		t.Errorf("on %q", got)
	}
	if got := git(t, r.top, "status", "--short"); got != "" {
		t.Errorf("the main tree sees it: %q", got)
	}
	put(t, filepath.Join(w.Root(), "new"), "work\n")
	again, warning := r.open()
	if again.Root() != w.Root() || content(t, filepath.Join(again.Root(), "new")) != "work\n" || warning != "" {
		t.Errorf("not found again: %s %q", again.Root(), warning)
	}
	if got := r.events(); !slices.Equal(got, []string{"worktree.create.before", "worktree.create.after"}) {
		t.Errorf("events %v", got)
	}
	var index struct{ Worktrees []map[string]any }
	if err := json.Unmarshal([]byte(content(t, filepath.Join(r.top, ".worktrees", "index.json"))), &index); err != nil {
		t.Fatal(err)
	}
	one := index.Worktrees[0]
	if len(index.Worktrees) != 1 || one["name"] != "s1" || one["branch"] != "wt/s1" || one["status"] != "active" || one["created_at"] != 1.5 || one["path"] != w.Root() {
		t.Errorf("index %v", index)
	}
}

func TestWorktreeOfAFolderWithin(t *testing.T) {
	r := newRepo(t)
	r.o.Root = filepath.Join(r.top, "dir")
	w, _ := r.open()
	if w.Root() != filepath.Join(r.top, ".worktrees", "s1", "dir") || content(t, filepath.Join(w.Root(), "其他")) != "two\n" {
		t.Error(w.Root())
	}
	r.o.Root, r.o.Session = filepath.Join(r.top, "untracked"), "s2"
	if err := os.Mkdir(r.o.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	w, _ = r.open()
	if info, err := os.Stat(w.Root()); err != nil || !info.IsDir() {
		t.Error(err)
	}
}

func TestUncommittedChangesAreNamed(t *testing.T) {
	r := newRepo(t)
	r.put("file", "changed\n")
	r.put("新的", "new\n")
	w, warning := r.open()
	for _, name := range []string{"file", "新的"} {
		if !strings.Contains(warning, name) {
			t.Errorf("%s is not named in %q", name, warning)
		}
	}
	if content(t, filepath.Join(w.Root(), "file")) != "one\n" {
		t.Error("it is in the worktree")
	}
	if _, again := r.open(); again != "" {
		t.Errorf("told twice: %q", again)
	}
}

func TestNoWorktreeHere(t *testing.T) {
	r := newRepo(t)
	dir := t.TempDir()
	bare := filepath.Join(dir, "bare")
	git(t, dir, "init", "-q", "--bare", bare)
	empty := filepath.Join(dir, "empty")
	git(t, dir, "init", "-q", empty)
	plain := filepath.Join(dir, "plain")
	if err := os.Mkdir(plain, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]WorktreeOptions{
		"bare": {Root: bare}, "empty": {Root: empty}, "plain": {Root: plain}, "in .git": {Root: filepath.Join(r.top, ".git")},
		"no git": {Root: r.top, Git: filepath.Join(dir, "missing")},
	} {
		o.Session, o.Vars = "s", append(vars(), "GIT_CEILING_DIRECTORIES="+dir)
		w, warning, err := OpenWorktree(t.Context(), o)
		if w != nil || warning == "" || err != nil {
			t.Errorf("%s: %v %q %v", name, w, warning, err)
		}
		t.Log(warning)
	}
	if exists(filepath.Join(plain, ".worktrees")) {
		t.Error("something was made")
	}
}

func TestDiffHasEverything(t *testing.T) {
	r := newRepo(t)
	r.put(".gitignore", "ignored\n")
	git(t, r.top, "add", "-A")
	git(t, r.top, "commit", "-qm", "ignore")
	w, _ := r.open()
	if d, err := w.Diff(t.Context()); err != nil || d != "" {
		t.Errorf("%q %v", d, err)
	}
	root := w.Root()
	put(t, filepath.Join(root, "committed"), "c\n")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "c")
	put(t, filepath.Join(root, "file"), "changed\n")
	put(t, filepath.Join(root, "空 格/新"), "new\n")
	put(t, filepath.Join(root, "binary"), "\x00\x01\x02")
	put(t, filepath.Join(root, "ignored"), "i\n")
	if err := os.Remove(filepath.Join(root, "dir", "其他")); err != nil {
		t.Fatal(err)
	}
	status := git(t, root, "status", "--short")
	d, err := w.Diff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, root, "status", "--short"); got != status {
		t.Errorf("the index was touched: %s, was %s", got, status)
	}
	patch := filepath.Join(t.TempDir(), "patch")
	write0(t, patch, d)
	git(t, r.top, "apply", patch)
	for name, want := range map[string]string{"committed": "c\n", "file": "changed\n", "空 格/新": "new\n", "binary": "\x00\x01\x02"} {
		if got := content(t, filepath.Join(r.top, name)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if exists(filepath.Join(r.top, "dir", "其他")) || strings.Contains(d, "ignored\n") {
		t.Errorf("diff:\n%s", d)
	}
}

func TestMerge(t *testing.T) {
	r := newRepo(t)
	w, _ := r.open()
	if text, err := w.Merge(t.Context()); err != nil || !strings.Contains(text, "nothing") {
		t.Errorf("%q %v", text, err)
	}
	put(t, filepath.Join(w.Root(), "新"), "n\n")
	put(t, filepath.Join(w.Root(), "file"), "one\nmore\n")
	text, err := w.Merge(t.Context())
	if err != nil || !strings.Contains(text, "main") || !strings.Contains(text, "新") {
		t.Fatalf("%q %v", text, err)
	}
	if content(t, filepath.Join(r.top, "新")) != "n\n" || git(t, r.top, "status", "--short") != "" {
		t.Error("it is not in the main tree")
	}
	// Both go on.
	r.put("main only", "m\n")
	r.put("untracked", "u\n")
	git(t, r.top, "add", "main only")
	git(t, r.top, "commit", "-qm", "main")
	put(t, filepath.Join(w.Root(), "second"), "s\n")
	if text, err = w.Merge(t.Context()); err != nil {
		t.Fatalf("%q %v", text, err)
	}
	if content(t, filepath.Join(r.top, "second")) != "s\n" || content(t, filepath.Join(r.top, "main only")) != "m\n" || content(t, filepath.Join(r.top, "untracked")) != "u\n" {
		t.Error("the second merge lacks something")
	}
	if d, err := w.Diff(t.Context()); err != nil || d != "" {
		t.Errorf("after the merge: %q %v", d, err)
	}
}

// state is everything that a refused merge must leave as it was.
func (r *repoRig) state() string {
	return git(r.t, r.top, "rev-parse", "HEAD") + git(r.t, r.top, "status", "--short") + git(r.t, r.top, "diff") + git(r.t, r.top, "stash", "list")
}

func TestMergeRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, r *repoRig, w *Worktree)
		want  []string
	}{
		{"dirty", func(_ *testing.T, r *repoRig, _ *Worktree) { r.put("dir/其他", "mine\n") }, []string{"dir/其他", "commit"}},
		{"staged", func(t *testing.T, r *repoRig, _ *Worktree) {
			r.put("staged", "mine\n")
			git(t, r.top, "add", "staged")
		}, []string{"staged"}},
		{"untracked in the way", func(_ *testing.T, r *repoRig, _ *Worktree) { r.put("new 新", "mine\n") }, []string{"new 新"}},
		{"conflict", func(t *testing.T, r *repoRig, _ *Worktree) {
			r.put("file", "other\n")
			git(t, r.top, "commit", "-qam", "other")
		}, []string{"file", "main", "conflict"}},
		{"detached", func(t *testing.T, r *repoRig, _ *Worktree) { git(t, r.top, "switch", "-q", "--detach") }, []string{"switch"}},
		{"unmerged", func(t *testing.T, r *repoRig, w *Worktree) {
			git(t, w.Root(), "commit", "-qam", "w")
			git(t, w.Root(), "switch", "-qc", "side", "HEAD~")
			put(t, filepath.Join(w.Root(), "file"), "side\n")
			git(t, w.Root(), "commit", "-qam", "side")
			cmd := shellCommand("git merge wt/s1")
			cmd.Dir, cmd.Env = w.Root(), vars()
			_ = cmd.Run() // a conflict is wanted
		}, []string{"file", "resolved"}},
		{"bisect", func(t *testing.T, r *repoRig, _ *Worktree) { git(t, r.top, "bisect", "start") }, []string{"BISECT"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			w, _ := r.open()
			put(t, filepath.Join(w.Root(), "file"), "changed\n")
			put(t, filepath.Join(w.Root(), "new 新"), "new\n")
			c.spoil(t, r, w)
			before := r.state()
			text, err := w.Merge(t.Context())
			if err == nil {
				t.Fatalf("merged: %s", text)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %q", want, err)
				}
			}
			if msg.For(msg.Zh).Err(err) == err.Error() {
				t.Error("no Chinese text")
			}
			if after := r.state(); after != before {
				t.Errorf("the main tree changed:\n%s\nwas\n%s", after, before)
			}
			if c.name != "unmerged" {
				if got := content(t, filepath.Join(w.Root(), "file")); got != "changed\n" {
					t.Errorf("the worktree has %q", got)
				}
				if got := git(t, w.Root(), "status", "--short", "--untracked-files=no"); c.name == "conflict" && got != "" {
					t.Errorf("half merged: %q", got)
				}
			}
		})
	}
}

func TestDiscardCanBeTakenBack(t *testing.T) {
	r := newRepo(t)
	w, _ := r.open()
	put(t, filepath.Join(w.Root(), "new"), "precious\n")
	put(t, filepath.Join(w.Root(), "file"), "changed\n")
	text, err := w.Discard(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if exists(w.Root()) || git(t, r.top, "branch", "--list", "wt/*") != "" || git(t, r.top, "worktree", "list", "--porcelain") == "" {
		t.Error("something is left")
	}
	command := text[strings.Index(text, "git branch"):]
	args := strings.Fields(command)
	git(t, r.top, args[1:]...)
	if got := git(t, r.top, "show", "wt/s1:new"); got != "precious" {
		t.Errorf("%q brings back %q", command, got)
	}
	if got := r.events(); !slices.Equal(got[2:], []string{"worktree.remove.before", "worktree.remove.after"}) {
		t.Errorf("events %v", got)
	}
	if got := content(t, filepath.Join(r.top, ".worktrees", "index.json")); !strings.Contains(got, "removed_at") {
		t.Error(got)
	}
	// The session goes on with what was brought back.
	w, _ = r.open()
	if got := content(t, filepath.Join(w.Root(), "new")); got != "precious\n" {
		t.Errorf("%q", got)
	}
}

// Wherever a crash cuts in, the next open gives a whole worktree, and nothing that was committed is lost.
func TestRepair(t *testing.T) {
	admin := func(r *repoRig) string { return filepath.Join(r.top, ".git", "worktrees", "s1") }
	for name, damage := range map[string]func(t *testing.T, r *repoRig, w *Worktree){
		"nothing": func(*testing.T, *repoRig, *Worktree) {},
		"the folder is gone": func(t *testing.T, _ *repoRig, w *Worktree) {
			if err := os.RemoveAll(w.Root()); err != nil {
				t.Fatal(err)
			}
		},
		"made, not noted": func(t *testing.T, r *repoRig, _ *Worktree) {
			if err := os.Remove(filepath.Join(r.top, ".worktrees", "index.json")); err != nil {
				t.Fatal(err)
			}
		},
		"half made": func(t *testing.T, r *repoRig, w *Worktree) {
			write0(t, filepath.Join(admin(r), "locked"), "initializing")
			for _, f := range []string{filepath.Join(admin(r), "index"), filepath.Join(w.Root(), "file"), filepath.Join(r.top, ".worktrees", "index.json")} {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
			write0(t, filepath.Join(r.top, ".worktrees", "events.jsonl"), `{"event":"worktree.create.before","ts":1,"task":{},"worktree":{"name":"s1"}}`+"\n")
		},
		"only the folder": func(t *testing.T, r *repoRig, w *Worktree) {
			git(t, r.top, "worktree", "remove", "--force", w.Root())
			if err := os.Mkdir(w.Root(), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"torn line of events": func(t *testing.T, r *repoRig, w *Worktree) {
			git(t, r.top, "worktree", "remove", "--force", w.Root())
			f := filepath.Join(r.top, ".worktrees", "events.jsonl")
			write0(t, f, content(t, f)+`{"event":"worktr`)
		},
		"in a merge of ours": func(t *testing.T, r *repoRig, w *Worktree) {
			r.put("kept", "other\n")
			git(t, r.top, "add", "-A")
			git(t, r.top, "commit", "-qm", "other")
			write0(t, filepath.Join(admin(r), mergeMark), "x")
			cmd := shellCommand("git merge main")
			cmd.Dir, cmd.Env = w.Root(), vars()
			if cmd.Run() == nil {
				t.Fatal("no conflict")
			}
		},
		"the repository was moved": func(t *testing.T, r *repoRig, _ *Worktree) {
			to := filepath.Join(filepath.Dir(r.top), "moved")
			if err := os.Rename(r.top, to); err != nil {
				t.Fatal(err)
			}
			r.top, r.o.Root = to, to
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			w, _ := r.open()
			put(t, filepath.Join(w.Root(), "kept"), "mine\n")
			git(t, w.Root(), "add", "-A")
			git(t, w.Root(), "commit", "-qm", "kept")
			damage(t, r, w)
			w, _ = r.open()
			if got := content(t, filepath.Join(w.Root(), "kept")); got != "mine\n" {
				t.Errorf("kept holds %q", got)
			}
			if got := content(t, filepath.Join(w.Root(), "file")); got != "one\n" {
				t.Errorf("file holds %q", got)
			}
			if got := git(t, w.Root(), "status", "--short"); got != "" {
				t.Errorf("status %q", got)
			}
			r.events2(t)
		})
	}
}

// events2 checks that the last event is that of a worktree that stands.
func (r *repoRig) events2(t *testing.T) {
	t.Helper()
	rec := records{dir: filepath.Join(r.top, ".worktrees"), now: time.Now}
	if got := rec.last("s1"); got != treeCreateAfter {
		t.Errorf("last event %q", got)
	}
	if one, ok, err := rec.get("s1"); err != nil || !ok || one.Status != treeActive {
		t.Errorf("%+v %v", one, err)
	}
}

// A removal that was cut off is finished, and the session begins anew.
func TestRemovalIsFinished(t *testing.T) {
	r := newRepo(t)
	w, _ := r.open()
	put(t, filepath.Join(w.Root(), "new"), "x")
	if err := w.records.note(treeRemoveBefore, w.treeName, nil); err != nil {
		t.Fatal(err)
	}
	w, _ = r.open()
	if exists(filepath.Join(w.Root(), "new")) {
		t.Error("the old one is still there")
	}
	if got := r.events(); !slices.Equal(got[3:], []string{"worktree.remove.after", "worktree.create.before", "worktree.create.after"}) {
		t.Errorf("events %v", got)
	}
}

func TestWhatIsInTheWayStays(t *testing.T) {
	r := newRepo(t)
	mine := filepath.Join(r.top, ".worktrees", "s1", "mine")
	put(t, mine, "precious")
	_, _, err := OpenWorktree(t.Context(), r.o)
	if err == nil || !strings.Contains(err.Error(), filepath.Dir(mine)) || content(t, mine) != "precious" {
		t.Error(err)
	}
	put(t, filepath.Join(r.top, ".worktrees", "index.json"), "{")
	if _, _, err = OpenWorktree(t.Context(), r.o); err == nil || !strings.Contains(err.Error(), "index.json") {
		t.Error(err)
	}
}

// Nothing of the repository's own is run, and a worktree that points elsewhere is not believed.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	r := newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "pre-merge-commit", "post-merge", "commit-msg", "reference-transaction", "post-index-change"} {
		if err := os.WriteFile(filepath.Join(r.top, ".git", "hooks", hook), []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t, r.top, "config", "core.fsmonitor", "touch '"+ran+"'; false")
	git(t, r.top, "config", "diff.external", "touch '"+ran+"'")
	git(t, r.top, "config", "core.editor", "touch '"+ran+"'")
	_ = os.Remove(ran) // git of the test may have run some
	w, _ := r.open()
	put(t, filepath.Join(w.Root(), "new"), "x\n")
	r.put("m", "m\n")
	if _, err := w.Diff(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := w.Merge(t.Context()); err != nil {
		t.Error(err)
	}
	if exists(ran) {
		t.Error("something ran")
	}
	evil := filepath.Join(t.TempDir(), "evil")
	git(t, t.TempDir(), "init", "-q", evil)
	write0(t, filepath.Join(w.Root(), ".git"), "gitdir: "+evil+"/.git\n")
	if _, err := w.Diff(t.Context()); err == nil || !strings.Contains(err.Error(), "no whole worktree") {
		t.Error(err)
	}
	if _, err := w.Merge(t.Context()); err == nil {
		t.Error("merged")
	}
}

func TestSubmodulesAreNamed(t *testing.T) {
	r := newRepo(t)
	other := newRepo(t)
	git(t, r.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", other.top, "sub")
	git(t, r.top, "commit", "-qm", "sub")
	w, warning := r.open()
	if !strings.Contains(warning, "submodule") {
		t.Errorf("%q", warning)
	}
	put(t, filepath.Join(w.Root(), "new"), "x\n")
	if _, err := w.Merge(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := w.Discard(t.Context()); err != nil || exists(w.Root()) {
		t.Error(err)
	}
}

// Without a name of their own the product's is used for commits.
func TestIdentity(t *testing.T) {
	r := newRepo(t)
	r.o.Vars = slices.DeleteFunc(vars(), func(v string) bool {
		return strings.HasPrefix(v, "EMAIL=") || strings.HasPrefix(v, "GIT_AUTHOR") || strings.HasPrefix(v, "GIT_COMMITTER")
	})
	git(t, r.top, "config", "user.useConfigOnly", "true")
	w, _ := r.open()
	put(t, filepath.Join(w.Root(), "new"), "x\n")
	if _, err := w.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := git(t, r.top, "log", "-1", "--format=%an"); got != "react-agent" {
		t.Errorf("author %q", got)
	}
}

func TestErrorsOfGitAreWhole(t *testing.T) {
	r := newRepo(t)
	w, _ := r.open()
	_, err := w.git.line(t.Context(), r.top, "no-such-command")
	if e, ok := errors.AsType[*gitError](err); !ok || !strings.Contains(e.Error(), "no-such-command") || e.Unwrap() == nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	good := regexp.MustCompile(`^[A-Za-z0-9._-]{1,40}$`)
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		session := rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9._/ -]{0,60}`), rapid.String()).Draw(t, "session")
		name := treeNameOf(session)
		if !good.MatchString(name) || strings.Contains(name, "..") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, "-") {
			t.Errorf("%q gives %q", session, name)
		}
		if other, ok := seen[name]; ok && other != session {
			t.Errorf("%q and %q both give %q", session, other, name)
		}
		seen[name] = session
	})
	if got := treeNameOf("20260101-abc_D"); got != "20260101-abc_D" {
		t.Error(got)
	}
}
