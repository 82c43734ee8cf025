package rewind

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
)

// jobs stands for those that tell of background jobs: by the key of the call.
type jobs struct {
	id    map[string]string
	ended map[string]time.Time
}

func (j *jobs) of(_ context.Context, key string) (string, time.Time) { return j.id[key], j.ended[key] }

func (j *jobs) end(key string) { j.ended[key] = time.Now() }

func jobWorld(t *testing.T) (*world, *jobs) {
	t.Helper()
	j := &jobs{id: map[string]string{}, ended: map[string]time.Time{}}
	return testWorld(t, func(o *Options) { o.Background = j.of }), j
}

// start has the model start a job; what it does is up to the test.
func (w *world) start(j *jobs) (key string) {
	w.Helper()
	c := w.ask([]byte("{}"))
	w.run(w.tool(agent.Executes, true, func() { j.id[c.Key] = fmt.Sprintf("job%d", len(j.id)+1) }), c)
	return c.Key
}

// later waits until files that are written now are younger than what was noted before.
func later() { <-time.After(2 * clockSlack) }

func conflicts(files []File) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		all[f.Path] = f.Conflict
	}
	return all
}

// TestJobs: what a job changes comes back with the turn that has started it, if forced: while it runs, after it has
// ended, and when nobody has looked in between.
func TestJobs(t *testing.T) {
	for _, how := range []string{"running", "ended", "seen", "restarted"} {
		t.Run(how, func(t *testing.T) {
			w, j := jobWorld(t)
			w.write("keep/a", "1")
			w.write("keep/b", "2")
			w.write("mine", "3")
			before := tree(t, w.o.Root)
			turn := w.say("go")
			w.call(func() {})
			key := w.start(j)
			w.must(os.RemoveAll(w.path("keep")))
			w.write("made/x", "new")
			if how != "running" {
				j.end(key)
			}
			switch how {
			case "seen":
				w.call(func() {})
				w.say("next")
				if len(w.r.history.open) != 0 {
					t.Errorf("open: %v", w.r.history.open)
				}
			case "restarted":
				w.open()
			}
			p := w.plan(turn)
			if len(p.Files) != 5 || p.Conflicts() != 5 || len(p.Others) != 0 || !strings.Contains(p.Files[0].Conflict, "perhaps by job job1") {
				t.Fatalf("plan: %+v", p)
			}
			after := tree(t, w.o.Root)
			if res := w.perform(p, false); len(res.Left) != 5 || len(res.Done) != 0 {
				t.Fatalf("unforced: %+v", res)
			}
			same(t, "unforced", tree(t, w.o.Root), after)
			w.redo()
			if res := w.perform(w.plan(turn), true); len(res.Left) != 0 {
				t.Fatalf("forced: %+v", res)
			}
			same(t, "forced", tree(t, w.o.Root), before)
			w.redo()
			same(t, "redone", tree(t, w.o.Root), after)
		})
	}
}

// TestAfterTheJob: what a person edits when the job is over is theirs, also when nobody has looked in between.
func TestAfterTheJob(t *testing.T) {
	for _, looked := range []bool{false, true} {
		w, j := jobWorld(t)
		w.write("mine", "old")
		w.write("both", "old")
		turn := w.say("go")
		key := w.start(j)
		w.write("its", "job")
		w.write("both", "job")
		j.end(key)
		if looked {
			w.call(func() {})
		}
		later()
		w.write("mine", "person")
		w.write("new", "person")
		if looked {
			w.write("both", "person")
		}
		p := w.plan(turn)
		if got := conflicts(p.Files); len(got) > 2 || !strings.Contains(got["its"], "job1") {
			t.Errorf("looked %v: %v", looked, got)
		}
		if !looked && !slices.Equal(p.Others, []string{"mine", "new"}) { // else nobody had a reason to look there
			t.Errorf("looked %v: others %v", looked, p.Others)
		}
		w.perform(p, true)
		want := map[string]string{"mine": "-rw-r--r-- person", "both": "-rw-r--r-- old", "new": "-rw-r--r-- person"}
		same(t, "forced", tree(t, w.o.Root), want)
	}
}

