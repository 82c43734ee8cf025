package team

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/store"
)

// The person stops one child: its parent is told, and goes on.
func TestStop(t *testing.T) {
	r := newRig(t, func(r *rig) { r.o.Width = 1 })
	r.says("go", agenttest.CallTools("task", task("hang"), "task", task("wait")), agenttest.Say("done"))
	r.says("hang", agenttest.CallTool("bash", `{"do":"hang"}`))
	r.says("wait", agenttest.CallTool("bash", `{"do":"hang"}`))
	r.say("s", "go")
	var at, waits string
	for at == "" || waits == "" {
		at, waits = "", ""
		for _, c := range r.tree("s").Children {
			switch c.State { //nolint:exhaustive // only these two
			case Running:
				at = c.name()
			case Waiting:
				waits = c.ID
			}
		}
	}
	if ok, err := r.team.Stop(t.Context(), "s", "nobody"); ok || err != nil {
		t.Errorf("stopped nobody: %v %v", ok, err)
	}
	for _, id := range []string{waits, at} {
		for {
			ok, err := r.team.Stop(t.Context(), "s", id)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				break
			}
		}
	}
	if end := r.ended("s"); end.Stop != agent.RunEnd {
		t.Errorf("%s", end.Stop)
	}
	for _, s := range r.results("s") {
		if !strings.Contains(s, "cancelled") {
			t.Errorf("%q", s)
		}
	}
	if ok, err := r.team.Stop(t.Context(), "s", at); ok || err != nil {
		t.Errorf("stopped one that has ended: %v %v", ok, err)
	}
}

// gate holds up what is done with sessions.
type gate struct {
	Sessions
	submit func(session string, in Input)
	status func(ctx context.Context)
}

func (g *gate) Submit(ctx context.Context, session string, in Input) error {
	g.submit(session, in)
	return g.Sessions.Submit(ctx, session, in)
}

func (g *gate) Status(ctx context.Context, session string) (Status, error) {
	s, err := g.Sessions.Status(ctx, session)
	g.status(ctx)
	return s, err
}

// A child that has had its turn and was told nothing yet is stopped, whether the stop is noted before the message comes or
// while it does.
func TestStopAtTheBeginning(t *testing.T) {
	type mine struct{}
	for name, late := range map[string]bool{"before the message": false, "while it comes": true} {
		t.Run(name, func(t *testing.T) {
			g, looked, stopped := &gate{}, make(chan struct{}), make(chan error, 1)
			r := newRig(t, func(r *rig) {
				r.way = func(s Sessions) Sessions {
					g.Sessions = s
					return g
				}
			})
			var once, first sync.Once
			stop := func() {
				ok, err := r.team.Stop(context.WithValue(t.Context(), mine{}, true), "s", "s.1")
				if err == nil && !ok {
					err = errors.New("there was nothing to stop")
				}
				stopped <- err
			}
			g.status = func(ctx context.Context) {
				if late && ctx.Value(mine{}) != nil {
					first.Do(func() { // what it was told is not true any more
						close(looked)
						r.reached("hang")
					})
				}
			}
			g.submit = func(session string, in Input) {
				if session == "s.1" && in.Message != nil {
					once.Do(func() {
						if !late {
							stop()
							return
						}
						go stop()
						<-looked
					})
				}
			}
			r.says("go", agenttest.CallTool("task", task("hang")), agenttest.Say("done"))
			r.says("hang", agenttest.CallTool("bash", `{"do":"hang"}`))
			r.say("s", "go")
			if end := r.ended("s"); end.Stop != agent.RunEnd {
				t.Errorf("%s", end.Stop)
			}
			if err := <-stopped; err != nil {
				t.Error(err)
			}
			if got := r.results("s"); len(got) != 1 || !strings.Contains(got[0], textStopped) {
				t.Errorf("%q", got)
			}
			if end := r.ended("s.1"); end.Stop != agent.RunCancelled {
				t.Errorf("the child ends with %s", end.Stop)
			}
		})
	}
}

