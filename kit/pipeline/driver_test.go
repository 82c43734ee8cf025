package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/store"
)

// step is a block of a step for sub-agents.
func subAgentBlock(more ...string) string {
	return emit(append([]string{"STATE  : phase 1", "STEP   : think", "TYPE   : llm_subagent"}, more...)...)
}

func bashBlock(more ...string) string {
	return emit(append([]string{"STATE  : phase 1", "STEP   : work", "TYPE   : bash"}, more...)...)
}

func TestDone(t *testing.T) {
	g := newRig(t)
	g.blocks(emit("STATE  : DONE — three cards", "STEP   : end", "TYPE   : terminal", "NOTES  : return p4/card_1.md, p4/card_2.md and p4/no.md"))
	g.o.Run = func(ctx context.Context, c Command) (Outcome, error) {
		g.write("skill_run/demo/zhi-neng-ti-fang-xiang/p4/card_1.md", "the first card")
		g.write("skill_run/demo/zhi-neng-ti-fang-xiang/p4/card_2.md", "the second card")
		return g.command(ctx, c)
	}
	res := g.call("智能体方向")
	want(t, res, false, "pipeline demo: DONE", "run folder: skill_run/demo/zhi-neng-ti-fang-xiang\n", "DONE — three cards",
		"=== p4/card_1.md (14 bytes) ===\nthe first card", "=== p4/card_2.md (15 bytes) ===\nthe second card")
	if r := g.record("s/1.0"); r.Ended != "DONE" || r.Running || r.Query != "智能体方向" {
		t.Errorf("%+v", r)
	}
	if g.read("skill_run/.gitignore") != "*\n" {
		t.Error("git would see the runs")
	}
}

// How the program is called: with a folder and a question that was cleaned.
func TestNextArguments(t *testing.T) {
	g := newRig(t)
	g.settings("env: {A: b}\ninterpreter: py\n")
	var calls []Command
	g.o.Run = func(_ context.Context, c Command) (Outcome, error) {
		calls = append(calls, c)
		return printed(done()), nil
	}
	g.call("say \"hi\" to $HOME\n`now`")
	dir := filepath.Join(g.work, "skill_run", "demo", "say-hi-to-home-now")
	args := []string{"py", filepath.Join(g.skill.Dir, "scripts", "run.py"), "next", "--dir", dir, "--query", "say hi to HOME now"}
	if len(calls) != 1 || !slices.Equal(calls[0].Args, args) || !slices.Equal(calls[0].Env, []string{"A=b", markName + "=" + g.record("s/1.0").Mark + ".next"}) || calls[0].Call != "s/1.0" {
		t.Errorf("%+v", calls)
	}
	if own := calls[0].Own; len(own) != 2 || !slices.Equal(own[0], args[:2]) || own[1][0] != "python3" {
		t.Errorf("%v", own)
	}
}

func TestSubAgentStep(t *testing.T) {
	g := newRig(t)
	g.write("skills/demo/prompts/a.md", "# Role: thinker\n")
	g.write("data/x.txt", "the content of x")
	g.blocks(subAgentBlock("DO     : Be alone.", "PROMPT : {skill_dir}/prompts/a.md", "INPUT  : the user query", "         data/x.txt",
		"OUTPUT : {run_dir}/phase1/out.json (as JSON)", "NOTES  : for the driver only"), done())
	g.ask = func(Task) (Reply, error) {
		return Reply{Text: "```json\n{\"a\": 1}\n```", Usage: &agent.Usage{Input: new(int64(7)), Output: new(int64(3))}, Steps: 2}, nil
	}
	res := g.call("my question")
	want(t, res, false, "[1] phase 1 | think | llm_subagent", "sub-agent prompts/a.md: phase1/out.json, 9 bytes")
	if got := g.read("skill_run/demo/my-question/phase1/out.json"); got != "{\"a\": 1}\n" {
		t.Error(got)
	}
	if res.Usage == nil || *res.Usage.Input != 7 || *res.Usage.Output != 3 || res.Steps != 2 {
		t.Errorf("%+v", res.Usage)
	}
	if len(g.asked) != 1 {
		t.Fatal(len(g.asked))
	}
	task := g.asked[0]
	if task.System != "# Role: thinker\n\nBe alone." || task.Call != "s/1.0" || task.ID != "step-1-agent-1" || task.Name != "think" || task.Timeout != Defaults().SubAgentTimeout {
		t.Errorf("%+v", task)
	}
	for _, w := range []string{
		"Question: my question\n", "Step: think\n", "phase1/out.json", "one JSON value",
		"=== the user query ===\n" + placeholderText, "=== data/x.txt ===\nthe content of x\n",
	} {
		if !strings.Contains(task.Text, w) {
			t.Errorf("%q is missing in\n%s", w, task.Text)
		}
	}
	if strings.Contains(task.Text, "for the driver only") {
		t.Error("the note was passed on")
	}
}

