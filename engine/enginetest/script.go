// Package enginetest proves that an engine keeps its promises, whatever it is made of: the one in process, and one on
// another machine. Its helpers follow a session beside a test and wait for what has to come.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
)

// Replies are what the model says in [Script].
func Replies() []agenttest.Reply {
	return []agenttest.Reply{
		agenttest.Say("hello"),
		agenttest.CallTools("work", "{}", "work", "{}"),
		agenttest.Say("steered"),
		agenttest.Say("queued"),
		agenttest.CallTool("work", "{}"),
		agenttest.Say("after cancel"),
	}
}

// AskBefore is a hook that asks before each call of a tool.
func AskBefore(name string) agent.Hook {
	return agent.Hook{Name: "ask", BeforeTool: func(_ context.Context, _ *agent.Session, tool agent.Tool, _ agent.Call) (agent.Decision, error) {
		if tool.Name == name {
			return agent.Decision{Verdict: agent.AskFirst, Reason: "may it?"}, nil
		}
		return agent.Decision{}, nil
	}}
}

// IsEnd reports whether a run ends with an event.
func IsEnd(e agent.Event) bool { return e.Type == agent.EvEnd }

// Script says, steers, queues, edits, answers, cancels, and looks at what comes of it.
func Script(t *testing.T, e engine.Engine, g *Gate) {
	t.Helper()
	const id = "s1"
	if info, err := e.Info(t.Context(), id); err != nil || info.Seq != 0 || info.Running {
		t.Fatalf("Info of an unknown session: %+v %v", info, err)
	}
	r := Follow(t, e, id, 0)

	// one plain turn; the same ID counts once
	first := Say("hi")
	first.ID = "a"
	pos := Submit(t, e, id, first)
	if again := Submit(t, e, id, first); again != pos {
		t.Fatalf("the same input stands at %d and %d", pos, again)
	}
	end := r.Until("the first end", IsEnd)
	if end.Stop != agent.RunEnd {
		t.Fatalf("the first run ended %s", end.Stop)
	}
	Submit(t, e, id, first) // too late, and still the same

	// two calls, both asked for; a message comes while the first runs
	Submit(t, e, id, Say("do it"))
	for range 2 {
		ask := r.UntilType(agent.EvAsk)
		Submit(t, e, id, engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Allow: true, Text: "first"}})
		Submit(t, e, id, engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Text: "second"}})
		if ans := r.UntilType(agent.EvAnswer); !ans.Answer.Allow || ans.Answer.Text != "first" || len(ans.Took) != 1 {
			t.Fatalf("the answer is %+v, took %+v", ans.Answer, ans.Took)
		}
	}
	g.Wait(t)
	queue := Say("later")
	queue.Queue = true
	queued := Submit(t, e, id, queue)
	gone := Submit(t, e, id, queue)
	steer := Submit(t, e, id, Say("wait, do this"))
	WaitQueue(t, e, id, 3)
	edited := Say("later, edited")
	edited.Edit = queued
	Submit(t, e, id, edited)
	Submit(t, e, id, engine.Input{Edit: gone})
	WaitQueue(t, e, id, 2)
	g.Open <- struct{}{}
	took := r.Until("the steering message", func(e agent.Event) bool { return len(e.Took) > 0 && e.Took[0].Pos == steer })
	if took.Message == nil || took.Message.Text() != "wait, do this" {
		t.Fatalf("taken by %+v", took)
	}
	r.Until("the end of the steered run", IsEnd)
	r.Until("the queued message", func(e agent.Event) bool {
		return e.Message != nil && e.Message.Text() == "later, edited" && e.Took[0].Pos == queued
	})
	r.Until("the end of the queued run", IsEnd)
	if _, err := e.Submit(t.Context(), id, edited); !errors.Is(err, engine.ErrInput) {
		t.Fatalf("editing what was taken in: %v", err)
	}

	// cancel: what was said before it goes with it, what is said after it runs
	Submit(t, e, id, Say("long work"))
	ask := r.UntilType(agent.EvAsk)
	Submit(t, e, id, engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Allow: true}})
	g.Wait(t)
	drop := Say("never mind")
	drop.Queue = true
	dropped := Submit(t, e, id, drop)
	Submit(t, e, id, engine.Input{Cancel: true})
	end = r.Until("the cancelled end", IsEnd)
	if end.Stop != agent.RunCancelled || len(end.Took) != 2 || end.Took[0].Pos != dropped {
		t.Fatalf("ended %s, took %+v", end.Stop, end.Took)
	}
	Submit(t, e, id, Say("and now?"))
	r.Until("the last end", IsEnd)

	// every answer once, in order; a skipped call has its result
	all := Durable(r.Seen)
	WantTexts(t, all, agent.User, "hi", "do it", "wait, do this", "later, edited", "long work", "and now?")
	WantTexts(t, all, agent.Assistant, "hello", "", "steered", "queued", "", "after cancel")
	results := Texts(all, agent.ToolRole)
	if len(results) != 3 || results[0] != "work done" || !strings.Contains(results[1], "skipped") {
		t.Fatalf("results are %q", results)
	}
	reads(t, e, id, all)
}

