package mates

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A lead whose run ends because it goes in circles leaves its teammates at work: nobody has stopped them.
func TestALoopOfTheLeadLeavesTheTeamAtWork(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""})
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", agenttest.Say("ready"), agenttest.CallTool("bash", `{"do":"hang"}`))
		r.wait = false
		r.tell("go")
		r.pass(time.Second)
		more := make([]agenttest.Reply, 0, 20)
		for i := range 20 { // the seventeenth is one too many
			more = append(more, spawn(fmt.Sprint("m", i)))
		}
		r.say(Lead, more...)
		r.tell("more")
		r.pass(time.Second)
		var stop agent.RunStop
		for e, err := range r.eng.Follow(t.Context(), "s", 0, false) {
			if err == nil && e.Type == agent.EvEnd {
				stop = e.Stop
			}
		}
		if stop != agent.RunLoop || r.status("bob") != Working || r.board.owner(1) != "bob" {
			t.Errorf("the lead's run: %s, bob is %s, the task is %q's", stop, r.status("bob"), r.board.owner(1))
		}
		if slices.ContainsFunc(r.mail(Lead), func(m Message) bool { return strings.Contains(m.Content, "Teammate bob has ended") }) {
			t.Errorf("%+v", r.mail(Lead))
		}
	})
}
