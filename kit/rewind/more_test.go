package rewind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"react-agent/agent"
)

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
}

func (w *world) git(args ...string) {
	w.Helper()
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=m"}, args...)...)
	cmd.Dir = w.o.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// objectsKept counts the contents that were copied.
func (w *world) objectsKept() int {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.r.o.Dir, "object", "*", "*"))
	w.must(err)
	return len(found)
}

// TestWhatGitHas: contents that git has are not copied, and come back even when the repository is gone.
func TestWhatGitHas(t *testing.T) {
	needGit(t)
	for _, packed := range []bool{false, true} {
		w := testWorld(t, nil)
		for i := range 50 {
			w.write(fmt.Sprintf("dir/file%d", i), strings.Repeat(fmt.Sprint("line ", i, "\n"), 1000))
		}
		w.write("large", strings.Repeat("0123456789", 200_000))
		w.git("init", "-q")
		w.git("add", ".")
		w.git("commit", "-qm", "all")
		if packed {
			w.git("gc", "-q")
		}
		w.write("dir/file1", "changed by the person")
		before := tree(t, w.o.Root)
		turn := w.say("go")
		w.call(func() {
			for _, path := range []string{".git", "dir", "large"} {
				w.must(os.RemoveAll(w.path(path)))
			}
		})
		if n := w.objectsKept(); n != 1 {
			t.Errorf("packed %v: %d contents were copied, want 1", packed, n)
		}
		if res := w.rewind(turn); len(res.Left) > 0 {
			t.Errorf("left: %+v", res.Left)
		}
		same(t, "without the repository", tree(t, w.o.Root), before)
	}
}

// TestFilteredFiles: git may hold something else than what lies in the work directory.
func TestFilteredFiles(t *testing.T) {
	needGit(t)
	w := testWorld(t, nil)
	w.git("init", "-q")
	w.write(".gitattributes", "* text eol=crlf\n")
	for i := range 20 {
		w.write(fmt.Sprint("f", i), fmt.Sprint("line\r\n", i, "\r\n"))
	}
	w.git("add", ".")
	w.git("commit", "-qm", "all")
	before := tree(t, w.o.Root)
	turn := w.say("go")
	w.call(func() {
		for i := range 20 {
			w.must(os.Remove(w.path(fmt.Sprint("f", i))))
		}
	})
	w.rewind(turn)
	same(t, "after", tree(t, w.o.Root), before)
}

// TestIgnoredFiles: what git ignores is neither kept nor touched, whatever becomes of the rules.
func TestIgnoredFiles(t *testing.T) {
	needGit(t)
	w := testWorld(t, nil)
	w.git("init", "-q")
	w.write(".gitignore", "build/\n*.log\n")
	w.write("build/out", "old")
	w.write("x.log", "old")
	w.write("src/a", "old")
	w.write("nested/own/file", "old")
	w.must(os.Mkdir(w.path("nested/.git"), 0o755))
	turn := w.say("go")
	w.call(func() {
		w.write("build/out", "new")
		w.write("x.log", "new")
		w.write("src/a", "new")
		w.write("src/b.log", "new")
		w.write("nested/own/file", "new")
	})
	second := w.say("now keep build, and ignore src")
	w.call(func() {
		w.write(".gitignore", "*.log\nsrc/\n")
		w.write("fresh/.gitignore", "t\n")
		w.write("fresh/t", "t")
		w.write("fresh/u", "u")
	})
	w.call(func() { w.write("build/out", "newer"); w.write("src/a", "newer") })
	res := w.rewind(second)
	got := tree(t, w.o.Root)
	for f, want := range map[string]string{"build/out": "new", "src/a": "newer", ".gitignore": "build/\n*.log\n", "fresh/t": "t", "fresh/u": "", "nested/own/file": "new"} {
		if _, content, _ := strings.Cut(got[f], " "); content != want {
			t.Errorf("%s is %q, want %q (left %v)", f, content, want, res.Left)
		}
	}
	res = w.rewind(turn)
	got = tree(t, w.o.Root)
	for f, want := range map[string]string{"build/out": "new", "x.log": "new", "src/a": "old", "src/b.log": "new", "nested/own/file": "old"} {
		if _, content, _ := strings.Cut(got[f], " "); content != want {
			t.Errorf("%s is %q, want %q (left %+v)", f, content, want, res.Left)
		}
	}

	// a call that names an ignored file has it kept
	third := w.say("edit what is ignored")
	w.call(func() { w.write("x.log", "edited") }, "x.log")
	w.rewind(third)
	if got := tree(t, w.o.Root)["x.log"]; !strings.HasSuffix(got, " new") {
		t.Errorf("x.log is %q", got)
	}
}

