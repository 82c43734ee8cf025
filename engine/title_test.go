package engine_test

import (
	"context"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
)

// A sub-agent's session is listed under its name and what it was told to do, while it runs and afterwards; one that a
// person speaks in, under what is said first.
func TestTitles(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"), agenttest.Say("done"), agenttest.Say("done"))
		s.tools = []agent.Tool{g.Tool("work")}
		c := s.config()
		c.Factory = func(ctx context.Context, spec engine.Spec) (*agent.Agent, error) {
			a, err := s.factory(ctx, spec)
			if err == nil && spec.Session == "a.1" {
				a.Name = "main/alice"
			}
			return a, err
		}
		eng := newEngine(t, c)
		titled := func(id, want string) {
			t.Helper()
			if info, err := eng.Info(t.Context(), id); err != nil || info.Title != want {
				t.Errorf("%s: %q %v", id, info.Title, err)
			}
			for info, err := range eng.List(t.Context(), "") {
				if err != nil || info.ID == id && info.Title != want {
					t.Errorf("listed: %s %q %v", info.ID, info.Title, err)
				}
			}
		}
		r := follow(t, eng, "a.1", 0)
		told := say("dig\nhere")
		told.Message.From = "agent"
		submit(t, eng, "a.1", told)
		g.Wait(t)
		titled("a.1", "alice: dig")
		submit(t, eng, "a.1", say("and there"))
		close(g.Open)
		r.Until("the end", isEnd)
		titled("a.1", "alice: dig")
		r = follow(t, eng, "a", 0)
		submit(t, eng, "a", say("hello\nyou"))
		r.Until("the end", isEnd)
		titled("a", "hello")
	})
}
