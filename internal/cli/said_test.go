package cli

import (
	"testing"
	"time"

	"react-agent/agent"
)

// A line that came sooner than it can be typed was begun before the question; plain answers never were.
func TestHasty(t *testing.T) {
	approval := agent.Ask{Text: "Run it?"}
	open := agent.Ask{Text: "Name?", Kind: agent.Question}
	choice := agent.Ask{Text: "Which?", Kind: agent.Question, Choices: []string{"left", "the right one"}}
	for _, c := range []struct {
		q     agent.Ask
		line  string
		since time.Duration
		want  bool
	}{
		{approval, "y", 0, false},
		{approval, "always", 0, false},
		{approval, " N ", 0, false},
		{approval, "是", 0, false},
		{approval, "", 0, false},
		{approval, "use another name", 100 * time.Millisecond, true},
		{approval, "use another name", time.Second, false},
		{approval, "换一个名字再试试看", 100 * time.Millisecond, true},
		{open, "y", 0, true},
		{open, "y", perKey, false},
		{open, "postgres", 8 * perKey, false},
		{choice, "2", 0, false},
		{choice, "The right one", 0, false},
		{choice, "neither of them", 0, true},
	} {
		if got := hasty(c.q, c.line, c.since); got != c.want {
			t.Errorf("%q after %v to %q: %v", c.line, c.since, c.q.Text, got)
		}
	}
}
