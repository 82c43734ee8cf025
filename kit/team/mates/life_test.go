package mates

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A teammate works, is idle for a minute, and ends; the file says so all the time.
func TestPhases(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("Alice"), agenttest.Say("started"))
		r.say("Alice", agenttest.CallTool("bash", `{"do":"x"}`))
		r.tell("go")
		r.wants("s", "Spawned 'Alice' (role: builder)")
		doc, err := r.store.Get(t.Context(), rosterKey)
		want := "{\n  \"team_name\": \"default\",\n  \"members\": [\n    {\n      \"name\": \"Alice\",\n      \"role\": \"builder\",\n      \"status\": \"idle\"\n    }\n  ]\n}"
		if err != nil || string(doc.Data) != want {
			t.Errorf("%s %v", doc.Data, err)
		}
		if got := r.told("Alice"); !slices.Equal(got, []string{"go, Alice", "", "did x"}) {
			t.Errorf("told: %q", got)
		}
		if tools := r.asked["Alice"][0].Tools; len(tools) != 10 {
			t.Errorf("%d tools", len(tools))
		}
		r.pass(59 * time.Second)
		if s := r.status("alice"); s != Idle {
			t.Errorf("after 59 s: %s", s)
		}
		r.pass(2 * time.Second)
		if s := r.status("alice"); s != Shutdown {
			t.Errorf("after a minute: %s", s)
		}
		if len(r.mail(Lead)) != 0 {
			t.Errorf("nobody has to be told: %+v", r.mail(Lead))
		}
	})
}

// Mail wakes an idle teammate at once; a task of the board is claimed, told with the exact words, and the identity before it as long
// as the history is short.
func TestIdleFindsMailThenTasks(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		before := time.Now()
		if err := r.mates.Send(t.Context(), "user", "bob", "hello </inbox>"); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Millisecond)
		if got := r.told("bob"); len(got) != 3 || !strings.HasPrefix(got[2], `{"type":"message","from":"user","content":"hello </inbox>","timestamp":`) {
			t.Errorf("told %q after %s", got, time.Since(before))
		}
		r.board.put(Task{7, "walls", "four\nof them"})
		r.pass(5 * time.Second)
		got := r.told("bob")
		want := []string{"<auto-claimed>Task #7: walls\nfour\nof them</auto-claimed>", "Claimed task #7. Working on it."}
		if len(got) != 6 || !slices.Equal(got[4:], want) || r.board.owner(7) != "bob" {
			t.Errorf("told %q, %v", got, r.board.owners)
		}
		// one who has heard little is told who he is
		r.board.put(Task{8, "roof", ""})
		r.board.own(8, "x")
		r.say(Lead, spawn("carol"), agenttest.Say("started"))
		r.tell("more")
		r.board.own(8, "")
		r.board.own(7, "y")
		r.mates.nudge("carol")
		r.pass(time.Millisecond)
		got = r.told("carol")
		want = []string{
			"<identity>You are 'carol', role: builder, team: default.</identity>", "I am carol. Continuing.",
			"<auto-claimed>Task #8: roof\n</auto-claimed>", "Claimed task #8. Working on it.",
		}
		if len(got) != 6 || !slices.Equal(got[2:], want) {
			t.Errorf("told %q", got)
		}
	})
}

// One whose model fails is shut down, its tasks are free, and the lead is told.
func TestACrashIsSeen(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""}, Task{2, "y", ""})
		r.board.own(2, "somebody")
		r.say(Lead, spawn("bob"), agenttest.Say("started"), agenttest.Say("heard"))
		r.say("bob", agenttest.Say("ready"), agenttest.Fail(&agent.ModelError{Kind: agent.ErrServer, Provider: "rig", Err: errors.New("out of order")}))
		r.tell("go")
		r.pass(time.Second)
		if r.status("bob") != Shutdown || r.board.owner(1) != "" || r.board.owner(2) != "somebody" {
			t.Errorf("%s %v", r.status("bob"), r.board.owners)
		}
		mail := r.mail(Lead)
		if len(mail) != 1 || mail[0].From != system || !strings.Contains(mail[0].Content, "out of order") || !strings.HasSuffix(mail[0].Content, "Its tasks are free again: #1.") {
			t.Errorf("%+v", mail)
		}
		if got := r.told(Lead); len(got) < 2 || !strings.HasPrefix(got[len(got)-2], "<inbox>[\n  {\n    \"type\": \"message\",\n    \"from\": \"team\",") || got[len(got)-1] != "Noted inbox messages." {
			t.Errorf("the lead was told %q", got)
		}
		// the name is free
		r.say(Lead, spawn("bob"), agenttest.Say("again"))
		r.board.own(1, "x")
		r.tell("once more")
		if r.status("bob") != Idle {
			t.Errorf("again: %s", r.status("bob"))
		}
	})
}

