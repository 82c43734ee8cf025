package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// What a feature acknowledges in the model's name is no answer of the model: wherever the power goes, it is still asked.
func TestAcknowledgementsAreNoAnswers(t *testing.T) {
	hook := func(s *agent.Session) agent.Hook {
		return agent.Hook{Name: "box", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
			if s.Taken("inbox/x", 1, "") {
				return nil, nil
			}
			news, ack := agent.TextMessage(agent.User, "news"), agent.TextMessage(agent.Assistant, "noted")
			news.From, ack.From, ack.Stop = "box", "box", agent.StopEnd
			return &agent.Note{Messages: []agent.Message{news, ack}, Took: []agent.Took{{Log: "inbox/x", Pos: 1}}}, nil
		}}
	}
	for dies := 1; dies < 6; dies++ {
		var j agenttest.Journal
		s := agent.NewSession("s")
		n := 0
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("end")), Hooks: []agent.Hook{hook(s)}, Journal: func(ctx context.Context, e *agent.Event) error {
			if n++; n > dies {
				return errors.New("the power is gone")
			}
			return j.Append(ctx, e)
		}}
		for range a.Run(t.Context(), s, agent.Say("go")) { // it ends where the power does
		}
		s = load(t, &j, "s")
		a = &agent.Agent{Model: agenttest.NewModel(agenttest.Say("end")), Journal: j.Append, Hooks: []agent.Hook{hook(s)}}
		mustRun(t, a.Run(t.Context(), s))
		var texts []string
		for _, m := range s.Messages {
			texts = append(texts, m.Text())
		}
		if !slices.Contains(texts, "news") || texts[len(texts)-1] != "end" || s.Open {
			t.Errorf("dead behind event %d: %q, open %v", dies, texts, s.Open)
		}
	}
	// between runs, too: a lead that is woken
	s := agent.NewSession("s")
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two"))}
	mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	ack := agent.TextMessage(agent.Assistant, "noted")
	ack.From = "box"
	if err := a.Append(t.Context(), s, &agent.Event{Type: agent.EvMessage, Message: &ack}); err != nil {
		t.Fatal(err)
	}
	mustRun(t, a.Run(t.Context(), s))
	if last := s.Messages[len(s.Messages)-1].Text(); last != "two" {
		t.Errorf("the last word is %q", last)
	}
}
