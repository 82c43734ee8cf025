// Package enginetest proves that an engine keeps its promises, whatever it is made of: the one in process, and one on
// another machine. Its helpers follow a session beside a test and wait for what has to come.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
)

// lookAlike are arguments that look like what a log has in the place of a large body.
const lookAlike = `{"$blob":"0000000000000000000000000000000000000000000000000000000000000000","size":1}`

// Replies are what the model says in [Script].
func Replies() []agenttest.Reply {
	return []agenttest.Reply{
		agenttest.Say("hello"),
		agenttest.CallTools("work", lookAlike, "work", `{"$blob":"x"}`),
		agenttest.Say("steered"),
		agenttest.Say("queued"),
		agenttest.CallTool("work", `{"text":`+lookAlike+`}`),
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

// Script says, steers, queues, edits, answers, cancels, and looks at what comes of it. The agent has the tool "work" of the
// gate, [AskBefore] it, and a model that says [Replies]; commands are answered with "SESSION heard LINE". Nothing may be in
// the store.
func Script(t *testing.T, e engine.Engine, g *Gate) {
	t.Helper()
	p := &play{t: t, e: e, g: g}
	p.unknown()
	p.r = Follow(t, e, id, 0)
	p.plain()
	p.steered()
	p.cancelled()
	all := Durable(p.r.Seen)
	WantTexts(t, all, agent.User, "hi", "do it", "wait, do this", "later, edited", "long work", "and now?")
	WantTexts(t, all, agent.Assistant, "hello", "", "steered", "queued", "", "after cancel")
	results := Texts(all, agent.ToolRole)
	if len(results) != 3 || results[0] != "work done" || !strings.Contains(results[1], "skipped") {
		t.Fatalf("results are %q", results)
	}
	var args []string
	for _, e := range all {
		if e.Message == nil {
			continue
		}
		for _, c := range e.Message.Calls() {
			args = append(args, string(c.Args))
		}
	}
	if want := []string{lookAlike, `{"$blob":"x"}`, `{"text":` + lookAlike + `}`}; !slices.Equal(args, want) {
		t.Fatalf("calls have %q, want %q", args, want)
	}
	p.again(all)
	p.known(len(all))
	p.listed()
	p.blobs()
	p.refused()
}

// id is the session of the script.
const id = "s1"

type play struct {
	t *testing.T
	e engine.Engine
	g *Gate
	r *Reader
}

func (p *play) submit(in engine.Input) int64 {
	p.t.Helper()
	return Submit(p.t, p.e, id, in)
}

func (p *play) unknown() {
	if info, err := p.e.Info(p.t.Context(), id); err != nil || info.Seq != 0 || info.Running {
		p.t.Fatalf("Info of an unknown session: %+v %v", info, err)
	}
}

// plain is one turn; the same ID counts once.
func (p *play) plain() {
	first := Say("hi")
	first.ID = "a"
	pos := p.submit(first)
	if again := p.submit(first); again != pos {
		p.t.Fatalf("the same input stands at %d and %d", pos, again)
	}
	if end := p.r.Until("the first end", IsEnd); end.Stop != agent.RunEnd {
		p.t.Fatalf("the first run ended %s", end.Stop)
	}
	p.submit(first) // too late, and still the same
}

// steered has two calls, both asked for; messages come while the first runs.
func (p *play) steered() {
	p.submit(Say("do it"))
	for range 2 {
		p.allow("first")
	}
	p.g.Wait(p.t)
	queue := Say("later")
	queue.Queue = true
	queued := p.submit(queue)
	gone := p.submit(queue)
	steer := p.submit(Say("wait, do this"))
	WaitQueue(p.t, p.e, id, 3)
	edited := Say("later, edited")
	edited.Edit = queued
	p.submit(edited)
	p.submit(engine.Input{Edit: gone})
	WaitQueue(p.t, p.e, id, 2)
	p.g.Open <- struct{}{}
	took := p.r.Until("the steering message", func(e agent.Event) bool { return len(e.Took) > 0 && e.Took[0].Pos == steer })
	if took.Message == nil || took.Message.Text() != "wait, do this" {
		p.t.Fatalf("taken by %+v", took)
	}
	p.r.Until("the end of the steered run", IsEnd)
	p.r.Until("the queued message", func(e agent.Event) bool {
		return e.Message != nil && e.Message.Text() == "later, edited" && e.Took[0].Pos == queued
	})
	p.r.Until("the end of the queued run", IsEnd)
	if _, err := p.e.Submit(p.t.Context(), id, edited); !errors.Is(err, engine.ErrInput) {
		p.t.Fatalf("editing what was taken in: %v", err)
	}
}

// allow answers the next question, twice: the first answer counts.
func (p *play) allow(text string) {
	p.t.Helper()
	ask := p.r.UntilType(agent.EvAsk)
	p.submit(engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Allow: true, Text: text}})
	p.submit(engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Text: "second"}})
	if ans := p.r.UntilType(agent.EvAnswer); !ans.Answer.Allow || ans.Answer.Text != text || len(ans.Took) != 1 {
		p.t.Fatalf("the answer is %+v, took %+v", ans.Answer, ans.Took)
	}
}

