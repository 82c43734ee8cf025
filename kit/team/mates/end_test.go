package mates

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/team"
	"react-agent/store"
)

// slowly is a store in which the team's file takes its time, so that whoever comes meanwhile is there.
type slowly struct{ store.KV }

func (s slowly) Get(ctx context.Context, key string) (store.Doc, error) {
	if key == mateKey("bob") || key == rosterKey {
		<-time.After(time.Second)
	}
	return s.KV.Get(ctx, key)
}

// Of two sessions that spawn at once one leads, and the other one is told so.
func TestTwoWhoSpawnAtOnce(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, agenttest.Say("well"), agenttest.Say("well"))
		r.tell("hello")
		submit(r, "o", agent.TextMessage(agent.User, "hello"))
		r.mates.o.KV = slowly{r.store}
		r.say(Lead, spawn("bob"), spawn("bob"))
		submit(r, "s", agent.TextMessage(agent.User, "go"))
		submit(r, "o", agent.TextMessage(agent.User, "go"))
		r.pass(30 * time.Second)
		got := append(r.results("s"), r.results("o")...)
		slices.Sort(got)
		if len(got) != 2 || !strings.HasPrefix(got[0], "Error: the team is led by session ") || got[1] != "Spawned 'bob' (role: builder)" {
			t.Errorf("%q", got)
		}
	})
}

// A name is free when who has it is idle here, whatever became of the team's file; the next one is driven.
func TestANameWithoutTheFile(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		if err := store.Remove(t.Context(), r.store, rosterKey); err != nil {
			t.Fatal(err)
		}
		r.say(Lead, spawn("bob"), agenttest.Say("again"))
		r.tell("another")
		r.pass(time.Second)
		r.wants("s", "Spawned 'bob' (role: builder)", "Spawned 'bob' (role: builder)")
		r.mates.mu.Lock()
		d := r.mates.drivers["bob"]
		r.mates.mu.Unlock()
		x, err := r.mates.mate(t.Context(), "bob")
		if err != nil || d == nil || d.mate.Session != x.Session || r.status("bob") != Idle {
			t.Errorf("%+v is not driven: %v, %s", x, err, r.status("bob"))
		}
	})
}

// deaf are sessions that cannot be cancelled.
type deaf struct{ team.Sessions }

func (d deaf) Submit(ctx context.Context, session string, in team.Input) error {
	if in.Cancel {
		return nil
	}
	return d.Sessions.Submit(ctx, session, in)
}

// One whose run does not end keeps its tasks: it may still be at work on them.
func TestAStopThatFails(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""})
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", agenttest.Say("ready"), agenttest.CallTool("bash", `{"do":"hang"}`))
		r.tell("go")
		r.pass(time.Second)
		r.mates.o.Sessions = deaf{r.mates.o.Sessions}
		if _, err := r.mates.Stop(t.Context(), "bob", true); err != nil {
			t.Fatal(err)
		}
		r.pass(3 * Poll)
		mail := r.mail(Lead)
		want := "Teammate bob has ended. Its tasks are still in its name: #1. It could not be stopped and may still be at work."
		if r.board.owner(1) != "bob" || !slices.ContainsFunc(mail, func(m Message) bool { return m.Content == want }) {
			t.Errorf("the task is %q's, the lead has %+v", r.board.owner(1), mail)
		}
	})
}

// Mail that nobody has read is told to the lead; what comes after the end goes to no other one of the name, and who sends it
// hears that.
func TestMailThatComesTooLate(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", agenttest.CallTool("bash", `{"do":"hang"}`))
		r.tell("go")
		for range 2 {
			if err := r.mates.Send(t.Context(), "user", "bob", "before"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.mates.Stop(t.Context(), "bob", true); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		if mail := r.mail(Lead); !slices.ContainsFunc(mail, func(m Message) bool {
			return m.Content == "Teammate bob has ended. 2 messages to it were not read."
		}) {
			t.Errorf("%+v", mail)
		}
		r.say(Lead, call(toolSend, args{"to": "bob", "content": "after"}), spawn("bob"), agenttest.Say("again"))
		r.tell("another")
		r.pass(10 * time.Second)
		if got := r.results("s"); got[1] != "Sent message to bob (bob is shut down)" {
			t.Errorf("%q", got)
		}
		if got := strings.Join(r.told("bob"), "\n"); strings.Contains(got, "after") || strings.Contains(got, "before") {
			t.Errorf("the next one was told %q", got)
		}
	})
}

// A session that was removed has no teammates any more when Forget returns, and another one that has their name keeps it.
func TestForgetWaits(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		if err := r.eng.Delete(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		r.mates.o.KV = slowly{r.store}
		var forgot sync.WaitGroup
		forgot.Go(func() {
			if err := r.mates.Forget(t.Context(), "s"); err != nil {
				t.Error(err)
			}
			r.mates.mu.Lock()
			defer r.mates.mu.Unlock()
			if len(r.mates.drivers) != 0 {
				t.Error("bob is driven still")
			}
		})
		forgot.Wait()
		if mail := r.mail(Lead); len(mail) != 0 {
			t.Errorf("%+v", mail)
		}
	})
}

// One that nobody drives is ended by force from anywhere.
func TestForceWhereNobodyDrives(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""})
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		r.pass(time.Second)
		r.again()
		if _, err := r.mates.Stop(t.Context(), "bob", true); err != nil {
			t.Fatal(err)
		}
		if r.status("bob") != Shutdown || r.board.owner(1) != "" {
			t.Errorf("bob is %s, the task is %q's", r.status("bob"), r.board.owner(1))
		}
	})
}

// Members of whom only a folder's file knows are shut down, and free nobody's tasks.
func TestMembersOfAFileFreeNothing(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""}, Task{2, "y", ""})
		for id, name := range map[int]string{1: Lead, 2: "user"} {
			r.board.own(id, name)
			if err := r.mates.enroll(t.Context(), Member{name, "x", Working}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.mates.Repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r.board.owner(1) != Lead || r.board.owner(2) != "user" || r.status(Lead) != Shutdown || r.status("user") != Shutdown {
			t.Errorf("%v, %s, %s", r.board.owners, r.status(Lead), r.status("user"))
		}
	})
}
