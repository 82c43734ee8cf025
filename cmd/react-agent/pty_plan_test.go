//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plan at a terminal: changed, then approved; the goal behind it is checked, and the list of todos is seen.
func TestPlanOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		SAY "Here it is.\n\n1. touch a.txt\n2. stop"
		SAY "1. touch b.txt\n2. stop"
		CALL TodoWrite {"items":[{"content":"touch b.txt","status":"in_progress","activeForm":"Touching"}]}
		CALL bash {"command":"touch b.txt"}
		SAY all done
		SAY "1. never"
	`, "--profile", "full", "--yolo")
	c.until("> ")
	c.keys("/until test -e b.txt\n")
	c.until("the goal: test -e b.txt")
	c.keys("/plan make a file\n")
	c.until("plan mode: nothing is changed until a plan is approved")
	c.until("2. stop")
	c.until("Carry out this plan?")
	c.until("1. approve")
	c.until("3. reject")
	c.until("? ")
	c.keys("2\n")
	c.until("What should be changed?")
	c.until("? ")
	c.keys("/plan edit call it b.txt\n")
	c.until("1. touch b.txt")
	c.until("Carry out this plan?")
	c.until("? ")
	c.keys("/plan approve\n")
	c.until("the plan is approved")
	c.until("▶ touch b.txt")
	c.until("all done")
	c.until("✓ the goal holds: test -e b.txt")
	c.until("> ")
	c.keys("/plan show\n")
	c.until("approved:")
	c.until("1. touch b.txt")
	c.keys("/plan\n")
	c.until("plan mode:")
	c.keys("more\n")
	c.until("Carry out this plan?")
	c.until("? ")
	c.keys("3\n")
	c.until("> ")
	c.keys("/plan off\n")
	c.until("the mode is yolo")
	c.keys("/exit\n")
	c.ends(0)
	c.sound(srv)
	if _, err := os.Stat(filepath.Join(c.cmd.Dir, "b.txt")); err != nil {
		t.Error(err)
	}
	bodies := srv.Bodies()
	if len(bodies) != 6 || !strings.Contains(bodies[1], "call it b.txt") || strings.Contains(bodies[1], `"name":"bash"`) || !strings.Contains(bodies[2], `"name":"bash"`) {
		t.Errorf("%d requests", len(bodies))
	}
}

// One turn at a terminal asks there too, in Chinese.
func TestPlanOnceOnATerminal(t *testing.T) {
	c, srv := converse(t, `
		SAY "1、写 a.txt\n2、检查"
		CALL bash {"command":"touch a.txt"}
		SAY 完成
	`, "run", "--plan", "--yolo", "--lang", "zh", "写 a.txt")
	c.until("按这个计划执行吗？")
	c.until("1. 批准")
	c.keys("批准\n")
	c.until("计划已批准")
	c.until("完成")
	c.ends(0)
	c.sound(srv)
	if _, err := os.Stat(filepath.Join(c.cmd.Dir, "a.txt")); err != nil {
		t.Error(err)
	}
}

// Ctrl-C ends a check with the run, and the person has the prompt again.
func TestCtrlCEndsACheck(t *testing.T) {
	c, srv := converse(t, `
		SAY I think so
		SAY bye
	`, "--until", "echo checking; sleep 63.75")
	c.until("> ")
	c.keys("go\n")
	c.until("checking")
	c.keys(ctrlC)
	c.until("cancelled")
	c.until("> ")
	c.keys("/until off\n")
	c.until("no goal any more")
	c.keys("hi\n")
	c.until("bye")
	c.until("> ")
	c.keys("q\n")
	c.ends(0)
	c.sound(srv)
}
