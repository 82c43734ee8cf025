package agent_test

import (
	"context"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestRunCallsToolsAndAnswers(t *testing.T) {
	type in struct {
		City string `json:"city" doc:"name"`
	}
	weather := agent.NewTool("weather", "tells", agent.Reads, func(_ context.Context, a in) (agent.Result, error) {
		return agent.TextResult("sunny in " + a.City), nil
	})
	m := agenttest.NewModel(agenttest.CallTools("weather", `{"city":"<Rome>&"}`, "weather", `{"city":"Oslo"}`), agenttest.Say("done"))
	var j agenttest.Journal
	a := &agent.Agent{Model: m, Tools: []agent.Tool{weather}, Journal: j.Append}
	s := agent.NewSession("s1")
	evs, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("hi")))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range evs {
		raw, _ := agent.EncodeJSON(e)
		t.Log(string(raw))
	}
	got, err := j.Load("s1", -1)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Messages) != 5 || got.Open || got.Steps != 2 {
		t.Errorf("%+v", got)
	}
}
