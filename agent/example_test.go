package agent_test

import (
	"context"
	"fmt"
	"slices"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A whole agent: a tool, a model, a session, a run. The model here is scripted; any agent.Model takes its place.
func Example() {
	type in struct {
		City string `json:"city" doc:"a city's name"`
	}
	weather := agent.NewTool("weather", "Tells the weather in a city.", agent.Reads,
		func(_ context.Context, in in) (agent.Result, error) {
			return agent.TextResult("18 °C and sunny in " + in.City), nil
		})
	a := &agent.Agent{
		System: "You are brief.",
		Tools:  []agent.Tool{weather},
		Model:  agenttest.NewModel(agenttest.CallTool("weather", `{"city":"Rome"}`), agenttest.Say("Sunny, 18 °C.")),
	}
	session := agent.NewSession("demo")
	for e, err := range a.Run(context.Background(), session, agent.Say("How is the weather in Rome?")) {
		switch {
		case err != nil:
			fmt.Println("failed:", err)
		case e.Type == agent.EvCall:
			fmt.Printf("calls %s%s\n", e.Call.Name, e.Call.Args)
		case e.Type == agent.EvEnd:
			fmt.Println(session.Messages[len(session.Messages)-1].Text())
		}
	}
	// Output:
	// calls weather{"city":"Rome"}
	// Sunny, 18 °C.
}

// A hook has the person asked before anything but reading happens.
func ExampleHook() {
	careful := agent.Hook{
		Name: "careful",
		BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
			if t.Effect == agent.Reads {
				return agent.Decision{}, nil
			}
			return agent.Decision{Verdict: agent.AskFirst, Reason: "run " + t.Name + string(c.Args) + "?"}, nil
		},
	}
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTool("delete", `{}`), agenttest.Say("I left it.")),
		Tools: []agent.Tool{{Name: "delete", Effect: agent.Writes}},
		Hooks: []agent.Hook{careful},
		Ask: func(_ context.Context, q agent.Ask) (agent.Answer, error) {
			fmt.Println(q.Text, "- no")
			return agent.Answer{Allow: false, Text: "keep it"}, nil
		},
	}
	session := agent.NewSession("demo")
	for range a.Run(context.Background(), session, agent.Say("Clean up.")) {
	}
	fmt.Println(session.Messages[2].Result().Text())
	// Output:
	// run delete{}? - no
	// denied by the person: keep it: run delete{}?
}

// A journal stores each event before it is shown. Its lines are all that is needed to go on: in another process, after a
// crash, a year later.
func ExampleLoad() {
	var log [][]byte
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.Say("Hello, Ada."), agenttest.Say("You are Ada.")),
		Journal: func(_ context.Context, e *agent.Event) error {
			line, err := agent.EncodeJSON(e)
			log = append(log, line)
			return err
		},
	}
	for range a.Run(context.Background(), agent.NewSession("demo"), agent.Say("I am Ada.")) {
	}
	session, err := agent.Load("demo", func(yield func([]byte, error) bool) {
		for line := range slices.Values(log) {
			if !yield(line, nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range a.Run(context.Background(), session, agent.Say("Who am I?")) {
	}
	for _, m := range session.Messages {
		fmt.Printf("%s: %s\n", m.Role, m.Text())
	}
	// Output:
	// user: I am Ada.
	// assistant: Hello, Ada.
	// user: Who am I?
	// assistant: You are Ada.
}

// A compaction is a delta: what goes in front, and from where on messages stay. The log keeps everything.
func ExampleAgent_CompactNow() {
	a := &agent.Agent{
		Model: &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
			return agenttest.Say(fmt.Sprintf("Answer %d.", n+1))
		}},
		Compact: func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
			if n.Why != agent.Asked {
				return nil, nil
			}
			summary := agent.TextMessage(agent.User, "(Earlier: one question about "+n.Focus+".)")
			return &agent.Trim{Head: []agent.Message{summary}, From: s.Messages[2].Seq}, nil
		},
	}
	ctx, session := context.Background(), agent.NewSession("demo")
	for _, question := range []string{"What is Go?", "And Rust?"} {
		for range a.Run(ctx, session, agent.Say(question)) {
		}
	}
	for range a.CompactNow(ctx, session, "languages") {
	}
	for _, m := range session.Messages {
		fmt.Println(m.Text())
	}
	// Output:
	// (Earlier: one question about languages.)
	// And Rust?
	// Answer 2.
}
