package mates

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/team"
	"react-agent/store/mem"
)

// A name whose teammate is idle may be given to another one, which hears nothing of what the first one has read; while it is
// driven elsewhere it may not.
func TestAnotherUnderTheName(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.own(1, "somebody")
		r.board.put(Task{1, "x", ""})
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		if err := r.mates.Send(t.Context(), "user", "bob", "for the first"); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		r.board.own(1, "bob")
		r.say(Lead, spawn("bob"), agenttest.Say("again"))
		r.tell("another")
		r.pass(time.Second)
		if got := r.results("s"); got[1] != "Spawned 'bob' (role: builder)" || r.status("bob") != Idle {
			t.Errorf("%q, %s", got, r.status("bob"))
		}
		if got := r.told("bob"); got[0] != "go, bob" || strings.Contains(strings.Join(got, "\n"), "for the first") {
			t.Errorf("told %q", got)
		}
		if mail := r.mail(Lead); len(mail) != 1 || mail[0].Content != "Teammate bob has ended. Its tasks are still in its name: #1." {
			t.Errorf("%+v", mail)
		}
		release, ok, err := lock(r.dir, "carol") // another process has it
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if _, again, err := lock(r.dir, "carol"); again || err != nil {
			t.Errorf("locked twice: %v %v", again, err)
		}
		r.say(Lead, spawn("carol"), agenttest.Say("no"))
		r.tell("and carol")
		if got := r.results("s"); got[len(got)-1] != "Error: 'carol' is driven by another process" {
			t.Errorf("%q", got)
		}
		release()
	})
}

// A request to stop that no lead has written down ends an idle one, as in the source system.
func TestAStopWithoutARecord(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		if err := r.mates.post(t.Context(), "bob", []byte(`{"type":"shutdown_request","from":"lead","content":"go","timestamp":1}`), -1); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		if r.status("bob") != Shutdown {
			t.Errorf("bob is %s", r.status("bob"))
		}
	})
}

// A panic in what a teammate needs is an end like any other.
func TestAPanicIsSeen(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.wait = false
		r.again()
		r.mates.noticed = true // it falls later
		r.mates.o.Board = falling{r.board}
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		r.pass(6 * time.Second)
		mail := r.mail(Lead)
		if r.status("bob") != Shutdown || len(mail) != 1 || mail[0].Content != "Teammate bob has ended: a fault in the program: the board falls." {
			t.Errorf("%s %+v", r.status("bob"), mail)
		}
	})
}

type falling struct{ *board }

func (falling) Ready(context.Context, func(Task) bool) (bool, error) { panic("the board falls") }

// An idle lead can be told of its mail; a session that is removed takes its teammates along.
func TestPullAndForget(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", call(toolSend, args{"to": "lead", "content": "first"}), call(toolClaim, args{"task_id": 4}))
		r.tell("go")
		r.pass(2 * time.Second)
		if err := r.mates.Send(t.Context(), "user", Lead, "hello"); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(r.roused(), "s") {
			t.Errorf("woken: %q", r.roused())
		}
		x := agent.NewSession("s")
		events, err := r.mates.Pull(t.Context(), x)
		if err != nil || len(events) != 2 || len(events[0].Took) != 1 || events[1].Message.Text() != "Noted inbox messages." || events[1].Message.Answers() {
			t.Errorf("%+v %v", events, err)
		}
		claimed := false
		for e, err := range r.eng.Follow(t.Context(), "s.1", 0, false) {
			claimed = claimed || err == nil && string(e.State[stateTold]) == "[4]"
		}
		if !claimed {
			t.Error("what it has claimed itself is not remembered")
		}
		if _, err := r.mates.Stop(t.Context(), "bob", false); err != nil {
			t.Fatal(err)
		}
		if err := r.eng.Delete(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.team.Forget(t.Context(), "s"), r.mates.Forget(t.Context(), "s")); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		if r.status("bob") != Shutdown {
			t.Errorf("bob is %s", r.status("bob"))
		}
		for _, kind := range []string{"mate/", "request/", "intent/"} {
			for d, err := range r.store.List(t.Context(), kind) {
				t.Errorf("left: %s %v", d.Key, err)
			}
		}
		if err := r.mates.Repair(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Members whose lead is gone are repaired at the start of a program.
func TestRepairWithoutALead(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""})
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		r.pass(time.Second)
		if r.board.owner(1) != "bob" {
			t.Fatal("bob has not taken the task")
		}
		r.close()
		if err := errors.Join(r.store.Drop(t.Context(), "session/s"), r.store.Drop(t.Context(), "input/s")); err != nil {
			t.Fatal(err)
		}
		r.open()
		if err := r.mates.Repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r.status("bob") != Shutdown || r.board.owner(1) != "" {
			t.Errorf("%s, %q", r.status("bob"), r.board.owner(1))
		}
	})
}

// Where turns do not wait, and where no run of the lead is under way, a teammate's question has nobody to hear it.
func TestNobodyToAsk(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.wait = false
		r.again()
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", agenttest.CallTool("bash", `{"do":"ask"}`))
		r.tell("go")
		r.pass(time.Second)
		if got := r.results("s.1"); len(got) != 1 || !strings.HasPrefix(got[0], "allowed false ") {
			t.Errorf("%q", got)
		}
		seat := r.mates.Seat(&Seat{Session: "s.1", Attended: true, Spec: &team.Spec{Mate: "Bob", Path: "main/bob"}})
		r.mates.o.Wait = true
		if ans, err := seat.Ask(t.Context(), agent.Ask{ID: "x"}); err != nil || ans.Allow || ans.Text != agent.Nobody {
			t.Errorf("%+v %v", ans, err)
		}
		if seat.Owner() != "bob" || r.mates.Seat(&Seat{Session: "s"}).Owner() != Lead {
			t.Error("whose tasks they are")
		}
		child := r.mates.Seat(&Seat{Session: "s.2", Spec: &team.Spec{}})
		if h := child.Hook(); len(child.Tools()) != 0 || h.Inject != nil {
			t.Error("a sub-agent has no part in the team")
		}
	})
}

// A batch keeps its order, whatever runs beside what.
func TestABatchKeepsItsOrder(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		var pairs []string
		for i := range 8 {
			raw, err := json.Marshal(args{"to": "bob", "content": string(rune('a' + i))})
			if err != nil {
				t.Fatal(err)
			}
			pairs = append(pairs, toolSend, string(raw))
		}
		r.say(Lead, agenttest.CallTools(pairs...), agenttest.Say("sent"))
		r.tell("go")
		var got strings.Builder
		for _, m := range r.mail("bob") {
			got.WriteString(m.Content)
		}
		if got.String() != "abcdefgh" {
			t.Errorf("%q", got.String())
		}
	})
}

// An agent without the tools of a team takes no mail, and repairs nothing.
func TestWithoutTheTools(t *testing.T) {
	m := bare(t, mem.New(), forever)
	seat := m.Seat(&Seat{Session: "s"})
	seat.Take([]agent.Tool{{Name: "bash"}})
	if h := seat.Hook(); h.Inject != nil || h.OnSession != nil {
		t.Error("it has a part in the team")
	}
	seat.Take([]agent.Tool{{Name: "bash"}, {Name: toolRead}})
	if h := seat.Hook(); h.Inject == nil || h.OnSession == nil {
		t.Error("it has no part in the team")
	}
}
