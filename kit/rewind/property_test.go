package rewind

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// places are the paths that the property test plays with: few, so that they meet.
func places() []string {
	return []string{"a", "b", "d", "d/x", "d/y", "d/e", "d/e/z", "f", "f/g"}
}

// mutate does one random thing to the work directory, as a person or a command would: some attempts fail, like theirs.
func mutate(rt *rapid.T, w *world) string {
	p := rapid.SampledFrom(places()).Draw(rt, "path")
	path := w.path(p)
	text := rapid.SampledFrom([]string{"", "1", "2", "three", "long"}).Draw(rt, "text")
	if text == "long" {
		text = strings.Repeat("x", 5000)
	}
	kind := rapid.SampledFrom([]string{"write", "write", "inplace", "append", "chmod", "remove", "rename", "link", "mkdir", "touch", "hard"}).Draw(rt, "op")
	switch kind {
	case "write": // as editors do
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if os.WriteFile(path+".t", []byte(text), 0o644) == nil && os.Rename(path+".t", path) != nil {
			_ = os.Remove(path + ".t")
		}
	case "inplace":
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, []byte(text), 0o640)
	case "append":
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, _ = f.WriteString("+")
			_ = f.Close()
		}
	case "chmod":
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink == 0 {
			mode := rapid.SampledFrom([]os.FileMode{0o600, 0o644, 0o755, 0o700}).Draw(rt, "mode")
			_ = os.Chmod(path, mode)
		}
	case "remove":
		_ = os.RemoveAll(path)
	case "rename":
		to := rapid.SampledFrom(places()).Draw(rt, "to")
		_ = os.Rename(path, w.path(to))
		return kind + " " + p + " " + to
	case "link":
		_ = os.Symlink(rapid.SampledFrom([]string{"a", "d", "nowhere", "../.."}).Draw(rt, "target"), path)
	case "mkdir":
		_ = os.MkdirAll(path, 0o755)
	case "touch":
		_ = os.Chtimes(path, time.Now(), time.Now())
	case "hard":
		_ = os.Link(path, w.path("h"))
	}
	return kind + " " + p
}

// moment is the tree after somebody did something.
type moment struct {
	agent bool
	job   bool // perhaps: what came between two looks while a job ran
	turn  int
	tree  map[string]string
}

// expected says what a path must be after going back to before a turn, and whether that is a conflict. moments[0] is the
// beginning.
func expected(moments []moment, turn int, p string, force bool) (want string, conflict bool) {
	last := moments[len(moments)-1].tree[p]
	mine := false
	want = last
	for i := 1; i < len(moments); i++ {
		before, after := moments[i-1].tree[p], moments[i].tree[p]
		if before == after {
			continue
		}
		switch m := moments[i]; {
		case m.agent && m.turn >= turn && !mine:
			mine, want = true, before
			conflict = m.job
		case mine && (!m.agent || m.job):
			conflict = true
		}
	}
	if force {
		return want, false
	}
	if conflict {
		return last, last != want
	}
	return want, false
}

