package engine_test

import (
	"context"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/mem"
)

// The factory can tell a session that has no state from one that nobody has loaded.
func TestTheFactoryIsToldOfAnEmptyState(t *testing.T) {
	s := &setup{t: t, st: mem.New(), model: agenttest.NewModel(agenttest.Say("hi"))}
	c := s.config()
	asked, loaded := 0, 0
	c.Factory = func(ctx context.Context, spec engine.Spec) (*agent.Agent, error) {
		asked++
		if spec.State != nil {
			loaded++
		}
		return s.factory(ctx, spec)
	}
	eng := newEngine(t, c)
	err := eng.Do(t.Context(), "new", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error { return nil })
	if err != nil || asked == 0 || loaded != asked {
		t.Errorf("%v: asked %d times, with a state %d times", err, asked, loaded)
	}
}
