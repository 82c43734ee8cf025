package rewind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
)

func TestRewindAndRedo(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a.txt", "one")
	w.write("sub/b.txt", "two")
	w.must(os.Chmod(w.path("sub/b.txt"), 0o600))
	before := tree(t, w.o.Root)

	first := w.say("edit")
	w.call(func() { w.write("a.txt", "ONE"); w.write("new/deep/c.txt", "three") }, "a.txt", "new/deep/c.txt")
	middle := tree(t, w.o.Root)
	second := w.say("run")
	w.call(func() {
		w.must(os.RemoveAll(w.path("sub")))
		w.must(os.Rename(w.path("a.txt"), w.path("moved.txt")))
		w.must(os.Symlink("moved.txt", w.path("link")))
		w.must(os.Mkdir(w.path("empty"), 0o700))
	})
	after := tree(t, w.o.Root)
	n := len(w.s.Messages)

	turns, err := w.r.Turns(t.Context(), w.s)
	if err != nil || len(turns) != 2 {
		t.Fatalf("turns: %v %v", turns, err)
	}
	if turns[0].Text != "edit" || turns[0].Seq != first || !slices.Contains(turns[0].Files, "new/deep/c.txt") || slices.Contains(turns[0].Files, "moved.txt") {
		t.Errorf("first turn: %+v", turns[0])
	}
	if !slices.Contains(turns[1].Files, "moved.txt") || turns[1].Gone {
		t.Errorf("second turn: %+v", turns[1])
	}

	w.rewind(second)
	same(t, "after the first rewind", tree(t, w.o.Root), middle)
	w.rewind(first)
	same(t, "after the second rewind", tree(t, w.o.Root), before)
	if len(w.s.Messages) != 0 {
		t.Errorf("%d messages are left", len(w.s.Messages))
	}
	w.redo()
	same(t, "after the first redo", tree(t, w.o.Root), middle)
	w.redo()
	same(t, "after the second redo", tree(t, w.o.Root), after)
	if len(w.s.Messages) != n {
		t.Errorf("%d messages, want %d", len(w.s.Messages), n)
	}
	if _, err := w.r.PlanRedo(t.Context(), w.s); !errors.Is(err, ErrNoRedo) {
		t.Errorf("a third redo: %v", err)
	}
	w.rewind(first)
	same(t, "after rewinding what was redone", tree(t, w.o.Root), before)
	w.say("something else")
	if _, err := w.r.PlanRedo(t.Context(), w.s); !errors.Is(err, ErrNoRedo) {
		t.Errorf("redo after something was said: %v", err)
	}
}

func TestConflictsAreNamedAndLeft(t *testing.T) {
	w := testWorld(t, nil)
	for _, f := range []string{"mine", "both", "theirs", "early"} {
		w.write(f, "old")
	}
	turn := w.say("go")
	w.call(func() {})
	w.write("early", "person")
	w.call(func() { w.write("mine", "agent"); w.write("both", "agent"); w.write("early", "agent") })
	w.write("both", "person")
	w.write("theirs", "person")
	w.write("fresh", "person")

	p := w.plan(turn)
	if p.Conflicts() != 1 || len(p.Files) != 3 {
		t.Fatalf("plan: %+v", p)
	}
	res := w.perform(p, false)
	if len(res.Left) != 1 || res.Left[0].Path != "both" || res.Left[0].Conflict == "" {
		t.Errorf("left: %+v", res.Left)
	}
	got := tree(t, w.o.Root)
	for f, want := range map[string]string{"mine": "old", "both": "person", "theirs": "person", "early": "person", "fresh": "person"} {
		if !strings.HasSuffix(got[f], " "+want) {
			t.Errorf("%s is %q, want %q", f, got[f], want)
		}
	}
	w.redo()
	p = w.plan(turn)
	w.perform(p, true)
	if got := tree(t, w.o.Root)["both"]; !strings.HasSuffix(got, " old") {
		t.Errorf("forced: both is %q", got)
	}
	w.redo()
	if got := tree(t, w.o.Root)["both"]; !strings.HasSuffix(got, " person") {
		t.Errorf("redone: both is %q", got)
	}
}

func TestStalePlanChangesNothing(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("go")
	w.call(func() { w.write("a", "new") }, "a")
	p := w.plan(turn)
	w.write("a", "person")
	if _, err := w.r.Perform(context.Background(), w.a, w.s, p, false); !errors.Is(err, ErrStale) {
		t.Fatalf("err = %v", err)
	}
	if got := tree(t, w.o.Root)["a"]; !strings.HasSuffix(got, " person") {
		t.Errorf("a is %q", got)
	}
	if _, err := w.r.Plan(t.Context(), w.s, 0); !errors.Is(err, ErrRange) {
		t.Errorf("event 0: %v", err)
	}
	if _, err := w.r.Plan(t.Context(), w.s, w.s.Seq+1); !errors.Is(err, ErrRange) {
		t.Errorf("event after the last: %v", err)
	}
}

// A call that changes no files, whatever else it does, costs nothing.
func TestCallsElsewhereAreNotKept(t *testing.T) {
	w := newWorld(t, t.TempDir(), filepath.Join(t.TempDir(), "checkpoint"), func(o *Options) {
		o.Paths = func(agent.Tool, agent.Call) ([]string, bool) { return nil, true }
	})
	ran := false
	tl := w.tool(agent.Executes, false, func() { ran = true })
	if _, err := tl.Run(t.Context(), agent.Call{Key: "s/1.0"}); err != nil || !ran {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.o.Dir); !os.IsNotExist(err) {
		t.Errorf("something was kept: %v", err)
	}
}
