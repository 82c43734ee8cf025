package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"react-agent/internal/text"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func linux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("not here: the process table of Linux")
	}
}

func run(t *testing.T, c Cmd) (Result, time.Duration) {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	start := time.Now()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Command, err)
	}
	return r, time.Since(start)
}

// patience is for events that come at once on an idle machine.
const patience = 20 * time.Second

func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// pidIn reads a pid that a command has written.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, out, status string }{
		{"echo out; echo err >&2", "out\nerr\n", "exit status 0"},
		{"echo x; exit 3", "x\n", "exit status 3"},
		{"kill -SEGV $$", "", "killed by SIGSEGV"},
		{"sh -c 'kill -KILL $$'; exit $?", "", "exit status 137 (SIGKILL)"},
		{"cat; echo end", "end\n", "exit status 0"},
		{"no-such-program-here 2>/dev/null", "", "exit status 127"},
		{"printf '%s' \"a  'b' \\\"c\\\" \\$d\"", `a  'b' "c" $d`, "exit status 0"},
	} {
		t.Run(c.command, func(t *testing.T) {
			r, took := run(t, Cmd{Command: c.command})
			out := string(r.Head)
			if strings.Contains(c.command, "-KILL") {
				out = "" // bash reports it
			}
			if out != c.out || r.Status() != c.status {
				t.Errorf("output %q, %s; want %q, %s", r.Head, r.Status(), c.out, c.status)
			}
			if took > patience {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestNoTerminal(t *testing.T) {
	linux(t)
	r, took := run(t, Cmd{Command: "read -r x </dev/tty"})
	if r.Code == 0 || r.Human == "" {
		t.Errorf("code %d, human %q, output %q", r.Code, r.Human, r.Head)
	}
	if took > patience {
		t.Errorf("took %s", took)
	}
}

// A program with a terminal of its own that asks for a password waits for somebody, and is stopped soon after it has asked,
// however long it takes to get there.
func TestPasswordPromptOnAPty(t *testing.T) {
	t.Parallel()
	linux(t)
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("needs the program script")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen strings.Builder
	var soon *time.Timer
	r, err := Run(ctx, Cmd{
		Command: "sleep 600 | script -qc 'printf \"[sudo] password for me: \"; exec sleep 500' /dev/null",
		Dir:     t.TempDir(),
		Output: func(p []byte) {
			if seen.Write(p); soon == nil && strings.Contains(seen.String(), "password for me:") {
				soon = time.AfterFunc(time.Minute, cancel)
			}
		},
	})
	if soon == nil || !soon.Stop() {
		t.Error("the prompt was not shown, or nobody took notice of it")
	}
	if err != nil || r.Human == "" || r.Cancelled {
		t.Errorf("%+v, output %q, %v", r, r.Head, err)
	}
}

// A question at the end of the output of a program that merely works is no reason to stop it.
func TestQuestionWithoutTerminalGoesOn(t *testing.T) {
	t.Parallel()
	r, _ := run(t, Cmd{Command: "printf 'new password: '; sleep 3.3; echo set"})
	if string(r.Head) != "new password: set\n" || r.Failed() {
		t.Errorf("%+v %q", r, r.Head)
	}
}

func TestLeftOverThatHoldsThePipe(t *testing.T) {
	t.Parallel()
	linux(t)
	for _, c := range []struct{ name, command string }{
		{"loop", "(while :; do echo tick; sleep 0.1; done) & echo $! >pid; echo DONE"},
		{"own session", "setsid sh -c 'echo $$ >pid; echo ready >f; exec sleep 300' & while ! [ -s f ]; do :; done; echo DONE"},
		{"nohup", "nohup sleep 300 & echo $! >pid; echo DONE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			r, _ := run(t, Cmd{Command: c.command, Dir: dir, Timeout: patience}) // it fails when it waits for what is left
			pid := pidIn(t, filepath.Join(dir, "pid"))
			if !strings.Contains(string(r.Head), "DONE") || r.Failed() {
				t.Errorf("%q %+v", r.Head, r)
			}
			if alive(pid) {
				t.Errorf("%d lives", pid)
			}
			named := false
			for _, p := range r.Left {
				named = named || p.PID == pid && !p.Running
			}
			if !named {
				t.Errorf("%d is not named: %+v", pid, r.Left)
			}
		})
	}
}

func TestLeftOverWithoutThePipe(t *testing.T) {
	linux(t)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // the tests themselves may run under nohup
	dir := t.TempDir()
	r, _ := run(t, Cmd{Command: "sleep 300 >/dev/null 2>&1 & echo $!", Dir: dir})
	if len(r.Left) != 1 || r.Left[0].Running || !strings.Contains(r.Left[0].Command, "sleep 300") || alive(r.Left[0].PID) {
		t.Errorf("%+v", r.Left)
	}
	r, _ = run(t, Cmd{Command: "nohup sleep 300 >/dev/null 2>&1 & echo $!", Dir: dir})
	if len(r.Left) != 1 || !r.Left[0].Running || !alive(r.Left[0].PID) {
		t.Fatalf("%+v", r.Left)
	}
	p, err := os.FindProcess(r.Left[0].PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := Cmd{Command: "echo begun; sleep 300", Dir: t.TempDir(), Output: func([]byte) { cancel() }}
	start := time.Now()
	r, err := Run(ctx, c)
	if err != nil || !r.Cancelled || r.TimedOut || string(r.Head) != "begun\n" {
		t.Errorf("%+v %q %v", r, r.Head, err)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("took %s", took)
	}
	if r, err = Run(ctx, c); err != nil || !r.Cancelled {
		t.Errorf("cancelled before the start: %+v %v", r, err)
	}
}

// Each command waits until all eight have begun.
func TestParallel(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			command := fmt.Sprintf("touch %d; while [ $(ls | wc -l) -lt 8 ]; do sleep 0.02; done", i)
			if r, err := Run(t.Context(), Cmd{Command: command, Dir: dir, Timeout: patience}); err != nil || r.Failed() {
				t.Errorf("they wait for each other: %+v %v", r, err)
			}
		})
	}
	wg.Wait()
}

// Left-overs of one command are looked for while others are being started: nobody else's process may be hit.
func TestParallelWithLeftOvers(t *testing.T) {
	linux(t)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				if r, err := Run(t.Context(), Cmd{Command: "sleep 300 & echo x", Dir: dir}); err != nil || r.Failed() || len(r.Left) != 1 {
					t.Errorf("%+v %v", r, err)
				}
			}
		})
		wg.Go(func() {
			for range 100 {
				if r, err := Run(t.Context(), Cmd{Command: "echo y", Dir: dir}); err != nil || r.Failed() || string(r.Head) != "y\n" || r.Left != nil {
					t.Errorf("%+v %v", r, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestDirectoryGone(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "a", "b")
	r, _ := run(t, Cmd{Command: "pwd", Dir: sub})
	if r.Dir != dir || strings.TrimSpace(string(r.Head)) != dir {
		t.Errorf("started in %q, said %q, want %q", r.Head, r.Dir, dir)
	}
}

func TestEnvironment(t *testing.T) {
	r, _ := run(t, Cmd{
		Command: "env",
		Vars:    []string{"PATH=" + os.Getenv("PATH"), "AGENT_KEY=secret-1", "AGENT_KEY_2=kept", "PAGER=less"},
		Hide:    []string{"AGENT_KEY"},
	})
	out := string(r.Head)
	if strings.Contains(out, "secret-1") {
		t.Error("the key is visible")
	}
	for _, want := range []string{"AGENT_KEY_2=kept", "PAGER=cat\n", "GIT_TERMINAL_PROMPT=0\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Count(out, "PAGER=cat") != 4 {
		t.Errorf("pagers:\n%s", out)
	}
}

func TestLongOutput(t *testing.T) {
	t.Parallel()
	logs := filepath.Join(t.TempDir(), "logs")
	r, _ := run(t, Cmd{Command: "printf BEGIN; i=0; while [ $i -lt 3000 ]; do echo 中中中中$i; i=$((i+1)); done; printf END", Keep: 1000, Logs: logs})
	if !strings.HasPrefix(string(r.Head), "BEGIN中") || !strings.HasSuffix(string(r.Tail), "2999\nEND") {
		t.Errorf("ends: %q … %q", r.Head, r.Tail)
	}
	if !utf8.Valid(r.Head) || !utf8.Valid(r.Tail) {
		t.Error("cut inside a character")
	}
	if r.Total != r.Lost+int64(len(r.Head)+len(r.Tail)) || r.Lost <= 0 {
		t.Errorf("total %d, lost %d, head %d, tail %d", r.Total, r.Lost, len(r.Head), len(r.Tail))
	}
	whole, err := os.ReadFile(r.Log)
	if err != nil || r.LogErr != nil {
		t.Fatal(err, r.LogErr)
	}
	if int64(len(whole)) != r.Total || !strings.HasPrefix(string(whole), string(r.Head)) || !strings.HasSuffix(string(whole), string(r.Tail)) {
		t.Errorf("the file has %d of %d bytes", len(whole), r.Total)
	}
	info, err := os.Stat(r.Log)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestLogCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ := run(t, Cmd{Command: "seq 1000", Keep: 100, Logs: file})
	if r.LogErr == nil || r.Log != "" || r.Failed() {
		t.Errorf("%+v", r)
	}
}

// However the stream is cut, what is captured is its two ends.
func TestCaptureAnyPieces(t *testing.T) {
	var stream []byte
	for i := range 500 {
		stream = fmt.Appendf(stream, "%d,", i)
	}
	for _, size := range []int{1, 2, 3, 7, 64, 99, 100, 101, 200, 1000, 5000} {
		for _, keep := range []int{1, 10, 100, 1000, 3000} {
			c := capture{keep: keep, logs: t.TempDir()}
			for rest := stream; len(rest) > 0; {
				n := min(size, len(rest))
				c.write(rest[:n])
				rest = rest[n:]
			}
			out := c.finish()
			if out.Lost == 0 {
				if string(out.Head) != string(stream) {
					t.Errorf("size %d keep %d: not whole", size, keep)
				}
				continue
			}
			log, err := os.ReadFile(out.Log)
			if err != nil || string(log) != string(stream) {
				t.Errorf("size %d keep %d: log has %d of %d bytes, %v", size, keep, len(log), len(stream), err)
			}
			if string(out.Head) != string(stream[:keep]) || string(out.Tail) != string(stream[len(stream)-keep:]) {
				t.Errorf("size %d keep %d: %q … %q", size, keep, out.Head, out.Tail)
			}
		}
	}
}

func TestOutputPieces(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	dir := t.TempDir()
	r, _ := run(t, Cmd{
		Dir: dir, Timeout: patience,
		Command: "for c in 1 2 3; do printf '\\344'; sleep 0.06; printf '\\270'; sleep 0.06; printf '\\255'; sleep 0.06; done; while ! [ -e seen ]; do sleep 0.02; done",
		Output: func(p []byte) {
			if !utf8.Valid(p) {
				t.Errorf("piece %q", p)
			}
			shown.Write(p)
			if shown.String() == "中中中" {
				if err := os.WriteFile(filepath.Join(dir, "seen"), nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		},
	})
	if shown.String() != "中中中" || string(r.Head) != "中中中" {
		t.Errorf("shown %q, captured %q", shown.String(), r.Head)
	}
}

func TestBytesOneByOneThenBinary(t *testing.T) {
	r, _ := run(t, Cmd{Command: `for i in 1 2 3 4 5 6 7 8 9 10; do for b in 344 270 255 360 237 230 200; do printf "\\$b"; done; done; echo; head -c 4096 /dev/urandom`})
	got := text.Clean(r.Head)
	if strings.Count(got, "中") != 10 || strings.Count(got, "😀") != 10 || strings.ContainsRune(got, '\uFFFD') || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

func TestLongCommand(t *testing.T) {
	command := ": " + strings.Repeat("x", 300_000) + "\necho still here"
	if r, _ := run(t, Cmd{Command: command}); string(r.Head) != "still here\n" {
		t.Errorf("%q %+v", r.Head, r)
	}
}

func TestCannotStart(t *testing.T) {
	if _, err := Run(t.Context(), Cmd{Command: "a\x00b"}); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("NUL: %v", err)
	}
	if _, err := Run(t.Context(), Cmd{Command: "a", Shell: "/no/such/shell"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no shell: %v", err)
	}
	if _, err := Find("no-such-shell-here"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("Find: %v", err)
	}
}

func TestNeedsHuman(t *testing.T) {
	for out, want := range map[string]bool{
		"sudo: a terminal is required to read the password; either":                 true,
		"fatal: could not read Username for 'https://x': terminal prompts disabled": true,
		"Host key verification failed.\n":                                           true,
		"ValidationError: a password is required":                                   false,
		"file not found": false,
	} {
		r := Result{Code: 1, Captured: Captured{Head: []byte(out)}}
		if got := needsHuman(&r); (got != "") != want {
			t.Errorf("%q: %q", out, got)
		}
	}
	r := Result{TimedOut: true, Captured: Captured{Head: []byte("line\nEnter passphrase for key '/x': ")}}
	if needsHuman(&r) == "" {
		t.Error("a question at the time limit is not seen")
	}
}

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if err := exec.CommandContext(b.Context(), "bash", "-c", "echo hi").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	sh, err := Find("")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Run(b.Context(), Cmd{Command: "echo hi", Shell: sh, Dir: "/"}); err != nil {
			b.Fatal(err)
		}
	}
}
