package mates

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/kit/team"
	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/mem"
)

// counting is a store that counts the records that are read.
type counting struct {
	*mem.Store
	read int
}

func (c *counting) Read(ctx context.Context, name string, after int64, follow bool) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for rec, err := range c.Store.Read(ctx, name, after, follow) {
			if c.read++; !yield(rec, err) {
				return
			}
		}
	}
}

// However much waits, only so much is read at once; the rest comes with the next reading, and whoever reads hears of it.
func TestALargeInbox(t *testing.T) {
	const n = 10 // of 100 KiB each
	s := &counting{Store: mem.New()}
	m := New(Options{Log: s, KV: s, Sessions: still{}, Locks: t.TempDir()})
	for i := range n {
		if err := m.Send(t.Context(), "user", Lead, fmt.Sprint(i, strings.Repeat("x", maxContent))); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(list []Message, first, last int) {
		t.Helper()
		got := ""
		for _, x := range list {
			got += x.From + x.Content[:1] + " "
		}
		want := ""
		for i := first; i < last; i++ {
			want += fmt.Sprintf("user%d ", i)
		}
		if last < n {
			want += "teamM "
		}
		if got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
	for _, c := range []struct {
		drain       bool
		first, last int
	}{{false, 0, 2}, {true, 0, 2}, {true, 2, 4}} {
		s.read = 0
		list, err := m.Inbox(t.Context(), Lead, c.drain)
		if wants(list, c.first, c.last); err != nil || s.read != 3 {
			t.Errorf("%d were read; %v", s.read, err)
		}
	}
	s.read = 0
	if some, err := m.some(t.Context(), Lead, false); !some || s.read != 1 || err != nil {
		t.Errorf("%v, %d were read; %v", some, s.read, err)
	}
	x := agent.NewSession("s")
	for first := 4; first < 8; first += 2 {
		key := fmt.Sprintf("s/%d.1", first)
		if _, err := m.Seat(&Seat{Session: "s"}).beforeTool(t.Context(), x, agent.Tool{Name: toolRead}, agent.Call{Key: key, Name: toolRead}); err != nil {
			t.Fatal(err)
		}
		res, err := ran(t, m, &Seat{Session: "s"}, toolRead, key, `{}`)
		if got := strings.Count(res.Text(), `"from": "user"`); got != 2 || !strings.Contains(res.Text(), "More messages wait behind these.") || err != nil {
			t.Errorf("%d messages; %v", got, err)
		}
		x.State = res.State
	}
	note, err := m.Seat(&Seat{Session: "s"}).leadMail(t.Context(), x)
	if err != nil || note == nil || len(note.Took) != 2 || strings.Contains(note.Messages[0].Text(), "More messages") {
		t.Errorf("%+v %v", note, err)
	}
}

// An answer finds out without reading the lead's mail whether it was given before.
func TestAnsweringReadsNothing(t *testing.T) {
	s := mem.New()
	m := New(Options{Log: shut{s}, KV: s, Sessions: still{}, Locks: t.TempDir()})
	if err := m.newRequest(t.Context(), "0000000a", request{Kind: ShutdownRequest, Name: "bob", Session: "s.1", Status: pending}); err != nil {
		t.Fatal(err)
	}
	bob := &Seat{Session: "s.1", Spec: &team.Spec{Mate: "bob"}}
	if res, err := ran(t, m, bob, toolStopped, "s.1/5.1", `{"request_id":"0000000a","approve":true}`); err != nil || res.Text() != "Shutdown approved" {
		t.Errorf("%+v %v", res, err)
	}
	if err := m.obituary(t.Context(), &mate{Name: "bob", Session: "s.1"}, "it hung", ""); err != nil {
		t.Error(err)
	}
	again := bare(t, s, forever)
	for range 2 {
		if err := again.obituary(t.Context(), &mate{Name: "bob", Session: "s.1"}, "it hung", ""); err != nil {
			t.Error(err)
		}
		if err := again.agree(t.Context(), &mate{Name: "bob", Session: "s.1"}, "ended"); err != nil {
			t.Error(err)
		}
	}
	if list, err := again.Inbox(t.Context(), Lead, true); len(list) != 2 || err != nil {
		t.Errorf("%+v %v", list, err)
	}
}

// A message without its newline is one, also when others are written behind it; it came with the folder if it lay there.
func TestALineWithoutItsEnd(t *testing.T) {
	work := t.TempDir()
	s, err := disk.Open(t.TempDir(), disk.Options{
		Durability: disk.Process, Logs: []disk.Place{{Kind: "inbox", Dir: filepath.Join(work, ".team", "inbox"), Within: work}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	m := New(Options{Log: s, KV: s, Sessions: still{}, Locks: t.TempDir(), Warn: func(err error) { told = append(told, err.Error()) }})
	write := func(line string) {
		t.Helper()
		at := filepath.Join(work, ".team", "inbox", "lead.jsonl")
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(at, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"content":"EVIL"}`)
	if err := m.Meet(t.Context()); err != nil {
		t.Fatal(err)
	}
	send := func(text string) {
		t.Helper()
		if err := m.Send(t.Context(), "user", Lead, text); err != nil {
			t.Fatal(err)
		}
	}
	send("one")
	write(`{"content":"two"}`)
	send("three")
	write(`{"content":`)
	send("four")
	write(`{"content":"five"}`)
	list, _, err := gather(m.read(t.Context(), Lead, 0, true), untaken)
	got := ""
	for _, x := range list {
		got += x.Content + " "
	}
	if got != "one two three four five " || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], `the line "{\"content\":" is no message`) {
		t.Errorf("told %q", told)
	}
}

// Who reads on in an inbox that somebody has emptied takes its messages from everybody else, as ever.
func TestAnEmptiedInboxHasOneReader(t *testing.T) {
	s := mem.New()
	m := bare(t, s, forever)
	read := func(session string, want ...string) {
		t.Helper()
		list, err := m.take(t.Context(), Lead, session, untaken)
		if got := messages(list); err != nil || len(got) != len(want) || len(got) > 0 && got[0].Content != want[0] {
			t.Errorf("%s has %+v, wanted %q; %v", session, got, want, err)
		}
		if len(list) > 0 {
			if err := m.release(t.Context(), Lead, session, list[len(list)-1].pos); err != nil {
				t.Fatal(err)
			}
		}
	}
	send := func(text string) {
		t.Helper()
		if err := m.Send(t.Context(), "user", Lead, text); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		send("before")
	}
	read("a", "before", "before", "before")
	if err := s.Drop(t.Context(), inboxLog(Lead)); err != nil {
		t.Fatal(err)
	}
	send("one")
	read("a", "one")
	read("b")
	send("two")
	read("b", "two")
	read("a")
}
