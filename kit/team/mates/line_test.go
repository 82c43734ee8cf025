package mates

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent/agenttest"
	"react-agent/kit/team"
	"react-agent/store"
	"react-agent/store/mem"
)

// Lines that people and other programs write are taken as they are meant; one that is no message is told.
func TestLinesFromOutside(t *testing.T) {
	for line, want := range map[string]string{
		`{"from":"a","content":"x"}`:                                               `{"type":"message","from":"a","content":"x","timestamp":0}`,
		`{"type":"note","content":"x","timestamp":"1.5"}`:                          `{"type":"note","from":"","content":"x","timestamp":1.5}`,
		`{"content":"x","timestamp":"2001-09-09T01:46:40Z"}`:                       `{"type":"message","from":"","content":"x","timestamp":1000000000}`,
		`{"content":"x","timestamp":"today"}`:                                      `{"type":"message","from":"","content":"x","timestamp":0}`,
		`{"content":"<x>","z":{"a": 1},"brought":true,"b":"<"}`:                    `{"type":"message","from":"","content":"<x>","timestamp":0,"b":"<","z":{"a":1}}`,
		`{"type":"plan_approval_response","approve":true,"content":"","plan":"p"}`: `{"type":"plan_approval_response","from":"","content":"","timestamp":0,"approve":true,"plan":"p"}`,
		`{"content":"x","approve":"yes"}`:                                          `field "approve" must be true or false`,
		`{"content":{"a":1}}`:                                                      `field "content" must be a text`,
		`{"from":"a"}`:                                                             `field "content" must be a text`,
		`null`:                                                                     `field "content" must be a text`,
		`{broken`:                                                                  `invalid character`,
	} {
		var told []string
		m := bare(t, mem.New(), forever)
		m.o.Warn = func(err error) { told = append(told, err.Error()) }
		for range 2 {
			if _, err := m.o.Log.Append(t.Context(), inboxLog("x"), -1, []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Meet(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.o.Trusted = true
		list, err := m.Inbox(t.Context(), "x", false)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(want, "{") {
			if len(list) != 2 || len(told) != 0 {
				t.Fatalf("%s: %+v, told: %q", line, list, told)
			}
			if raw, err := encode(list[0], ""); err != nil || string(raw) != want {
				t.Errorf("%s: %s %v", line, raw, err)
			}
			continue
		}
		if len(list) != 0 || len(told) != 1 || !strings.HasPrefix(told[0], ".team/inbox/x.jsonl: the line ") || !strings.Contains(told[0], want) {
			t.Errorf("%s: %+v, told: %q", line, list, told)
		}
	}
}

// shut is a store whose logs cannot be read, but for their ends.
type shut struct{ *mem.Store }

func (shut) Read(context.Context, string, int64, bool) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, errors.New("somebody reads")) }
}

// Whoever sends does not read what was sent before.
func TestSendingReadsNothing(t *testing.T) {
	s := mem.New()
	m := New(Options{Log: shut{s}, KV: s, Sessions: still{}, Locks: t.TempDir()})
	for _, key := range []string{"s/1.1", "s/1.2"} {
		res, err := ran(t, m, &Seat{Session: "s"}, toolSend, key, `{"to":"bob","content":"hi"}`)
		if err != nil || res.Text() != "Sent message to bob" {
			t.Fatalf("%+v %v", res, err)
		}
	}
}

// A request to stop has a record and is answered, with whatever tool it was sent, and whether who gets it works or not.
func TestAStopThatIsSent(t *testing.T) {
	for _, idle := range []bool{true, false} {
		in(t, func(t *testing.T, r *rig) {
			r.say(Lead, spawn("bob"), agenttest.Say("started"))
			if !idle {
				r.say("bob", agenttest.CallTool("bash", `{"do":"ask"}`))
			}
			r.tell("go")
			if idle {
				r.say(Lead, call(toolSend, args{"to": "bob", "content": "enough", "msg_type": "shutdown_request"}), agenttest.Say("asked"))
				r.tell("stop bob")
				r.wants("s", "Spawned 'bob' (role: builder)", "Sent shutdown_request to bob")
			} else { // the lead's turn is not over yet: another call of it
				res, err := ran(t, r.mates, &Seat{Session: "s"}, toolSend, "s/99.1", `{"to":"bob","content":"enough","msg_type":"shutdown_request"}`)
				if err != nil || res.Text() != "Sent shutdown_request to bob" {
					t.Fatalf("%+v %v", res, err)
				}
			}
			id := r.requestOf("bob")
			if !idle {
				r.say("bob", call(toolStopped, args{"request_id": id, "approve": true}))
				r.answer("s", true)
			}
			r.pass(time.Second)
			mail := r.mail(Lead)
			if r.mail("bob")[0].Content != "enough" || r.status("bob") != Shutdown || !slices.ContainsFunc(mail, func(m Message) bool {
				return m.Type == ShutdownResponse && m.RequestID == id && *m.Approve
			}) {
				t.Errorf("idle %v: bob is %s, the lead has %+v", idle, r.status("bob"), mail)
			}
		})
	}
	m := bare(t, mem.New(), forever)
	for args, want := range map[string]string{
		`{"to":"ghost","content":"x","msg_type":"shutdown_request"}`:                                       "Error: Unknown teammate 'ghost'",
		`{"to":"bob","content":"` + strings.Repeat("x", maxContent+1) + `","msg_type":"shutdown_request"}`: "Error: the message is longer than 100 KiB: write it to a file and name that",
	} {
		if res, err := ran(t, m, &Seat{Session: "s", Spec: (*team.Spec)(nil)}, toolSend, "s/1.1", args); err != nil || res.Text() != want {
			t.Errorf("%q %v", res.Text(), err)
		}
	}
}
