package cli

import (
	"fmt"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
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

// What answers mean depends on what is asked.
func TestAnswer(t *testing.T) {
	choices := []string{"left", "right"}
	for _, c := range []struct {
		q    agent.Ask
		line string
		want agent.Answer
	}{
		{agent.Ask{}, "y", agent.Answer{Allow: true}},
		{agent.Ask{}, "why", agent.Answer{Text: "why"}},
		{agent.Ask{Kind: agent.Question}, "y", agent.Answer{Allow: true, Text: "y"}},
		{agent.Ask{Kind: agent.Question}, " ", agent.Answer{}},
		{agent.Ask{Kind: agent.Question, Choices: choices}, "2", agent.Answer{Allow: true, Text: "right"}},
		{agent.Ask{Kind: agent.Question, Choices: choices}, "3", agent.Answer{Allow: true, Text: "3"}},
		{agent.Ask{Kind: agent.Selection, Choices: choices}, "", agent.Answer{}},
	} {
		if got := answer(c.q, c.line); got != c.want {
			t.Errorf("%q to %q: %+v", c.line, c.q.Kind, got)
		}
	}
}

// What the engine finds wrong with an input is said in the person's language; English stays as the engine says it.
func TestFaultsOfInputs(t *testing.T) {
	faults := []engine.Fault{
		engine.FaultCount, engine.FaultEdit, engine.FaultID, engine.FaultAnswer, engine.FaultRole, engine.FaultEmpty, engine.FaultPart,
		engine.FaultNoCommands,
	}
	for _, f := range faults {
		if en := msg.For(msg.En).Text(faultKey(f)); en != string(f) {
			t.Errorf("%q is said as %q", f, en)
		}
	}
	err, ok := (&program{}).mistaken(fmt.Errorf("line 1: %w", &engine.InputError{Fault: engine.FaultRole, Args: []any{"tool"}}))
	if zh := msg.For(msg.Zh).Err(err); !ok || zh != `发给会话的消息的 role 应该是 user，不是 "tool"` {
		t.Errorf("%v %q", ok, zh)
	}
}
