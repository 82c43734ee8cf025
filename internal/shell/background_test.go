//go:build unix

package shell

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// background is a command with files of its own.
func background(t *testing.T, command string) Background {
	t.Helper()
	dir := t.TempDir()
	return Background{
		Command: command, Dir: dir,
		Output: filepath.Join(dir, "out"), Status: filepath.Join(dir, "status"),
		Mark: newMark()[len(markName)+1:],
	}
}

func begin(t *testing.T, b Background) *Task {
	t.Helper()
	task, err := StartBackground(b)
	if err != nil {
		t.Fatalf("StartBackground(%q): %v", b.Command, err)
	}
	t.Cleanup(func() {
		task.Stop()
		task.Release()
	})
	return task
}

func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited %s for %s", patience, what)
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

func TestBackgroundEndings(t *testing.T) {
	t.Parallel()
	long := "echo long; : " + strings.Repeat("x", longCommand)
	for _, c := range []struct {
		command, out string
		code         int
	}{
		{"echo out; echo err >&2; exit 3", "out\nerr\n", 3},
		{"cat; echo BG_END", "BG_END\n", 0},
		{"kill -SEGV $$", "", 139},
		{"kill -KILL $$", "", 137},
		{"trap '' TERM; kill -TERM $$; echo deaf", "deaf\n", 0},
		{"echo x >&3", "", 1}, // the note is out of reach
		{"printf 'a b' | wc -c | tr -d ' '", "3\n", 0},
		{long, "long\n", 0},
	} {
		b := background(t, c.command)
		task := begin(t, b)
		await(t, "the end of "+c.command[:min(len(c.command), 40)], task.Done())
		await(t, "the end of the watching", task.Over())
		out := content(t, b.Output)
		if strings.Contains(c.command, ">&3") {
			out = ""
		}
		if e := task.Exit(); out != c.out || !e.Known || e.Code != c.code {
			t.Errorf("%.60s: output %q, %+v; want %q, %d", c.command, content(t, b.Output), e, c.out, c.code)
		}
		if found, e := FindBackground(b, task.Ident()); found != nil || e != task.Exit() {
			t.Errorf("%.60s: found again: %v %+v", c.command, found, e)
		}
	}
}

// A child that is forked while a command is started has a copy of the lock until it runs its own program, which takes as
// long as a busy machine likes. An end that was noted is an end all the same.
func TestBackgroundEndedUnderAForeignLock(t *testing.T) {
	t.Parallel()
	b := background(t, "exit 3")
	task := begin(t, b)
	await(t, "the end", task.Over())
	status, err := os.Open(b.Status)
	if err != nil {
		t.Fatal(err)
	}
	defer status.Close()
	until(t, "the lock", func() bool { return syscall.Flock(descriptor(status), syscall.LOCK_EX|syscall.LOCK_NB) == nil })
	if found, e := FindBackground(b, task.Ident()); found != nil || e != (Exit{Begun: true, Known: true, Code: 3}) {
		t.Errorf("found again: %v %+v", found, e)
	}
}

func TestBackgroundCannotStart(t *testing.T) {
	for name, b := range map[string]Background{
		"NUL":               background(t, "a\x00b"),
		"shell":             {Shell: "no-such-shell-here", Command: "x"},
		"status":            {Command: "x", Status: "/no/such/dir/status", Output: "/no/such/dir/out"},
		"output":            {Command: "x", Status: filepath.Join(t.TempDir(), "s"), Output: "/no/such/dir/out"},
		"prepare":           {Command: "x", Prepare: func(*exec.Cmd) error { return errors.New("no box") }, Status: filepath.Join(t.TempDir(), "s"), Output: filepath.Join(t.TempDir(), "o")},
		"box on a terminal": {Command: "x", Terminal: true, Prepare: func(*exec.Cmd) error { return errors.New("no box") }, Status: filepath.Join(t.TempDir(), "s"), Output: filepath.Join(t.TempDir(), "o")},
	} {
		if task, err := StartBackground(b); err == nil || task != nil {
			t.Errorf("%s: started", name)
		}
	}
}

