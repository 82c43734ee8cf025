package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// Notes behind one another are stored one by one, each with what it has used up: a crash between two loses neither.
func TestNotesBehindOneAnother(t *testing.T) {
	said := func(text string, pos int64, next *agent.Note) *agent.Note {
		return &agent.Note{
			Messages: []agent.Message{agent.TextMessage(agent.User, text)},
			Took:     []agent.Took{{Log: "input/s", Pos: pos}}, Next: next,
		}
	}
	hook := func(s *agent.Session) agent.Hook {
		return agent.Hook{Name: "box", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
			var first *agent.Note
			for _, x := range []struct {
				text string
				pos  int64
			}{{"two", 2}, {"one", 1}} { // from the last to the first
				if !s.Taken("input/s", x.pos, "") {
					first = said(x.text, x.pos, first)
				}
			}
			return first, nil
		}}
	}
	for dies := range 5 {
		var j agenttest.Journal
		s := agent.NewSession("s")
		stored := 0
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("end")), Journal: func(ctx context.Context, e *agent.Event) error {
			if stored++; stored > dies {
				return errors.New("the power is gone")
			}
			return j.Append(ctx, e)
		}}
		a.Hooks = []agent.Hook{hook(s)}
		for range a.Run(t.Context(), s, agent.Say("go")) { // it ends where the power does
		}
		s = load(t, &j, "s")
		a = &agent.Agent{Model: agenttest.NewModel(agenttest.Say("end")), Journal: j.Append, Hooks: []agent.Hook{hook(s)}}
		in := []agent.Note{}
		if s.Seq == 0 {
			in = append(in, agent.Say("go"))
		}
		mustRun(t, a.Run(t.Context(), s, in...))
		var texts []string
		for _, m := range s.Messages {
			texts = append(texts, m.Text())
		}
		if want := []string{"go", "one", "two", "end"}; !slices.Equal(texts, want) {
			t.Errorf("dead behind event %d: %q", dies, texts)
		}
	}
}

// A question that needs no approval refuses nothing when nobody is there: the tool is told so, and the run ends well.
func TestQuestionWithNobodyThere(t *testing.T) {
	for name, ask := range map[string]func(context.Context, agent.Ask) (agent.Answer, error){
		"no way to ask":   nil,
		"the person left": func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Text: agent.Nobody}, nil },
	} {
		for kind, want := range map[agent.AskKind]agent.RunStop{
			agent.Question: agent.RunEnd, agent.Selection: agent.RunEnd, agent.Approval: agent.RunDenied,
		} {
			var got agent.Answer
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTool("ask", `{}`), agenttest.Say("end")), Ask: ask,
				Tools: []agent.Tool{agent.NewTool("ask", "", agent.Reads, func(ctx context.Context, _ struct{}) (agent.Result, error) {
					var err error
					got, err = agent.AskUser(ctx, agent.Ask{Text: "which?", Kind: kind})
					return agent.TextResult("ok"), err
				})},
			}
			evs := mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
			if stop := evs[len(evs)-1].Stop; stop != want || got.Allow {
				t.Errorf("%s, %q: %s, %+v", name, kind, stop, got)
			}
			if kind != agent.Approval && got.Text != agent.Nobody {
				t.Errorf("%s, %q: the tool hears %+v", name, kind, got)
			}
		}
	}
}
