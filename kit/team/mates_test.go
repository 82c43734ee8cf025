package team

import (
	"testing"

	"react-agent/agent/agenttest"
)

// What a teammate has spent is known when it has ended, over all its runs.
func TestDischarge(t *testing.T) {
	r := newRig(t)
	r.says("go", agenttest.Say("hello"))
	r.says("be useful", agenttest.CallTool("read_file", `{"do":"x"}`), agenttest.Say("seen"))
	r.says("more", agenttest.Say("seen more"))
	r.run("s", "go")
	session, err := r.team.Enlist(t.Context(), Task{Parent: "s", Key: "s/1.1", Name: "alice", Text: "be useful", Mate: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	r.run(session, "be useful")
	r.run(session, "more")
	for range 2 { // again after a crash
		if err := r.team.Discharge(t.Context(), session, ""); err != nil {
			t.Fatal(err)
		}
	}
	c := r.tree("s").byID(session)
	if c.State != Done || c.Steps != 3 || c.Usage == nil || *c.Usage.Input != 30 {
		t.Errorf("%+v", c)
	}
	if list, err := r.team.List(t.Context(), "s"); err != nil || len(list) != 1 || list[0].Steps != 3 {
		t.Errorf("%+v %v", list, err)
	}
	if err := r.team.Discharge(t.Context(), "s.9", "gone"); err != nil {
		t.Error(err)
	}
}
