package mates

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/team"
)

var eight = regexp.MustCompile(`[0-9a-f]{8}`)

// requestOf is the id in the last request that stands in an inbox.
func (r *rig) requestOf(name string) string {
	r.t.Helper()
	list := r.mail(name)
	if len(list) == 0 || !eight.MatchString(list[len(list)-1].RequestID) {
		r.t.Fatalf("no request in %+v", list)
	}
	return list[len(list)-1].RequestID
}

// An idle teammate agrees to stop by itself: the record says so, and the lead is told.
func TestStopOfAnIdleOne(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		r.say(Lead, call(toolStop, args{"teammate": "bob"}), agenttest.Say("asked"))
		r.tell("stop bob")
		r.pass(time.Second)
		id := r.requestOf("bob")
		if got := r.results("s")[1]; got != "Shutdown request "+id+" sent to 'bob'" {
			t.Errorf("the call says %q", got)
		}
		if r.status("bob") != Shutdown {
			t.Errorf("bob is %s", r.status("bob"))
		}
		mail := r.mail(Lead)
		if len(mail) != 1 || mail[0].Type != ShutdownResponse || mail[0].RequestID != id || !*mail[0].Approve || mail[0].From != "bob" {
			t.Errorf("%+v", mail)
		}
		r.say(Lead, call(toolStopped, args{"request_id": id}), call(toolStopped, args{"request_id": "00000000"}), call(toolStop, args{"teammate": "bob"}), call(toolStop, args{"teammate": "ghost"}), call(toolIdle, args{}))
		r.tell("well?")
		want := []string{`{"target":"bob","status":"approved"}`, `{"error":"not found"}`, "Error: 'bob' is currently shutdown", "Error: Unknown teammate 'ghost'", "Lead does not idle."}
		if got := r.results("s")[2:]; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		// another one under the name hears nothing of it
		r.say(Lead, spawn("bob"), agenttest.Say("again"))
		r.tell("again")
		if r.status("bob") != Idle || len(r.told("bob")) != 1 {
			t.Errorf("bob is %s, and was told %q", r.status("bob"), r.told("bob"))
		}
	})
}

// One that works answers itself: it may refuse and go on, and agree later.
func TestStopOfAWorkingOne(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", agenttest.CallTool("bash", `{"do":"ask"}`))
		r.tell("go") // it asks the person, at the lead's session
		id, err := r.mates.Stop(t.Context(), "Bob", false)
		if err != nil {
			t.Fatal(err)
		}
		r.say("bob", call(toolStopped, args{"request_id": id, "approve": false, "reason": "half done"}),
			call(toolStopped, args{"request_id": id, "approve": true}), call(toolStopped, args{"request_id": "x", "approve": true}), agenttest.Say("done"))
		r.answer("s", true)
		got := r.results("s.1")
		want := []string{"allowed true ", "Shutdown rejected", "Error: request " + id + " was answered before: rejected", "Error: Unknown shutdown request_id 'x'"}
		if !slices.Equal(got, want) || r.status("bob") != Idle {
			t.Errorf("%q, %s", got, r.status("bob"))
		}
		if told := strings.Join(r.told("bob"), "\n"); !strings.Contains(told, `"type":"shutdown_request","from":"lead"`) {
			t.Errorf("bob was told %s", told)
		}
		if mail := r.mail(Lead); len(mail) != 1 || *mail[0].Approve || mail[0].Content != "half done" {
			t.Errorf("%+v", mail)
		}
		r.say("bob", agenttest.CallTool("bash", `{"do":"hang"}`))
		if err := r.mates.Send(t.Context(), "user", "bob", "work"); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		// and one that is not asked ends with its next step
		if _, err := r.mates.Stop(t.Context(), "bob", true); err != nil {
			t.Fatal(err)
		}
		if err := (local{r.eng}).Submit(t.Context(), "s.1", team.Input{Message: new(agent.TextMessage(agent.User, "now"))}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
	})
}

