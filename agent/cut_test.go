package agent_test

import (
	"context"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A model whose call was cut by the output limit is told so, and not only that its arguments are no JSON.
func TestACutCallNamesTheOutputLimit(t *testing.T) {
	type in struct {
		Path string `json:"path"`
	}
	tool := agent.NewTool("write", "Writes.", agent.Writes, func(context.Context, in) (agent.Result, error) { return agent.TextResult("ok"), nil })
	cut := agenttest.CallTool("write", `{"path":"a`)
	cut.Stop = agent.StopLength
	for _, c := range []struct {
		first agenttest.Reply
		named bool
	}{{cut, true}, {agenttest.CallTool("write", `{"path":"a`), false}} {
		a := &agent.Agent{Model: agenttest.NewModel(c.first, agenttest.Say("done")), Tools: []agent.Tool{tool}}
		s := agent.NewSession("s")
		if _, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("go"))); err != nil {
			t.Fatal(err)
		}
		r := s.Messages[2].Result()
		if r == nil || !r.Error || strings.Contains(r.Text(), "output limit") != c.named {
			t.Errorf("stop %q: %+v", c.first.Stop, r)
		}
	}
}