func TestKeepIgnored(t *testing.T) {
	needGit(t)
	w := testWorld(t, func(o *Options) { o.Ignored = true })
	w.git("init", "-q")
	w.write(".gitignore", "build/\n")
	w.write("build/out", "old")
	turn := w.say("go")
	w.call(func() { w.write("build/out", "new") })
	w.rewind(turn)
	if got := tree(t, w.o.Root)["build/out"]; !strings.HasSuffix(got, " old") {
		t.Errorf("build/out is %q", got)
	}
}

// TestMadeAgain: without git, what tools can make again is left out.
func TestMadeAgain(t *testing.T) {
	w := testWorld(t, nil)
	w.write("node_modules/x", "old")
	w.write("venv/pyvenv.cfg", "old")
	w.write("venv/x", "old")
	w.write("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
	w.write("target/x", "old")
	w.write("src/x", "old")
	turn := w.say("go")
	w.call(func() {
		for _, d := range []string{"node_modules", "venv", "target", "src"} {
			w.write(d+"/x", "new")
		}
	})
	w.rewind(turn)
	got := tree(t, w.o.Root)
	for d, want := range map[string]string{"node_modules": "new", "venv": "new", "target": "new", "src": "old"} {
		if !strings.HasSuffix(got[d+"/x"], " "+want) {
			t.Errorf("%s/x is %q, want %q", d, got[d+"/x"], want)
		}
	}
}

// TestOutside: a file outside the work directory that a call names is kept too.
func TestOutside(t *testing.T) {
	w := testWorld(t, nil)
	out, err := filepath.EvalSymlinks(t.TempDir())
	w.must(err)
	file := filepath.Join(out, "new", "file")
	turn := w.say("go")
	c := w.ask([]byte(fmt.Sprintf(`{"paths":[%q]}`, file)))
	w.run(w.tool(agent.Writes, false, func() {
		w.must(os.MkdirAll(filepath.Dir(file), 0o755))
		w.must(os.WriteFile(file, []byte("x"), 0o644))
	}), c)
	res := w.rewind(turn)
	if exists(filepath.Join(out, "new")) || len(res.Done) != 2 {
		t.Errorf("result: %+v", res)
	}
}

// TestBounds: what is too large, and what there is no room for, is told and named; old checkpoints make room for new ones.
func TestBounds(t *testing.T) {
	w := testWorld(t, func(o *Options) { o.MaxFile, o.MaxBytes = 20_000, 100_000 })
	w.write("big", strings.Repeat("b", 30_000))
	w.write("a", "old")
	turn := w.say("go")
	w.call(func() { w.write("big", strings.Repeat("c", 30_000)); w.write("a", "new") })
	if len(w.notices) == 0 || !strings.Contains(w.notices[0], "big") {
		t.Errorf("notices: %q", w.notices)
	}
	p := w.plan(turn)
	if len(p.Files) != 2 || p.Files[1].Path != "big" || p.Files[1].Lost == "" {
		t.Fatalf("plan: %+v", p)
	}
	last := turn
	for i := range 30 {
		last = w.say("more")
		w.call(func() { w.write("a", strings.Repeat(fmt.Sprint(i%10), 9_000+i)) }, "a")
	}
	if !slices.ContainsFunc(w.notices, func(n string) bool { return strings.Contains(n, "dropped") }) {
		t.Errorf("notices: %q", w.notices)
	}
	if size := w.r.objects.size.Load(); size > 100_000 {
		t.Errorf("%d bytes are kept", size)
	}
	turns, err := w.r.Turns(t.Context(), w.s)
	w.must(err)
	if !turns[0].Gone || turns[len(turns)-1].Gone {
		t.Errorf("turns: %+v", turns)
	}
	if _, err := w.r.Perform(t.Context(), w.a, w.s, w.plan(turn), false); !errors.Is(err, ErrGone) {
		t.Errorf("err = %v", err)
	}
	w.open() // from the disk
	w.rewind(last)
	if got := tree(t, w.o.Root)["a"]; !strings.HasSuffix(got, strings.Repeat("8", 9_028)) {
		t.Errorf("a is %.40q", got)
	}
	w.perform(w.plan(turn), true)
}

func TestTooManyFiles(t *testing.T) {
	w := testWorld(t, func(o *Options) { o.MaxFiles = 10 })
	for i := range 20 {
		w.write(fmt.Sprint("f", i), "old")
	}
	turn := w.say("go")
	w.call(func() { w.write("f1", "new") })
	w.call(func() { w.write("f2", "new") }, "f2")
	if len(w.notices) != 1 {
		t.Errorf("notices: %q", w.notices)
	}
	w.rewind(turn)
	got := tree(t, w.o.Root)
	if !strings.HasSuffix(got["f1"], " new") || !strings.HasSuffix(got["f2"], " old") {
		t.Errorf("f1 %q, f2 %q", got["f1"], got["f2"])
	}
}

// TestChildren: what sub-agents did goes with the turn of the parent that ran them.
func TestChildren(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("delegate")
	task := w.ask([]byte("{}"))
	w.run(w.tool(agent.Executes, true, func() {
		for i, f := range []string{"a", "b"} {
			c := agent.Call{Key: fmt.Sprintf("s.1/%d.1", 2+i), Args: []byte("{}")}
			if res, err := w.tool(agent.Executes, false, func() { w.write(f, "child") }).Run(t.Context(), c); err != nil || res.Error {
				t.Error(res, err)
			}
		}
	}), task)
	turns, err := w.r.Turns(t.Context(), w.s)
	if err != nil || !slices.Equal(turns[0].Files, []string{"a", "b"}) {
		t.Errorf("turns: %+v %v", turns, err)
	}
	w.rewind(turn)
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old"})
}

// TestChildrenByTheirCalls: what sub-agents of sub-agents did belongs to the call that started them, whenever they did it,
// also when that call itself is none that changes anything.
func TestChildrenByTheirCalls(t *testing.T) {
	calls := map[string]string{"s.1.1": "s.1/2.1"}
	w := testWorld(t, func(o *Options) { o.Parent = func(session string) string { return calls[session] } })
	works := func(key, file string) {
		c := agent.Call{Key: key, Args: []byte("{}")}
		if res, err := w.tool(agent.Executes, false, func() { w.write(file, "child") }).Run(t.Context(), c); err != nil || res.Error {
			t.Error(res, err)
		}
	}
	first := w.say("one")
	calls["s.1"] = w.ask([]byte("{}")).Key
	works("s.1/2.1", "early")
	second := w.say("two")
	calls["s.2"] = w.ask([]byte("{}")).Key
	works("s.1.1/2.1", "late")
	works("s.2/2.1", "second")
	w.reload() // turns are those of the log
	turns, err := w.r.Turns(t.Context(), w.s)
	if err != nil || len(turns) != 2 || !slices.Equal(turns[0].Files, []string{"early", "late"}) || !slices.Equal(turns[1].Files, []string{"second"}) {
		t.Errorf("turns: %+v %v", turns, err)
	}
	w.rewind(second)
	same(t, "after the second", tree(t, w.o.Root), map[string]string{"early": "-rw-r--r-- child", "late": "-rw-r--r-- child"})
	w.rewind(first)
	same(t, "after the first", tree(t, w.o.Root), map[string]string{})
}

// TestTwoSessions: what another session did later is a conflict that names it.
func TestTwoSessions(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("go")
	w.call(func() { w.write("a", "s"); w.write("mine", "s") })
	other := newWorld(t, w.o.Root, w.o.Dir, nil)
	other.id, other.s = "t", agent.NewSession("t")
	theirs := other.say("go")
	other.call(func() { other.write("a", "t") })
	res := w.rewind(turn)
	if len(res.Left) != 1 || !strings.Contains(res.Left[0].Conflict, "session t") {
		t.Errorf("left: %+v", res.Left)
	}
	other.rewind(theirs)
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- s"})
}

// TestSideBySide: calls that run at once share what changed, and each takes all of it back.
func TestSideBySide(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("go")
	var wg sync.WaitGroup
	begun := make(chan bool)
	started := make(chan bool)
	for i := range 2 {
		c := agent.Call{Key: fmt.Sprintf("s/2.%d", i+1), Args: []byte("{}")}
		tool := w.tool(agent.Executes, false, func() {
			started <- true
			<-begun
			w.write(fmt.Sprint("f", i), "new")
		})
		wg.Go(func() {
			if res, err := tool.Run(t.Context(), c); err != nil || res.Error {
				t.Error(res, err)
			}
		})
	}
	<-started
	<-started
	close(begun)
	wg.Wait()
	w.ask([]byte("{}"))
	w.rewind(turn)
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old"})
}

// TestManyProcesses: two that share the directory attribute rightly what the other's call does while it runs.
func TestManyProcesses(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("go")
	second := newWorld(t, w.o.Root, w.o.Dir, nil)
	second.id, second.s = "t", agent.NewSession("t")
	second.say("go")
	w.call(func() {
		w.write("a", "s")
		second.call(func() {}) // sees the change of a call that runs elsewhere
	})
	if res := w.rewind(turn); len(res.Left) > 0 {
		t.Errorf("left: %+v", res.Left)
	}
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old"})
}

// TestLostContent: what was kept is checked before it is put back.
func TestLostContent(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old a")
	w.write("b", "old b")
	turn := w.say("go")
	w.call(func() { w.write("a", "new"); w.write("b", "new") })
	objects, err := filepath.Glob(filepath.Join(w.r.o.Dir, "object", "*", "*"))
	w.must(err)
	for _, o := range objects {
		if b, err := os.ReadFile(o); err == nil && string(b) == "old a" {
			w.must(os.Chmod(o, 0o600))
			w.must(os.WriteFile(o, []byte("other"), 0o600))
		}
		if b, err := os.ReadFile(o); err == nil && string(b) == "old b" {
			w.must(os.Remove(o))
		}
	}
	p := w.plan(turn)
	if p.Files[1].Lost == "" {
		t.Errorf("plan: %+v", p.Files)
	}
	res := w.perform(p, true)
	if len(res.Left) != 2 || res.Left[0].Lost == "" || res.Left[1].Lost == "" {
		t.Errorf("left: %+v", res.Left)
	}
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- new", "b": "-rw-r--r-- new"})
}

// TestNoCheckpointNoCall: a tool does not run when nothing can be kept.
func TestNoCheckpointNoCall(t *testing.T) {
	w := testWorld(t, nil)
	w.must(os.WriteFile(w.o.Dir+"/x", nil, 0o600))
	w.o.Dir += "/x"
	w.open()
	ran := false
	res, err := w.tool(agent.Executes, false, func() { ran = true }).Run(t.Context(), agent.Call{Key: "s/1.1"})
	if err != nil || !res.Error || ran {
		t.Errorf("ran %v, %v %v", ran, res, err)
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no Root was accepted")
	}
	if _, err := New(Options{Root: w.path("missing"), Dir: w.o.Dir}); err == nil {
		t.Error("a missing Root was accepted")
	}
}

// TestDamagedFiles: a torn line is cut off, a damaged file is named.
func TestDamagedFiles(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("go")
	w.call(func() { w.write("a", "new") })
	for _, file := range []string{"index.jsonl", "history.jsonl"} {
		f, err := os.OpenFile(filepath.Join(w.r.o.Dir, file), os.O_WRONLY|os.O_APPEND, 0)
		w.must(err)
		_, err = f.WriteString(`{"p":"torn`)
		w.must(errors.Join(err, f.Close()))
	}
	w.open()
	w.call(func() { w.write("b", "new") })
	w.open()
	w.rewind(turn)
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old"})

	history := filepath.Join(w.r.o.Dir, "history.jsonl")
	w.must(os.WriteFile(history, []byte("nonsense\n"), 0o600))
	w.open()
	if _, err := w.r.Turns(t.Context(), w.s); err == nil || !strings.Contains(err.Error(), history) {
		t.Errorf("err = %v", err)
	}
}

// TestIndexStaysSmall: it is written anew when most of it is old.
func TestIndexStaysSmall(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	turn := w.say("go")
	for i := range 700 {
		tool := w.tool(agent.Writes, false, func() { w.write("a", fmt.Sprint(i)) })
		if res, err := tool.Run(t.Context(), agent.Call{Key: fmt.Sprintf("s/2.%d", i), Args: []byte(fmt.Sprintf(`{"paths":[%q]}`, w.path("a")))}); err != nil || res.Error {
			t.Fatal(res, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(w.r.o.Dir, "index.jsonl"))
	w.must(err)
	if n := strings.Count(string(b), "\n"); n > 1100 {
		t.Errorf("%d lines", n)
	}
	w.ask([]byte("{}"))
	w.open()
	w.rewind(turn)
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old"})
}

// TestVoidedCallsCountNowhere: a turn lists what its own calls did, not those that were taken back.
func TestVoidedCallsCountNowhere(t *testing.T) {
	w := testWorld(t, nil)
	w.say("one")
	w.call(func() { w.write("a", "1") })
	second := w.say("two")
	w.call(func() { w.write("b", "2") })
	w.rewind(second)
	w.say("three")
	w.call(func() { w.write("c", "3") })
	turns, err := w.r.Turns(t.Context(), w.s)
	w.must(err)
	if len(turns) != 2 || !slices.Equal(turns[0].Files, []string{"a"}) || !slices.Equal(turns[1].Files, []string{"c"}) {
		t.Errorf("turns: %+v", turns)
	}
	w.rewind(turns[0].Seq)
	same(t, "after", tree(t, w.o.Root), map[string]string{})
}

// TestLateChange: what somebody changes between the look and the restore is left.
func TestLateChange(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	w.write("b", "old")
	turn := w.say("go")
	w.call(func() { w.write("a", "new"); w.write("b", "new"); w.write("c", "new") })
	w.r.stepped = func(n int) {
		if n == 1 {
			w.write("b", "person was here")
		}
	}
	res := w.rewind(turn)
	if len(res.Left) != 1 || res.Left[0].Path != "b" || len(res.Done) != 2 {
		t.Errorf("result: %+v", res)
	}
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old", "b": "-rw-r--r-- person was here"})
}

// TestCancelled: a call whose run ends does not wait for the directory.
func TestCancelled(t *testing.T) {
	w := testWorld(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := w.r.locked(t.Context(), func() error {
		other := newWorld(t, w.o.Root, w.o.Dir, nil)
		cancel()
		_, err := other.r.Turns(ctx, other.s)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
