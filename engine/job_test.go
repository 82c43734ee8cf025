package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/mem"
)

// interrupted leaves a session "a" with an open run in the store, as a kill does.
func interrupted(t *testing.T, st anyStore) {
	t.Helper()
	g := newGate()
	s := newSetup(t, st, agenttest.CallTool("work", "{}"))
	s.tools = []agent.Tool{g.Tool("work")}
	submit(t, s.eng, "a", say("go"))
	g.Wait(t)
	kill(t, s.eng)
}

// kill ends an engine at once.
func kill(t *testing.T, e *engine.Local) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

// A cancel is heard while the agent of a job is made, and so is the end of who wants it; what was made by then serves
// nobody.
func TestCancelWhileTheAgentOfAJobIsMade(t *testing.T) {
	for _, byInput := range []bool{true, false} {
		s := &setup{t: t, st: mem.New(), model: agenttest.NewModel(agenttest.Say("on"))}
		making, first := make(chan bool), true
		c := s.config()
		c.Factory = func(ctx context.Context, spec engine.Spec) (*agent.Agent, error) {
			if first {
				first = false
				close(making)
				<-ctx.Done() // as a factory does that asks a server
			}
			return s.factory(ctx, spec)
		}
		s.eng = newEngine(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		done := make(chan error, 1)
		go func() {
			done <- s.eng.Do(ctx, "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error {
				t.Error("it was done")
				return nil
			})
		}()
		<-making
		if byInput {
			submit(t, s.eng, "a", engine.Input{Cancel: true})
		} else {
			cancel()
		}
		err := <-done
		if stop, ok := errors.AsType[*agent.StopError](err); byInput != (ok && stop.Stop == agent.RunCancelled) || !byInput && !errors.Is(err, context.Canceled) {
			t.Errorf("by input %v: %v", byInput, err)
		}
		submit(t, s.eng, "a", say("and?"))
		waitIdle(t, s.eng, "a")
		if s.made != 2 {
			t.Errorf("made %d times", s.made)
		}
	}
}