// What was begun with a call that is taken back does not go on; what was begun before does.
func TestTakeBack(t *testing.T) {
	r := newRig(t)
	late, release := block()
	defer release()
	r.says("one", agenttest.CallTool("task", task("look", "background=true")), agenttest.Fail(&agent.ModelError{Kind: agent.ErrServer}))
	r.says("look", late)
	r.says("stare", late)
	r.run("s", "one")
	r.says("one", agenttest.CallTool("task", task("look", "background=true")), agenttest.CallTool("task", task("stare", "background=true")), agenttest.Fail(&agent.ModelError{Kind: agent.ErrServer}))
	before := r.events("s")
	r.run("s", "two")
	r.reached("look")
	r.reached("stare")
	if err := r.team.TakeBack(t.Context(), "s", before[len(before)-1].Seq+1); err != nil {
		t.Fatal(err)
	}
	states := map[State]int{}
	for _, c := range r.tree("s").Children {
		states[c.State]++
	}
	if states[Running] != 1 || states[Orphaned] != 1 {
		t.Errorf("%v", states)
	}
	if end := r.ended("s.2"); end.Stop != agent.RunCancelled {
		t.Errorf("the one that was taken back ends with %s", end.Stop)
	}
}

func TestForget(t *testing.T) {
	r := newRig(t)
	r.says("go", agenttest.CallTool("task", task("look")), agenttest.CallTool("task", task("look")), agenttest.Say("done"))
	r.says("look", agenttest.Say("seen"))
	r.run("s", "go")
	if err := r.team.Forget(t.Context(), "s.1"); err != nil { // a child alone
		t.Fatal(err)
	}
	if _, err := r.store.Get(t.Context(), specKey("s.1")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if list := r.tree("s").Children; len(list) != 1 || list[0].ID != "s.2" {
		t.Errorf("%+v", list)
	}
	for _, id := range []string{"s.1", "s", "s"} {
		if err := r.team.Forget(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{treeKey("s"), specKey("s.2")} {
		if _, err := r.store.Get(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := r.team.Spec(t.Context(), "s.1"); err == nil || !strings.Contains(err.Error(), "nothing is known of the sub-agent s.1") {
		t.Error(err)
	}
}

// A child that nobody waits for, opened where nobody can be asked, does not wait for an answer for ever.
func TestAsker(t *testing.T) {
	team := New(Options{})
	asked := 0
	ask := func(context.Context, agent.Ask) (agent.Answer, error) {
		asked++
		return agent.Answer{Allow: true}, nil
	}
	answers := func(attended bool) agent.Answer {
		a, err := team.Asker("s.1", attended, ask)(t.Context(), agent.Ask{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := answers(false); a.Allow || a.Text != agent.Nobody || asked != 0 {
		t.Errorf("%+v", a)
	}
	done := team.hear("s.1")
	if a := answers(false); !a.Allow {
		t.Errorf("%+v", a)
	}
	done()
	if a := answers(true); !a.Allow || asked != 2 {
		t.Errorf("%+v", a)
	}
	if len(team.heard) != 0 {
		t.Error("something is left")
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]struct {
		call    string
		session string
		number  int64
	}{
		"s/12.1": {"s/12.1", "s", 12}, "s.1.2/3.4/step-1/x": {"s.1.2/3.4", "s.1.2", 3}, "odd": {"odd", "odd", 0},
	} {
		if callOf(key) != want.call || sessionOf(key) != want.session || number(key) != want.number {
			t.Errorf("%s: %s %s %d", key, callOf(key), sessionOf(key), number(key))
		}
	}
	if long := strings.Repeat("k", 300); len(inputID(long)) != 64 || inputID("k") != "k" {
		t.Error(inputID(long))
	}
	names := []string{pathName("General Purpose!"), pathName("专家"), pathName(strings.Repeat("ab-", 40))}
	if !slices.Equal(names[:2], []string{"general-purpose", "agent"}) || len(names[2]) > 40 || strings.HasSuffix(names[2], "-") {
		t.Errorf("%q", names)
	}
}

// A child is only called idle when nobody here is about to have it work.
func TestIdle(t *testing.T) {
	f := newFake()
	f.stop()
	team := fakeTeam(t, f)
	err := team.update(t.Context(), "s", func(d *tree) error {
		d.Children = []child{{ID: "s.1", Key: "s/3.1", Path: "main/step-1", State: Running}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	idle := func() bool {
		list, err := team.List(t.Context(), "s")
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0].Idle
	}
	if !idle() {
		t.Error("nobody works on it")
	}
	done := team.hear("s.1")
	if idle() {
		t.Error("somebody waits for it")
	}
	done()
}
