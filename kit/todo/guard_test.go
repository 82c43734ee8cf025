package todo

import (
	"context"
	"encoding/json"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/guard"
)

// An agent that goes round in circles is stopped at the same step, whether it keeps a list of which it is reminded or not;
// and one that only writes its list is stopped as well.
func TestGuardStillSees(t *testing.T) {
	stops := func(g agent.Hook, next func(n int) agenttest.Reply) (requests int, stop agent.RunStop, reminders int) {
		t.Helper()
		nothing := agent.Tool{Name: "nothing", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Reads}
		nothing.Run = func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ok"), nil }
		m := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
			requests++
			return next(n)
		}}
		a := &agent.Agent{Model: m, Tools: []agent.Tool{Tool(), nothing}, Hooks: []agent.Hook{Hook(), g}, MaxSteps: 60}
		events, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == agent.EvMessage && e.Message.From == Name {
				reminders++
			}
		}
		return requests, events[len(events)-1].Stop, reminders
	}
	for name, g := range map[string]agent.Hook{"full": guard.New(guard.Options{}), "classic": guard.Classic(3, "")} {
		circle := agenttest.CallTool("nothing", `{}`)
		plain, stop, _ := stops(g, func(int) agenttest.Reply { return circle })
		if stop != agent.RunLoop {
			t.Fatalf("%s: %s", name, stop)
		}
		listed, stop, reminders := stops(g, func(n int) agenttest.Reply {
			if n == 0 {
				return agenttest.CallTool(ToolName, open)
			}
			return circle
		})
		if stop != agent.RunLoop || listed != plain+1 || reminders == 0 && name == "full" {
			t.Errorf("%s: %s after %d requests with %d reminders, without a list after %d", name, stop, listed, reminders, plain)
		}
		if same, stop, _ := stops(g, func(int) agenttest.Reply { return agenttest.CallTool(ToolName, open) }); stop != agent.RunLoop || same != plain {
			t.Errorf("%s: writing the same list: %s after %d requests", name, stop, same)
		}
	}
}