// What is done between runs does not go on with a run that a crash has left open, nor takes in what waits, nor tells the
// hooks that the session goes on. Whoever asks for the run gets it, also while that is done.
func TestDoLeavesTheOpenRunAlone(t *testing.T) {
	asking := map[string]func(t *testing.T, e *engine.Local){
		"nobody": nil,
		"resume": func(t *testing.T, e *engine.Local) {
			if err := e.Resume(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		},
		"submit": func(t *testing.T, e *engine.Local) { submit(t, e, "a", say("and?")) },
		"quiet":  func(t *testing.T, e *engine.Local) { submit(t, e, "a", engine.Input{Quiet: true}) },
	}
	for name, ask := range asking {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			interrupted(t, st)
			before := len(stored(t, st, "a"))
			s := newSetup(t, st)
			s.tools = []agent.Tool{opened()}
			s.model.Next = func(int, *agent.Request) agenttest.Reply { return agenttest.Say("on") }
			var opened []int
			s.hooks = []agent.Hook{{Name: "h", OnSession: func(_ context.Context, x *agent.Session, start bool) {
				if start {
					opened = append(opened, int(x.Seq))
				}
			}}}
			err := s.eng.Do(t.Context(), "a", func(_ context.Context, _ *agent.Agent, x *agent.Session, _ func(agent.Event)) error {
				if !x.Open {
					t.Error("the run is not open")
				}
				if ask != nil {
					ask(t, s.eng)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			waitIdle(t, s.eng, "a")
			es := stored(t, st, "a")
			if ask == nil {
				if len(es) != before || len(opened) > 0 {
					t.Errorf("it went on: %s, opened %v", showEvents(es[before:]), opened)
				}
				return
			}
			if !slices.ContainsFunc(es, isEnd) || len(opened) != 1 {
				t.Errorf("nobody went on: %s, opened %v", showEvents(es), opened)
			}
		})
	}
}

// The same from another process: who asks touches the lease, who only wants to do something in between does not.
func TestDoIsTouchedFromElsewhere(t *testing.T) {
	for _, resume := range []bool{true, false} {
		st := mem.New()
		interrupted(t, st)
		before := len(stored(t, st, "a"))
		s, other := newSetup(t, st), newSetup(t, st)
		for _, x := range []*setup{s, other} {
			x.tools = []agent.Tool{opened()}
			x.model.Next = func(int, *agent.Request) agenttest.Reply { return agenttest.Say("on") }
		}
		nothing := func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error { return nil }
		second := make(chan error, 1)
		err := s.eng.Do(t.Context(), "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error {
			if resume {
				return other.eng.Resume(t.Context(), "a")
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("enough"))
			if err := other.eng.Do(ctx, "a", nothing); err == nil {
				t.Error("two at once")
			}
			go func() { second <- other.eng.Do(t.Context(), "a", nothing) }()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !resume {
			if err := <-second; err != nil {
				t.Fatal(err)
			}
		}
		waitIdle(t, s.eng, "a")
		if es := stored(t, st, "a"); resume != (len(es) > before) {
			t.Errorf("resume %v: %s", resume, showEvents(es[before:]))
		}
	}
}

// Who waits for a session of a process that ends goes on with it.
func TestTheWaitingProcessGoesOn(t *testing.T) {
	st := mem.New()
	g := newGate()
	s := newSetup(t, st, agenttest.CallTool("work", "{}"))
	s.tools = []agent.Tool{g.Tool("work")}
	submit(t, s.eng, "a", say("go"))
	g.Wait(t)
	other := newSetup(t, st)
	other.tools = []agent.Tool{opened()}
	other.model.Next = func(int, *agent.Request) agenttest.Reply { return agenttest.Say("on") }
	submit(t, other.eng, "a", say("more"))
	r := follow(t, other.eng, "a", 0)
	kill(t, s.eng)
	if end := r.Until("the end", isEnd); end.Stop != agent.RunEnd {
		t.Errorf("ended %s", end.Stop)
	}
}

// An error that comes of the engine's end is no end of the run.
func TestErrorsWhileClosing(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.Say("one"))
	closed := make(chan error, 1)
	s.hooks = []agent.Hook{{Name: "h", Inject: func(ctx context.Context, _ *agent.Session, stopping bool) (*agent.Note, error) {
		if !stopping {
			return nil, nil
		}
		go func() { closed <- s.eng.Close(context.WithoutCancel(ctx)) }()
		for {
			if _, err := s.eng.Info(ctx, "b"); err != nil {
				return nil, err
			}
		}
	}}}
	submit(t, s.eng, "a", say("go"))
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if es := stored(t, st, "a"); slices.ContainsFunc(es, isEnd) {
		t.Errorf("it ended: %s", showEvents(es))
	}
	again := newSetup(t, st)
	if err := again.eng.Resume(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	r := follow(t, again.eng, "a", 0)
	if end := r.Until("the end", isEnd); end.Stop != agent.RunEnd {
		t.Errorf("ended %s", end.Stop)
	}
}

// What another process works on is not removed, nor is what is above it; who has died does not matter.
func TestDeleteElsewhere(t *testing.T) {
	st := mem.New()
	g := newGate()
	s := newSetup(t, st, agenttest.CallTool("work", "{}"))
	s.tools = []agent.Tool{g.Tool("work")}
	other := newSetup(t, st, agenttest.Say("parent"))
	submit(t, other.eng, "a", say("go"))
	waitIdle(t, other.eng, "a")
	submit(t, s.eng, "a.1", say("go"))
	g.Wait(t)
	for _, id := range []string{"a", "a.1"} {
		busy, ok := errors.AsType[*engine.BusyError](other.eng.Delete(t.Context(), id))
		if !ok || busy.Session != "a.1" || busy.PID == 0 || busy.Error() == "" {
			t.Fatalf("%+v", busy)
		}
	}
	if len(stored(t, st, "a")) == 0 || len(stored(t, st, "a.1")) == 0 {
		t.Fatal("something is gone")
	}
	if err := s.eng.Delete(t.Context(), "a.1"); err != nil { // its own
		t.Fatal(err)
	}
	appendKV(t, st, "owner/far", `{"machine":"elsewhere","pid":7,"beat":1}`)
	appendKV(t, st, "lease/a", `{"owner":"far","nonce":"x"}`)
	if err := other.eng.Delete(t.Context(), "a"); err != nil { // it gives no sign
		t.Fatal(err)
	}
	if es := stored(t, st, "a"); len(es) > 0 {
		t.Errorf("left: %s", showEvents(es))
	}
}

func appendKV(t *testing.T, st anyStore, key, data string) {
	t.Helper()
	if _, err := st.Put(t.Context(), store.Doc{Key: key, Data: []byte(data)}); err != nil {
		t.Fatal(err)
	}
}

// opened is the tool of a gate that is open.
func opened() agent.Tool {
	g := newGate()
	close(g.Open)
	return g.Tool("work")
}

// A run that was cancelled writes its end, also when the engine closes before it has.
func TestCloseBehindACancel(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.CallTools("work", "{}", "work", "{}"))
	g, hung, release := newGate(), make(chan bool), make(chan bool)
	tool := g.Tool("work")
	tool.Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
		g.Entered <- c.Key
		<-ctx.Done()
		close(hung)
		<-release
		return agent.Result{}, ctx.Err()
	}
	s.tools = []agent.Tool{tool}
	submit(t, s.eng, "a", say("go"))
	g.Wait(t)
	submit(t, s.eng, "a", engine.Input{Cancel: true})
	<-hung
	closed := make(chan error, 1)
	go func() { closed <- s.eng.Close(t.Context()) }()
	for {
		if _, err := s.eng.Info(t.Context(), "b"); err != nil {
			break
		}
	}
	close(release)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if es := stored(t, st, "a"); !isEnd(es[len(es)-1]) || es[len(es)-1].Stop != agent.RunCancelled {
		t.Errorf("it has no end: %s", showEvents(es))
	}
	wantLeft(t, newSetup(t, st).eng)
}
