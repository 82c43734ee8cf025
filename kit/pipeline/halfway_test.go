package pipeline

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
)

// halfwayRig is a pipeline whose program looks at the output of the sub-agent alone: it calls the step done while the
// command that belongs to it has not run.
func halfwayRig(t *testing.T) *rig {
	g := newRig(t)
	made := func(f string) bool { return isFile(filepath.Join(g.work, "skill_run/demo/q", f)) }
	g.next = func(int) Outcome {
		switch {
		case !made("a.txt"):
			return printed(subAgentBlock("OUTPUT : a.txt", "RUN    : merge a"))
		case !made("b.txt"):
			return printed(emit("STATE  : phase 2", "STEP   : more", "TYPE   : bash", "RUN    : make b"))
		}
		return printed(done())
	}
	g.run = func(c Command) (Outcome, error) {
		if c.Text == "make b" {
			g.write("skill_run/demo/q/b.txt", "b")
		}
		return printed(""), nil
	}
	return g
}

// A process that dies at any point between a sub-agent and the command behind it leaves neither out, in whatever way the
// run is gone on with, and the command runs before anything that comes later.
func TestNoCommandIsLost(t *testing.T) {
	for _, how := range []string{"the same call", "by hand"} {
		for n := 1; ; n++ {
			g := halfwayRig(t)
			d := &dying{KV: g.kv, left: n}
			g.ask = func(task Task) (Reply, error) {
				if d.tick() {
					return Reply{}, errDead
				}
				return Reply{Text: "reply", Usage: &agent.Usage{Input: new(int64(1))}}, nil
			}
			run := g.run
			var ran []string
			g.run = func(c Command) (Outcome, error) {
				if d.tick() {
					return Outcome{}, errDead
				}
				ran = append(ran, c.Text)
				return run(c)
			}
			g.o.KV = d
			g.call("q")
			died := d.dead
			g.o.KV, d.left, d.dead = g.kv, 1000, false // the next process
			if died && how == "by hand" {
				g.stopOwner("s/1.0")
				want(t, g.callAs("s/2.0", "q", "run_dir", "q"), false, "pipeline demo: DONE")
			} else {
				want(t, g.call("q"), false, "pipeline demo: DONE")
			}
			order := strings.Join(ran, ", ")
			if first := strings.Index(order, "merge a"); first < 0 || first > strings.Index(order, "make b") {
				t.Errorf("%s, died at %d: ran %s", how, n, order)
			}
			if !died {
				break
			}
		}
	}
}

// stopOwner makes a record that says "running" that of a process that is gone.
func (g *rig) stopOwner(key string) {
	g.t.Helper()
	r, rev, err := states{g.kv}.load(g.t.Context(), key)
	if err != nil {
		g.t.Fatal(err)
	}
	if r == nil {
		return
	}
	r.Owner.Start = "another process had the number"
	if _, err := (states{g.kv}).save(g.t.Context(), r, rev); err != nil {
		g.t.Fatal(err)
	}
}

// A command that failed behind a sub-agent is owed, too, when the run is gone on with; unless the program tells the step in
// other words, since it was mended.
func TestFailedCommandIsOwed(t *testing.T) {
	g := halfwayRig(t)
	run := g.run
	g.run = func(Command) (Outcome, error) { return Outcome{}, errors.New("not allowed") }
	want(t, g.call("q"), true, "not allowed")
	g.run = run
	want(t, g.callAs("s/2.0", "q", "run_dir", "q"), false, "DONE")
	if got := strings.Join(g.commands(), ", "); got != "merge a, merge a, make b" || len(g.asked) != 1 {
		t.Errorf("%s, %d sub-agents", got, len(g.asked))
	}

	g = halfwayRig(t)
	g.run = func(Command) (Outcome, error) { return Outcome{}, errors.New("not allowed") }
	g.call("q")
	g.run = nil
	g.nexts = 0
	g.next = func(n int) Outcome {
		return printed([]string{subAgentBlock("OUTPUT : a.txt", "RUN    : merge better"), done()}[min(n, 1)])
	}
	want(t, g.callAs("s/2.0", "q", "run_dir", "q"), false, "DONE")
	if got := strings.Join(g.commands(), ", "); got != "merge a, merge better" {
		t.Error(got)
	}
}
