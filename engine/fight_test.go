//go:build unix

package engine_test

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/disk"
)

func workTool() agent.Tool {
	g := newGate()
	close(g.Open)
	tool := g.Tool("work")
	tool.Resume = true
	return tool
}

// fiver is an engine in this process that does what the child does.
func fiver(t *testing.T, st anyStore) *setup {
	t.Helper()
	s := newSetup(t, st)
	s.model.Next = fiveCalls
	s.tools = []agent.Tool{workTool()}
	return s
}

// wantTurns checks that every message was answered once, by five calls and a text.
func wantTurns(t *testing.T, es []agent.Event, n int) {
	t.Helper()
	calls, answers := 0, 0
	for _, e := range es {
		if e.Message == nil {
			continue
		}
		switch {
		case e.Message.Role == agent.ToolRole:
			calls++
		case e.Message.Text() == "done":
			answers++
		}
	}
	if users := len(texts(es, agent.User)); users != n || answers != n || calls != 5*n {
		t.Fatalf("%d messages, %d answers, %d results, want %d, %d, %d:\n%s", users, answers, calls, n, n, 5*n, showEvents(es))
	}
}

// A process is killed again and again; its successor goes on, and in the end everything was done once.
func TestKillLoop(t *testing.T) {
	dir := t.TempDir()
	st := diskStore(t, dir)
	turns := 0
	for round := range 6 {
		p := startChild(t, dir, "work")
		turns++
		p.tell(fmt.Sprint("turn ", turns))
		p.until("submitted")
		for range round {
			p.until("tool")
		}
		p.kill()
	}
	s := fiver(t, st)
	again := say("turn 1") // a client that tries again
	again.ID = "turn 1"
	submit(t, s.eng, "a", again)
	r := follow(t, s.eng, "a", 0)
	for range turns {
		r.Until("an end", isEnd)
	}
	waitIdle(t, s.eng, "a")
	wantTurns(t, stored(t, st, "a"), turns)
}

// An owner that is stopped loses its session to who asks for work after the time without a sign of life; when it wakes it
// changes nothing.
func TestStoppedOwner(t *testing.T) {
	dir := t.TempDir()
	st := diskStore(t, dir)
	p := startChild(t, dir, "stuck")
	p.tell("turn 1")
	p.until("tool")
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s := fiver(t, st)
	r := follow(t, s.eng, "a", 0)
	begin := time.Now()
	second := say("turn 2")
	second.Queue = true
	submit(t, s.eng, "a", second)
	for range 2 {
		r.Until("an end", isEnd)
	}
	if d := time.Since(begin); d < 300*time.Millisecond {
		t.Fatalf("taken over after %v, while the owner may have been alive", d)
	}
	waitIdle(t, s.eng, "a")
	before := len(stored(t, st, "a"))
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.tell("close")
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	es := stored(t, st, "a")
	if len(es) != before {
		t.Fatalf("the old owner has stored %s", showEvents(es[before:]))
	}
	wantTurns(t, es, 2)
}

