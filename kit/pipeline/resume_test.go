package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/store"
)

// dying stands for the process: from the n-th thing that happens on, nothing happens any more and nothing is kept.
type dying struct {
	store.KV
	left int
	dead bool
}

var errDead = errors.New("the process is gone")

func (d *dying) tick() bool {
	if d.left--; d.left < 0 {
		d.dead = true
	}
	return d.dead
}

// Put implements [store.KV].
func (d *dying) Put(ctx context.Context, doc store.Doc) (int64, error) {
	if d.tick() {
		return 0, errDead
	}
	return d.KV.Put(ctx, doc)
}

// A run that dies at any point, between any two things that it does, goes on in the same folder, does not do again what it
// has done, and comes to the same end.
func TestDiesAnywhere(t *testing.T) {
	plan := func(g *rig) {
		g.write("skills/demo/a.md", "role a")
		g.write("skills/demo/b.md", "role b")
		made := func(f string) bool { return isFile(filepath.Join(g.work, "skill_run/demo/q", f)) }
		g.next = func(int) Outcome {
			switch {
			case !made("p0.txt"):
				return printed(bashBlock("RUN    : make p0.txt"))
			case !made("p1.txt"):
				return printed(subAgentBlock("PROMPT : a.md THEN b.md", "OUTPUT : a.txt then b.txt", "RUN    : make p1.txt"))
			case !made("c.txt"):
				return printed(subAgentBlock("PROMPT : a.md", "OUTPUT : c.txt", "RUN    : make d.txt", "         make p2.txt", "NOTES  : RUN command first"))
			}
			return printed(done())
		}
		g.run = func(c Command) (Outcome, error) {
			for line := range strings.Lines(c.Text) {
				g.write("skill_run/demo/q/"+strings.TrimSpace(strings.TrimPrefix(line, "make ")), "made")
			}
			return printed(""), nil
		}
	}
	for n := 1; ; n++ {
		g := newRig(t)
		plan(g)
		d := &dying{KV: g.kv, left: n}
		replies := map[string]bool{} // a child works once for the same task
		g.ask = func(task Task) (Reply, error) {
			if d.tick() {
				return Reply{}, errDead
			}
			replies[task.ID] = true
			return Reply{Text: "reply to " + task.ID, Usage: &agent.Usage{Input: new(int64(1))}}, nil
		}
		run := g.run
		g.run = func(c Command) (Outcome, error) {
			if d.tick() {
				return Outcome{}, errDead
			}
			return run(c)
		}
		g.o.KV = d
		g.call("q")
		died := d.dead
		steps, asked := len(g.ran), len(g.asked)
		g.o.KV, d.left, d.dead = g.kv, 1000, false // the next process
		res := g.call("q")
		want(t, res, false, "pipeline demo: DONE", "run folder: skill_run/demo/q\n")
		if t.Failed() {
			t.Fatalf("died at %d", n)
		}
		texts := map[string]string{} // an answer about a command is kept by its ID: it must never be taken for another
		for _, c := range g.ran {
			if was, ok := texts[c.ID]; ok && was != c.Text {
				t.Errorf("died at %d: %s stands for %q and %q", n, c.ID, was, c.Text)
			}
			texts[c.ID] = c.Text
		}
		if entries, _ := os.ReadDir(filepath.Join(g.work, "skill_run/demo")); len(entries) != 2 { // and the log
			t.Fatalf("died at %d: %v", n, entries)
		}
		if len(g.ran) > 4 || len(replies) != 3 || died && n > 3 && !strings.Contains(textOf(res), "went on") && steps+asked > 1 {
			t.Errorf("died at %d: %d commands (%d before), %d sub-agents (%d before)\n%s", n, len(g.ran), steps, len(replies), asked, textOf(res))
		}
		if res.Usage == nil || *res.Usage.Input < 3 {
			t.Errorf("died at %d: usage %+v", n, res.Usage)
		}
		if !died {
			return
		}
	}
}

// What a step has made is made again when it is gone.
func TestOutputGone(t *testing.T) {
	g := newRig(t)
	b := subAgentBlock("OUTPUT : a.txt", "RUN    : make")
	g.next = func(n int) Outcome { return printed([]string{b, b, done()}[min(n, 2)]) }
	g.run = func(Command) (Outcome, error) { return Outcome{}, errDead }
	want(t, g.call("q"), true, "the process is gone")
	if err := os.Remove(filepath.Join(g.work, "skill_run/demo/q/a.txt")); err != nil {
		t.Fatal(err)
	}
	g.run = nil
	want(t, g.call("q"), false, "DONE")
	if len(g.asked) != 2 || g.read("skill_run/demo/q/a.txt") == "" {
		t.Errorf("%d sub-agents", len(g.asked))
	}
}