// reads looks at a session in all the other ways.
func reads(t *testing.T, e engine.Engine, id string, all []agent.Event) {
	t.Helper()
	for _, after := range []int64{0, 3, int64(len(all))} {
		n := after
		for ev, err := range e.Follow(t.Context(), id, after, false) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; ev.Seq != n || ev.Type != all[n-1].Type {
				t.Fatalf("event %d is %d (%s), want %s", n, ev.Seq, ev.Type, all[n-1].Type)
			}
		}
		if n != int64(len(all)) {
			t.Fatalf("%d events behind %d, want %d", n-after, after, int64(len(all))-after)
		}
	}
	WaitIdle(t, e, id)
	info, err := e.Info(t.Context(), "S1")
	if err != nil || info.ID != id || info.Title != "hi" || info.Seq != int64(len(all)) || info.Running || len(info.Queue) != 0 {
		t.Fatalf("Info: %+v %v", info, err)
	}
	if r, err := e.Submit(t.Context(), id, engine.Input{Command: "/hey"}); err != nil || r.Text != "s1 heard /hey" {
		t.Fatal(r, err)
	}
	other := Say("x")
	other.ID = "other"
	Submit(t, e, "s2", other) // ends with an error: the script is over
	Follow(t, e, "s2", 0).Until("the end of the second session", IsEnd)
	WaitIdle(t, e, "s2")
	var ids []string
	for info, err := range e.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, info.ID+" "+info.Title)
	}
	if strings.Join(ids, ",") != "s2 x,s1 hi" {
		t.Fatalf("sessions are %q", ids)
	}
	for info, err := range e.List(t.Context(), "s2") {
		if err != nil || info.ID != "s1" {
			t.Fatalf("behind s2 comes %+v %v", info, err)
		}
	}
	for range 2 {
		if err := e.Delete(t.Context(), "s2"); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := e.Info(t.Context(), "s2"); err != nil || info.Seq != 0 {
		t.Fatalf("a deleted session: %+v %v", info, err)
	}
	blobs, ok := e.(store.Blobs)
	if !ok {
		t.Fatal("an engine keeps blobs")
	}
	sha, err := blobs.PutBlob(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := blobs.GetBlob(t.Context(), sha); err != nil || string(data) != "x" {
		t.Fatal(data, err)
	}
	for _, bad := range []engine.Input{
		{},
		{Cancel: true, Quiet: true},
		{Message: &agent.Message{}},
		{Message: &agent.Message{Role: agent.Assistant, Parts: []agent.Part{agent.TextPart("x")}}},
		{Message: &agent.Message{Parts: []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{}}}}},
		{Edit: 99999},
		{Edit: -1},
		{Answer: &agent.Answer{}},
	} {
		if _, err := e.Submit(t.Context(), id, bad); err == nil {
			raw, _ := json.Marshal(bad)
			t.Errorf("Submit took %s", raw)
		}
	}
	if _, err := e.Submit(t.Context(), "../x", Say("x")); !errors.Is(err, store.ErrName) {
		t.Errorf("a bad session id: %v", err)
	}
}

// WaitQueue waits until so many messages wait.
func WaitQueue(t *testing.T, e engine.Engine, id string, n int) {
	t.Helper()
	WaitInfo(t, e, id, func(i engine.SessionInfo) bool { return len(i.Queue) == n })
}

// WaitIdle waits until nobody works on a session.
func WaitIdle(t *testing.T, e engine.Engine, id string) {
	t.Helper()
	WaitInfo(t, e, id, func(i engine.SessionInfo) bool { return !i.Running })
}

// WaitInfo asks until the session is so.
func WaitInfo(t *testing.T, e engine.Engine, id string, fits func(engine.SessionInfo) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	for {
		info, err := e.Info(ctx, id)
		if err != nil {
			t.Fatalf("Info: %v", err)
		}
		if fits(info) {
			return
		}
	}
}
