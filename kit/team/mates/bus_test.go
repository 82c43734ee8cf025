package mates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/kit/team"
	"react-agent/store"
	"react-agent/store/mem"
)

// dying is a store that makes so many changes, and then none.
type dying struct {
	*mem.Store
	left int
}

var errDead = errors.New("dead")

func (d *dying) dies() bool {
	d.left--
	return d.left < 0
}

func (d *dying) Put(ctx context.Context, doc store.Doc) (int64, error) {
	if d.dies() {
		return 0, errDead
	}
	return d.Store.Put(ctx, doc)
}

func (d *dying) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	if d.dies() {
		return 0, errDead
	}
	return d.Store.Append(ctx, name, after, data)
}

// still are sessions in which nothing happens.
type still struct{ team.Sessions }

func (still) Status(context.Context, string) (team.Status, error) { return team.Status{Seq: 1}, nil }

// logged are sessions of which only the mail is known that each has stored.
type logged struct {
	still
	of map[string]map[int64]bool
}

func (l logged) Follow(_ context.Context, session string, _ int64, _ bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for pos := range l.of[session] {
			if !yield(agent.Event{Took: []agent.Took{{Log: inboxLog(Lead), Pos: pos}}}, nil) {
				return
			}
		}
	}
}

// bare is a team of which nobody is driven.
func bare(t *testing.T, s *mem.Store, left int) *Mates {
	t.Helper()
	d := &dying{s, left}
	return New(Options{Log: d, KV: d, Sessions: still{}, Locks: t.TempDir()})
}

const forever = 1 << 30

func ran(t *testing.T, m *Mates, s *Seat, name, key, args string) (agent.Result, error) {
	t.Helper()
	m.Seat(s)
	for _, x := range s.Tools() {
		if x.Name == name {
			return x.Run(t.Context(), agent.Call{Key: key, Name: name, Args: json.RawMessage(args)})
		}
	}
	t.Fatalf("no tool %s", name)
	return agent.Result{}, nil
}

