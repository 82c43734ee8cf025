//go:build unix

package main

import (
	"strings"
	"testing"
)

// A question stays where it is while other things are typed: what they print stands below, and then a prompt.
func TestAWaitingQuestionIsPutOnce(t *testing.T) {
	c, srv := converse(t, `
		CALL ask_user {"question":"Left or right?","choices":[{"label":"left"},{"label":"right"}]}
		SAY aside answer
		SAY done
		SAY second aside
	`, "--profile", "full", "--yolo")
	c.until("> ")
	c.keys("go\n")
	c.until("2. right")
	c.until("\n? ")
	c.keys("/btw how so?\n")
	c.until("aside answer")
	c.until("not part of the conversation)\r\n? ")
	c.keys("/queue\n")
	c.until("nothing waits\r\n? ")
	c.keys("/steer mind the gap\n")
	c.until("mind the gap\r\n? ")
	c.keys("/nosuch\n")
	c.until("there is no command /nosuch")
	c.until("\n? ")
	c.keys("2\n")
	c.until("done")
	c.until("> ")
	c.keys("/btw and now?\n")
	c.until("second aside")
	c.until("not part of the conversation)\r\n> ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
	for text, want := range map[string]int{"Left or right?": 2, "2. right": 1, "/btw how so?": 1, "/btw and now?": 1, "? \r\n": 0, "> \r\n": 0} {
		if got := strings.Count(c.all(), text); got != want {
			t.Errorf("%q stands %d times, wanted %d", text, got, want)
		}
	}
}
