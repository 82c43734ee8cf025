package engine_test

import (
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
)

// A cancel that names a message is for it alone: it is removed where it waits, and its run ends where it is in one; what else
// waits has its turn, and a run that it is not in goes on.
func TestCancelOfOneMessage(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"), agenttest.CallTool("work", "{}"), agenttest.Say("worked on"))
		s.tools = []agent.Tool{g.Tool("work")}
		f := follow(t, s.eng, "a", 0)
		one := submit(t, s.eng, "a", say("one"))
		g.Wait(t)
		queued := func(text string) int64 {
			in := say(text)
			in.Queue = true
			return submit(t, s.eng, "a", in)
		}
		two, three := queued("two"), queued("three")
		waitQueue(t, s.eng, "a", 2)
		submit(t, s.eng, "a", engine.Input{Cancel: true, Edit: three})
		waitQueue(t, s.eng, "a", 1)
		pos := submit(t, s.eng, "a", engine.Input{Cancel: true, Edit: one})
		if end := f.Until("the end of one", isEnd); end.Stop != agent.RunCancelled || len(end.Took) != 1 || end.Took[0].Pos != pos {
			t.Errorf("ended %s, took %+v", end.Stop, end.Took)
		}
		f.Until("two", func(e agent.Event) bool { return len(e.Took) > 0 && e.Took[0].Pos == two })
		g.Wait(t)
		for _, past := range []int64{one, three, pos, 99} {
			submit(t, s.eng, "a", engine.Input{Cancel: true, Edit: past})
		}
		g.Open <- struct{}{}
		if end := f.Until("the end of two", isEnd); end.Stop != agent.RunEnd {
			t.Errorf("ended %s", end.Stop)
		}
		waitIdle(t, s.eng, "a")
		stored(t, st, "a")
		wantTexts(t, f.Seen, agent.User, "one", "two")
		wantTexts(t, f.Seen, agent.Assistant, "", "", "worked on")
	})
}
