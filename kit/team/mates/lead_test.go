package mates

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/store"
	"react-agent/store/mem"
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

// other is another process over the same store, which drives nobody; woken is whom it wakes.
func (r *rig) other(woken *[]string) *Mates {
	return New(Options{
		Log: r.store, KV: r.store, Sessions: local{r.eng}, Team: r.team, Locks: r.dir, Wait: true,
		Wake: func(session string) { *woken = append(*woken, session) },
	})
}

// A process that only writes wakes nobody; the one that drives the team finds the mail within seconds, and wakes the lead once.
func TestWhoWakesTheLead(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		var woken []string
		if err := r.other(&woken).Send(t.Context(), "user", Lead, "hello"); err != nil {
			t.Fatal(err)
		}
		if len(woken) > 0 || len(r.roused()) > 0 {
			t.Errorf("woken by who wrote: %q, by itself: %q", woken, r.roused())
		}
		r.pass(Poll + time.Second)
		r.pass(4 * Poll)
		if !slices.Equal(r.roused(), []string{"s"}) {
			t.Errorf("woken: %q", r.roused())
		}
	})
}

// Force ends one that hangs at once, whoever drives it, and its tasks are free.
func TestForceEndsWhatHangs(t *testing.T) {
	for _, here := range []bool{true, false} {
		in(t, func(t *testing.T, r *rig) {
			r.board.put(Task{1, "x", ""})
			r.say(Lead, spawn("bob"), agenttest.Say("started"))
			r.say("bob", agenttest.Say("ready"), agenttest.CallTool("bash", `{"do":"hang"}`))
			r.tell("go")
			r.pass(time.Second)
			m := r.mates
			if !here {
				m = r.other(new([]string))
			}
			if err := m.Send(t.Context(), "user", "bob", "for the first bob"); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Stop(t.Context(), "bob", true); err != nil {
				t.Fatal(err)
			}
			wait := time.Second
			if !here {
				wait += Poll
			}
			r.pass(wait)
			if r.status("bob") != Shutdown || r.board.owner(1) != "" {
				t.Errorf("here %v: bob is %s, the task is %q's", here, r.status("bob"), r.board.owner(1))
			}
			r.board.own(1, "user")
			r.say(Lead, spawn("bob"), agenttest.Say("again"))
			r.say("bob", agenttest.Say("ready"))
			r.tell("another")
			r.pass(time.Second)
			if got := strings.Join(r.told("bob"), "\n"); !strings.Contains(got, "go, bob") || strings.Contains(got, "first bob") {
				t.Errorf("the next one was told %q", got)
			}
		})
	}
}

// While somebody leads a team, no other program does, also one that keeps its state elsewhere.
func TestOneLeadForADirectory(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		own := mem.New()
		m := New(Options{Log: own, KV: own, Sessions: still{}, Team: r.team, Locks: r.dir, Wait: true})
		defer m.Close()
		if res, err := ran(t, m, &Seat{Session: "z"}, toolSpawn, "z/1.0", `{"name":"carol","role":"x","prompt":"y"}`); err != nil || !strings.Contains(res.Text(), "another program leads the team") {
			t.Errorf("%q %v", res.Text(), err)
		}
	})
}

// What is broken in the team's files is told once, and turns go on without mail.
func TestABrokenCursorDoesNotEndATurn(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		if _, err := r.store.Put(t.Context(), store.Doc{Key: "cursor/lead", Data: []byte("{")}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"one", "two"} {
			r.say(Lead, agenttest.Say("well"))
			r.tell(text)
		}
		ends := 0
		for e, err := range r.eng.Follow(t.Context(), "s", 0, false) {
			if err == nil && e.Type == agent.EvEnd && e.Stop == agent.RunEnd {
				ends++
			}
		}
		told := slices.DeleteFunc(slices.Clone(r.warns), func(err error) bool { return !strings.Contains(err.Error(), "lead.cursor.json cannot be used") })
		if ends != 2 || len(told) != 1 {
			t.Errorf("%d turns have ended well; told: %v", ends, r.warns)
		}
	})
}

// A plan belongs to who has submitted it, not to the next one of the name.
func TestAPlanOfOneWhoHasEnded(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", call(toolPlan, args{"plan": "dig"}), agenttest.Say("ready"))
		r.tell("go")
		r.pass(2 * time.Minute)
		mail := r.mail(Lead)
		if r.status("bob") != Shutdown || len(mail) == 0 || mail[0].RequestID == "" {
			t.Fatalf("bob is %s, %+v", r.status("bob"), mail)
		}
		id := mail[0].RequestID
		r.say(Lead, spawn("bob"), call(toolPlan, args{"request_id": id, "approve": true}), agenttest.Say("well"))
		r.tell("approve")
		r.wants("s", "Spawned 'bob' (role: builder)", "Spawned 'bob' (role: builder)", "Error: who has submitted plan "+id+" has ended")
		line, err := encode(Message{Type: PlanResponse, From: Lead, Content: "dig on", RequestID: id}, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // while it is idle, and at work
			if err := r.mates.post(t.Context(), "bob", line, -1); err != nil {
				t.Fatal(err)
			}
			r.pass(time.Second)
		}
		if got := strings.Join(r.told("bob"), "\n"); strings.Contains(got, "dig on") {
			t.Errorf("told %q", got)
		}
	})
}

// A person who writes to nobody is told whom there is; an inbox that stands may be written to.
func TestSendToNobody(t *testing.T) {
	m := bare(t, mem.New(), forever)
	if err := m.enroll(t.Context(), Member{"bob", "x", Idle}); err != nil {
		t.Fatal(err)
	}
	if err := m.Send(t.Context(), "user", "bbo", "hi"); err == nil || err.Error() != "nobody is called 'bbo'. Known: lead, bob" || !IsMistake(err) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"bob", "BOB", Lead} {
		if err := m.Send(t.Context(), "user", name, "hi"); err != nil {
			t.Error(err)
		}
	}
}
