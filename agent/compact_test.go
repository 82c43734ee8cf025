package agent_test

import (
	"context"
	"errors"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A head stands in the place of the one before, also when what stays is older than that; a trim without a head leaves it.
func TestHeadReplacesTheOneBefore(t *testing.T) {
	j := &agenttest.Journal{}
	s := agent.NewSession("s")
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two"), agenttest.Say("three")), Journal: j.Append}
	mustRun(t, a.Run(t.Context(), s, agent.Say("first")))
	mustRun(t, a.Run(t.Context(), s, agent.Say("second")))
	var from int64
	for _, m := range s.Messages {
		if m.Text() == "second" {
			from = m.Seq
		}
	}
	head := ""
	a.Compact = func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
		if n.Why != agent.Asked {
			return nil, nil
		}
		tr := &agent.Trim{From: from}
		if head != "" {
			tr.Head = []agent.Message{agent.TextMessage(agent.User, head)}
		}
		return tr, nil
	}
	want := func(words ...string) {
		t.Helper()
		again := load(t, j, "s")
		if d := diffSessions(s, again); d != "" {
			t.Error(d)
		}
		got := spoken(again)
		if len(got) != len(words) {
			t.Fatalf("%q, want %q", got, words)
		}
		for i := range got {
			if got[i] != words[i] {
				t.Fatalf("%q, want %q", got, words)
			}
		}
	}
	for _, head = range []string{"A", "B"} {
		mustRun(t, a.CompactNow(t.Context(), s, ""))
		want(head, "second", "two")
	}
	at := s.Compacted()
	head = ""
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	want("B", "second", "two")
	if s.Compacted() != at {
		t.Errorf("the head is of event %d, and said to be of %d", at, s.Compacted())
	}
	mustRun(t, a.Run(t.Context(), s, agent.Say("third")))
	want("B", "second", "two", "third", "three")
	head = "C"
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	want("C", "second", "two", "third", "three")
}

// Two compactions that do not help are followed by the question why; what is said then is what the run ends with.
func TestOverflowAsksWhy(t *testing.T) {
	full := agenttest.Fail(&agent.ModelError{Kind: agent.ErrContextLength, Err: errors.New("too long")})
	m := agenttest.NewModel(full, full, full)
	var tries []int
	a := &agent.Agent{Model: m, Compact: func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
		if n.Why != agent.Overflow {
			return nil, nil
		}
		tries = append(tries, n.Tries)
		if n.Tries == 2 {
			return nil, errors.New("the tools fill it")
		}
		return &agent.Trim{From: 1}, nil
	}}
	evs := mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	end := lastEnd(t, evs)
	if end.Stop != agent.RunOverflow || end.Text != "the tools fill it" || end.Error == nil || end.Error.Kind != agent.ErrContextLength {
		t.Errorf("%s %q %+v", end.Stop, end.Text, end.Error)
	}
	if len(tries) != 3 || tries[0] != 0 || tries[1] != 1 || tries[2] != 2 || len(m.Requests()) != 3 {
		t.Errorf("tries %v, %d requests", tries, len(m.Requests()))
	}
	// without a reason the model's own words are the end; a third trim is not stored
	m = agenttest.NewModel(full, full, full)
	j := &agenttest.Journal{}
	a = &agent.Agent{Model: m, Journal: j.Append, Compact: func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
		if n.Why != agent.Overflow {
			return nil, nil
		}
		return &agent.Trim{From: 1}, nil
	}}
	evs = mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	trims := 0
	for _, e := range evs {
		if e.Type == agent.EvCompact {
			trims++
		}
	}
	if end := lastEnd(t, evs); end.Stop != agent.RunOverflow || trims != 2 {
		t.Errorf("%s after %d trims", end.Stop, trims)
	}
}

// What a compaction has cost that failed counts like any other call.
func TestFailedCompactionCosts(t *testing.T) {
	cost := &agent.Usage{Input: num(7)}
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Reply{Text: "ok", Usage: &agent.Usage{Input: num(1)}}), Compact: func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
		return &agent.Trim{Usage: cost}, errors.New("it said nothing")
	}}
	s := agent.NewSession("s")
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
	if *end.Usage.Input != 8 {
		t.Errorf("the run has read %d tokens", *end.Usage.Input)
	}
	if evs := mustRun(t, a.CompactNow(t.Context(), s, "")); types(evs) != "state notice" || *s.Total.Input != 15 {
		t.Errorf("%s, %d tokens", types(evs), *s.Total.Input)
	}
}

// spoken lists what the messages say.
func spoken(s *agent.Session) (list []string) {
	for _, m := range s.Messages {
		list = append(list, m.Text())
	}
	return list
}
