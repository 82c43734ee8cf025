package agent_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// Steps that a program made, as a pipeline does, stand in the total and are no matter of the limit: not at once, not after
// a reload, and not when a compaction lies between.
func TestDrivenStepsCountForNoLimit(t *testing.T) {
	driver := tool("driver", agent.Executes, func(context.Context, string) (agent.Result, error) {
		res := agent.TextResult("done")
		res.Steps, res.Driven = 40, true
		return res, nil
	})
	for _, compacted := range []bool{false, true} {
		var j agenttest.Journal
		m := agenttest.NewModel(agenttest.CallTools("driver", `{"do":"x"}`), agenttest.CallTools("driver", `{"do":"y"}`), agenttest.Say("end"))
		a := &agent.Agent{Model: m, Tools: []agent.Tool{driver}, Journal: j.Append, MaxSteps: 3}
		if compacted {
			trim := agenttest.Trim(2)
			a.Compact = func(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
				if n.Why == agent.Check && s.Steps == 41 { // behind the first of the two
					n.Why = agent.Asked
				}
				return trim(ctx, s, n)
			}
		}
		s := agent.NewSession("s")
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
		if end.Stop != agent.RunEnd || end.Steps != 3+80 || len(m.Requests()) != 3 {
			t.Errorf("compacted %v: %s after %d steps and %d requests", compacted, end.Stop, end.Steps, len(m.Requests()))
		}
		if did := strings.Contains(string(bytes.Join(j.Lines(), nil)), `"type":"compact"`); did != compacted {
			t.Errorf("compacted %v: %v", compacted, did)
		}
		again, err := j.Load("s", len(j.Lines()))
		if err != nil || again.Steps != 83 || again.Driven != 80 || s.Driven != 80 {
			t.Errorf("compacted %v: loaded %d and %d (%v), folded %d", compacted, again.Steps, again.Driven, err, s.Driven)
		}
		a.Model, a.MaxSteps = agenttest.NewModel(agenttest.CallTools("driver", `{"do":"x"}`), agenttest.Say("end")), 1 // the next run begins anew
		if end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("again")))); end.Stop != agent.RunSteps || end.Steps != 41 {
			t.Errorf("compacted %v: %s after %d steps", compacted, end.Stop, end.Steps)
		}
	}
}
