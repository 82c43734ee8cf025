package cost_test

import (
	"context"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/cost"
)

// A program of one's own hears of each call, and its agents stop at a limit.
func Example() {
	ctx := context.Background()
	meter := cost.New(cost.Options{
		Prices:  cost.NewTable(map[string]cost.Own{"script-1": {Input: new(1.0), Output: new(2.0)}}),
		MaxCost: 0.01,
		OnCall: func(_ context.Context, c cost.Call) {
			fmt.Println(c.Session, cost.Dollars(*c.Usage.CostUSD))
		},
	})
	wire := agenttest.NewModel()
	wire.Next = func(int, *agent.Request) agenttest.Reply {
		return agenttest.Reply{Text: "hello", Usage: &agent.Usage{Input: new(int64(2000)), Output: new(int64(2000))}}
	}
	a := &agent.Agent{Model: meter.In("s", meter.Attempt(wire)), Hooks: []agent.Hook{meter.Hook()}}
	s := agent.NewSession("s")
	for range 3 {
		for e, err := range a.Run(ctx, s, agent.Say("hi")) {
			if err == nil && e.Type == agent.EvEnd {
				fmt.Println(strings.TrimSpace(string(e.Stop) + " " + e.Text))
			}
		}
	}
	// Output:
	// s $0.0060
	// end
	// s $0.0060
	// end
	// budget $0.0120 of $0.0100 are spent, sub-agents and teammates included; to go on, raise max_cost (--max-cost)
}