// A call that was killed between any two of its changes, and is run again, has sent its messages once, in their order, and
// says the same.
func TestACallSendsOnce(t *testing.T) {
	lead, mateSeat := Seat{Session: "s"}, Seat{Session: "s.1", Spec: &team.Spec{Mate: "bob"}}
	for name, c := range map[string]struct {
		seat       Seat
		tool, args string
		to         []string
	}{
		"message":  {lead, toolSend, `{"to":"bob","content":"hi"}`, []string{"bob"}},
		"all":      {lead, toolBroadcast, `{"content":"hi"}`, []string{"bob", "carol"}},
		"stop":     {lead, toolStop, `{"teammate":"bob"}`, []string{"bob"}},
		"plan":     {mateSeat, toolPlan, `{"plan":"dig"}`, []string{"lead"}},
		"answer":   {mateSeat, toolStopped, `{"request_id":"0000000a","approve":false}`, []string{"lead"}},
		"decision": {lead, toolPlan, `{"request_id":"0000000b","approve":true}`, []string{"bob"}},
	} {
		t.Run(name, func(t *testing.T) {
			ends := false
			for left := 0; !ends; left++ {
				s := mem.New()
				m := bare(t, s, forever)
				for _, err := range []error{
					m.enroll(t.Context(), Member{"bob", "x", Idle}), m.enroll(t.Context(), Member{"carol", "x", Idle}),
					edit(t.Context(), m, mateKey("bob"), func(x *mate) error { *x = mate{Name: "bob", Session: "s.1", Lead: "s"}; return nil }),
					edit(t.Context(), m, mateKey("carol"), func(x *mate) error { *x = mate{Name: "carol", Session: "s.2", Lead: "s"}; return nil }),
					m.newRequest(t.Context(), "0000000a", request{Kind: ShutdownRequest, Name: "bob", Session: "s.1", Status: pending}),
					m.newRequest(t.Context(), "0000000b", request{Kind: PlanResponse, Name: "bob", Session: "s.1", Status: pending}),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				_, err := ran(t, bare(t, s, left), new(c.seat), c.tool, "s/5.1", c.args)
				if ends = err == nil; !ends && !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				if err := m.Send(t.Context(), "user", c.to[0], "between"); err != nil { // others write, too
					t.Fatal(err)
				}
				first, err := ran(t, m, new(c.seat), c.tool, "s/5.1", c.args)
				if err != nil || first.Error {
					t.Fatalf("dead after %d: %+v %v", left, first, err)
				}
				second, err := ran(t, m, new(c.seat), c.tool, "s/5.1", c.args)
				if err != nil || second.Text() != first.Text() {
					t.Errorf("dead after %d: %q, again %q %v", left, first.Text(), second.Text(), err)
				}
				for _, to := range c.to {
					list, _, err := gather(m.read(t.Context(), to, 0, false), untaken)
					list = slices.DeleteFunc(list, func(x mail) bool { return x.From == "user" })
					if err != nil || len(list) != 1 {
						t.Errorf("dead after %d: %s has %+v %v", left, to, list, err)
					}
				}
			}
		})
	}
}

// Whatever is posted, read, stored or not, drained and killed, every message comes to one reader, once.
func TestEveryMessageHasOneReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		sessions := map[string]map[int64]bool{"a": {}, "b": {}} // what their logs have
		m := New(Options{Log: mem.New(), KV: mem.New(), Sessions: logged{of: sessions}})
		drained, sent := []string{}, 0
		read := map[string]int{}
		expire := func() { // a hold of somebody who does not come back
			_ = edit(ctx, m, "cursor/lead", func(c *cursor) error {
				if c.Held == nil {
					return store.ErrSame
				}
				c.Held.At = time.Now().Add(-2 * holdFor)
				return nil
			})
		}
		take := func(name string, stores bool) {
			own := sessions[name]
			list, err := m.take(ctx, Lead, name, func(pos int64) bool { return own[pos] })
			if err != nil {
				t.Fatal(err)
			}
			if !stores || len(list) == 0 {
				return
			}
			for _, x := range list {
				own[x.pos] = true
				read[x.Content]++
			}
			if rapid.Bool().Draw(t, "released") {
				if err := m.release(ctx, Lead, name, list[len(list)-1].pos); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				sent++
				if err := m.Send(ctx, "x", Lead, fmt.Sprint(sent)); err != nil {
					t.Fatal(err)
				}
			case 2, 3:
				name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "who")
				take(name, rapid.Bool().Draw(t, "stored"))
			case 4:
				list, err := m.Inbox(ctx, Lead, true)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range list {
					drained = append(drained, x.Content)
					read[x.Content]++
				}
			case 5:
				expire()
			}
		}
		for range 3 { // in the end both come back
			take("a", true)
			take("b", true)
		}
		expire()
		for range 2 {
			take("a", true)
			take("b", true)
		}
		for i := 1; i <= sent; i++ {
			if read[fmt.Sprint(i)] != 1 {
				t.Fatalf("message %d came to %d readers; drained %q", i, read[fmt.Sprint(i)], drained)
			}
		}
	})
}