// One status file, one run; and the lock of the run is seen by everybody.
func TestBackgroundRunsOnce(t *testing.T) {
	t.Parallel()
	b := background(t, "echo begun; sleep 300")
	task := begin(t, b)
	if _, err := StartBackground(b); !errors.Is(err, ErrRunning) {
		t.Fatalf("a second start: %v", err)
	}
	until(t, "the output", func() bool { return content(t, b.Output) == "begun\n" })
	for name, id := range map[string]Ident{"by its process": task.Ident(), "by its mark": {}} {
		found, _ := FindBackground(b, id)
		if found == nil {
			t.Fatalf("%s: not found", name)
		}
		if found.Ident() != task.Ident() && runtime.GOOS == "linux" {
			t.Errorf("%s: %+v, want %+v", name, found.Ident(), task.Ident())
		}
		found.Release()
		select {
		case <-found.Done():
			t.Errorf("%s: a released task says that it has ended", name)
		default:
		}
		if err := found.Write("x"); !errors.Is(err, ErrNoTerminal) {
			t.Errorf("typing without a terminal: %v", err)
		}
	}
}

// What another one started is stopped as a whole too.
func TestBackgroundStopFound(t *testing.T) {
	t.Parallel()
	linux(t)
	b := background(t, "trap '' TERM; (setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &); sleep 300")
	task := begin(t, b)
	file := filepath.Join(b.Dir, "pid")
	until(t, "the daemon", func() bool { return strings.HasSuffix(content(t, file), "\n") })
	pid := pidIn(t, file)
	found, _ := FindBackground(b, Ident{})
	if found == nil {
		t.Fatal("not found")
	}
	found.Stop()
	await(t, "the end, seen by the one who found it", found.Done())
	found.Release()
	await(t, "the end", task.Done())
	if alive(pid) {
		t.Errorf("the daemon %d lives", pid)
	}
	found.Stop() // nothing left to do
}

// A command that ends when it is asked has its own exit status.
func TestBackgroundStopKnowsTheStatus(t *testing.T) {
	t.Parallel()
	b := background(t, "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done")
	task := begin(t, b)
	until(t, "the trap", func() bool { return content(t, b.Output) == "ready\n" })
	task.Stop()
	await(t, "the end", task.Done())
	if e := task.Exit(); !e.Known || e.Code != 5 || !strings.HasSuffix(content(t, b.Output), "bye\n") {
		t.Errorf("%+v, output %q", e, content(t, b.Output))
	}
}

func TestBackgroundLeftOvers(t *testing.T) {
	t.Parallel()
	linux(t)
	b := background(t, "sleep 300 & echo $! >pid; nohup sleep 301 >/dev/null 2>&1 & echo $! >kept; while ! grep -qa 301 /proc/$!/cmdline; do :; done")
	task := begin(t, b)
	await(t, "the end", task.Done())
	if pid := pidIn(t, filepath.Join(b.Dir, "pid")); alive(pid) {
		t.Errorf("%d lives", pid)
	}
	kept := pidIn(t, filepath.Join(b.Dir, "kept"))
	if !alive(kept) {
		t.Error("what was started with nohup was stopped")
	}
	if p, err := os.FindProcess(kept); err == nil {
		_ = p.Kill()
	}
	if len(task.Left()) != 2 {
		t.Errorf("left: %+v", task.Left())
	}
}

func TestBackgroundDirectoryGone(t *testing.T) {
	b := background(t, "pwd")
	b.Dir = filepath.Join(b.Dir, "gone")
	task := begin(t, b)
	await(t, "the end", task.Done())
	if task.Dir() != filepath.Dir(b.Dir) {
		t.Errorf("started in %q", task.Dir())
	}
}