// The order of a step: RUN after the sub-agent, or before it when the note says so.
func TestOrderOfRun(t *testing.T) {
	for notes, order := range map[string]string{
		"NOTES  : merge what it wrote":           "agent run",
		"NOTES  : the RUN command comes FIRST":   "run agent",
		"NOTES  : first read, then run commands": "run agent",
	} {
		g := newRig(t)
		g.blocks(subAgentBlock("OUTPUT : out.md", "RUN    : echo", notes), done())
		var did []string
		g.ask = func(Task) (Reply, error) { did = append(did, "agent"); return Reply{Text: "x"}, nil }
		g.run = func(Command) (Outcome, error) { did = append(did, "run"); return printed(""), nil }
		g.call("q")
		if got := strings.Join(did, " "); got != order {
			t.Errorf("%s: %s", notes, got)
		}
	}
}

// Two prompts in one step: the second gets what the first has made.
func TestTwoPrompts(t *testing.T) {
	for name, c := range map[string]struct {
		prompt, output string
		files          map[string]string
	}{
		"two files":              {"a.md THEN b.md", "one.md then two.md", map[string]string{"one.md": "reply 1\n", "two.md": "reply 2\n"}},
		"two lines":              {"a.md\n         b.md", "one.md\n         two.md", map[string]string{"one.md": "reply 1\n", "two.md": "reply 2\n"}},
		"one file":               {"a.md then b.md", "two.md", map[string]string{"two.md": "reply 2\n"}},
		"no file":                {"a.md THEN b.md", "a page in two parts", nil},
		"more files than needed": {"a.md THEN b.md", "one.md then two.md then three.md", map[string]string{"one.md": "reply 1\n", "two.md": "reply 2\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t)
			g.write("skills/demo/a.md", "role a")
			g.write("skills/demo/b.md", "role b")
			g.blocks(subAgentBlock("PROMPT : "+c.prompt, "INPUT  : the query", "OUTPUT : "+c.output), done())
			n := 0
			g.ask = func(Task) (Reply, error) { n++; return Reply{Text: fmt.Sprintf("reply %d", n)}, nil }
			want(t, g.call("q"), false)
			if len(g.asked) != 2 || g.asked[0].System != "role a" || g.asked[1].System != "role b" || g.asked[0].ID == g.asked[1].ID {
				t.Fatalf("%+v", g.asked)
			}
			if !strings.Contains(g.asked[1].Text, "reply 1") || strings.Contains(g.asked[0].Text, "reply") {
				t.Error(g.asked[1].Text)
			}
			for f, content := range c.files {
				if got := g.read("skill_run/demo/q/" + f); got != content {
					t.Errorf("%s: %q", f, got)
				}
			}
			if entries, _ := os.ReadDir(filepath.Join(g.work, "skill_run/demo/q")); len(entries) != len(c.files) {
				t.Error(entries)
			}
		})
	}
}

func TestEditInPlace(t *testing.T) {
	g := newRig(t)
	g.blocks(bashBlock("RUN    : make"), subAgentBlock("INPUT  : notes.md", "OUTPUT : {run_dir}/idea.md (edited in place)"), done())
	g.run = func(Command) (Outcome, error) {
		g.write("skill_run/demo/q/idea.md", "old idea")
		return printed(""), nil
	}
	g.ask = func(Task) (Reply, error) { return Reply{Text: "new idea"}, nil }
	want(t, g.call("q"), false, "idea.md, 9 bytes")
	if !strings.Contains(g.asked[0].Text, "old idea") || !strings.Contains(g.asked[0].Text, "whole new file") || g.read("skill_run/demo/q/idea.md") != "new idea\n" {
		t.Error(g.asked[0].Text)
	}
}

