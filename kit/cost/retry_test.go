package cost_test

import (
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/cost"
	"react-agent/provider"
)

// What is withdrawn counts, and neither another attempt nor a model that stands in starts once the limit is reached: the
// run ends with stop budget, not with the failure.
func TestNothingStartsBehindAFailure(t *testing.T) {
	half := agenttest.Reply{
		Chunks: []agent.Chunk{{Part: &agent.Part{Kind: agent.Text, Text: "half"}}, {Usage: &agent.Usage{Input: new(int64(1)), Output: new(int64(1)), CostUSD: new(0.02)}}},
		Err:    &agent.ModelError{Kind: agent.ErrServer, Retryable: true},
	}
	for name, limit := range map[string]float64{"reached": 0.01, "not reached": 0.03} {
		meter := cost.New(cost.Options{MaxCost: limit})
		first, second := agenttest.NewModel(half, half, half), agenttest.NewModel(agenttest.Reply{Text: "whole", Usage: &agent.Usage{CostUSD: new(0.001)}})
		open := func(m agent.Model, retries int) agent.Model {
			return provider.Retry(meter.Attempt(m), provider.RetryPolicy{Retries: retries, Base: time.Microsecond})
		}
		model := meter.In("s", provider.Fallback(open(first, 1), open(second, -1)))
		a := &agent.Agent{Model: model, Hooks: []agent.Hook{meter.Hook()}}
		events, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		if err != nil {
			t.Fatal(err)
		}
		end := events[len(events)-1]
		asked := len(first.Requests()) + len(second.Requests())
		sum, err := meter.Spent(t.Context(), "s")
		if err != nil || *end.Usage.CostUSD != sum.USD {
			t.Errorf("%s: the run has %v, the meter %v (%v)", name, *end.Usage.CostUSD, sum.USD, err)
		}
		want, stop := 1, agent.RunBudget
		if limit > 0.02 {
			want = 2 // the second attempt reaches it
		}
		if asked != want || end.Stop != stop {
			t.Errorf("%s: %d attempts, stop %s %s", name, asked, end.Stop, end.Text)
		}
	}
}
