package engine_test

import (
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
)

func TestTimeoutEndsTheRun(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("gate", `{"name":"x"}`), agenttest.Say("never"))
		s.tools = append(s.tools, g.Tool("gate"))
		c := s.config()
		c.Timeout = 50 * time.Millisecond
		e := newEngine(t, c)
		r := follow(t, e, "s", 0)
		submit(t, e, "s", say("go"))
		if end := r.UntilType(agent.EvEnd); end.Stop != agent.RunTimeout {
			t.Errorf("ended with %s %q", end.Stop, end.Text)
		}
	})
}

// TestInputLogDeletedBesideItsSession: the next input must not count as one of those that were used up.
func TestInputLogDeletedBesideItsSession(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		s := newSetup(t, st, agenttest.Say("a"), agenttest.Say("b"), agenttest.Say("c"), agenttest.Say("d"))
		for i, text := range []string{"one", "two", "three", "four"} {
			e, err := engine.New(s.config())
			if err != nil {
				t.Fatal(err)
			}
			info, err := e.Info(t.Context(), "s")
			if err != nil {
				t.Fatal(err)
			}
			r := follow(t, e, "s", info.Seq)
			in := say(text)
			in.ID = text
			submit(t, e, "s", in)
			r.UntilType(agent.EvEnd)
			waitIdle(t, e, "s")
			if err := e.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if i < 2 { // the first two inputs are gone when the program starts again
				if err := store.Log(st).Drop(t.Context(), "input/s"); err != nil {
					t.Fatal(err)
				}
			}
		}
		wantTexts(t, stored(t, st, "s"), agent.User, "one", "two", "three", "four")
	})
}