// What stands in INPUT and is no simple path.
func TestInputs(t *testing.T) {
	g := newRig(t)
	g.write("skill_run/demo/q/x y.md", "blank")
	g.write("skill_run/demo/q/r_1.md", "first")
	g.write("skill_run/demo/q/r_2.md", "second")
	g.write("skills/demo/ref.md", "reference")
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.write("skills/demo/sub/.keep", "")
	if err := os.Symlink(secret, filepath.Join(g.work, "skill_run/demo/q/link.md")); err != nil {
		t.Skip("not here: no links")
	}
	g.blocks(subAgentBlock(
		"INPUT  : {run_dir}/x y.md (the whole of it)", "         ref.md — cheaper access: the first page", "         {run_dir}/r_*",
		"         {run_dir}/<picked C##>.md", "         {run_dir}/gone.md (Map mode)", "         {run_dir}/nothing_*.md", "         "+secret,
		"         link.md", "         skills/demo/sub", "         `ref.md`,", "OUTPUT : a sentence about it"), done())
	g.call("q", "run_dir", "q")
	text := g.asked[0].Text
	for _, w := range []string{
		"(the whole of it) ===\nblank\n", "first page ===\nreference\n", "r_1.md ===\nfirst\n", "r_2.md ===\nsecond\n",
		"<picked C##>.md ===\n" + placeholderText, "gone.md (Map mode) ===\n(not read: no such file or directory)", "nothing_*.md ===\n(not read: ",
		"secret.txt ===\n(not read: ", "link.md ===\n(not read: ", "skills/demo/sub ===\n(not read: it is no ordinary file)", "=== `ref.md`, ===\nreference",
		"Wanted: a sentence about it",
	} {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing", w)
		}
	}
	if strings.Contains(text, "hidden") || t.Failed() {
		t.Error(text)
	}
}

func TestLongInputs(t *testing.T) {
	g := newRig(t)
	for i := range 6 {
		g.write(fmt.Sprintf("big%d.txt", i), strings.Repeat("x", maxInput+100))
	}
	g.blocks(subAgentBlock("INPUT  : big*.txt"), done())
	g.call("q")
	if n := len(g.asked[0].Text); n > maxInputs+3000 || !strings.Contains(g.asked[0].Text, "left out: the inputs") {
		t.Error(n)
	}
}

