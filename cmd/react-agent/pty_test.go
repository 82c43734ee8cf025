//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"react-agent/provider/providertest"
)

// terminal is the real binary in a pseudo terminal.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	news chan struct{}
	done chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
	seen int // what was waited for before lies in front of this
}

// converse starts the binary on a terminal of 80 columns with a scripted model.
func converse(t *testing.T, script string, args ...string) (*terminal, *providertest.Server) {
	t.Helper()
	return converseWith(t, nil, script, args...)
}

// converseWith is converse with more variables in the environment.
func converseWith(t *testing.T, env []string, script string, args ...string) (*terminal, *providertest.Server) {
	t.Helper()
	srv := providertest.New(t.Context(), providertest.MustParse(script))
	t.Cleanup(srv.Close)
	work := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return startAt(t, work, append(srv.Env(), env...), args...), srv
}

// startAt starts the binary in a work directory, on a terminal; home and state are beside it.
func startAt(t *testing.T, work string, env []string, args ...string) *terminal {
	t.Helper()
	dir := filepath.Dir(work)
	link := filepath.Join(t.TempDir(), "react-agent")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link, args...)
	cmd.Dir = work
	cmd.Env = append([]string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "LANG=C.UTF-8",
		"REACT_AGENT_STATE_DIR=" + filepath.Join(dir, "state"),
	}, append(built(), env...)...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, cmd: cmd, tty: tty, news: make(chan struct{}, 1), done: make(chan struct{})}
	go term.read()
	t.Cleanup(func() {
		_ = tty.Close()
		<-term.done
		if t.Failed() {
			t.Logf("screen:\n%s", term.all())
		}
	})
	return term
}

func (c *terminal) read() {
	defer close(c.done)
	buf := make([]byte, 4096)
	for {
		n, err := c.tty.Read(buf)
		c.mu.Lock()
		c.text.Write(buf[:n])
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (c *terminal) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// until waits for a text behind what was waited for before.
func (c *terminal) until(want string) {
	c.t.Helper()
	late := time.After(20 * time.Second)
	for {
		all := c.all()
		if i := strings.Index(all[c.seen:], want); i >= 0 {
			c.seen += i + len(want)
			return
		}
		select {
		case <-c.news:
		case <-late:
			c.t.Fatalf("%q did not come; the screen behind the last: %q", want, all[c.seen:])
		}
	}
}

// exists waits until a file that fits the pattern, seen from the work directory, holds a text.
func (c *terminal) exists(otherwise, pattern, text string) {
	c.t.Helper()
	late := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		files, err := filepath.Glob(filepath.Join(c.cmd.Dir, pattern))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(text)) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-late:
			c.t.Fatal(otherwise)
		}
	}
}

func (c *terminal) keys(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.tty, text); err != nil {
		c.t.Fatal(err)
	}
}

// ends waits for the end of the program and checks its code.
func (c *terminal) ends(code int) {
	c.t.Helper()
	select {
	case <-c.done:
	case <-time.After(20 * time.Second):
		c.t.Fatal("the program does not end")
	}
	_ = c.cmd.Wait()
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Errorf("ended with %d, wanted %d", got, code)
	}
}

func (c *terminal) sound(srv *providertest.Server) {
	c.t.Helper()
	if faults := srv.Faults(); len(faults) > 0 {
		c.t.Errorf("the model refused requests: %q", faults)
	}
}

const ctrlC = "\x03"

func TestConversationOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		SAY "你好！\nsecond line"
		SAY bye
	`)
	c.until("> ")
	c.keys("讲个笑话\n")
	c.until("你好！")
	c.until("second line")
	c.until("> ")
	c.keys("/nosuch\n")
	c.until("there is no command /nosuch")
	c.until("> ")
	c.keys("again\n")
	c.until("bye")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
	if bodies := srv.Bodies(); len(bodies) != 2 || !strings.Contains(bodies[0], "讲个笑话") {
		t.Errorf("requests: %q", bodies)
	}
}

// What the program itself says is broken between words where the terminal ends.
func TestWordsFitTheTerminal(t *testing.T) {
	c, srv := converse(t, "SAY never asked")
	c.until("lists commands, Ctrl-C\r\ncancels, exit leaves")
	c.until("> ")
	c.keys("/help\n")
	c.until("older conversation;\r\n" + strings.Repeat(" ", 23) + "undo takes it back")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	if n := len(srv.Bodies()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestCtrlCOnceCancels(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"echo begun > begun; sleep 63.25"}
		SAY hello
	`, "--yolo")
	c.until("> ")
	c.keys("go\n")
	c.exists("the command did not start", "begun", "begun")
	c.until("· bash")
	c.keys(ctrlC)
	c.until("cancelled")
	c.until("> ")
	c.keys("hi\n")
	c.until("hello")
	c.until("> ")
	c.keys(ctrlC)
	c.until("Ctrl-C again leaves")
	c.keys(ctrlC)
	c.ends(130)
	c.sound(srv)
}

func TestCtrlCTwiceLeavesARun(t *testing.T) {
	c, srv := converse(t, `
		SAY thinking
		+ HANG
	`)
	c.until("> ")
	c.keys("go\n")
	c.until("thinking")
	c.keys(ctrlC)
	c.until("cancelling")
	c.keys(ctrlC)
	c.ends(130)
	c.sound(srv)
}