// TestProperty plays random histories of a person and an agent that edits and runs commands, also in the background, goes
// back to a random turn and forward again: every path has the bytes, mode and kind that were recorded, or is named.
func TestProperty(t *testing.T) {
	base := t.TempDir()
	_, err := exec.LookPath("git")
	hasGit := err == nil
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		bg := &jobs{id: map[string]string{}, ended: map[string]time.Time{}}
		running, began, unseen := "", 0, false // the call of the job that runs, its turn, and whether nobody has looked since it did something
		w := newWorld(rt, mkdir(t, base, fmt.Sprint("w", n)), filepath.Join(base, fmt.Sprint("s", n)), func(o *Options) { o.Background = bg.of })
		for range rapid.IntRange(0, 5).Draw(rt, "start") {
			mutate(rt, w)
		}
		inGit := hasGit && rapid.IntRange(0, 9).Draw(rt, "git") == 9
		if inGit {
			w.git("init", "-q")
			w.git("add", "-A")
			w.git("commit", "-qm", "all", "--allow-empty")
		}
		moments := []moment{{tree: tree(rt, w.o.Root)}}
		note := func(m moment) {
			m.tree = tree(rt, w.o.Root)
			if !m.agent && running != "" { // it cannot be told from what the job does
				m.agent, m.job, m.turn = true, true, began
			}
			if unseen && m.job {
				moments[len(moments)-1].tree = m.tree
				return
			}
			moments, unseen = append(moments, m), m.job
		}
		var turns []int64
		for turn := range rapid.IntRange(1, 3).Draw(rt, "turns") {
			turns = append(turns, w.say("go"))
			for range rapid.IntRange(1, 3).Draw(rt, "steps") {
				switch rapid.SampledFrom([]string{"run", "run", "edit", "person", "restart", "job", "job ends"}).Draw(rt, "step") {
				case "run":
					w.call(func() {
						for range rapid.IntRange(1, 4).Draw(rt, "ops") {
							mutate(rt, w)
						}
						if inGit {
							w.git("add", "-A")
						}
					})
					note(moment{agent: true, turn: turn})
				case "edit":
					p := rapid.SampledFrom(places()).Draw(rt, "file")
					if unseen { // an edit looks at its file only
						w.call(func() {})
						unseen = false
					}
					w.call(func() {
						_ = os.MkdirAll(filepath.Dir(w.path(p)), 0o755)
						_ = os.WriteFile(w.path(p)+".t", []byte(rapid.StringN(0, 5, 9).Draw(rt, "content")), 0o600)
						if os.Rename(w.path(p)+".t", w.path(p)) != nil {
							_ = os.Remove(w.path(p) + ".t")
						}
					}, p)
					note(moment{agent: true, turn: turn})
				case "person":
					mutate(rt, w)
					note(moment{turn: turn})
				case "job":
					if running == "" {
						running, began = w.start(bg), turn
					} else {
						w.call(func() {})
					}
					unseen = false
					for range rapid.IntRange(0, 3).Draw(rt, "ops") {
						mutate(rt, w)
					}
					note(moment{agent: true, job: true, turn: began})
				case "job ends":
					if running != "" {
						bg.end(running)
						w.call(func() {})
						running, unseen = "", false
					}
				case "restart":
					w.open()
				}
			}
		}
		back := rapid.IntRange(0, len(turns)-1).Draw(rt, "back")
		checkRewind(rt, w, moments, turns[back], back, rapid.IntRange(0, 2).Draw(rt, "force") == 2)
	})
}

func mkdir(t *testing.T, base, name string) string {
	t.Helper()
	dir := filepath.Join(base, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func checkRewind(rt *rapid.T, w *world, moments []moment, from int64, turn int, force bool) {
	last := moments[len(moments)-1].tree
	res := w.perform(w.plan(from), force)
	left := map[string]bool{}
	for _, f := range res.Left {
		left[f.Path] = true
		if f.Conflict == "" && f.Lost == "" {
			rt.Fatalf("%s was left without a reason", f.Path)
		}
	}
	got := tree(rt, w.o.Root)
	paths := map[string]bool{}
	for _, m := range moments {
		for p := range m.tree {
			paths[p] = true
		}
	}
	for p := range got {
		paths[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		want, conflict := expected(moments, turn, p, force)
		switch {
		case left[p]:
			if got[p] != last[p] {
				rt.Fatalf("%s was left, but is %.40q and was %.40q", p, got[p], last[p])
			}
		case conflict:
			rt.Fatalf("%s was changed by the person, and that is not named", p)
		case want == "" && strings.HasPrefix(got[p], "dir ") && below(got, p):
			// the person removed a directory, and something came back into it
		case got[p] != want:
			rt.Fatalf("%s is %.40q, want %.40q (was %.40q); left %v", p, got[p], want, last[p], res.Left)
		}
	}
	again, err := w.r.PlanRedo(context.Background(), w.s)
	if err != nil {
		rt.Fatal(err)
	}
	if res := w.perform(again, false); len(res.Left) > 0 {
		rt.Fatalf("redo left %v", res.Left)
	}
	same(rt, "after the redo", tree(rt, w.o.Root), last)
}

func below(tree map[string]string, dir string) bool {
	for p := range tree {
		if strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}