// Another call can go on with a folder, by its path or its name, with the question it was begun with.
func TestByHand(t *testing.T) {
	for _, name := range []string{"skill_run/demo/first-question", "first-question", "ABSOLUTE"} {
		g := newRig(t)
		b := subAgentBlock("OUTPUT : a.txt", "RUN    : make")
		g.blocks(b, b, done())
		g.run = func(Command) (Outcome, error) { return Outcome{}, errors.New("not allowed") }
		want(t, g.call("first question"), true, "not allowed")
		g.run = nil
		if name == "ABSOLUTE" {
			name = filepath.Join(g.work, "skill_run/demo/first-question")
		}
		res := g.callAs("other/7.1", "go on please", "run_dir", name)
		want(t, res, false, "DONE", "went on with an earlier run")
		if len(g.asked) != 1 || len(g.ran) != 2 {
			t.Errorf("%d sub-agents, %d commands", len(g.asked), len(g.ran))
		}
		if r := g.record("other/7.1"); r.Query != "first question" || r.Dir != filepath.Join(g.work, "skill_run/demo/first-question") {
			t.Errorf("%+v", r)
		}
	}
}

// Who goes on by hand has perhaps mended what went round: it gets its tries anew.
func TestByHandAfterGoingRound(t *testing.T) {
	g := newRig(t)
	g.blocks(bashBlock("RUN    : make"))
	want(t, g.call("q"), true, "for ever")
	g.run = func(Command) (Outcome, error) { g.blocks(done()); return printed(""), nil }
	want(t, g.callAs("s/2.0", "q", "run_dir", "q"), false, "DONE")
	if len(g.ran) != 3 {
		t.Errorf("%d commands", len(g.ran))
	}
}

// A folder that nothing is known of any more, since the state was removed, can be gone on with, too.
func TestByHandWithoutState(t *testing.T) {
	g := newRig(t)
	g.write("skill_run/demo/old/phase0/x.txt", "x")
	g.blocks(bashBlock("RUN    : make"), done())
	want(t, g.call("my words", "run_dir", "old"), false, "run folder: skill_run/demo/old\n")
	if r := g.record("s/1.0"); r.Query != "my words" || r.Slug != "old" {
		t.Errorf("%+v", r)
	}
}

// max_steps counts what one call does.
func TestStepsOfOneCall(t *testing.T) {
	g := newRig(t)
	g.settings("max_steps: 2")
	g.next = func(n int) Outcome { return printed(bashBlock(fmt.Sprintf("RUN    : make %d", n))) }
	want(t, g.call("q"), true, "max_steps: 2 steps are done")
	if len(g.ran) != 2 {
		t.Errorf("%d steps", len(g.ran))
	}
	want(t, g.callAs("s/2.0", "q", "run_dir", "q"), true, "max_steps", "[4]")
	if len(g.ran) != 4 {
		t.Errorf("%d steps", len(g.ran))
	}
}

// One folder is driven by one call at a time, also by that of another process.
func TestBusy(t *testing.T) {
	g := newRig(t)
	g.blocks(bashBlock("RUN    : make"))
	tool := g.tool()
	args := raw(t, map[string]string{"query": "q", "run_dir": "q"})
	g.run = func(Command) (Outcome, error) { return Outcome{}, errDead }
	want(t, g.callWith(tool, "s/1.0", raw(t, map[string]string{"query": "q"})), true)
	r, rev, err := states{g.kv}.load(t.Context(), "s/1.0")
	if err != nil {
		t.Fatal(err)
	}
	r.Running, r.Owner = true, shell.Self()
	if _, err := (states{g.kv}).save(t.Context(), r, rev); err != nil {
		t.Fatal(err)
	}
	want(t, g.callWith(tool, "s/2.0", args), true, "another call is at work in")
	r.Owner.Start = "another process had the number"
	_, rev, _ = states{g.kv}.load(t.Context(), "s/1.0")
	if _, err := (states{g.kv}).save(t.Context(), r, rev); err != nil {
		t.Fatal(err)
	}
	g.blocks(done())
	want(t, g.callWith(tool, "s/3.0", args), false, "DONE")
}

func (g *rig) callWith(tool agent.Tool, key string, args []byte) agent.Result {
	g.t.Helper()
	res, err := tool.Run(g.t.Context(), agent.Call{Key: key, Args: args})
	if err != nil {
		g.t.Fatal(err)
	}
	return res
}

// A session that has the name of an earlier one has the same keys; its calls are new all the same.
func TestFreshCall(t *testing.T) {
	g := newRig(t)
	g.blocks(done())
	p, err := New(g.o)
	if err != nil {
		t.Fatal(err)
	}
	tool, hook := p.Tools()[0], p.Hook()
	call := agent.Call{Key: "s/1.0", Name: tool.Name, Args: raw(t, map[string]string{"query": "q"})}
	begin := func(started bool) string {
		if _, err := hook.BeforeTool(t.Context(), &agent.Session{Started: map[string]bool{call.Key: started}}, tool, call); err != nil {
			t.Fatal(err)
		}
		return textOf(g.callWith(tool, call.Key, call.Args))
	}
	for i, folder := range []string{"demo/q\n", "demo/q_2\n"} {
		if s := begin(false); !strings.Contains(s, folder) {
			t.Errorf("%d: %s", i, s)
		}
	}
	if s := begin(true); !strings.Contains(s, "demo/q_2\n") {
		t.Error(s)
	}
}