// answer answers the question that is open in a session.
func (r *rig) answer(session string, allow bool) {
	r.t.Helper()
	id := ""
	for e, err := range r.eng.Follow(r.t.Context(), session, 0, false) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Type == agent.EvAsk {
			id = e.Ask.ID
			if !strings.HasPrefix(e.Ask.Text, "[main/bob] ") {
				r.t.Errorf("asked: %q", e.Ask.Text)
			}
		}
	}
	if err := (local{r.eng}).Submit(r.t.Context(), session, team.Input{Answer: &agent.Answer{ID: id, Allow: allow}}); err != nil {
		r.t.Fatal(err)
	}
	r.pass(time.Second)
}

// Approval ends it, also when a run is open.
func TestForceAndApproval(t *testing.T) {
	for _, force := range []bool{true, false} {
		in(t, func(t *testing.T, r *rig) {
			r.say(Lead, spawn("bob"), agenttest.Say("started"))
			r.say("bob", agenttest.CallTool("bash", `{"do":"ask"}`))
			r.tell("go")
			id, err := r.mates.Stop(t.Context(), "bob", force)
			if err != nil {
				t.Fatal(err)
			}
			if !force {
				r.say("bob", call(toolStopped, args{"request_id": id, "approve": true}))
			}
			r.answer("s", false)
			if r.status("bob") != Shutdown {
				t.Errorf("force %v: bob is %s", force, r.status("bob"))
			}
			if mail := r.mail(Lead); len(mail) != 1 || mail[0].RequestID != id || !*mail[0].Approve {
				t.Errorf("force %v: %+v", force, mail)
			}
			if n := len(r.asked["bob"]); force && n != 1 || !force && n != 2 {
				t.Errorf("force %v: the model was asked %d times", force, n)
			}
		})
	}
}

// A plan goes to the lead and its answer back, and while it waits nothing else is taken.
func TestPlans(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.wait = false
		r.again()
		r.board.put(Task{1, "x", ""})
		r.board.own(1, "somebody")
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", call(toolPlan, args{"plan": "dig"}), call(toolIdle, args{}))
		r.tell("go")
		id := r.requestOf(Lead)
		if got := r.results("s.1"); !slices.Equal(got, []string{"Plan submitted (request_id=" + id + "). Waiting for lead approval.", "Entering idle phase."}) {
			t.Errorf("%q", got)
		}
		if m := r.mail(Lead)[0]; m.Type != PlanResponse || m.Plan != "dig" || m.From != "bob" || m.Approve != nil {
			t.Errorf("%+v", m)
		}
		r.board.own(1, "")
		r.pass(20 * time.Second)
		if r.board.owner(1) != "" {
			t.Error("it took a task meanwhile")
		}
		r.board.own(1, "somebody")
		r.say(Lead, call(toolPlan, args{"request_id": "nope", "approve": true}), call(toolPlan, args{"request_id": id, "approve": false, "feedback": "deeper"}),
			call(toolPlan, args{"request_id": id, "approve": true}), agenttest.Say("answered"))
		r.tell("well?")
		r.pass(time.Second)
		want := []string{"Error: Unknown plan request_id 'nope'", "Plan rejected for 'bob'", "Error: request " + id + " was answered before: rejected"}
		if got := r.results("s")[1:]; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		told := r.told("bob")
		if last := told[len(told)-1]; !strings.Contains(last, `"request_id":"`+id+`","approve":false,"feedback":"deeper"`) {
			t.Errorf("bob was told %q", told)
		}
		r.say("bob", call(toolPlan, args{"plan": "dig deeper"}))
		if err := r.mates.Send(t.Context(), "user", "bob", "on"); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		r.say(Lead, call(toolPlan, args{"request_id": r.requestOf(Lead), "approve": true}))
		r.tell("and?")
		if got := r.results("s"); got[len(got)-1] != "Plan approved for 'bob'" {
			t.Errorf("%q", got)
		}
	})
}

