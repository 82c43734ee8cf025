package skill

import (
	"context"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// What a skill of an earlier turn takes away does not come back when the person's message has left the window.
func TestTurnOverACompaction(t *testing.T) {
	x := agent.NewSession("s")
	held := Invocation{Name: "careful", Text: "t", Size: 1, Seq: 2, Disallowed: []string{"bash"}}
	s, err := Load(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two"))
	a := &agent.Agent{Model: m, Hooks: []agent.Hook{s.Hook()}, Compact: func(_ context.Context, x *agent.Session, n agent.Need) (*agent.Trim, error) {
		if n.Why != agent.Asked {
			return nil, nil
		}
		head := agent.TextMessage(agent.User, "so far")
		head.From = "compact"
		return &agent.Trim{Head: []agent.Message{head}, From: x.Seq + 1}, nil
	}}
	run := func(in ...agent.Note) {
		t.Helper()
		if _, err := agenttest.Collect(a.Run(t.Context(), x, in...)); err != nil {
			t.Fatal(err)
		}
	}
	first := agent.Say("first")
	first.State = held.state()
	run(first)
	if len(Active(x)) != 1 {
		t.Fatalf("in its own turn: %v", Active(x))
	}
	run(agent.Say("second"))
	if _, err := agenttest.Collect(a.CompactNow(t.Context(), x, "")); err != nil {
		t.Fatal(err)
	}
	if len(Active(x)) != 0 || len(Invoked(x)) != 1 {
		t.Errorf("active again: %v", Active(x))
	}
}