// What must not be written is not, and the run stops with a word about it.
func TestBadOutputs(t *testing.T) {
	g0 := newRig(t)
	outside := filepath.Join(t.TempDir(), "x.md")
	for _, out := range []string{outside, "../../../../x.md", "{run_dir}/../../x.md", "{skill_dir}/scripts/run.py"} {
		g := newRig(t)
		g.blocks(subAgentBlock("OUTPUT : "+out), done())
		want(t, g.call("q"), true, "lies outside of the run folder", "run_dir \"skill_run/demo/q\"")
		if len(g.asked) > 0 {
			t.Error("a sub-agent has worked for nothing")
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(g0.work, "elsewhere")); err != nil {
		t.Skip("not here: no links")
	}
	g0.blocks(bashBlock("RUN    : link"), subAgentBlock("OUTPUT : out/x.md"), done())
	g0.run = func(Command) (Outcome, error) {
		return printed(""), os.Symlink(filepath.Join(g0.work, "elsewhere"), filepath.Join(g0.work, "skill_run/demo/q/out"))
	}
	want(t, g0.call("q"), true, "out")
	if entries, _ := os.ReadDir(filepath.Join(g0.work, "elsewhere")); len(entries) > 0 {
		t.Error("a link led out of the run folder")
	}
}

func TestOutputsThatAreNoFiles(t *testing.T) {
	for _, out := range []string{"the queries, for the next command", "none", "N/A", "-", "<a list>"} {
		g := newRig(t)
		g.blocks(subAgentBlock("OUTPUT : "+out), done())
		want(t, g.call("q"), false, "a reply of 7 bytes")
		if entries, _ := os.ReadDir(filepath.Join(g.work, "skill_run/demo/q")); len(entries) > 0 {
			t.Error(out, entries)
		}
	}
}

func TestPlaceholdersInRun(t *testing.T) {
	g := newRig(t)
	g.settings("placeholders: {season: \"it's spring\"}\n")
	g.blocks(bashBlock(`RUN    : tool "{run_dir}" {query} '{query}' {season} {slug} {skill} {other}`, `         again "{skill_dir}"`), done())
	g.call("what's new; rm x")
	dir := filepath.Join(g.work, "skill_run", "demo", "whats-new-rm-x")
	want := `tool "` + dir + `" 'what'\''s new； rm x' 'what'\''s new； rm x' 'it'\''s spring' whats-new-rm-x demo {other}` + "\n" + `again "` + g.skill.Dir + `"`
	if len(g.ran) != 1 || g.ran[0].Text != want || g.ran[0].Timeout != Defaults().BashTimeout {
		t.Errorf("%q, want\n%q", g.commands(), want)
	}
}

// A command that fails is run once more, then told with its output; the codes of the handshake are no failure.
func TestFailingCommands(t *testing.T) {
	for name, c := range map[string]struct {
		outcomes []Outcome
		err      error
		times    int
		failed   bool
		says     string
	}{
		"once":      {[]Outcome{{Code: 1, Status: "exit status 1"}, printed("")}, nil, 2, false, "exit status 1"},
		"twice":     {[]Outcome{{Code: 1, Status: "exit status 1", Output: []byte("boom\n"), Errors: "and why"}}, nil, 2, true, "boom\n[standard error]\nand why"},
		"limit":     {[]Outcome{{TimedOut: true, Code: -1, Status: "killed", Why: "too slow"}}, nil, 2, true, "15m0s, twice"},
		"bad path":  {[]Outcome{{Code: 2, Status: "exit status 2", Output: []byte("usage: x")}}, nil, 1, true, "usage: x"},
		"pending":   {[]Outcome{{Code: 10, Status: "exit status 10"}}, nil, 1, false, "exit status 10"},
		"rubric":    {[]Outcome{{Code: 11, Status: "exit status 11"}}, nil, 1, false, "exit status 11"},
		"refused":   {[]Outcome{{}}, errors.New("not allowed"), 1, true, "make did not run: not allowed"},
		"no output": {[]Outcome{{Code: 3, Status: "exit status 3"}}, nil, 2, true, "(no output)"},
		"a flood":   {[]Outcome{{Code: 3, Status: "exit status 3", Output: []byte(strings.Repeat("x", 99999)), Lost: 5}}, nil, 2, true, "5 bytes are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t)
			g.blocks(bashBlock("RUN    : make"), done())
			g.run = func(Command) (Outcome, error) {
				return c.outcomes[min(len(g.ran)-1, len(c.outcomes)-1)], c.err
			}
			res := g.call("q")
			want(t, res, c.failed, c.says)
			if len(g.ran) != c.times {
				t.Errorf("ran %d times", len(g.ran))
			}
			if len(textOf(res)) > 40000 {
				t.Error("the answer is too long")
			}
		})
	}
}

// A program that does not do what it should ends the run with its output.
func TestFailingProgram(t *testing.T) {
	for name, c := range map[string]struct {
		out  Outcome
		says []string
	}{
		"crash":       {Outcome{Code: 1, Status: "exit status 1", Output: []byte("half a page"), Errors: "Traceback: KeyError"}, []string{"exit status 1", "half a page", "Traceback: KeyError"}},
		"bad path":    {Outcome{Code: 2, Status: "exit status 2", Errors: "no such folder"}, []string{"exit status 2", "no such folder"}},
		"nothing":     {Outcome{}, []string{"it printed nothing", "(no output)"}},
		"blanks":      {Outcome{Output: []byte("\n  \r\n")}, []string{"it printed nothing"}},
		"garbage":     {Outcome{Output: []byte("hello\x00\xff")}, []string{"no block between two lines", "hello"}},
		"a loop":      {Outcome{TimedOut: true, Code: -1, Output: []byte("and on")}, []string{"did not end within 1m0s", "and on"}},
		"a flood":     {Outcome{Output: []byte(strings.Repeat("x", 300000)), Lost: 10}, []string{"too long for a block"}},
		"a cut block": {Outcome{Output: []byte(strings.TrimSuffix(bashBlock("RUN    : x"), bars+"\n"))}, []string{"not closed", "RUN    : x"}},
		"handshake":   {Outcome{Code: 10}, []string{"wants to be called again"}},
		"killed":      {Outcome{Code: -1, Status: "killed by SIGKILL"}, []string{"killed by SIGKILL"}},
		"odd type":    {printed(emit("STATE  : s", "STEP   : t", "TYPE   : dance")), []string{`TYPE "dance"`, "llm_subagent, bash, terminal"}},
		"no type":     {printed(emit("STATE  : s", "STEP   : t")), []string{`TYPE ""`}},
		"no RUN":      {printed(bashBlock()), []string{"has no RUN"}},
		"no prompt":   {printed(subAgentBlock("PROMPT : gone.md")), []string{"PROMPT gone.md: there is no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t)
			g.next = func(int) Outcome { return c.out }
			res := g.call("q")
			want(t, res, true, append(c.says, `run_dir "skill_run/demo/q" to go on`)...)
			if len(textOf(res)) > 30000 {
				t.Error("the answer is too long")
			}
			if g.record("s/1.0").Running {
				t.Error("it still counts as running")
			}
			g.blocks(done()) // mended
			want(t, g.callAs("s/2.0", "another", "run_dir", "skill_run/demo/q"), false, "DONE")
		})
	}
}

