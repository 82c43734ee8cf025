package agenttest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestModelPlaysItsScript(t *testing.T) {
	var waited bool
	m := agenttest.NewModel(
		agenttest.Reply{Thinking: "hm", Text: "calling", Calls: []agent.Call{{Name: "a"}}, Wait: func(context.Context) { waited = true }},
		agenttest.CallTools("a", `{}`, "b", `[]`), agenttest.Fail(errors.New("broken")), agenttest.Reply{Text: "cut", Stop: agent.StopLength},
	)
	read := func() (kinds []string, stop agent.StopReason, err error) {
		for c, cerr := range m.Stream(t.Context(), &agent.Request{System: "s"}) {
			if cerr != nil {
				return kinds, stop, cerr
			}
			if c.Part != nil {
				kinds = append(kinds, string(c.Part.Kind))
			}
			stop = c.Stop
		}
		return kinds, stop, nil
	}
	for i, want := range []struct {
		kinds string
		stop  agent.StopReason
		err   string
	}{{"thinking text call", agent.StopCalls, ""}, {"call call", agent.StopCalls, ""}, {"", "", "broken"}, {"text", agent.StopLength, ""}, {"", "", "request 5 is not in the script"}} {
		kinds, stop, err := read()
		if strings.Join(kinds, " ") != want.kinds || stop != want.stop || (err == nil) != (want.err == "") || (err != nil && !strings.Contains(err.Error(), want.err)) {
			t.Errorf("reply %d: %v %q %v, want %+v", i+1, kinds, stop, err, want)
		}
	}
	if !waited || len(m.Requests()) != 5 || len(m.Bodies()) != 5 || m.Requests()[0].System != "s" {
		t.Errorf("waited %v, %d requests", waited, len(m.Requests()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m = agenttest.NewModel(agenttest.Say("never heard"))
	for c, err := range m.Stream(ctx, &agent.Request{}) {
		if me, ok := errors.AsType[*agent.ModelError](err); !ok || me.Kind != agent.ErrNetwork {
			t.Errorf("a cancelled request gave %+v %v", c, err)
		}
	}
	for range agenttest.NewModel(agenttest.Reply{Thinking: "a", Text: "b"}).Stream(t.Context(), &agent.Request{}) {
		break // must not be yielded to again
	}
}

func TestBodiesExtend(t *testing.T) {
	req := &agent.Request{System: "s", Tools: []agent.Tool{{Name: "a", Alias: "shown"}}, Messages: []agent.Message{agent.TextMessage(agent.User, "<hi>")}}
	first, err := agenttest.Body(req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, agent.TextMessage(agent.Assistant, "hello"))
	second, err := agenttest.Body(req)
	if err != nil || !bytes.HasPrefix(second, first) || bytes.Equal(first, second) || !bytes.Contains(first, []byte("<hi>")) || !bytes.Contains(first, []byte("shown")) {
		t.Errorf("%v\n%s\n%s", err, first, second)
	}
	req.Tools[0].Schema = []byte("{")
	if _, err := agenttest.Body(req); err == nil {
		t.Error("a broken schema has a body")
	}
	for _, err := range agenttest.NewModel(agenttest.Say("x")).Stream(t.Context(), req) {
		if err == nil {
			t.Error("a request without a body was answered")
		}
	}
}

func TestJournalKeepsAndRefuses(t *testing.T) {
	full := errors.New("full")
	var j agenttest.Journal
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("one")), Journal: j.Append}
	evs, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("hi")))
	if err != nil || evs[len(evs)-1].Type != agent.EvEnd {
		t.Fatal(err)
	}
	s, err := j.Load("s", 1)
	if err != nil || len(s.Messages) != 1 || !s.Open {
		t.Errorf("%+v %v", s, err)
	}
	j.Fail = func(*agent.Event) error { return full }
	if _, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("hi"))); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if s, err := j.Load("s", -1); err != nil || len(s.Messages) != 2 {
		t.Errorf("%+v %v", s, err)
	}
	j.Fail = nil
	if err := j.Append(t.Context(), &agent.Event{State: map[string]json.RawMessage{"x": json.RawMessage("{")}}); err == nil {
		t.Error("broken JSON was stored")
	}
}

func TestTrimKeepsCallsWithTheirResults(t *testing.T) {
	m := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
		if n%2 == 0 {
			return agenttest.CallTools("none", `{}`, "none", `{}`)
		}
		return agenttest.Say("ok")
	}}
	a := &agent.Agent{Model: m}
	s := agent.NewSession("s")
	for range 3 {
		if _, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("hi"))); err != nil {
			t.Fatal(err)
		}
	}
	for keep := range len(s.Messages) + 1 {
		trim, err := agenttest.Trim(keep)(t.Context(), s, agent.Need{Why: agent.Asked})
		if err != nil {
			t.Fatal(err)
		}
		if trim == nil {
			if keep < len(s.Messages)-1 {
				t.Errorf("keep %d: nothing to do", keep)
			}
			continue
		}
		for _, msg := range s.Messages {
			if msg.Seq == trim.From && msg.Role == agent.ToolRole {
				t.Errorf("keep %d: cut before a result", keep)
			}
		}
	}
	if trim, _ := agenttest.Trim(1)(t.Context(), s, agent.Need{Why: agent.Check}); trim != nil {
		t.Error("a check compacted")
	}
}