func TestTypingWhileBusySteers(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"until [ -e go ]; do sleep 0.02; done"}
		+ CALL write_file {"path":"never.txt","content":"x"}
		SAY steered
	`, "--yolo")
	c.until("> ")
	c.keys("start\n")
	c.until("· bash")
	c.keys("turn left\n")
	c.exists("the message was not handed in", filepath.Join("..", "state", "log", "input", "*.jsonl"), "turn left")
	if err := os.WriteFile(filepath.Join(c.cmd.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.until("steered")
	c.until("> ")
	c.keys("q\n")
	c.ends(0)
	c.sound(srv)
	if body := srv.Bodies()[1]; !strings.Contains(body, "turn left") {
		t.Errorf("the message was not taken in: %s", body)
	}
	if _, err := os.Stat(filepath.Join(c.cmd.Dir, "never.txt")); err == nil {
		t.Error("the rest of the batch ran")
	}
}

func TestQuestionOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"touch yes.txt"}
		CALL bash {"command":"touch no.txt"}
		SAY done
	`)
	c.until("> ")
	c.keys("go\n")
	c.until("touch yes.txt")
	c.until("? ")
	c.keys("y\n")
	c.until("touch no.txt")
	c.until("? ")
	c.keys("n\n")
	c.until("done")
	c.until("> ")
	c.keys("/exit\n")
	c.ends(0)
	c.sound(srv)
	for name, want := range map[string]bool{"yes.txt": true, "no.txt": false} {
		if _, err := os.Stat(filepath.Join(c.cmd.Dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A project's own settings wait for the person's trust: asked once, remembered by content.
func TestTrustOnATerminal(t *testing.T) {
	project := t.TempDir()
	home := []string{"XDG_STATE_HOME=" + t.TempDir()}
	if err := os.WriteFile(filepath.Join(project, "config.yaml"), []byte("max_steps: 9\nmode: yolo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func() *terminal {
		c, _ := converseWith(t, home, "SAY unused", "--cwd", project)
		return c
	}
	c := start()
	c.until("config.yaml:2")
	c.until("y trusts and remembers it")
	c.keys("n\n")
	c.ends(2)
	c = start()
	c.until("y trusts and remembers it")
	c.keys("\x03")
	c.ends(130)
	c = start()
	c.until("y trusts and remembers it")
	c.keys("y\n")
	c.until("> ")
	c.keys("/exit\n")
	c.ends(0)
	c = start()
	c.until("> ")
	c.keys("/exit\n")
	c.ends(0)
	if strings.Contains(c.all(), "trusts and remembers") {
		t.Error("asked again about what was trusted")
	}
}

// One "always" covers the family of a command, is kept, and holds after a restart; another family is asked about.
func TestAlwaysSurvivesARestart(t *testing.T) {
	project := t.TempDir()
	home := []string{"XDG_STATE_HOME=" + t.TempDir()}
	c, srv := converseWith(t, home, `
		CALL bash {"command":"ls -l a"}
		CALL bash {"command":"ls -l b; ls c"}
		SAY done
	`, "--cwd", project)
	c.until("> ")
	c.keys("go\n")
	c.until("ls -l a")
	c.until("a always allow bash(ls *)")
	c.keys("a\n")
	c.until("done")
	c.keys("/exit\n")
	c.ends(0)
	c.sound(srv)
	if n := strings.Count(c.all(), "y yes"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	c, srv = converseWith(t, home, `
		CALL bash {"command":"ls -l c"}
		CALL bash {"command":"mkdir z"}
		SAY done
	`, "--cwd", project)
	c.until("> ")
	c.keys("go\n")
	c.until("mkdir z\r\n")
	c.until("y yes")
	c.keys("n\n")
	c.until("done")
	c.keys("/permissions\n")
	c.until("bash(ls *)")
	c.keys("/permissions remove bash(ls *)\n")
	c.until("taken back")
	c.keys("/exit\n")
	c.ends(0)
	c.sound(srv)
	if n := strings.Count(c.all(), "y yes"); n != 1 {
		t.Errorf("asked %d times after the restart", n)
	}
}

// Chat and files go back together, and forward again.
func TestRewindOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"echo one >a.txt"}
		SAY first
		CALL bash {"command":"echo two >a.txt; mkdir d"}
		SAY second
	`, "--yolo")
	file := filepath.Join(c.cmd.Dir, "a.txt")
	holds := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
	c.until("> ")
	c.keys("begin\n")
	c.until("first")
	c.until("> ")
	c.keys("go on\n")
	c.until("second")
	c.until("> ")
	c.keys("/rewind\n")
	c.until("go on")
	c.until("> ")
	c.keys("/rewind 1\n")
	c.until("a.txt")
	c.until("> ")
	holds("two\n")
	c.keys("/rewind 1 yes\n")
	c.until("done; files: 2")
	c.until("> ")
	holds("one\n")
	c.keys("/redo yes\n")
	c.until("done; files: 2")
	c.until("> ")
	holds("two\n")
	c.keys("/exit\n")
	c.ends(0)
	c.sound(srv)
}

func TestPasteIsOneMessage(t *testing.T) {
	c, srv := converse(t, "SAY got it")
	c.until("> ")
	var lines strings.Builder
	for range 60 {
		lines.WriteString("一行 pasted text of a certain length, so that it is some kilobytes in all\n")
	}
	c.keys(lines.String())
	c.until("got it")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
	if bodies := srv.Bodies(); len(bodies) != 1 || strings.Count(bodies[0], "pasted text") != 60 {
		t.Errorf("%d requests", len(bodies))
	}
}

func TestWithdrawnTextIsTakenBack(t *testing.T) {
	c, srv := converse(t, `
		SAY "wrong start\nof it"
		+ BREAK
		SAY right
	`)
	c.until("> ")
	c.keys("go\n")
	c.until("of it")
	c.until("\x1b[A\x1b[J") // one line up, and everything below is gone
	c.until("right")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
}

func TestRunOnATerminalAsks(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"touch made.txt"}
		SAY finished
	`, "run", "make it")
	c.until("touch made.txt")
	c.keys("y\n")
	c.until("finished")
	c.ends(0)
	c.sound(srv)
}
