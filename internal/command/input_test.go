package command

import (
	"fmt"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
)

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
		if got := AnswerTo(c.q, c.line); got != c.want {
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
	err, ok := Mistaken(fmt.Errorf("line 1: %w", &engine.InputError{Fault: engine.FaultRole, Args: []any{"tool"}}))
	if zh := msg.For(msg.Zh).Err(err); !ok || zh != `发给会话的消息的 role 应该是 user，不是 "tool"` {
		t.Errorf("%v %q", ok, zh)
	}
}

// An input is read from a line or from a body with line ends in it; of a message that is a string is known that somebody
// has typed it.
func TestReadInput(t *testing.T) {
	for _, c := range []struct {
		text         string
		typed, words bool
		fault        string
	}{
		{`{"message":"hi"}`, true, false, ""},
		{"{\n\"message\": {\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}\r\n", false, false, ""},
		{`{"answer":{"id":"x","text":"2"}}`, false, true, ""},
		{`{"answer":{"id":"x","allow":true,"text":"2"}}`, false, false, ""},
		{`{"quiet":true}`, false, false, ""},
		{`{}`, false, false, "there is no message, answer, cancel or command"},
		{`{"message":null}`, false, false, "there is no message, answer, cancel or command"},
		{`{"message":3}`, false, false, "a value of the wrong type for {} (number)"},
		{`{"mesage":"hi"}`, false, false, "unknown field mesage"},
		{`{"message":"hi"} {}`, false, false, "this is not one JSON object (from byte 17 on)"},
		{`{"message":"hi"`, false, false, "this is no whole JSON"},
	} {
		g, err := ReadInput([]byte(c.text))
		if err != nil {
			if _, ok := AsUsage(err); !ok || err.Error() != c.fault {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if c.fault != "" || g.Typed != c.typed || g.Words != c.words || g.Message != nil && (g.Message.Text() != "hi" || g.Message.Role != agent.User) {
			t.Errorf("%s: %+v", c.text, g)
		}
	}
}

// What an engine elsewhere has found wrong stays in its words.
func TestMistakenElsewhere(t *testing.T) {
	err, ok := Mistaken(fmt.Errorf("%w: so it says", engine.ErrInput))
	if _, is := AsUsage(err); !ok || !is || err.Error() != "engine: bad input: so it says" {
		t.Errorf("%v %v", ok, err)
	}
	if _, ok := Mistaken(engine.ErrClosed); ok {
		t.Error("a closed engine is nobody's mistake")
	}
}