func TestReadExit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "status")
	for text, want := range map[string]Exit{
		"":                       {},
		"beg":                    {},
		"begun\n":                {Begun: true},
		"begun\nexit 3":          {Begun: true}, // torn
		"begun\nexit 3\n":        {Begun: true, Known: true, Code: 3},
		"begun\nexit x\n":        {Begun: true},
		"exit 0\n":               {Known: true},
		"begun\nbegun\nexit 0\n": {Begun: true, Known: true},
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readExit(file); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if got := readExit(file + "x"); got != (Exit{}) {
		t.Errorf("absent: %+v", got)
	}
}

func TestIdent(t *testing.T) {
	if !Self().Alive() || Rebooted(Self()) {
		t.Errorf("this process is %+v", Self())
	}
	if (Ident{}).Alive() && Self().Boot != "" {
		// The empty one is of another box: only a full one can be told dead.
		t.Log("an ident without a machine is taken for alive")
	}
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	gone := Self()
	gone.PID = cmd.Process.Pid
	if gone.Alive() {
		t.Errorf("%+v is dead", gone)
	}
	if Self().Boot == "" {
		return
	}
	old := Self()
	old.Boot = "another/1"
	if !Rebooted(old) || old.Alive() {
		t.Errorf("before a restart: %+v", old)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	waits := make(chan string, 10)
	b := background(t, `test -t 0 && test -t 1 && echo tty; stty size; printf 'Password: '; stty -echo; read -r x; stty echo; echo "got $x"; read -r y; echo "and $y"; read -r z || echo end`)
	b.Terminal = true
	b.Waits = func(why string) { waits <- why }
	task := begin(t, b)
	next := func() string {
		t.Helper()
		select {
		case w := <-waits:
			return w
		case <-time.After(patience):
			t.Fatalf("not seen; output %q", content(t, b.Output))
			return ""
		}
	}
	if why := next(); !strings.Contains(why, "password") {
		t.Fatalf("waits: %q", why)
	}
	if err := task.Write("s3cret\n"); err != nil {
		t.Fatal(err)
	}
	if why := next(); why != "" {
		t.Fatalf("after the password: %q", why)
	}
	until(t, "the answer", func() bool { return strings.Contains(content(t, b.Output), "got s3cret") })
	if err := task.Write("plain\n\x04"); err != nil {
		t.Fatal(err)
	}
	await(t, "the end", task.Done())
	out := content(t, b.Output)
	for _, want := range []string{"tty\r\n", "40 120", "and plain", "end"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %q", want, out)
		}
	}
	if e := task.Exit(); !e.Known || e.Code != 0 {
		t.Errorf("%+v", e)
	}
	if err := task.Write("x"); err == nil {
		t.Error("typed into a terminal that is gone")
	}
}

// Ctrl-C reaches the program and not the note of its status.
func TestTerminalInterrupt(t *testing.T) {
	t.Parallel()
	b := background(t, "echo ready; sleep 300")
	b.Terminal = true
	task := begin(t, b)
	until(t, "the start", func() bool { return strings.Contains(content(t, b.Output), "ready") })
	if err := task.Write("\x03"); err != nil {
		t.Fatal(err)
	}
	await(t, "the end", task.Done())
	if e := task.Exit(); !e.Known || e.Code != 130 {
		t.Errorf("%+v", e)
	}
}

// Who is released hangs up: the program ends, also one that has left the foreground.
func TestTerminalHangUp(t *testing.T) {
	t.Parallel()
	b := background(t, "sleep 300 & echo $! >pid; echo ready; sleep 300")
	b.Terminal = true
	task := begin(t, b)
	until(t, "the start", func() bool { return strings.Contains(content(t, b.Output), "ready") })
	task.Release()
	until(t, "the end", func() bool { return !statusHeld(b.Status) && !alive(pidIn(t, filepath.Join(b.Dir, "pid"))) })
	if e := readExit(b.Status); !e.Begun || e.Known {
		t.Errorf("%+v", e)
	}
}