func TestHandshakeOfNext(t *testing.T) {
	g := newRig(t)
	g.next = func(n int) Outcome {
		if n < 2 {
			return Outcome{Code: exitRubric, Output: []byte("not yet")}
		}
		out := printed(done())
		out.Code = exitPending
		return out
	}
	want(t, g.call("q"), false, "DONE")
}

// Without a block, a line that is a signal ends the run.
func TestSignalWithoutBlock(t *testing.T) {
	g := newRig(t)
	g.next = func(int) Outcome { return printed("some words\nphase_3_failed: no idea has survived\n") }
	want(t, g.call("q"), false, "pipeline demo: phase_3_failed", "no idea has survived")
}

// A failed end and one without an idea show the page that says why.
func TestOtherEnds(t *testing.T) {
	for _, c := range []struct{ state, notes, file, outcome string }{
		{"TERMINAL — Phase 1 routed to do_not_generate.", "", "do_not_generate.md", "do_not_generate"},
		{"TERMINAL — Phase 3 audit abandoned", "read phase_3_failed.md", "phase_3_failed.md", "phase_3_failed"},
	} {
		g := newRig(t)
		g.blocks(bashBlock("RUN    : make"), emit("STATE  : "+c.state, "TYPE   : terminal", "NOTES  : "+c.notes))
		g.run = func(Command) (Outcome, error) {
			g.write("skill_run/demo/q/"+c.file, "this is why")
			return printed(""), nil
		}
		res := g.call("q")
		want(t, res, false, "pipeline demo: "+c.outcome+"\n", "=== "+c.file+" (11 bytes) ===\nthis is why")
	}
}

// A block that comes again and again ends the run, named by step and folder.
func TestSameBlock(t *testing.T) {
	for name, c := range map[string]struct {
		change string // written at each command: "" nothing, "same" the same again, else a file that is another each time
		block  string
		times  int // commands or sub-agents before the end
		ends   bool
	}{
		"nothing changes":          {"", bashBlock("RUN    : make"), 2, true},
		"the same is written":      {"same", bashBlock("RUN    : make"), 3, true},
		"something changes":        {"skill_run/demo/q/log.txt", bashBlock("RUN    : make"), 25, false},
		"only the output changes":  {"", subAgentBlock("OUTPUT : out.md"), 9, true},
		"nothing is written":       {"", subAgentBlock("OUTPUT : a sentence"), 2, true},
		"elsewhere does not count": {"other.txt", bashBlock("RUN    : make"), 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t)
			g.settings("max_steps: 25")
			g.blocks(c.block)
			n := 0
			g.run = func(Command) (Outcome, error) {
				n++
				switch c.change {
				case "":
				case "same":
					g.write("skill_run/demo/q/x.txt", "the same")
				default:
					g.write(c.change, fmt.Sprint(n))
				}
				return printed(""), nil
			}
			g.ask = func(Task) (Reply, error) { n++; return Reply{Text: fmt.Sprint("reply ", n)}, nil }
			res := g.call("q")
			if c.ends {
				want(t, res, true, "would go round for ever", filepath.Join("skill_run", "demo", "q"))
			} else {
				want(t, res, true, "max_steps: 25 steps are done")
			}
			if n != c.times {
				t.Errorf("%d times, want %d", n, c.times)
			}
		})
	}
}

// A block that is another each time, but leads nowhere, is found out, too.
func TestNothingChanges(t *testing.T) {
	g := newRig(t)
	g.next = func(n int) Outcome {
		return printed(bashBlock("RUN    : make", fmt.Sprintf("NOTES  : it is %d o'clock", n)))
	}
	want(t, g.call("q"), true, "the last 20 steps have changed nothing", filepath.Join("skill_run", "demo", "q"))
	if len(g.ran) != 20 {
		t.Errorf("%d steps", len(g.ran))
	}
}

