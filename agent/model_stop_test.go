package agent_test

import (
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// What stands around a model can end the run in order: its error wraps a StopError, and what was said is withdrawn.
func TestModelErrorMayEndTheRunInOrder(t *testing.T) {
	stop := &agent.StopError{Stop: agent.RunBudget, Text: "all is spent"}
	m := agenttest.NewModel(agenttest.Reply{Text: "half", Err: &agent.ModelError{Kind: agent.ErrInternal, Err: stop}})
	events, err := agenttest.Collect((&agent.Agent{Model: m}).Run(t.Context(), agent.NewSession("s"), agent.Say("hi")))
	if err != nil {
		t.Fatal(err)
	}
	end := events[len(events)-1]
	if end.Stop != agent.RunBudget || end.Text != "all is spent" || end.Error != nil {
		t.Errorf("end: %+v", end)
	}
	if before := events[len(events)-2]; before.Type != agent.EvRetry {
		t.Errorf("what was said is not withdrawn: %+v", before)
	}
}
