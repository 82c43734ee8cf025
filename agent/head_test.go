package agent_test

import (
	"context"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A compaction without a head of its own that lets go of an earlier one leaves none: the log says the same as the session.
func TestHeadThatWasLetGo(t *testing.T) {
	j := &agenttest.Journal{}
	s := agent.NewSession("s")
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("one")), Journal: j.Append}
	trim := &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "earlier")}}
	a.Compact = func(_ context.Context, _ *agent.Session, n agent.Need) (*agent.Trim, error) {
		if n.Why != agent.Asked {
			return nil, nil
		}
		return trim, nil
	}
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	mustRun(t, a.Run(t.Context(), s, agent.Say("hi")))
	if s.Compacted() != 1 {
		t.Fatalf("the head is %d", s.Compacted())
	}
	trim = &agent.Trim{From: 2}
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	if again := load(t, j, "s"); s.Compacted() != 0 || again.Compacted() != 0 || len(s.Messages) != 2 {
		t.Errorf("the head is %d, loaded %d, of %d messages", s.Compacted(), again.Compacted(), len(s.Messages))
	}
}
