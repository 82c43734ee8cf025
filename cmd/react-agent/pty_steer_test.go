//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At a terminal: what is typed while it works waits, is changed, goes in, and is shown when a cancel takes it back.
func TestSteeringOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"touch one.txt; until [ -e go ]; do sleep 0.02; done"}
		SAY steered
		SAY queued
		CALL bash {"command":"touch two.txt; sleep 66.25"}
	`, "--yolo")
	c.until("> ")
	c.keys("go\n")
	c.exists("it never began", "one.txt", "")
	c.keys("use clang\n")
	c.until("1: it waits for the running tools")
	c.keys("/queue then the testz\n")
	c.until("2: it waits for the end of this run")
	c.keys("/queue edit 2 then the tests\n")
	c.until("2 is now: then the tests")
	c.keys("/queue\n")
	c.until("1  use clang (goes in behind the running tools)")
	c.until("2  then the tests (goes in when this run has ended)")
	c.keys("/queue rm 7\n")
	c.until("nothing waits under 7")
	if err := os.WriteFile(filepath.Join(c.cmd.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.until("taken in: use clang")
	c.until("steered")
	c.until("taken in: then the tests")
	c.until("queued")
	c.until("> ")

	c.keys("again\n")
	c.exists("it never began", "two.txt", "")
	c.keys("do not lose me\n")
	c.until("waits for the running tools")
	c.keys(ctrlC)
	c.until("not sent, taken back with the run: do not lose me")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
}

// A line that was begun before a question came is no answer by accident; the question goes on waiting.
func TestTypingWhenAQuestionComes(t *testing.T) {
	c, srv := converse(t, `
		CALL bash {"command":"touch one.txt"}
		SAY done
	`)
	c.until("> ")
	c.keys("go\n")
	c.until("or say what to do instead")
	c.keys("please also" + strings.Repeat(" look at the tests", 20) + "\n") // takes a person twenty seconds
	c.until("you were typing when the question came")
	c.until("y yes")
	c.keys("n\n")
	c.until("waits for the running tools")
	c.until("Run this command?")
	c.keys("y\n")
	c.until("taken in: please also")
	c.until("done")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
}

// A command beside the conversation that a new conversation or the end cuts off is not gone without a word.
func TestBesideCutOffOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		SAY hello
		HANG
		SAY again
		HANG
	`, "--yolo")
	c.until("> ")
	c.keys("hi\n")
	c.until("hello")
	c.until("> ")
	c.keys("/btw what?\n")
	if err := srv.Arrived(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	c.keys("/clear\n")
	c.until("cancelled")
	c.until("> ")
	c.keys("hi\n")
	c.until("again")
	c.until("> ")
	c.keys("/btw what?\n")
	if err := srv.Arrived(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	c.keys("/exit\n")
	c.until("cancelled")
	c.ends(0)
	c.sound(srv)
}

// A line that the terminal has cut is not sent as if it were whole.
func TestALineThatTheTerminalCuts(t *testing.T) {
	c, srv := converse(t, "SAY hello\n")
	c.until("> ")
	c.keys(strings.Repeat("long ", 1200) + "\n")
	c.until("nothing was sent")
	c.until("> ")
	c.keys("short\n")
	c.until("hello")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
}