// A folder is no file.
func TestFolderAsOutput(t *testing.T) {
	g := newRig(t)
	g.write("skill_run/demo/q/there/x.txt", "x")
	for _, out := range []string{"{run_dir}/cards/", "{run_dir}/there", "{run_dir}"} {
		g.nexts = 0
		g.blocks(subAgentBlock("OUTPUT : "+out), done())
		want(t, g.call("q", "run_dir", "q"), false, "a reply of 7 bytes")
	}
}

// Neither the answer nor the log tells a secret.
func TestSecrets(t *testing.T) {
	g := newRig(t)
	g.o.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }
	g.blocks(bashBlock("RUN    : make"))
	g.run = func(Command) (Outcome, error) {
		return Outcome{Code: 1, Status: "exit status 1", Output: []byte("hunter2"), Errors: "or hunter2"}, nil
	}
	res := g.call("q")
	want(t, res, true, "[secret]")
	if log := g.read("skill_run/demo/pipeline.log"); strings.Contains(textOf(res)+log, "hunter2") || !strings.Contains(log, "[secret]") {
		t.Error(log)
	}
}

// An output that was not accepted is shown to the sub-agent that tries again.
func TestNotAccepted(t *testing.T) {
	g := newRig(t)
	b := subAgentBlock("OUTPUT : out.json")
	g.blocks(b, b, done())
	g.ask = func(Task) (Reply, error) { return Reply{Text: fmt.Sprintf("[%d]", len(g.asked))}, nil }
	want(t, g.call("q"), false, "[2] phase 1")
	if len(g.asked) != 2 || strings.Contains(g.asked[0].Text, "accepted") || !strings.Contains(g.asked[1].Text, "it was not accepted) ===\n[1]") || g.asked[0].ID == g.asked[1].ID {
		t.Errorf("%+v", g.asked)
	}
}

// The command that stands only in a note is run once, when the block comes again although its output is there.
func TestFollowUp(t *testing.T) {
	g := newRig(t)
	tag := func() string {
		return subAgentBlock("OUTPUT : tags.json", `NOTES  : merge with python3 "`+filepath.Join(g.skill.Dir, "scripts", "run.py")+`" merge --dir "{run_dir}" then go on`)
	}
	g.blocks(tag(), tag(), done())
	want(t, g.call("q"), false, "ran: python3")
	command := `python3 "` + filepath.Join(g.skill.Dir, "scripts", "run.py") + `" merge --dir "` + filepath.Join(g.work, "skill_run/demo/q") + `"`
	if len(g.asked) != 1 || len(g.ran) != 1 || g.ran[0].Text != command {
		t.Errorf("asked %d times, ran %q", len(g.asked), g.commands())
	}

	g = newRig(t) // where it does not help, the sub-agent has another try, and in the end the run stops
	g.blocks(tag())
	want(t, g.call("q"), true, "for ever")
	if len(g.ran) != 1 || len(g.asked) < 2 {
		t.Errorf("asked %d times, ran %q", len(g.asked), g.commands())
	}

	g = newRig(t) // a step of commands may have none but that
	g.blocks(bashBlock(`NOTES  : python3 "{skill_dir}/scripts/run.py" merge`), done())
	want(t, g.call("q"), false)
	if len(g.ran) != 1 || g.ran[0].Text != `python3 "`+g.skill.Dir+`/scripts/run.py" merge` {
		t.Errorf("%q", g.commands())
	}
}

func TestEmptyReply(t *testing.T) {
	g := newRig(t)
	g.blocks(subAgentBlock("OUTPUT : out.md"))
	g.ask = func(Task) (Reply, error) { return Reply{Text: " \n"}, nil }
	want(t, g.call("q"), true, "an empty reply, out.md is not written", "for ever")
}

func TestSubAgentFails(t *testing.T) {
	g := newRig(t)
	g.blocks(subAgentBlock("OUTPUT : out.md"), done())
	g.ask = func(Task) (Reply, error) {
		return Reply{Usage: &agent.Usage{Input: new(int64(4))}}, errors.New("rate limit")
	}
	res := g.call("q")
	want(t, res, true, `the sub-agent of step "think": rate limit`, "to go on")
	if res.Usage == nil || *res.Usage.Input != 4 {
		t.Errorf("%+v", res.Usage)
	}
}