// The next process goes on with the teammates of a session that is opened again: in the middle of a run, and where a task was
// claimed and not told. Members of whom nobody knows are repaired.
func TestTheNextProcessGoesOn(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), spawn("carol"), agenttest.Say("started"))
		r.say("bob", agenttest.CallTool("bash", `{"do":"hang"}`))
		r.tell("go")
		if r.status("bob") != Working || r.status("carol") != Idle {
			t.Fatalf("%s %s", r.status("bob"), r.status("carol"))
		}
		r.board.own(3, "carol")
		r.board.put(Task{3, "lost", ""})
		if err := r.mates.enroll(t.Context(), Member{"ghost", "x", Working}); err != nil {
			t.Fatal(err)
		}
		r.again()
		if err := r.mates.Repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r.status("bob") != Working || r.status("ghost") != Shutdown {
			t.Errorf("repaired: %s %s", r.status("bob"), r.status("ghost"))
		}
		r.tell("on")
		r.pass(time.Second)
		if got := r.told("bob"); len(got) < 3 || !strings.Contains(got[2], "interrupted") {
			t.Errorf("bob was told %q", got)
		}
		if got := r.told("carol"); !slices.Contains(got, "Claimed task #3. Working on it.") {
			t.Errorf("carol was told %q", got)
		}
		// a program for all sessions goes on without the lead
		r.again()
		if err := r.mates.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		if r.status("bob") != Idle {
			t.Errorf("bob is %s", r.status("bob"))
		}
		r.pass(time.Minute)
		if mail := r.mail(Lead); len(mail) != 1 || !strings.HasSuffix(mail[0].Content, "Its tasks are still in its name: #3.") {
			t.Errorf("%+v", mail)
		}
	})
}

// While a team is open, nobody else leads and nobody else reads its mail; another session that is opened first by the next
// program leaves it as it is, and the team goes on with its lead's.
func TestOneLead(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		other := agent.TextMessage(agent.User, "me too")
		r.say(Lead, spawn("carol"), call(toolRead, args{}), call(toolList, args{}), agenttest.Say("no"))
		if err := r.mates.Send(t.Context(), "user", Lead, "for the lead"); err != nil {
			t.Fatal(err)
		}
		if err := r.eng.Delete(t.Context(), "nobody"); err != nil {
			t.Fatal(err)
		}
		submit(r, "o", other)
		r.wants("o", "Error: the team is led by session s, whose teammates are not shut down: open that session, or stop them with force",
			"Error: the team is led by session s, whose teammates are not shut down: open that session, or stop them with force", "Team: default\n  bob (builder): idle")
		r.again()
		submit(r, "p", other)
		if r.status("bob") != Idle {
			t.Errorf("bob is %s", r.status("bob"))
		}
		if err := r.mates.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.mates.mu.Lock()
		if r.mates.drivers["bob"] == nil {
			t.Error("nobody goes on with bob")
		}
		r.mates.mu.Unlock()
		if got := r.told(Lead); strings.Contains(strings.Join(got, "\n"), "for the lead") {
			t.Errorf("another conversation took the lead's mail: %q", got)
		}
		r.tell("on")
		if got := r.told(Lead); !strings.Contains(strings.Join(got, "\n"), "for the lead") {
			t.Errorf("told: %q", got)
		}
	})
}

func submit(r *rig, session string, m agent.Message) {
	r.t.Helper()
	if err := (local{r.eng}).Submit(r.t.Context(), session, input(m)); err != nil {
		r.t.Fatal(err)
	}
	r.pass(time.Millisecond)
}
