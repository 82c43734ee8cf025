//go:build unix

package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/store"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) {
	if done, code := sandboxHelper(os.Args); done {
		os.Exit(code)
	}
	if role := os.Getenv("JOB_TEST_CHILD"); role != "" {
		os.Exit(child(role))
	}
	goleak.VerifyTestMain(m)
}

// patience is for events that come at once on an idle machine.
const patience = 30 * time.Second

// home is where the jobs of a test live; several Jobs may share it, as processes do.
type home struct {
	t   *testing.T
	log store.Log
	dir string // of outputs
	cwd string
}

func newHome(t *testing.T) *home {
	t.Helper()
	return &home{t: t, log: mem.New(), dir: filepath.Join(t.TempDir(), "jobs"), cwd: t.TempDir()}
}

func (h *home) open(change ...func(*Options)) *Jobs {
	h.t.Helper()
	o := Options{Log: h.log, Dir: h.dir, Root: h.cwd}
	for _, fn := range change {
		fn(&o)
	}
	j, err := New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := j.Close(ctx); err != nil {
			h.t.Errorf("Close: %v", err)
		}
	})
	return j
}

func server(o *Options) { o.Texts = Server() }

// call calls a tool as the loop does.
func call(t *testing.T, j *Jobs, name, key string, args any) agent.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range j.Tools(nil) {
		if tool.Name == name {
			if err := agent.CheckArgs(tool.Schema, raw); err != nil {
				t.Fatalf("%s %s: %v", name, raw, err)
			}
			r, err := tool.Run(t.Context(), agent.Call{ID: "1", Name: name, Args: raw, Key: key})
			if err != nil {
				t.Fatalf("%s %s: %v", name, raw, err)
			}
			return r
		}
	}
	t.Fatalf("there is no tool %s", name)
	return agent.Result{}
}

type m = map[string]any

// said is the text of a result.
func said(r agent.Result) string {
	var b strings.Builder
	for _, p := range r.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// begin starts a job and gives its id.
func begin(t *testing.T, j *Jobs, key string, args m) string {
	t.Helper()
	r := call(t, j, "background_run", key, args)
	var id string
	if _, err := fmt.Sscanf(said(r), "Background task %s started:", &id); err != nil || r.Error || len(id) != 8 {
		t.Fatalf("%v: %q", args, said(r))
	}
	if _, ok := r.State["job/"+id]; !ok || len(r.State) != 1 {
		t.Fatalf("the state of %s is %v", id, r.State)
	}
	return id
}

// finish waits until the job's end is known.
func finish(t *testing.T, j *Jobs, id string) Info {
	t.Helper()
	x, err := j.get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-x.done:
	case <-time.After(patience):
		t.Fatalf("job %s does not end: %+v", id, j.info(x))
	}
	return j.info(x)
}