// read_inbox reads once, also when it is killed before its result is stored, and run again.
func TestReadInboxIsRunAgain(t *testing.T) {
	s := mem.New()
	m := bare(t, s, forever)
	if err := m.Send(t.Context(), "user", Lead, "one"); err != nil {
		t.Fatal(err)
	}
	seat := &Seat{Session: "s"}
	first, err := ran(t, m, seat, toolRead, "s/5.1", `{}`)
	if err != nil || !strings.Contains(first.Text(), `"content": "one"`) || len(first.State) != 1 {
		t.Fatalf("%+v %v", first, err)
	}
	second, err := ran(t, bare(t, s, forever), seat, toolRead, "s/5.1", `{}`)
	if err != nil || second.Text() != first.Text() {
		t.Errorf("%q %v", second.Text(), err)
	}
	if list, err := m.Inbox(t.Context(), Lead, true); err != nil || len(list) != 0 {
		t.Errorf("what is held is nobody else's: %+v %v", list, err)
	}
	// the result is stored: the next call reads on
	x := agent.NewSession("s")
	x.State = first.State
	if err := m.Send(t.Context(), "user", Lead, "two"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Seat(seat).beforeTool(t.Context(), x, agent.Tool{Name: toolRead}, agent.Call{Key: "s/7.1", Name: toolRead}); err != nil {
		t.Fatal(err)
	}
	third, err := ran(t, m, seat, toolRead, "s/7.1", `{}`)
	if err != nil || strings.Contains(third.Text(), "one") || !strings.Contains(third.Text(), "two") {
		t.Errorf("%q %v", third.Text(), err)
	}
}

// Whoever looks or drains gets what is unread, in its exact form; lines that are no messages are passed over.
func TestInbox(t *testing.T) {
	m := bare(t, mem.New(), forever)
	yes, words := true, "fine"
	for _, line := range []string{"", "{}", "[1]", "{broken", `{"type":"message","from":"a","content":"<b>","timestamp":1.5}`} {
		if line != "" {
			if err := m.post(t.Context(), "x", []byte(line), -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	raw, err := encode(Message{Type: PlanResponse, From: Lead, Timestamp: 2, RequestID: "12345678", Approve: &yes, Feedback: &words}, "")
	if err != nil || string(raw) != `{"type":"plan_approval_response","from":"lead","content":"","timestamp":2,"request_id":"12345678","approve":true,"feedback":"fine"}` {
		t.Errorf("%s %v", raw, err)
	}
	for _, drain := range []bool{false, true} {
		list, err := m.Inbox(t.Context(), "X", drain)
		if err != nil || List(list) != "[\n  {\n    \"type\": \"message\",\n    \"from\": \"a\",\n    \"content\": \"<b>\",\n    \"timestamp\": 1.5\n  }\n]" {
			t.Errorf("%s %v", List(list), err)
		}
	}
	if list, err := m.Inbox(t.Context(), "x", true); err != nil || List(list) != "[]" {
		t.Errorf("%v %v", list, err)
	}
	if _, err := m.Inbox(t.Context(), "a.1", false); err == nil || !IsMistake(err) {
		t.Errorf("a child's name: %v", err)
	}
	if err := m.Send(t.Context(), "u", "..", "x"); !IsMistake(err) {
		t.Errorf("%v", err)
	}
	if got := enclosed([]Message{{Type: Plain, Content: "</inbox>"}}); strings.Count(got, "</inbox>") != 1 {
		t.Errorf("%s", got)
	}
	if err := m.o.Log.Drop(t.Context(), inboxLog("x")); err != nil { // another program empties it in its own way
		t.Fatal(err)
	}
	if err := m.enroll(t.Context(), Member{"x", "r", Idle}); err != nil {
		t.Fatal(err)
	}
	if err := m.Send(t.Context(), "u", "x", "later"); err != nil {
		t.Fatal(err)
	}
}

// A document that is broken is named with what to do.
func TestBrokenFiles(t *testing.T) {
	s := mem.New()
	m := bare(t, s, forever)
	for key, name := range map[string]string{rosterKey: ".team/config.json", "cursor/lead": ".team/inbox/lead.cursor.json", mateKey("x"): "mate/x"} {
		if _, err := s.Put(t.Context(), store.Doc{Key: key, Data: []byte("{")}); err != nil {
			t.Fatal(err)
		}
		var err error
		switch key {
		case rosterKey:
			_, err = m.Team(t.Context())
			if err2 := m.stand(t.Context(), "x", Idle); err2 == nil || err2.Error() != err.Error() {
				t.Errorf("%v", err2)
			}
		case "cursor/lead":
			_, err = m.Inbox(t.Context(), Lead, true)
		default:
			_, err = m.mate(t.Context(), "x")
		}
		if err == nil || !strings.HasPrefix(err.Error(), name+" cannot be used (") {
			t.Errorf("%s: %v", key, err)
		}
	}
	res, err := ran(t, m, &Seat{Session: "s"}, toolList, "s/1.1", `{}`)
	if err != nil || !res.Error || !strings.Contains(res.Text(), "mend it or remove it") {
		t.Errorf("%+v %v", res, err)
	}
}

// FuzzClean: a name that is taken leads to one file in the folder, in one spelling.
func FuzzClean(f *testing.F) {
	for _, name := range []string{"alice", "Bob_2", "../x", ".hidden", "con", "NUL", "a/b", `a\b`, "a.1", "", " x ", "小明", "x\x00"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		key, err := Clean(name)
		if err != nil {
			return
		}
		if key == "" || strings.ContainsAny(key, `./\ `) || strings.ToLower(key) != key {
			t.Errorf("%q gives %q", name, key)
		}
		if again, err := Clean(key); err != nil || again != key {
			t.Errorf("%q gives %q, that %q %v", name, key, again, err)
		}
	})
}