// cancelled ends a run: what was said before that goes with it, what is said after it runs.
func (p *play) cancelled() {
	p.submit(Say("long work"))
	p.allow("go on")
	p.g.Wait(p.t)
	drop := Say("never mind")
	drop.Queue = true
	dropped := p.submit(drop)
	p.submit(engine.Input{Cancel: true})
	end := p.r.Until("the cancelled end", IsEnd)
	if end.Stop != agent.RunCancelled || len(end.Took) != 2 || end.Took[0].Pos != dropped {
		p.t.Fatalf("ended %s, took %+v", end.Stop, end.Took)
	}
	p.submit(Say("and now?"))
	p.r.Until("the last end", IsEnd)
}

// again reads the stored events, from several places on.
func (p *play) again(all []agent.Event) {
	for _, after := range []int64{0, 3, int64(len(all))} {
		n := after
		for ev, err := range p.e.Follow(p.t.Context(), id, after, false) {
			if err != nil {
				p.t.Fatal(err)
			}
			if n++; ev.Seq != n || ev.Type != all[n-1].Type {
				p.t.Fatalf("event %d is %d (%s), want %s", n, ev.Seq, ev.Type, all[n-1].Type)
			}
		}
		if n != int64(len(all)) {
			p.t.Fatalf("%d events behind %d, want %d", n-after, after, int64(len(all))-after)
		}
	}
}

func (p *play) known(events int) {
	WaitIdle(p.t, p.e, id)
	info, err := p.e.Info(p.t.Context(), "S1")
	if err != nil || info.ID != id || info.Title != "hi" || info.Seq != int64(events) || info.Running || len(info.Queue) != 0 {
		p.t.Fatalf("Info: %+v %v", info, err)
	}
	if r, err := p.e.Submit(p.t.Context(), id, engine.Input{Command: "/hey"}); err != nil || r.Text != "s1 heard /hey" {
		p.t.Fatal(r, err)
	}
}

// listed has a second session in the list, and takes it away.
func (p *play) listed() {
	other := Say("x")
	other.ID = "other"
	Submit(p.t, p.e, "s2", other) // ends with an error: the script is over
	Follow(p.t, p.e, "s2", 0).Until("the end of the second session", IsEnd)
	WaitIdle(p.t, p.e, "s2")
	if got := strings.Join(p.list(""), ","); got != "s2 x,s1 hi" {
		p.t.Fatalf("sessions are %q", got)
	}
	if got := strings.Join(p.list("s2"), ","); got != "s1 hi" {
		p.t.Fatalf("behind s2 comes %q", got)
	}
	for range 2 {
		if err := p.e.Delete(p.t.Context(), "s2"); err != nil {
			p.t.Fatal(err)
		}
	}
	if info, err := p.e.Info(p.t.Context(), "s2"); err != nil || info.Seq != 0 {
		p.t.Fatalf("a deleted session: %+v %v", info, err)
	}
}

func (p *play) list(before string) (list []string) {
	p.t.Helper()
	for info, err := range p.e.List(p.t.Context(), before) {
		if err != nil {
			p.t.Fatal(err)
		}
		list = append(list, info.ID+" "+info.Title)
	}
	return list
}

func (p *play) blobs() {
	blobs, ok := p.e.(store.Blobs)
	if !ok {
		p.t.Fatal("an engine keeps blobs")
	}
	sha, err := blobs.PutBlob(p.t.Context(), []byte("x"))
	if err != nil {
		p.t.Fatal(err)
	}
	if data, err := blobs.GetBlob(p.t.Context(), sha); err != nil || string(data) != "x" {
		p.t.Fatal(data, err)
	}
	if _, err := blobs.GetBlob(p.t.Context(), strings.Repeat("0", 64)); !errors.Is(err, store.ErrNotFound) {
		p.t.Fatalf("a blob that nobody has put: %v", err)
	}
}

func (p *play) refused() {
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
		if _, err := p.e.Submit(p.t.Context(), id, bad); !errors.Is(err, engine.ErrInput) {
			raw, _ := json.Marshal(bad)
			p.t.Errorf("Submit of %s: %v", raw, err)
		}
	}
	if _, err := p.e.Submit(p.t.Context(), "../x", Say("x")); !errors.Is(err, store.ErrName) {
		p.t.Errorf("a bad session id: %v", err)
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