// TestJobOfAnEarlierTurn: a job belongs to the turn that has started it, whenever it changes something.
func TestJobOfAnEarlierTurn(t *testing.T) {
	w, j := jobWorld(t)
	w.write("a", "0")
	w.write("b", "0")
	first := w.say("one")
	w.start(j)
	second := w.say("two")
	w.call(func() { w.write("a", "call") })
	w.write("a", "job")
	w.write("b", "job")
	p := w.plan(second)
	if got := conflicts(p.Files); len(got) != 1 || !strings.Contains(got["a"], "perhaps by job job1") || !slices.Equal(p.Others, []string{"b"}) {
		t.Errorf("second turn: %v, others %v", got, p.Others)
	}
	if got := conflicts(w.plan(first).Files); len(got) != 2 || !strings.Contains(got["b"], "job1") {
		t.Errorf("first turn: %v", got)
	}
	turns, err := w.r.Turns(t.Context(), w.s)
	if err != nil || !slices.Equal(turns[0].Files, []string{"a", "b"}) || !slices.Equal(turns[1].Files, []string{"a"}) {
		t.Errorf("turns: %+v, %v", turns, err)
	}
	w.perform(w.plan(first), true)
	same(t, "forced", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- 0", "b": "-rw-r--r-- 0"})
}

// TestForegroundBesideAJob: while a job runs, what commands change in the foreground is taken back without a question.
func TestForegroundBesideAJob(t *testing.T) {
	w, j := jobWorld(t)
	w.write("a", "0")
	turn := w.say("one")
	w.start(j)
	w.call(func() { w.write("a", "call") })
	w.call(func() { w.write("b", "call") }, "b")
	if res := w.rewind(turn); len(res.Left) != 0 || len(res.Done) != 2 {
		t.Errorf("%+v", res)
	}
}

// TestBusyJob: a job that goes on writing does not make every plan stale, forced or not. A file that was not in the plan
// does.
func TestBusyJob(t *testing.T) {
	w, j := jobWorld(t)
	w.write("log", "0")
	w.write("a", "0")
	turn := w.say("one")
	w.call(func() { w.write("a", "call") })
	w.start(j)
	w.write("log", "1")
	p := w.plan(turn)
	w.write("log", "12")
	if res := w.perform(p, false); len(res.Done) != 1 || len(res.Left) != 1 {
		t.Fatalf("unforced: %+v", res)
	}
	w.redo()
	p = w.plan(turn)
	w.write("log", "123")
	w.write("log2", "1")
	if _, err := w.r.Perform(t.Context(), w.a, w.s, p, true); err == nil {
		t.Fatal("a file was removed that the person has not seen")
	}
	p = w.plan(turn)
	w.write("log", "1234")
	if res := w.perform(p, true); len(res.Left) != 0 {
		t.Fatalf("forced: %+v", res)
	}
	same(t, "forced", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- 0", "log": "-rw-r--r-- 0"})
	w.redo()
	if got := tree(t, w.o.Root)["log"]; got != "-rw-r--r-- 1234" {
		t.Errorf("redo: %q", got)
	}
}

// TestManyJobsAtOnce: each is known until it was seen to its end, across restarts and when old checkpoints are dropped.
func TestManyJobsAtOnce(t *testing.T) {
	w, j := jobWorld(t)
	w.write("a", "0")
	turn := w.say("one")
	var keys []string
	for range 150 {
		keys = append(keys, w.start(j))
	}
	w.write("a", "1")
	w.open()
	if got := conflicts(w.plan(turn).Files)["a"]; !strings.Contains(got, "job1, ") || !strings.Contains(got, "147") {
		t.Errorf("reason: %q", got)
	}
	if err := w.r.locked(t.Context(), func() error { return w.r.drop(len(w.r.history.records)) }); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.call(func() {})
	if len(w.r.history.open) != 150 {
		t.Errorf("open: %d", len(w.r.history.open))
	}
	for _, key := range keys {
		j.end(key)
	}
	w.write("a", "2")
	w.call(func() {})
	if len(w.r.history.open) != 0 || len(w.r.history.active) != 0 {
		t.Errorf("open: %d, active: %d", len(w.r.history.open), len(w.r.history.active))
	}
	w.open()
	if got := conflicts(w.plan(turn).Files)["a"]; !strings.Contains(got, "perhaps by job") {
		t.Errorf("reason: %q", got)
	}
	if left, err := os.ReadDir(w.r.activePath(0) + "/.."); err == nil && len(left) > 0 {
		t.Errorf("files of calls are left: %v", left)
	}
}

// TestNotAJob: what works through others and has started nothing is over when it returns; until then it may start
// something, here or in another process.
func TestNotAJob(t *testing.T) {
	w, j := jobWorld(t)
	w.say("go")
	c := w.ask([]byte("{}"))
	w.run(w.tool(agent.Executes, true, func() {
		other, err := New(w.o)
		w.must(err)
		for _, r := range []*Rewind{w.r, other} {
			if _, err := r.Plan(t.Context(), w.s, 1); err != nil {
				t.Error(err)
			}
			if len(r.history.open) != 1 {
				t.Errorf("forgotten while it runs: %v", r.history.open)
			}
		}
	}), c)
	w.plan(1)
	if len(w.r.history.open) != 0 || len(j.id) != 0 {
		t.Errorf("open: %v", w.r.history.open)
	}
}
