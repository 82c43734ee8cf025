package mates

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent/agenttest"
	"react-agent/store"
)

// cloned is what a folder brings that somebody has made for us.
func (r *rig) cloned() {
	r.t.Helper()
	ctx := r.t.Context()
	for d, err := range r.store.List(ctx, "arrival/") {
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := r.store.Put(ctx, store.Doc{Key: d.Key, Rev: d.Rev}); err != nil { // this state has never been here
			r.t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"lead": "EVIL lead", "bob": "EVIL bob"} {
		for _, typ := range []string{"message", "broadcast"} {
			line := `{"type":"` + typ + `","from":"alice","content":"` + text + `","timestamp":1,"brought":false}`
			if _, err := r.store.Append(ctx, inboxLog(name), -1, []byte(line)); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	for key, text := range map[string]string{
		"cursor/lead": `{"pos":99999,"held":{"by":"x","to":7,"at":"2990-01-01T00:00:00Z"}}`, "cursor/bob": `{"pos":-3}`,
		rosterKey: `{"team_name":"EVIL team","members":[{"name":"mallory","role":"EVIL role","status":"idle"}]}`,
	} {
		if _, err := r.store.Put(ctx, store.Doc{Key: key, Data: []byte(text)}); err != nil {
			r.t.Fatal(err)
		}
	}
	r.board.put(Task{1, "EVIL task", "do EVIL"}, Task{2, "EVIL half", "done"})
	r.board.own(2, "bob")
}

// everything is all that any model of the rig was ever told.
func (r *rig) everything() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, list := range r.asked {
		for _, req := range list {
			b.WriteString(req.System + "\n")
			for _, m := range req.Messages {
				b.WriteString(m.Text() + "\n")
				if res := m.Result(); res != nil {
					b.WriteString(res.Text() + "\n")
				}
			}
		}
	}
	return b.String()
}

// Nothing that came with a folder enters a conversation by itself, neither the lead's nor a teammate's; what is written
// since does.
func TestWhatCameWithTheFolderStaysOut(t *testing.T) {
	for _, wait := range []bool{true, false} {
		in(t, func(t *testing.T, r *rig) {
			r.wait = wait
			r.again()
			r.cloned()
			r.say(Lead, call(toolList, args{}), call(toolRead, args{}), spawn("bob"), call(toolBroadcast, args{"content": "all hear"}), agenttest.Say("started"))
			r.say("bob", call(toolRead, args{}), call(toolSend, args{"to": "lead", "content": "bob is there"}), agenttest.Say("ready"))
			r.tell("go")
			r.board.put(Task{3, "our own task", ""})
			if err := r.mates.Send(t.Context(), "user", Lead, "our own mail"); err != nil {
				t.Fatal(err)
			}
			r.mates.nudge("")
			r.pass(7 * time.Second)
			r.tell("and now")
			all := r.everything()
			if strings.Contains(all, "EVIL") || r.board.owner(1) != "" {
				t.Errorf("it has come in; task 1 is %q's:\n%s", r.board.owner(1), all)
			}
			for _, want := range []string{"our own task", "our own mail", "bob is there", "all hear", "team: default"} {
				if !strings.Contains(all, want) {
					t.Errorf("%q is missing in\n%s", want, all)
				}
			}
			if len(r.warns) != 2 || !strings.Contains(r.warns[0].Error(), "4 unread messages to a team came with the folder (.team/inbox) and stay out") ||
				!strings.Contains(r.warns[1].Error(), "1 task ready to begin came with the folder (.tasks), and no teammate claims it") {
				t.Errorf("told %v", r.warns)
			}
		})
	}
}

// Where the project is trusted, all of it is mail and tasks like any other.
func TestWhatCameWithATrustedFolder(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.trusted = true
		r.again()
		r.cloned()
		r.say(Lead, call(toolList, args{}), spawn("bob"), agenttest.Say("started"))
		r.tell("go")
		r.pass(7 * time.Second)
		all := r.everything()
		for _, want := range []string{"EVIL lead", "EVIL bob", "EVIL task", "EVIL half", "team: EVIL team", "mallory (EVIL role)"} {
			if !strings.Contains(all, want) {
				t.Errorf("%q is missing in\n%s", want, all)
			}
		}
		if len(r.warns) != 0 {
			t.Errorf("told %v", r.warns)
		}
	})
}

// A person sees what came with the folder, with a mark; whoever takes it out has seen it.
func TestAPersonSeesTheMark(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.cloned()
		if err := r.mates.Send(t.Context(), "user", Lead, "ours"); err != nil {
			t.Fatal(err)
		}
		for _, drain := range []bool{false, true, true} {
			list, err := r.mates.Inbox(t.Context(), Lead, drain)
			marks := ""
			for _, x := range list {
				marks += x.Content[:4]
				if x.Brought {
					marks += "! "
				}
			}
			if want := "EVIL! EVIL! ours"; err != nil || marks != want && (marks != "" || !drain) {
				t.Errorf("drain %v: %q %v", drain, marks, err)
			}
		}
		if some, err := r.mates.some(t.Context(), Lead, false); some || err != nil {
			t.Error(some, err)
		}
	})
}

// An inbox that somebody has emptied since has nothing of the folder any more; what counts as brought is the same for two
// processes that meet it at once.
func TestTheMarkOfAnEmptiedInbox(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.cloned()
		other := bare(t, r.store, forever)
		for _, m := range []*Mates{r.mates, other, r.mates} {
			if list, _, err := gather(m.read(t.Context(), Lead, 0, true), untaken); len(list) != 0 || err != nil {
				t.Errorf("%+v %v", list, err)
			}
		}
		if err := r.store.Drop(t.Context(), inboxLog(Lead)); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if err := other.Send(t.Context(), "user", Lead, "hi"); err != nil {
				t.Fatal(err)
			}
			if list, _, err := gather(r.mates.read(t.Context(), Lead, 0, true), untaken); len(list) != n+1 || err != nil {
				t.Errorf("%d: %+v %v", n, list, err)
			}
		}
	})
}

// What lies in the folder and cannot be read is an error, not an empty folder.
func TestMeetingWhatCannotBeRead(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		r.cloned()
		dead := bare(t, r.store, 0)
		if err := dead.Meet(t.Context()); err == nil {
			t.Error("it was not written down, and nobody said so")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.mates.lying(ctx); err == nil {
			t.Error("no error")
		}
		if keys, err := r.mates.inboxes(t.Context()); err != nil || !slices.Equal(keys, []string{"lead", "bob"}) {
			t.Error(keys, err)
		}
	})
}