// A process that is gone is replaced at once, without waiting for its heartbeat.
func TestDeadOwner(t *testing.T) {
	dir := t.TempDir()
	st := diskStore(t, dir)
	p := startChild(t, dir, "stuck")
	p.tell("turn 1")
	p.until("tool")
	p.kill()
	s := fiver(t, st)
	c := s.config()
	c.Dead = time.Hour
	s.eng = newEngine(t, c)
	r := follow(t, s.eng, "a", 0)
	if err := s.eng.Resume(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	r.Until("the end", isEnd)
	wantTurns(t, stored(t, st, "a"), 1)
}

// Two engines over one store: each message is answered once, whoever it was given to, and both show everything.
func TestTwoEngines(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		other := st
		if d, ok := st.(*disk.Store); ok {
			other = diskStore(t, d.Dir())
		}
		one, two := fiver(t, st), fiver(t, other)
		engines := []engine.Engine{one.eng, two.eng}
		readers := []*reader{follow(t, one.eng, "a", 0), follow(t, two.eng, "a", 0)}
		const turns = 12
		for i := range turns {
			in := say(fmt.Sprint("turn ", i))
			in.ID = fmt.Sprint(i)
			in.Queue = true
			done := make(chan error, 2)
			for _, e := range engines {
				go func() {
					_, err := e.Submit(t.Context(), "a", in)
					done <- err
				}()
			}
			for range engines {
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range readers {
			for range turns {
				r.Until("an end", isEnd)
			}
		}
		waitIdle(t, one.eng, "a")
		es := stored(t, st, "a")
		wantTurns(t, es, turns)
		for i, r := range readers {
			if got := durable(r.Seen); len(got) != len(es) {
				t.Fatalf("reader %d saw %d of %d events", i, len(got), len(es))
			}
		}
	})
}

// An answer, a steering message and a cancel reach the owner through another engine.
func TestAcrossEngines(t *testing.T) {
	dir := t.TempDir()
	g := newGate()
	owner := newSetup(t, diskStore(t, dir), agenttest.CallTool("work", "{}"), agenttest.CallTool("work", "{}"))
	owner.tools = []agent.Tool{g.Tool("work")}
	owner.hooks = []agent.Hook{askBefore("work")}
	guest := newSetup(t, diskStore(t, dir))
	r := follow(t, guest.eng, "a", 0)
	submit(t, owner.eng, "a", say("go"))
	ask := r.UntilType(agent.EvAsk)
	submit(t, guest.eng, "a", engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Allow: true}})
	g.Wait(t)
	pos := submit(t, guest.eng, "a", say("steer"))
	waitQueue(t, guest.eng, "a", 1)
	waitQueue(t, owner.eng, "a", 1)
	if info, err := guest.eng.Info(t.Context(), "a"); err != nil || !info.Running {
		t.Fatalf("%+v %v", info, err)
	}
	g.Open <- struct{}{}
	r.Until("the steering message", func(e agent.Event) bool { return len(e.Took) > 0 && e.Took[0].Pos == pos })
	r.UntilType(agent.EvAsk)
	submit(t, guest.eng, "a", engine.Input{Cancel: true})
	if end := r.Until("the end", isEnd); end.Stop != agent.RunCancelled {
		t.Fatalf("ended %s", end.Stop)
	}
	if guest.made != 0 {
		t.Fatal("the guest has made an agent")
	}
}

// Whoever loses the lease stores nothing more, even if nobody else has stored anything yet.
func TestLostLease(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"))
		s.tools = []agent.Tool{g.Tool("work")}
		r := follow(t, s.eng, "a", 0)
		submit(t, s.eng, "a", say("go"))
		g.Wait(t)
		n := len(stored(t, st, "a"))
		d, err := st.Get(t.Context(), "lease/a")
		if err != nil {
			t.Fatal(err)
		}
		thief, _ := json.Marshal(map[string]string{"owner": "thief"})
		if _, err := st.Put(t.Context(), store.Doc{Key: "lease/a", Rev: d.Rev, Data: thief}); err != nil {
			t.Fatal(err)
		}
		if e := r.UntilType(agent.EvNotice); e.Error == nil {
			t.Fatalf("%+v", e)
		}
		if es := stored(t, st, "a"); len(es) != n {
			t.Fatalf("stored %s", showEvents(es[n:]))
		}
		if d, err := st.Get(t.Context(), "lease/a"); err != nil || string(d.Data) != string(thief) {
			t.Fatal("the thief's lease was touched", err)
		}
	})
}

// A record that somebody slipped in makes the owner load again and go on, as long as the lease is its own.
func TestConflict(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"), agenttest.Say("done"))
		tool := g.Tool("work")
		tool.Resume = true
		s.tools = []agent.Tool{tool}
		r := follow(t, s.eng, "a", 0)
		submit(t, s.eng, "a", say("go"))
		g.Wait(t)
		n := len(stored(t, st, "a"))
		appendTo(t, st, "session/a", fmt.Appendf(nil, `{"seq":%d,"type":"state","time":"2026-01-01T00:00:00Z","session":"a","run":"1","state":{"x":1}}`, n+1))
		g.Open <- struct{}{}
		g.Open <- struct{}{}
		r.Until("the end", isEnd)
		es := stored(t, st, "a")
		wantTexts(t, es, agent.Assistant, "", "done")
		if got := durable(r.Seen); len(got) != len(es) {
			t.Fatalf("saw %d of %d events", len(got), len(es))
		}
	})
}

// An append whose reply was lost counts as done.
func TestLostReply(t *testing.T) {
	st := &flaky{anyStore: diskStore(t, t.TempDir())}
	s := fiver(t, st)
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("turn"))
	r.Until("the end", isEnd)
	wantTurns(t, stored(t, st, "a"), 1)
	if st.n < 10 {
		t.Fatalf("only %d appends", st.n)
	}
}
