package engine_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine/enginetest"
	"react-agent/store/mem"
)

// However many follow, only as many sessions stay loaded as are to be kept; those that were not go on as if they had been.
func TestFollowedSessionsAreUnloaded(t *testing.T) {
	const sessions, keep = 10, 3
	var mu sync.Mutex
	open := map[string]bool{}
	script := make([]agenttest.Reply, 2*sessions)
	for i := range script {
		script[i] = agenttest.Say("hello")
	}
	s := newSetup(t, mem.New(), script...)
	s.hooks = []agent.Hook{{Name: "count", OnSession: func(_ context.Context, x *agent.Session, start bool) {
		mu.Lock()
		defer mu.Unlock()
		if open[x.ID] == start {
			t.Errorf("session %s: told %v twice", x.ID, start)
		}
		open[x.ID] = start
	}}}
	c := s.config()
	c.Keep = keep
	eng := newEngine(t, c)
	readers := map[string]*enginetest.Reader{}
	for i := range 2 * sessions {
		id := "s" + strconv.Itoa(i%sessions)
		if readers[id] == nil {
			readers[id] = enginetest.Follow(t, eng, id, 0)
		}
		enginetest.Submit(t, eng, id, enginetest.Say("turn "+strconv.Itoa(i/sessions)))
		readers[id].Until("the end", enginetest.IsEnd)
		if err := eng.Do(t.Context(), id, func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error { return nil }); err != nil {
			t.Fatal(err) // the worker has left by then
		}
	}
	mu.Lock()
	defer mu.Unlock()
	n := 0
	for _, there := range open {
		if there {
			n++
		}
	}
	if n > keep+1 { // the last one may be on its way
		t.Errorf("%d sessions are open, want at most %d", n, keep)
	}
	for id, r := range readers {
		last := r.Seen[len(r.Seen)-1]
		if got := stored(t, s.st, id); int64(len(got)) != last.Seq {
			t.Errorf("%s: the reader stands at %d of %d", id, last.Seq, len(got))
		}
	}
}
