package team

import (
	"context"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// left leaves session s with an open run and a background child at work, as a kill does.
func left(r *rig) {
	r.t.Helper()
	late, release := block()
	r.t.Cleanup(release)
	r.says("go", agenttest.CallTool("task", task("look", "background=true")), agenttest.Say("meanwhile"), agenttest.Say("told"))
	r.says("look", late)
	r.say("s", "go")
	r.until("s", 0, func(e agent.Event) bool { return e.Message != nil && e.Message.Text() == "meanwhile" })
	r.reached("look")
	now, cancel := context.WithCancel(r.t.Context())
	cancel()
	if err := r.eng.Close(now); err != nil {
		r.t.Fatal(err)
	}
	r.team.Close()
	r.says("look", agenttest.Say("seen"))
	r.open()
}

// Looking at a session that was left, and taking back what it has begun, has nobody work: the child ends without having
// asked anything more.
func TestALookHasNobodyWork(t *testing.T) {
	r := newRig(t)
	left(r)
	before, calls := len(r.stored("s.1")), r.calls()
	look := func(fn func(ctx context.Context) error) {
		t.Helper()
		err := r.eng.Do(t.Context(), "s", func(ctx context.Context, _ *agent.Agent, _ *agent.Session, _ func(agent.Event)) error {
			return fn(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look(func(context.Context) error { return nil })
	if n := len(r.stored("s.1")); n != before || r.calls() != calls || r.tree("s").Children[0].State != Running {
		t.Errorf("the child has %d events, had %d; %d requests, were %d; %+v", n, before, r.calls(), calls, r.tree("s").Children)
	}
	look(func(ctx context.Context) error { return r.team.TakeBack(ctx, "s", 1) })
	if c := r.tree("s").Children[0]; c.State != Orphaned || r.calls() != calls {
		t.Errorf("%+v, %d requests, were %d", c, r.calls(), calls)
	}
	es := r.events("s.1")
	if last := es[len(es)-1]; last.Type != agent.EvEnd || last.Stop != agent.RunCancelled {
		t.Errorf("%+v", last)
	}
}

// A session that was made from another one has that one's children in its State. They are not its own: it does not wait
// for them, and has nobody work in the other one.
func TestAForkHasNoChildren(t *testing.T) {
	r := newRig(t)
	left(r)
	for _, line := range r.stored("s") {
		appendTo(t, r, "session/f", []byte(strings.Replace(line, `"session":"s"`, `"session":"f"`, 1)))
	}
	before := len(r.stored("s")) + len(r.stored("s.1"))
	if err := r.eng.Resume(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	if end := r.ended("f"); end.Stop != agent.RunEnd {
		t.Errorf("%s %+v", end.Stop, end.Error)
	}
	if n := len(r.stored("s")) + len(r.stored("s.1")); n != before || len(r.notices("f")) > 0 {
		t.Errorf("%d events of the other one, were %d; told %q", n, before, r.notices("f"))
	}
	if c := r.tree("s").Children[0]; c.State != Running {
		t.Errorf("%+v", c)
	}
}
