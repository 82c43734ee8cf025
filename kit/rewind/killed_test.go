//go:build unix

package rewind

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dies runs a job of TestMain in a process of its own, which must be killed.
func dies(t *testing.T, job, root, dir, at string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "REWIND_TEST_JOB="+job, "REWIND_ROOT="+root, "REWIND_DIR="+dir, "REWIND_AT="+at)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Exited() {
		t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
}

// TestKilledInTheMiddle kills a restore after each of its steps; the next use finishes it.
func TestKilledInTheMiddle(t *testing.T) {
	reference := testWorld(t, nil)
	from := play(reference)
	reference.rewind(from)
	want := tree(t, reference.o.Root)
	for at := 'a'; at < 'n'; at++ {
		root, dir := t.TempDir(), t.TempDir()
		dies(t, "restore", root, dir, string(at))
		if !hasJournal(t, dir) {
			t.Fatalf("step %c: no journal", at)
		}
		w := newWorld(t, root, dir, nil)
		if _, err := w.r.Turns(t.Context(), w.s); err != nil {
			t.Fatal(err)
		}
		same(t, "after step "+string(at), tree(t, root), want)
		if len(w.notices) != 1 || hasJournal(t, dir) {
			t.Errorf("notices: %q", w.notices)
		}
	}
}

func hasJournal(t *testing.T, dir string) bool {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "restore.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

// TestKilledThenEdited: what a person changes before the restore is finished stays.
func TestKilledThenEdited(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	dies(t, "restore", root, dir, "a")
	w := newWorld(t, root, dir, nil)
	w.write("mode", "person")
	if _, err := w.r.Turns(t.Context(), w.s); err != nil {
		t.Fatal(err)
	}
	got := tree(t, root)
	if !strings.HasSuffix(got["mode"], "person") || !strings.HasSuffix(got["kept"], "old") || got["gone/x"] == "" {
		t.Errorf("tree: %v", got)
	}
	if len(w.notices) != 2 || !strings.Contains(w.notices[1], "mode") {
		t.Errorf("notices: %q", w.notices)
	}
}

// TestKilledCall: what a call changed before the process died is known to the next one, and is not taken back unasked.
func TestKilledCall(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	dies(t, "call", root, dir, "")
	w := newWorld(t, root, dir, nil)
	turn := w.say("go")
	w.ask([]byte("{}"))
	p := w.plan(turn)
	if p.Conflicts() != 2 || len(p.Files) != 2 {
		t.Fatalf("plan: %+v", p)
	}
	w.call(func() {}) // the call is no longer running
	if len(w.r.history.active) != 0 {
		t.Errorf("active: %v", w.r.history.active)
	}
	w.perform(w.plan(turn), true)
	same(t, "forced", tree(t, root), map[string]string{"a": "-rw-r--r-- old"})
}
