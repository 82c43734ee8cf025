package agent_test

import (
	"context"
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// What tools and notes say was done for the run elsewhere counts as its own: in the end's total, for the limit, after a
// reload and over a compaction.
func TestStepsInsideCount(t *testing.T) {
	child := tool("child", agent.Reads, func(context.Context, string) (agent.Result, error) {
		res := agent.TextResult("done")
		res.Steps, res.Usage = 3, &agent.Usage{Input: num(7)}
		return res, nil
	})
	told := false
	late := agent.Hook{Name: "late", Inject: func(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
		if !stopping || told {
			return nil, nil
		}
		told = true
		return &agent.Note{Messages: []agent.Message{agent.TextMessage(agent.User, "one more has ended")}, Steps: 5}, nil
	}}
	var j agenttest.Journal
	m := agenttest.NewModel(agenttest.CallTools("child", `{"do":"x"}`), agenttest.Say("so"), agenttest.Say("end"))
	a := &agent.Agent{Model: m, Tools: []agent.Tool{child}, Hooks: []agent.Hook{late}, Journal: j.Append}
	s := agent.NewSession("s")
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
	if end.Steps != 3+3+5 || *end.Usage.Input != 7 {
		t.Errorf("the end has %d steps and %v", end.Steps, end.Usage.Input)
	}
	again, err := j.Load("s", len(j.Lines()))
	if err != nil || again.Steps != s.Steps || s.Steps != 11 {
		t.Errorf("loaded: %d steps (%v), folded: %d", again.Steps, err, s.Steps)
	}
}

func TestStepsInsideReachTheLimit(t *testing.T) {
	child := tool("child", agent.Reads, func(context.Context, string) (agent.Result, error) {
		res := agent.TextResult("done")
		res.Steps = 4
		return res, nil
	})
	m := agenttest.NewModel(agenttest.CallTools("child", `{"do":"x"}`), agenttest.Say("never asked for"))
	a := &agent.Agent{Model: m, Tools: []agent.Tool{child}, MaxSteps: 5}
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go"))))
	if end.Stop != agent.RunSteps || end.Steps != 5 || len(m.Requests()) != 1 {
		t.Errorf("%s after %d steps and %d requests", end.Stop, end.Steps, len(m.Requests()))
	}
}

// A tool that names its questions gets each its own answer after a restart, in whatever order it asks again.
func TestNamedQuestionsKeepTheirAnswers(t *testing.T) {
	order := []string{"first", "second"}
	answers := map[string]string{}
	asker := tool("asker", agent.Executes, func(ctx context.Context, _ string) (agent.Result, error) {
		for _, id := range order {
			ans, err := agent.AskUser(ctx, agent.Ask{ID: id, Text: id + "?"})
			if err != nil {
				return agent.Result{}, err
			}
			answers[id] = ans.Text
		}
		return agent.TextResult("asked"), nil
	})
	asker.Resume = true
	var j agenttest.Journal
	var asked []string
	life, cancel := context.WithCancel(t.Context())
	first := true
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTools("asker", `{"do":"x"}`), agenttest.Say("end")), Tools: []agent.Tool{asker},
		Ask: func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
			asked = append(asked, q.ID)
			if q.ID == "s/3.1/second" && first {
				cancel() // the process dies here: what follows is not stored
				<-ctx.Done()
				return agent.Answer{}, ctx.Err()
			}
			return agent.Answer{Allow: true, Text: "yes to " + q.ID}, nil
		},
	}
	a.Journal = func(ctx context.Context, e *agent.Event) error {
		if first && life.Err() != nil {
			return life.Err()
		}
		return j.Append(ctx, e)
	}
	for _, err := range a.Run(life, agent.NewSession("s"), agent.Say("go")) {
		if err != nil {
			break
		}
	}
	s, err := j.Load("s", len(j.Lines()))
	if err != nil || len(s.Answers) != 1 || len(s.Asks) != 1 {
		t.Fatalf("%v: %d answered, %d open", err, len(s.Answers), len(s.Asks))
	}
	first = false
	order = []string{"second", "first"}
	mustRun(t, a.Run(t.Context(), s))
	if answers["first"] != "yes to s/3.1/first" || answers["second"] != "yes to s/3.1/second" {
		t.Errorf("%q", answers)
	}
	if want := []string{"s/3.1/first", "s/3.1/second", "s/3.1/second"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
}

// Whoever is asked and says that nobody is there leaves the model with those words, not with a person's no.
func TestAskedInVain(t *testing.T) {
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTools("careful", `{"do":"x"}`), agenttest.Say("so")),
		Tools: []agent.Tool{tool("careful", agent.Executes, func(context.Context, string) (agent.Result, error) { return agent.TextResult("ran"), nil })},
		Hooks: []agent.Hook{{Name: "ask", BeforeTool: func(context.Context, *agent.Session, agent.Tool, agent.Call) (agent.Decision, error) {
			return agent.Decision{Verdict: agent.AskFirst, Reason: "may it?"}, nil
		}}},
		Ask: func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Text: agent.Nobody}, nil },
	}
	s := agent.NewSession("s")
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
	if got := s.Messages[2].Result().Text(); got != "denied: this needs an approval and nobody can be asked: may it?" || end.Stop != agent.RunDenied {
		t.Errorf("%q, %s", got, end.Stop)
	}
}