// until waits until fits holds.
func until(t *testing.T, what string, fits func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !fits(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil && strings.Contains(string(b), ") Z ") {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}

func pidIn(t *testing.T, file string) int {
	t.Helper()
	until(t, file, func() bool { return strings.HasSuffix(content(t, file), "\n") })
	pid, err := strconv.Atoi(strings.TrimSpace(content(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// The strings of the source face, to the letter.
func TestServerTexts(t *testing.T) {
	t.Parallel()
	long := "echo " + strings.Repeat("é", 100)
	for _, c := range []struct {
		args           m
		started, check string
		status         Status
	}{
		{m{"command": "echo hi; echo err >&2"}, "echo hi; echo err >&2", "[completed] hi\nerr", Completed},
		{m{"command": "true"}, "true", "[completed] (no output)", Completed},
		{m{"command": "exit 3"}, "exit 3", "[error] Error: exit status 3", Failed},
		{m{"command": "echo bad; exit 3"}, "echo bad; exit 3", "[error] bad", Failed},
		{m{"command": "sleep 300", "timeout": 1}, "sleep 300", "[error] Error: Timeout", Failed},
		{m{"command": "cat; echo '  BG_END  '"}, "cat; echo '  BG_END  '", "[completed] BG_END", Completed},
		{m{"command": long}, "echo " + strings.Repeat("é", 75) + "...", "[completed] " + strings.Repeat("é", 100), Completed},
		{m{"command": "printf '%060000d' 7"}, "printf '%060000d' 7", "[completed] " + strings.Repeat("0", 50000), Completed},
	} {
		h := newHome(t)
		j := h.open(server)
		r := call(t, j, "background_run", "s/1.0", c.args)
		id := newID("s/1.0", 0)
		if got, want := said(r), "Background task "+id+" started: "+c.started; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if i := finish(t, j, id); i.Status != c.status {
			t.Errorf("%v: %+v", c.args, i)
		}
		if got := said(call(t, j, "check_background", "s/2.0", m{"task_id": id})); got != c.check {
			t.Errorf("%v: %.200q, want %.200q", c.args, got, c.check)
		}
		command, _ := c.args["command"].(string)
		if got, want := said(call(t, j, "check_background", "s/2.0", m{})), fmt.Sprintf("%s: [%s] %s", id, c.status, short(command, 60, "")); got != want {
			t.Errorf("list %q, want %q", got, want)
		}
	}
}

func TestServerTextsOfWhatIsNotThere(t *testing.T) {
	h := newHome(t)
	j := h.open(server)
	for want, args := range map[string]m{"No bg tasks.": {}, "Unknown: deadbeef": {"task_id": "deadbeef"}, "Unknown: ../x": {"task_id": "../x"}} {
		if r := call(t, j, "check_background", "s/1.0", args); said(r) != want || r.Error {
			t.Errorf("%q, want %q", said(r), want)
		}
	}
	id := begin(t, j, "s/1.0", m{"command": "sleep 300"})
	if got := said(call(t, j, "check_background", "s/2.0", m{"task_id": id})); got != "[running] (running)" {
		t.Errorf("running: %q", got)
	}
	if got := said(call(t, j, "check_background", "s/2.0", m{})); got != id+": [running] sleep 300" {
		t.Errorf("list: %q", got)
	}
	if got := said(call(t, j, "check_background", "other/2.0", m{})); got != "No bg tasks." {
		t.Errorf("another session sees %q", got)
	}
	if got := said(call(t, j, "check_background", "other/2.0", m{"task_id": id})); got != "Unknown: "+id {
		t.Errorf("another session sees %q", got)
	}
	for key, want := range map[string]string{"s.1/2.0": "[running] (running)", "S/2.0": "[running] (running)"} {
		if got := said(call(t, j, "check_background", key, m{"task_id": id})); got != want {
			t.Errorf("%s sees %q", key, got)
		}
	}
	if got := said(call(t, j, "background_run", "s/3.0", m{"command": " "})); got != "Error: command is empty" {
		t.Errorf("empty: %q", got)
	}
	if n := len(j.Tools(nil)); n != 2 {
		t.Errorf("%d tools", n)
	}
}

func TestLeanTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args  m
		check []string
	}{
		{m{"command": "echo hi"}, []string{"[completed] hi"}},
		{m{"command": "true"}, []string{"[completed] (no output)"}},
		{m{"command": "echo x; exit 3"}, []string{"[error] x\n[exit status 3]"}},
		{m{"command": "kill -SEGV $$"}, []string{"[error] [exit status 139 (SIGSEGV)]"}},
		{m{"command": "echo x; sleep 300", "timeout": 1}, []string{"[error] x\n[timed out after 1 s]"}},
		{m{"command": "nope-nope 2>/dev/null"}, []string{"[error] [exit status 127]", "in the sandbox"}},
		{m{"command": "printf 's3cr''et'"}, []string{"[completed] [masked]"}},
		{m{"command": "printf 'a%.0s' $(seq 70000)"}, []string{"left out; the whole is in /"}},
		{m{"command": "sleep 301 & echo x"}, []string{"[completed] x\n[stopped what the job left behind: ", " sleep 301]"}},
	} {
		h := newHome(t)
		j := h.open(func(o *Options) {
			o.Mask = func(s string) string { return strings.ReplaceAll(s, "s3cret", "[masked]") }
			o.Explain = func(out string) string {
				if out == "" {
					return "[not in the sandbox]"
				}
				return ""
			}
		})
		id := begin(t, j, "s/1.0", c.args)
		finish(t, j, id)
		r := call(t, j, "check_background", "s/2.0", m{"task_id": id})
		for _, want := range c.check {
			if want == "in the sandbox" {
				want = "[not in the sandbox]"
			}
			if !strings.Contains(said(r), want) {
				t.Errorf("%v: %.300q, want %q", c.args, said(r), want)
			}
		}
		if string(r.State["job/"+id]) != "null" {
			t.Errorf("%v: the result was told, and the state is %v", c.args, r.State)
		}
	}
}

// A job's input is empty, whatever this process's own is.
func TestEmptyInput(t *testing.T) {
	j := newHome(t).open()
	id := begin(t, j, "s/1.0", m{"command": "cat; echo BG_END"})
	r := call(t, j, "check_background", "s/2.0", m{"task_id": id, "wait": 10})
	if said(r) != "[completed] BG_END" {
		t.Errorf("%q", said(r))
	}
}

func TestEnvironment(t *testing.T) {
	j := newHome(t).open(func(o *Options) {
		o.Vars = []string{"PATH=" + os.Getenv("PATH"), "AGENT_KEY=secret-1", "OTHER=kept"}
		o.HideEnv = []string{"AGENT_KEY"}
		o.Prepare = func(c *exec.Cmd) error {
			c.Env = append(c.Env, "PREPARED=yes")
			return nil
		}
	})
	id := begin(t, j, "s/1.0", m{"command": "env"})
	finish(t, j, id)
	out := content(t, j.output(id))
	if strings.Contains(out, "secret-1") || !strings.Contains(out, "OTHER=kept") || !strings.Contains(out, "PREPARED=yes") {
		t.Errorf("%s", out)
	}
}

// The same call finds its own job, also in another process and at the same time; another call, or another session of the
// same name, has its own.
func TestOneJobPerCall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	args := m{"command": "echo run >>ran; sleep 300"}
	a, b := h.open(), h.open()
	var wg sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		j := []*Jobs{a, b}[i%2]
		wg.Go(func() { ids[i] = begin(t, j, "s/1.0", args) })
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("ids are %v", ids)
		}
	}
	file := filepath.Join(h.cwd, "ran")
	until(t, "the run", func() bool { return content(t, file) != "" })
	if other := begin(t, a, "s/2.0", args); other == ids[0] {
		t.Error("another call got the same job")
	}
	if other := begin(t, a, "s/1.0", m{"command": "echo other"}); other == ids[0] {
		t.Error("another command got the same job")
	}
	if random := begin(t, a, "", m{"command": "echo other"}); random == ids[0] || random == begin(t, a, "", m{"command": "echo other"}) {
		t.Error("jobs without a call are the same")
	}
	until(t, "both runs", func() bool { return content(t, file) == "run\nrun\n" })

	// A call that is known not to have been started before is not served by a log that was there before it.
	hook := a.Hook(nil)
	tool, s := a.Tools(nil)[0], agent.NewSession("s")
	until(t, "a millisecond", func() bool { return time.Since(a.known[ids[0]].start.Time) > 5*time.Millisecond })
	if _, err := hook.BeforeTool(t.Context(), s, tool, agent.Call{Key: "s/1.0"}); err != nil {
		t.Fatal(err)
	}
	again := begin(t, a, "s/1.0", args)
	if again == ids[0] {
		t.Error("a new session got the job of an old one")
	}
	s.Started = map[string]bool{"s/1.0": true}
	if _, err := hook.BeforeTool(t.Context(), s, tool, agent.Call{Key: "s/1.0"}); err != nil {
		t.Fatal(err)
	}
}

// TestOf: what a call has started is found by its key, from any process, without watching it.
func TestOf(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a, other := h.open(), h.open()
	if id, ended := a.Of(t.Context(), "s/1.0"); id != "" || !ended.IsZero() {
		t.Errorf("nothing started: %q, %v", id, ended)
	}
	id := begin(t, a, "s/1.0", m{"command": "sleep 300"})
	for _, j := range []*Jobs{a, other} {
		if got, ended := j.Of(t.Context(), "s/1.0"); got != id || !ended.IsZero() {
			t.Errorf("running: %q, %v, want %q", got, ended, id)
		}
	}
	if len(other.known) != 0 {
		t.Error("it is watched")
	}
	if err := a.Kill(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	end := finish(t, a, id).Ended
	if got, ended := other.Of(t.Context(), "s/1.0"); got != id || !ended.Equal(end) {
		t.Errorf("ended: %q, %v, want %q, %v", got, ended, id, end)
	}
	newer := begin(t, a, "s/1.0", m{"command": "echo of a later session of this name"})
	if got, _ := other.Of(t.Context(), "s/1.0"); got != newer || newer == id {
		t.Errorf("the later one: %q, want %q", got, newer)
	}
	broken := h.open(func(o *Options) { o.Log = unreadable{} })
	if got, ended := broken.Of(t.Context(), "s/1.0"); got != id || !ended.IsZero() {
		t.Errorf("not readable: %q, %v: it may run", got, ended)
	}

	// Nobody has noted its end yet.
	gone := story{start: record{ID: "x"}, process: record{Process: &shell.Ident{PID: 1 << 30, Boot: shell.Self().Boot}}}
	if since := time.Since(gone.over()); since < 0 || since > patience {
		t.Errorf("a process that is gone ended %v ago", since)
	}
	if never := (&story{start: record{ID: "x"}}); never.over().IsZero() {
		t.Error("one that was never started runs")
	}
}

func TestCannotStart(t *testing.T) {
	h := newHome(t)
	j := h.open(func(o *Options) { o.Prepare = func(*exec.Cmd) error { return errors.New("no box here") } })
	for range 2 { // the second finds the first
		r := call(t, j, "background_run", "s/1.0", m{"command": "echo x"})
		if !r.Error || !strings.Contains(said(r), "no box here") || r.State != nil {
			t.Errorf("%q %v", said(r), r.State)
		}
	}
	if r := call(t, j, "background_run", "s/2.0", m{"command": "echo x", "pty": true, "keep": true}); !r.Error {
		t.Errorf("%q", said(r))
	}
	blocked := h.open(func(o *Options) { o.Dir = filepath.Join(h.cwd, "file", "x") })
	if err := os.WriteFile(filepath.Join(h.cwd, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := call(t, blocked, "background_run", "s/3.0", m{"command": "echo x"}); !r.Error || !strings.Contains(said(r), "directory for outputs") {
		t.Errorf("%q", said(r))
	}
	big := call(t, j, "background_run", "s/4.0", m{"command": strings.Repeat("x", store.MaxRecord)})
	if !big.Error || !strings.Contains(said(big), "too large") {
		t.Errorf("%.200q", said(big))
	}
	for _, o := range []Options{{}, {Log: mem.New()}, {Log: mem.New(), Dir: "relative"}} {
		if _, err := New(o); err == nil {
			t.Errorf("New took %+v", o)
		}
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	j := h.open()
	never := begin(t, j, "s/1.0", m{"command": "sleep 300"})
	id := begin(t, j, "s/2.0", m{"command": "while ! [ -e go ]; do sleep 0.02; done; echo went"})
	done := make(chan string)
	go func() { done <- said(call(t, j, "check_background", "s/3.0", m{"wait": 100})) }()
	if err := os.WriteFile(filepath.Join(h.cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-done; !strings.Contains(got, id+": [completed]") || !strings.Contains(got, never+": [running]") {
		t.Errorf("any: %q", got)
	}
	if got := said(call(t, j, "check_background", "s/3.0", m{"task_id": never, "wait": 1})); !strings.HasPrefix(got, "[running] for ") {
		t.Errorf("time up: %q", got)
	}

	// The person speaks.
	spoke := make(chan struct{})
	tools := j.Tools(func() bool {
		select {
		case <-spoke:
			return true
		default:
			return false
		}
	})
	results := make(chan agent.Result)
	wait := func(ctx context.Context) {
		r, err := tools[1].Run(ctx, agent.Call{Key: "s/4.0", Args: json.RawMessage(`{"task_id":"` + never + `","wait":300}`)})
		if err != nil {
			t.Error(err)
		}
		results <- r
	}
	start := time.Now()
	go wait(t.Context())
	close(spoke)
	<-results
	// A cancel.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	go wait(ctx)
	<-results
	if took := time.Since(start); took > patience {
		t.Errorf("waited %s", took)
	}
}

func TestPages(t *testing.T) {
	j := newHome(t).open(func(o *Options) { o.Cut = 10 })
	id := begin(t, j, "s/1.0", m{"command": "printf '0123456789中文abcdef'"})
	finish(t, j, id)
	for offset, want := range map[int]string{
		0:   "[completed, bytes 0 to 10 of 22; next offset 10]\n0123456789",
		10:  "[completed, bytes 10 to 20 of 22; next offset 20]\n中文abcd",
		20:  "[completed, bytes 20 to 22 of 22; next offset 22]\nef",
		99:  "[completed, bytes 22 to 22 of 22; next offset 22]\n",
		-2:  "[completed, bytes 20 to 22 of 22; next offset 22]\nef",
		-99: "[completed, bytes 0 to 10 of 22; next offset 10]\n0123456789",
		4:   "[completed, bytes 4 to 13 of 22; next offset 13]\n456789中",
	} {
		if got := said(call(t, j, "check_background", "s/2.0", m{"task_id": id, "offset": offset})); got != want {
			t.Errorf("offset %d: %q, want %q", offset, got, want)
		}
	}
	piece, at, total, err := j.Output(t.Context(), id, 16, 100)
	if err != nil || string(piece) != "abcdef" || at != 16 || total != 22 {
		t.Errorf("%q %d %d %v", piece, at, total, err)
	}
	if _, _, _, err := j.Output(t.Context(), "nope", 0, 1); !errors.Is(err, errNoJob) {
		t.Errorf("no job: %v", err)
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	j := h.open()
	id := begin(t, j, "s/1.0", m{"command": "trap '' TERM; (setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &); sleep 300"})
	pid := pidIn(t, filepath.Join(h.cwd, "pid"))
	r := call(t, j, "job", "s/2.0", m{"task_id": id, "action": "kill"})
	if said(r) != "[error] [killed]" || string(r.State["job/"+id]) != "null" {
		t.Errorf("%q %v", said(r), r.State)
	}
	if alive(pid) {
		t.Errorf("%d lives", pid)
	}
	if err := j.Kill(t.Context(), id); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := j.Kill(t.Context(), "nope"); !errors.Is(err, errNoJob) {
		t.Errorf("no job: %v", err)
	}
	if r := call(t, j, "job", "s/2.0", m{"task_id": "nope", "action": "kill"}); !r.Error || said(r) != "Unknown: nope" {
		t.Errorf("%q", said(r))
	}
	if r := call(t, j, "job", "s/2.0", m{"task_id": id, "action": "input", "text": "x"}); !r.Error || !strings.Contains(said(r), "does not run") {
		t.Errorf("%q", said(r))
	}
}

func TestRunawayOutput(t *testing.T) {
	t.Parallel()
	j := newHome(t).open(func(o *Options) { o.MaxOutput = 1 << 20 })
	id := begin(t, j, "s/1.0", m{"command": "while :; do printf '%01000d' 1; done"})
	i := finish(t, j, id)
	if i.Status != Failed || i.Reason != "its output grew beyond 1 MiB" {
		t.Errorf("%+v", i)
	}
	got := said(call(t, j, "check_background", "s/2.0", m{"task_id": id}))
	if !strings.Contains(got, "left out; the whole is in") || !strings.HasSuffix(got, "[its output grew beyond 1 MiB]") {
		t.Errorf("%.100q … %q", got, got[max(0, len(got)-200):])
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	j := h.open()
	id := begin(t, j, "s/1.0", m{"command": "(setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &); sleep 300"})
	kept := begin(t, j, "s/2.0", m{"command": "echo $$ >kept; while ! [ -e go ]; do sleep 0.02; done; echo went", "keep": true})
	other := h.open() // another process that only looks
	if _, err := other.get(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	pid, keptPID := pidIn(t, filepath.Join(h.cwd, "pid")), pidIn(t, filepath.Join(h.cwd, "kept"))
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !alive(pid) {
		t.Fatal("a process has killed the job of another one that lives")
	}
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(pid) {
		t.Errorf("%d lives", pid)
	}
	if !alive(keptPID) {
		t.Error("what was to be kept is dead")
	}
	if r := call(t, j, "background_run", "s/3.0", m{"command": "echo x"}); !r.Error || !strings.Contains(said(r), "about to end") {
		t.Errorf("after Close: %q", said(r))
	}

	next := h.open()
	if i := finish(t, next, id); i.Status != Failed || i.Reason != "killed at the end" {
		t.Errorf("%+v", i)
	}
	x, err := next.get(t.Context(), kept)
	if err != nil || next.info(x).Status != Running {
		t.Fatalf("the kept one: %+v %v", next.info(x), err)
	}
	if err := os.WriteFile(filepath.Join(h.cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if i := finish(t, next, kept); i.Status != Completed || i.Code != 0 {
		t.Errorf("%+v", i)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	told := make(chan string, 10)
	j := h.open(func(o *Options) { o.Notify = func(session string) { told <- session } })
	id := begin(t, j, "s/1.0", m{
		"command": `printf 'Password: '; stty -echo; read -r x; stty echo; echo "got $x"; read -r y; echo "and $y"; sleep 300`, "pty": true,
	})
	if s := <-told; s != "s" {
		t.Fatalf("told %q", s)
	}
	if got := said(call(t, j, "check_background", "s/2.0", m{"task_id": id, "wait": 60})); !strings.HasPrefix(got, "[waiting] needs a human: ") || !strings.HasSuffix(got, "Password:") && !strings.Contains(got, "Password: ") {
		t.Errorf("%q", got)
	}
	s := agent.NewSession("s")
	s.State = pendingState(id, pending{})
	hook := j.Hook(nil)
	note, err := hook.Inject(t.Context(), s, false)
	if err != nil || note == nil || !strings.Contains(note.Messages[0].Text(), "[bg:"+id+"] waiting: needs a human: it asks for a password") {
		t.Fatalf("%+v %v", note, err)
	}
	s.State = note.State
	if note, err = hook.Inject(t.Context(), s, false); note != nil || err != nil {
		t.Fatalf("told twice: %+v %v", note, err)
	}
	if err := j.Input(t.Context(), id, "s3cret\n"); err != nil { // the person
		t.Fatal(err)
	}
	until(t, "the password", func() bool { return strings.Contains(content(t, j.output(id)), "got s3cret") })
	call(t, j, "job", "s/3.0", m{"task_id": id, "action": "input", "text": "plain", "key": "enter"})
	until(t, "the text", func() bool { return strings.Contains(content(t, j.output(id)), "and plain") })
	if list, err := j.List(t.Context(), "s"); err != nil || len(list) != 1 || !list[0].PTY || list[0].Status != Running {
		t.Errorf("%+v %v", list, err)
	}
	call(t, j, "job", "s/3.0", m{"task_id": id, "action": "input", "key": "ctrl-c"})
	if i := finish(t, j, id); i.Code != 130 {
		t.Errorf("%+v", i)
	}
	if r := call(t, j, "job", "s/3.0", m{"task_id": begin(t, j, "s/9.0", m{"command": "sleep 300"}), "action": "input", "text": "x"}); !r.Error || !strings.Contains(said(r), "no terminal") {
		t.Errorf("%q", said(r))
	}
}

func TestListForThePerson(t *testing.T) {
	h := newHome(t)
	j := h.open()
	a := begin(t, j, "s/1.0", m{"command": "exit 4"})
	b := begin(t, j, "s.1/1.0", m{"command": "echo 'of a\n child'"})
	c := begin(t, j, "t/1.0", m{"command": "sleep 300", "timeout": 1})
	d := begin(t, j, "t/2.0", m{"command": "sleep 300"})
	for _, id := range []string{a, b, c} {
		finish(t, j, id)
	}
	other := h.open()
	list, err := other.List(t.Context(), "S")
	if err != nil || len(list) != 2 || list[0].ID != a || list[1].ID != b {
		t.Fatalf("%+v %v", list, err)
	}
	if list, err = other.List(t.Context(), ""); err != nil || len(list) != 4 {
		t.Fatalf("%+v %v", list, err)
	}
	lines := map[string]bool{}
	for _, i := range list {
		for _, lang := range []msg.Lang{msg.En, msg.Zh} {
			lines[i.Line(msg.For(lang))] = true
		}
	}
	for _, want := range []string{
		a + "  error (4)  exit 4", b + "  completed  echo 'of a child'", c + "  error (time limit)  sleep 300", d + "  running  sleep 300",
		a + "  出错 (4)  exit 4", c + "  出错 (超时)  sleep 300",
	} {
		if !lines[want] {
			t.Errorf("%q is missing in %v", want, lines)
		}
	}
	for reason, want := range map[string]string{reasonKilled: "x  error (killed)  c", "odd": "x  error (odd)  c"} {
		if got := (Info{ID: "x", Command: "c", Status: Failed, Reason: reason}).Line(msg.For(msg.En)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRecover(t *testing.T) {
	h := newHome(t)
	first := h.open()
	ended := begin(t, first, "s/1.0", m{"command": "echo x"})
	finish(t, first, ended)
	running := begin(t, first, "s/2.0", m{"command": "sleep 300"})

	told := make(chan string, 10)
	next := h.open(func(o *Options) { o.Notify = func(s string) { told <- s } })
	if err := next.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := next.known[running]
	x.mu.Lock() // its watcher is at work
	watched := x.task != nil
	x.mu.Unlock()
	if !watched || len(told) != 0 {
		t.Error("the running one is not watched, or an old end was told")
	}
	if err := first.Kill(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	if s := <-told; s != "s" {
		t.Errorf("told %q", s)
	}
	until(t, "a moment", func() bool { return time.Since(next.info(next.known[ended]).Ended) > 2*time.Millisecond })
	next.o.Retain = time.Millisecond
	if err := next.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(next.output(ended)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the output of an old job is there: %v", err)
	}
	if _, err := h.open().get(t.Context(), ended); !errors.Is(err, errNoJob) {
		t.Errorf("the log of an old job is there: %v", err)
	}
}

// What left no status, and why.
func TestOrphans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pty  bool
		boot string
		want string
	}{
		"killed":   {want: "it was killed from outside, and left no exit status"},
		"terminal": {pty: true, want: "its terminal went away with the agent that had started it"},
		"reboot":   {boot: "another/1", want: "the machine was restarted while it ran"},
	} {
		h := newHome(t)
		h.log = mem.New()
		s := story{}
		j := h.open()
		if c.boot != "" && shell.Self().Boot == "" {
			continue
		}
		id := newID("s/1.0", 0)
		ident := shell.Ident{PID: 1 << 22, Boot: c.boot}
		for _, r := range []record{
			{Type: recStart, ID: id, Session: "s", Key: "s/1.0", Command: "c", PTY: c.pty, Mark: "m"},
			{Type: recProcess, Process: &ident},
		} {
			if err := j.append(t.Context(), id, &s, r, func() bool { return true }); err != nil {
				t.Fatal(err)
			}
		}
		if i := finish(t, j, id); i.Status != Orphaned || i.Reason != c.want {
			t.Errorf("%s: %+v", name, i)
		}
		if got, want := said(call(t, j, "check_background", "s/2.0", m{"task_id": id})), "[orphaned] ["+c.want+"]"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got, want := said(call(t, h.open(server), "check_background", "s/2.0", m{"task_id": id})), "[error] Error: "+c.want; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A log that somebody has damaged is an error that names it, and never a panic.
func FuzzLog(f *testing.F) {
	for _, seed := range []string{
		`{"type":"start","id":"0a1b2c3d","command":"x"}` + "\n" + `{"type":"end","status":"completed","code":0}`,
		`{"type":"end"}`, `{`, `null`, `{"type":"start","id":"0a1b2c3d","timeout_s":1e300}`, `{"type":"start","time":"x"}`,
		`{"type":"start","id":"0a1b2c3d"}` + "\n" + `{"type":"process","process":{"pid":-1}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		log := mem.New()
		for line := range strings.SplitSeq(lines, "\n") {
			_, _ = log.Append(t.Context(), "job/0a1b2c3d", -1, []byte(line)) // refuses what is no record
		}
		j, err := New(Options{Log: log, Dir: "/no/such/directory"})
		if err != nil {
			t.Fatal(err)
		}
		x, err := j.get(t.Context(), "0a1b2c3d")
		if err == nil {
			_ = j.info(x)
		}
		if list, lerr := j.List(t.Context(), ""); lerr == nil && err == nil && len(list) != 1 {
			t.Errorf("listed %d", len(list))
		}
		if err := j.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func touch(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
