package engine_test

import (
	"context"
	"encoding/json"
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

// What is in the log can be read by a follower at once, so Info knows it too, before the worker has told of it.
func TestInfoIsNotOlderThanTheLog(t *testing.T) {
	s := newSetup(t, mem.New(), agenttest.CallTool("work", "{}"), agenttest.Say("done"))
	s.tools = []agent.Tool{{Name: "work", Effect: agent.Reads, Run: func(context.Context, agent.Call) (agent.Result, error) {
		return agent.TextResult("ok"), nil
	}}}
	s.hooks = []agent.Hook{{Name: "look", OnEvent: func(ctx context.Context, e agent.Event) {
		if info, err := s.eng.Info(ctx, "a"); err != nil || info.Seq < e.Seq || !info.Running {
			t.Errorf("at event %d (%s): Info says %d, running %v, %v", e.Seq, e.Type, info.Seq, info.Running, err)
		}
	}}}
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("go"))
	r.Until("the end", isEnd)
}

// The state of a session that nobody works on can be read, and is the same that the next run begins with; of one that runs
// there is none to be had here.
func TestStateOfASession(t *testing.T) {
	s := newSetup(t, mem.New(), agenttest.Say("one"), agenttest.CallTool("look", "{}"), agenttest.Say("two"))
	s.hooks = []agent.Hook{{Name: "mark", Inject: func(_ context.Context, x *agent.Session, _ bool) (*agent.Note, error) {
		if len(x.State) > 0 {
			return nil, nil
		}
		return &agent.Note{State: map[string]json.RawMessage{"mark": json.RawMessage(`7`)}}, nil
	}}}
	s.tools = []agent.Tool{{Name: "look", Effect: agent.Reads, Run: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		if state, free, err := s.eng.State(ctx, "a"); free || err != nil || state != nil {
			t.Errorf("while it runs: %v %v %v", state, free, err)
		}
		return agent.TextResult("looked"), nil
	}}}
	if state, free, err := s.eng.State(t.Context(), "a"); !free || err != nil || len(state) != 0 {
		t.Errorf("before: %v %v %v", state, free, err)
	}
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("go"))
	r.Until("the end", isEnd)
	waitIdle(t, s.eng, "a")
	if state, free, err := s.eng.State(t.Context(), "a"); !free || err != nil || string(state["mark"]) != "7" {
		t.Errorf("between: %v %v %v", state, free, err)
	}
	submit(t, s.eng, "a", say("again"))
	r.Until("the second end", isEnd)
}