func TestUntrusted(t *testing.T) {
	g := newRig(t)
	g.blocks(done())
	g.o.Trusted = func(_ context.Context, s Skill) error { return fmt.Errorf("%s was changed", s.Name) }
	want(t, g.call("q"), true, "not trusted", "demo was changed")
	if g.nexts > 0 {
		t.Error("it ran")
	}
	if _, err := os.Stat(filepath.Join(g.work, "skill_run")); err == nil {
		t.Error("a folder was made for it")
	}
	want(t, g.call(" \"\n"), true, "query is empty")
}

// Without a place for the skill's own log its lines go to the main one, and the run goes on.
func TestLogFallsBack(t *testing.T) {
	g := newRig(t)
	var main strings.Builder
	g.o.Log = textLogger(&main)
	g.blocks(bashBlock("RUN    : make"), done())
	want(t, g.call("q"), false, "log: "+filepath.Join(g.work, "skill_run", "demo", "pipeline.log"))
	if s := g.read("skill_run/demo/pipeline.log"); !strings.Contains(s, "msg=step") || !strings.Contains(s, "command=make") || main.Len() > 0 {
		t.Errorf("%s\n%s", s, main.String())
	}
	g = newRig(t)
	g.o.Log = textLogger(&main)
	g.write("taken", "a file where a folder is wanted")
	g.settings("log_file: taken/pipeline.log\n")
	g.blocks(bashBlock("RUN    : make"), done())
	res := g.call("q")
	want(t, res, false, "DONE")
	if s := main.String(); !strings.Contains(s, "cannot be written") || !strings.Contains(s, "command=make") || strings.Contains(textOf(res), "log:") {
		t.Error(s)
	}
	if os.Geteuid() == 0 {
		t.Skip("not here: root may write into read-only folders")
	}
	main.Reset()
	g = newRig(t)
	g.o.Log = textLogger(&main)
	if err := os.Mkdir(filepath.Join(g.work, "fixed"), 0o555); err != nil {
		t.Fatal(err)
	}
	g.settings("log_file: fixed/pipeline.log\n")
	g.blocks(done())
	want(t, g.call("q"), false, "DONE")
	if s := main.String(); !strings.Contains(s, "cannot be written") {
		t.Error(s)
	}
}

func TestFolders(t *testing.T) {
	g := newRig(t)
	g.blocks(done())
	for i, dir := range []string{"q", "q_2", "q_3"} {
		want(t, g.callAs(fmt.Sprintf("s/%d.0", i+1), "q"), false, "run folder: skill_run/demo/"+dir+"\n")
	}
	g.write("skill_run/demo/other/allinone.md", "of a call of another kind")
	want(t, g.callAs("s/9.0", "other"), false, "run folder: skill_run/demo/other_2\n")
	for _, bad := range []string{"../..", "skills/demo", ".", "skill_run/demo", "gone", "/etc", "skill_run/demo/pipeline.log"} {
		want(t, g.callAs("s/10.0", "q", "run_dir", bad), true, "is no run folder of this pipeline", "q_2")
	}
}

func TestCancelled(t *testing.T) {
	g := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	g.blocks(bashBlock("RUN    : make"))
	g.run = func(Command) (Outcome, error) { cancel(); return Outcome{Code: -1, Status: "killed"}, nil }
	res, err := g.tool().Run(ctx, agent.Call{Key: "s/1.0", Args: raw(t, map[string]string{"query": "q"})})
	if !errors.Is(err, context.Canceled) || len(g.ran) != 1 {
		t.Errorf("%v, ran %d times", err, len(g.ran))
	}
	want(t, res, true, "cancelled", `run_dir "skill_run/demo/q"`)
	if g.record("s/1.0").Running {
		t.Error("it still counts as running")
	}
}

// State that cannot be kept ends the run before anything is done.
func TestStoreFails(t *testing.T) {
	g := newRig(t)
	g.blocks(bashBlock("RUN    : make"))
	g.o.KV = broken{g.kv}
	want(t, g.call("q"), true, "state of the pipeline: disk full")
	if len(g.ran) > 0 {
		t.Error("it ran")
	}
}

type broken struct{ store.KV }

func (broken) Put(context.Context, store.Doc) (int64, error) { return 0, errors.New("disk full") }
