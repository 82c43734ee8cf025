package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/store"
)

// What a person reads of commands: what runs, without where it lies and what it is given.
func TestGist(t *testing.T) {
	for command, want := range map[string]string{
		`python3 "/home/x/skills/idea spark/scripts/run.py" cards --dir "skill_run/x/y"`: "run.py cards",
		"python3 -X utf8 scripts/search.py --query 'a b'":                                "search.py",
		"A=1 B=2 ./tools/make.sh all 3":                                                  "make.sh all",
		"/usr/bin/env python3.12 -m pytest -q":                                           "pytest",
		"mkdir -p a\n\n# a remark\ncp b c\nls":                                           "mkdir +2",
		"make":                                                                           "make",
		"make all && make install":                                                       "make all",
		"bash -c 'for i in 1 2; do x; done'":                                             "bash -c 'for i in 1 2; do x; done'",
		"py.exe a.py":                                                                    "a.py",
		"(cd x && y)":                                                                    "(cd x && y)",
		"":                                                                               "",
		strings.Repeat("x", 100):                                                         strings.Repeat("x", maxGist-1) + "…",
	} {
		if got := gist(command, "python3"); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// heard gives the progress of a call and its result.
func heard(events []agent.Event) (lines string, res agent.Result, line string) {
	for _, e := range events {
		if e.Type == agent.EvProgress {
			lines += e.Text + "\n"
		}
		if e.Type == agent.EvMessage {
			if r := e.Message.Result(); r != nil {
				res = *r
			}
		}
	}
	var d struct{ Line string }
	_ = json.Unmarshal(res.Detail, &d)
	return lines, res, d.Line
}

// In Chinese the person reads Chinese, in lines that say what ran and how it ended; the model reads English as ever.
func TestShownInChinese(t *testing.T) {
	long := strings.Repeat("phase4/cards/", 20) + "card.md"
	g := newRig(t)
	g.o.Lang = "zh"
	g.write("skills/demo/"+long, "role")
	g.blocks(subAgentBlock("PROMPT : "+long, "OUTPUT : a.md"), subAgentBlock("OUTPUT : a note"), subAgentBlock("OUTPUT : c.md", "RUN    : python3 x/pending.py next"), bashBlock("RUN    : python3 \"x/y/run.py\" merge --dir \"{run_dir}\""))
	g.ask = func(task Task) (Reply, error) {
		if strings.Contains(task.Text, "c.md") {
			return Reply{Text: " "}, nil
		}
		return Reply{Text: "reply"}, nil
	}
	g.run = func(c Command) (Outcome, error) {
		if strings.Contains(c.Text, "merge") {
			return Outcome{Code: 4, Status: "exit status 4", Output: []byte("why")}, nil
		}
		return Outcome{Code: exitPending, Status: "exit status 10"}, nil
	}
	lines, res, line := heard(g.progress("q"))
	for _, w := range []string{
		"[1] think · 完成（0s）a.md，6 字节\n", "[2] think · 完成（0s）回复 5 字节\n", "[3] think · 完成（0s）pending.py next（exit 10）\n",
		"[4] phase 1 · work · run.py merge …\n", "[4] work · 失败（0s）run.py merge 失败（exit 4）\n", "· 子智能体 phase4/cards/",
	} {
		if !strings.Contains(lines, w) {
			t.Errorf("%q is missing in\n%s", w, lines)
		}
	}
	if strings.Contains(lines, "……") || strings.Contains(lines, "… …") || strings.Contains(lines, "ran") || strings.Contains(lines, "sub-agent") || strings.Contains(lines, "stopped") {
		t.Error(lines)
	}
	if line != "流水线 demo 停在第 4 步“work”：run.py merge 失败（exit 4）。已完成的都在 skill_run/demo/q；再问同样的问题就接着做" {
		t.Error(line)
	}
	want(t, res, true, "pipeline demo: stopped\n", "ran: python3 \"x/y/run.py\" merge", "exit status 4, twice")
}

// Who stops a run learns where it stopped and how to go on; the same question goes on with it, says so, and a run that has
// ended is not taken for one that has not.
func TestStoppedAndAskedAgain(t *testing.T) {
	g := newRig(t)
	g.write("skills/demo/a.md", "role")
	made := func(f string) bool { return isFile(filepath.Join(g.work, "skill_run/demo/my-question", f)) }
	g.next = func(int) Outcome {
		switch {
		case !made("a.txt"):
			return printed(subAgentBlock("PROMPT : a.md", "OUTPUT : a.txt"))
		case !made("b.txt"):
			return printed(emit("STATE  : phase 2", "STEP   : make it", "TYPE   : bash", "RUN    : make b"))
		}
		return printed(done())
	}
	ctx, cancel := context.WithCancel(t.Context())
	g.run = func(Command) (Outcome, error) { cancel(); return Outcome{}, errors.New("killed") }
	tool := g.tool()
	stop, err := tool.Run(ctx, agent.Call{Key: "s/1.0", Args: raw(t, map[string]string{"query": "my question"})})
	if !errors.Is(err, context.Canceled) || !stop.Error {
		t.Fatal(err, stop)
	}
	if got := string(stop.Detail); !strings.Contains(got, "pipeline demo stopped at step 2, make it: it was interrupted. What is done is in skill_run/demo/my-question; ask") {
		t.Error(got)
	}
	g.run = func(Command) (Outcome, error) {
		g.write("skill_run/demo/my-question/b.txt", "b")
		return printed(""), nil
	}
	lines, res, line := heard(g.progress("my  \"question\""))
	want(t, res, false, "pipeline demo: DONE", "run folder: skill_run/demo/my-question\n", "went on with an earlier run; steps done before: 1")
	if !strings.HasPrefix(lines, "going on with skill_run/demo/my-question, 1 step is done\nthe same was asked before and did not end; to begin anew, remove that folder\n") ||
		!strings.HasPrefix(line, "pipeline demo: DONE, after ") || !strings.HasSuffix(line, ", in skill_run/demo/my-question") || len(g.asked) != 1 {
		t.Errorf("%d sub-agents, %s\n%s", len(g.asked), line, lines)
	}
	// now that it has ended, the same question begins anew
	g.next = func(int) Outcome { return printed(done()) }
	want(t, g.callAs("s/3.0", "my question"), false, "run folder: skill_run/demo/my-question_2\n")
	want(t, g.callAs("s/4.0", "my question"), false, "run folder: skill_run/demo/my-question_3\n")
}

// What an earlier run has to be to be gone on with.
func TestUnfinished(t *testing.T) {
	halted := func(g *rig, query string) {
		g.blocks(bashBlock("RUN    : make"))
		g.run = func(Command) (Outcome, error) { return Outcome{}, errors.New("not allowed") }
		want(t, g.callAs("old/1.0", query), true, "not allowed")
		g.run = nil
		g.blocks(done())
	}
	change := func(g *rig, fn func(r *record)) {
		r, rev, err := states{g.kv}.load(t.Context(), "old/1.0")
		if err != nil {
			t.Fatal(err)
		}
		fn(r)
		if _, err := (states{g.kv}).save(t.Context(), r, rev); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(g *rig)
		query  string
		folder string
	}{
		"it is":           {func(*rig) {}, "q", "q"},
		"other question":  {func(*rig) {}, "Q", "q_2"},
		"other skill":     {func(g *rig) { change(g, func(r *record) { r.Skill = "x" }) }, "q", "q_2"},
		"it has ended":    {func(g *rig) { change(g, func(r *record) { r.Ended = "DONE" }) }, "q", "q_2"},
		"other directory": {func(g *rig) { change(g, func(r *record) { r.Dir = t.TempDir() }) }, "q", "q_2"},
		"somebody is at work there": {func(g *rig) {
			change(g, func(r *record) { r.Running = true })
		}, "q", "q_2"},
		"its process is gone": {func(g *rig) {
			change(g, func(r *record) { r.Running, r.Owner.Start = true, "another process had the number" })
		}, "q", "q"},
		"its folder was removed": {func(g *rig) {
			if err := os.RemoveAll(filepath.Join(g.work, "skill_run/demo/q")); err != nil {
				t.Fatal(err)
			}
		}, "q", "q"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t)
			halted(g, "q")
			c.change(g)
			res := g.callAs("new/1.0", c.query)
			want(t, res, false, "run folder: skill_run/demo/"+c.folder+"\n")
			if on := strings.Contains(textOf(res), "went on"); on != (c.folder == "q" && name != "its folder was removed") {
				t.Errorf("went on: %v", on)
			}
		})
	}
}

// What is known of a folder that was removed is no part of a new one of that name: when that stops, it is gone on with.
func TestRemovedFolderIsForgotten(t *testing.T) {
	g := newRig(t)
	g.blocks(done())
	want(t, g.callAs("s/1.0", "q"), false, "DONE")
	if err := os.RemoveAll(filepath.Join(g.work, "skill_run/demo/q")); err != nil {
		t.Fatal(err)
	}
	g.nexts = 0
	g.blocks(bashBlock("RUN    : make"), done())
	g.run = func(Command) (Outcome, error) { return Outcome{}, errors.New("not allowed") }
	want(t, g.callAs("s/2.0", "q"), true, "run folder: skill_run/demo/q\n")
	g.run = nil
	want(t, g.callAs("s/3.0", "q"), false, "run folder: skill_run/demo/q\n", "went on")
	if _, err := g.kv.Get(t.Context(), stateKey("s/1.0")); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}
