package engine_test

import (
	"context"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/store/mem"
)

// A fault in a model or a hook ends one session's run in order, whatever it had open, and neither the process nor the
// session: the others go on, and it goes on with the next input.
func TestPanicEndsOneRunOnly(t *testing.T) {
	for _, place := range []string{"model", "hook", "hook between call and tool", "opening"} {
		t.Run(place, func(t *testing.T) {
			s := &setup{t: t, st: mem.New()}
			armed := true
			fault := func(where string) {
				if armed && where == place {
					armed = false
					panic("planted")
				}
			}
			s.model = &agenttest.Model{Next: func(_ int, req *agent.Request) agenttest.Reply {
				fault("model")
				if len(req.Messages) == 1 && strings.Contains(req.Messages[0].Text(), "call") {
					return agenttest.CallTools("work", `{}`)
				}
				return agenttest.Say("fine")
			}}
			s.tools = []agent.Tool{{Name: "work", Schema: []byte(`{"type":"object"}`), Effect: agent.Reads, Run: func(context.Context, agent.Call) (agent.Result, error) {
				return agent.TextResult("worked"), nil
			}}}
			s.hooks = []agent.Hook{{
				Name:        "faulty",
				OnSession:   func(context.Context, *agent.Session, bool) { fault("opening") },
				BeforeModel: func(context.Context, *agent.Session, *agent.Request) error { fault("hook"); return nil },
				OnEvent: func(_ context.Context, e agent.Event) {
					if e.Type == agent.EvCall {
						fault("hook between call and tool")
					}
				},
			}}
			s.eng = newEngine(t, s.config())
			r := follow(t, s.eng, "a", 0)
			submit(t, s.eng, "a", say("call it"))
			broken := r.Until("the notice", func(e agent.Event) bool { return e.Type == agent.EvNotice && e.Error != nil })
			if !strings.Contains(broken.Error.Message, "planted") || broken.Text != "a fault in the program has stopped the run" {
				t.Errorf("%q: %q", broken.Text, broken.Error.Message)
			}
			if place != "opening" { // there, nothing was begun
				es := stored(t, s.st, "a")
				if last := es[len(es)-1]; last.Type != agent.EvEnd || last.Stop != agent.RunError || !strings.Contains(last.Text, "planted") {
					t.Errorf("the log ends with %s %s %q", last.Type, last.Stop, last.Text)
				}
			}
			submit(t, s.eng, "b", say("hello"))
			follow(t, s.eng, "b", 0).UntilType(agent.EvEnd)
			submit(t, s.eng, "a", say("again"))
			end := r.Until("the next end", func(e agent.Event) bool { return e.Type == agent.EvEnd && e.Stop == agent.RunEnd })
			if stored(t, s.st, "a"); end.Steps == 0 {
				t.Error("the second run took no steps")
			}
		})
	}
}
