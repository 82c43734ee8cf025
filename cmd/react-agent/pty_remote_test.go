//go:build unix

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// elsewhere starts a server, and a conversation with it on a terminal. Both have the same work directory, for what a test
// looks at; the home of the terminal is another one.
func elsewhere(t *testing.T, script string, args ...string) (*rig, *served, *terminal) {
	t.Helper()
	g := newRig(t, script)
	s := g.serve(append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	c := startAt(t, g.work(), []string{"HOME=" + t.TempDir(), "REACT_AGENT_STATE_DIR=" + t.TempDir() + "/state"}, "--server", s.url, "--session", "s")
	return g, s, c
}

// A conversation with a server elsewhere: asked, approved and refused, steered, queued, cancelled, with commands from both
// sides, like one with the engine in process.
func TestConversationElsewhere(t *testing.T) {
	g, s, c := elsewhere(t, `
		CALL bash {"command":"echo made >made"}
		SAY made it
		CALL bash {"command":"echo more >more"}
		SAY left it
		CALL read_file {"path":"made"}
		+ WAIT
		SAY steered
		SAY queued
		SAY thinking
		+ HANG
		SAY still here
	`)
	c.until(strings.TrimSuffix(s.url, "/"))
	c.until("> ")
	c.keys("make it\n")
	c.until("echo made")
	c.until("? ")
	c.keys("y\n")
	c.until("made it")
	c.until("> ")
	c.exists("the file was not made", "made", "made")
	c.keys("and more\n")
	c.until("echo more")
	c.keys("n\n")
	c.until("left it")
	c.until("> ")
	c.keys("/mode\n")
	c.until("ask")
	c.until("> ")
	c.keys("/nosuch\n")
	c.until("/nosuch")
	c.until("> ")
	c.keys("look\n")
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	c.keys("turn left\n")
	c.until("waits")
	c.keys("/queue and right\n")
	c.until("2: it waits")
	c.keys("/queue edit 2 and then right\n")
	c.until("2 is now: and then right")
	g.srv.Release()
	c.until("taken in: turn left")
	c.until("steered")
	c.until("taken in: and then right")
	c.until("queued")
	c.until("> ")
	c.keys("think\n")
	c.until("thinking")
	c.keys(ctrlC)
	c.until("cancelling")
	c.until("> ")
	c.keys("hello?\n")
	c.until("still here")
	c.until("> ")
	c.keys("/clear\n")
	c.until("> ")
	c.keys("/sessions\n")
	c.until("make it")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(g.srv)
	if code := s.end(syscall.SIGTERM); code != 143 {
		t.Error(code)
	}
	g.check()
}

// A server that dies in the middle of an answer and comes back: the person is told, the half is withdrawn, the run goes on and
// its answer is shown; what is said afterwards counts once.
func TestServerComesBack(t *testing.T) {
	g, s, c := elsewhere(t, `
		SAY half of an
		+ WAIT
		SAY a whole answer
		SAY the next
	`)
	c.until("> ")
	c.keys("go\n")
	c.until("half of an")
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	if code := s.end(syscall.SIGKILL); code != -1 {
		t.Fatal(code)
	}
	c.until("the connection to the server is lost")
	g.srv.Release()
	s = g.serve("--listen", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"))
	c.until("connected again")
	c.until("a whole answer")
	c.until("> ")
	c.keys("and now?\n")
	c.until("the next")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	s.end(syscall.SIGTERM)
	if n := strings.Count(string(g.srv.Requests()[len(g.srv.Requests())-1].Body), "and now?"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
	g.check()
}

// With the server gone for good a conversation can be left: Ctrl-C says that nobody hears it, and once more leaves.
func TestLeavingAServerThatIsGone(t *testing.T) {
	g, s, c := elsewhere(t, `
		SAY begun
		+ WAIT
	`)
	c.until("> ")
	c.keys("go\n")
	c.until("begun")
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	s.end(os.Kill)
	c.until("the connection to the server is lost")
	c.keys(ctrlC)
	c.until("cannot be reached")
	c.keys(ctrlC)
	c.ends(130)
}

// The face that the server works in is the one that the conversation has here, with a banner that fits on a terminal.
func TestTheFaceElsewhere(t *testing.T) {
	_, s, c := elsewhere(t, `SAY hello`, "--profile", "server")
	c.until("exit leaves")
	for line := range strings.Lines(c.all()) {
		if n := len([]rune(strings.TrimRight(line, "\r\n"))); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	c.until("s_full >> ")
	c.keys("\n") // an empty line leaves, as it does there
	c.ends(0)
	s.end(syscall.SIGTERM)
}

// Whoever speaks to a server that is gone is told at once that it is tried, and then that nobody has heard it.
func TestSpeakingToAServerThatIsGone(t *testing.T) {
	_, s, c := elsewhere(t, `NOTHING`)
	c.until("> ")
	s.end(os.Kill)
	c.until("the connection to the server is lost")
	for range 2 {
		c.keys("hello?\n")
		c.until("the connection to the server is lost")
		c.until("cannot be reached")
	}
	c.keys(ctrlC)
	c.until("Ctrl-C again leaves")
	c.keys(ctrlC)
	c.ends(130)
}