// What cannot be is said in the words of the protocol; what can be has them too.
func TestWords(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.wait = false
		r.again()
		long := strings.Repeat("x", maxContent+1)
		r.say(Lead, call(toolList, args{}), spawn("bob"), spawn("BOB"), spawn("lead"), spawn("../x"), spawn("con"), spawn(".x"), call(toolList, args{}),
			call(toolSend, args{"to": "bob", "content": "hi"}), call(toolSend, args{"to": "Bob", "content": "hi", "msg_type": "broadcast"}),
			call(toolSend, args{"to": "bob", "content": "hi", "msg_type": "shout"}), call(toolSend, args{"to": "a/b", "content": "hi"}),
			call(toolSend, args{"to": "bob", "content": long}), call(toolBroadcast, args{"content": long}), call(toolBroadcast, args{"content": "all"}),
			call(toolRead, args{}))
		r.say("bob", agenttest.CallTool("bash", `{"do":"hang"}`))
		r.tell("go")
		got := r.results("s")
		want := []string{
			"No teammates.", "Spawned 'bob' (role: builder)", "Error: 'bob' is currently working", `Error: invalid name "lead": the team itself uses it`,
			`Error: invalid name "../x": use 1 to 48 letters, digits, _ or -, not - first`, `Error: invalid name "con": use 1 to 48 letters, digits, _ or -, not - first`,
			`Error: invalid name ".x": use 1 to 48 letters, digits, _ or -, not - first`, "Team: default\n  bob (builder): working",
			"Sent message to bob", "Sent broadcast to Bob", "Error: Invalid type 'shout'. Valid: message, broadcast, shutdown_request, shutdown_response, plan_approval_response",
			`Error: invalid name "a/b": use 1 to 48 letters, digits, _ or -, not - first`,
			"Error: the message is longer than 100 KiB: write it to a file and name that",
			"Error: the message is longer than 100 KiB: write it to a file and name that", "Broadcast to 1 teammates", "[]",
		}
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Errorf("%d: %q, wanted %q", i, got[min(i, len(got)-1)], want[i])
			}
		}
		if mail := r.mail("bob"); len(mail) != 3 || mail[2].Type != Broadcast || mail[2].From != Lead {
			t.Errorf("%+v", mail)
		}
		names := []string{}
		for _, x := range r.asked[Lead][0].Tools {
			if slices.Contains(Names(), x.Name) {
				names = append(names, x.Name)
			}
		}
		if !slices.Equal(names, Names()) {
			t.Errorf("the lead has %q", names)
		}
		names = names[:0]
		for _, x := range r.asked["bob"][0].Tools {
			names = append(names, x.Name)
		}
		mine := MateTools()
		slices.Sort(names)
		slices.Sort(mine)
		if !slices.Equal(names, mine) {
			t.Errorf("a teammate has %q", names)
		}
	})
}

// A cancel of the lead's run ends its teammates; the end of the program does not.
func TestCancelReachesTheTeam(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.board.put(Task{1, "x", ""})
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.say("bob", agenttest.Say("ready"), agenttest.CallTool("bash", `{"do":"hang"}`))
		r.tell("go")
		r.pass(time.Second)
		if r.status("bob") != Working || r.board.owner(1) != "bob" {
			t.Fatalf("bob is %s, %v", r.status("bob"), r.board.owners)
		}
		if err := (local{r.eng}).Submit(t.Context(), "s", team.Input{Cancel: true}); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Second)
		if r.status("bob") != Shutdown || r.board.owner(1) != "" {
			t.Errorf("bob is %s, %v", r.status("bob"), r.board.owners)
		}
		if mail := r.mail(Lead); len(mail) != 1 || !strings.Contains(mail[0].Content, "cancelled") {
			t.Errorf("%+v", mail)
		}
		if slices.Contains(r.roused(), "s") {
			t.Error("the lead was woken although the person has stopped it")
		}
		if info, err := r.eng.Info(t.Context(), "s.1"); err != nil || info.Running {
			t.Errorf("%+v %v", info, err)
		}
	})
}

// After a compaction a teammate is told who it is, in front; and once.
func TestIdentityAfterCompaction(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.say(Lead, spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		r.mu.Lock()
		r.trim = true
		r.mu.Unlock()
		if err := r.mates.Send(t.Context(), "user", "bob", "on"); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		got := r.told("bob")
		want := []string{"<identity>You are 'bob', role: builder, team: default.</identity>", "I am bob. Continuing.", "summary"}
		if !slices.Equal(got[:min(3, len(got))], want) {
			t.Errorf("told %q", got)
		}
		r.board.put(Task{1, "x", ""})
		r.pass(10 * time.Second)
		if n := strings.Count(strings.Join(r.told("bob"), "\n"), "<identity>"); n != 1 {
			t.Errorf("told %d times: %q", n, r.told("bob"))
		}
	})
}
