package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// putOff is a hook that puts work off until the first model call, once.
func putOff(run func(ctx context.Context) (*agent.Note, error)) agent.Hook {
	return agent.Hook{Name: "off", Inject: func(_ context.Context, s *agent.Session, _ bool) (*agent.Note, error) {
		if s.State["off"] != nil {
			return nil, nil
		}
		return &agent.Note{Later: &agent.Later{Call: agent.Call{Key: "s/1.0", Name: "work"}, Run: run}}, nil
	}}
}

func done(text string) *agent.Note {
	return &agent.Note{Messages: []agent.Message{agent.TextMessage(agent.User, text)}, State: map[string]rawJSON{"off": rawJSON("1")}}
}

type rawJSON = json.RawMessage

// What a hook puts off is shown and asked like a tool, and leaves one message.
func TestLaterShowsAndAsks(t *testing.T) {
	var j agenttest.Journal
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.Say("end")), Journal: j.Append,
		Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
			return agent.Answer{Allow: true, Text: "blue"}, nil
		},
		Hooks: []agent.Hook{putOff(func(ctx context.Context) (*agent.Note, error) {
			agent.Progress(ctx, "half")
			ans, err := agent.AskUser(ctx, agent.Ask{Text: "which?"})
			return done("it is " + ans.Text), err
		})},
	}
	s := agent.NewSession("s")
	var kinds []string
	for _, e := range mustRun(t, a.Run(t.Context(), s, agent.Say("go"))) {
		switch e.Type {
		case agent.EvProgress:
			kinds = append(kinds, "progress "+e.Text+" "+e.Call.Key+" "+e.Call.Name)
		case agent.EvAsk:
			kinds = append(kinds, "ask "+e.Ask.ID+" "+e.Ask.Call.Name)
		case agent.EvMessage:
			kinds = append(kinds, string(e.Message.Role)+" "+e.Message.Text())
		case agent.EvCall:
			t.Error("it is no call")
		default:
		}
	}
	if got, want := strings.Join(kinds, "; "), "user go; progress half s/1.0 work; ask s/1.0/1 work; user it is blue; assistant end"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if again, err := j.Load("s", len(j.Lines())); err != nil || len(again.Asks)+len(again.Answers) != 0 || len(again.Messages) != 3 {
		t.Errorf("%v %+v", err, again)
	}
}

// After a crash in the middle it is done again, without the questions that were answered.
func TestLaterAfterACrash(t *testing.T) {
	var j agenttest.Journal
	asked, ran := 0, 0
	life, cut := context.WithCancel(t.Context())
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.Say("end")),
		Ask:   func(context.Context, agent.Ask) (agent.Answer, error) { asked++; return agent.Answer{Allow: true}, nil },
		Hooks: []agent.Hook{putOff(func(ctx context.Context) (*agent.Note, error) {
			ran++
			if _, err := agent.AskUser(ctx, agent.Ask{Text: "may I?"}); err != nil {
				return nil, err
			}
			if ran == 1 {
				cut()
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return done("done"), nil
		})},
	}
	a.Journal = func(ctx context.Context, e *agent.Event) error {
		if life.Err() != nil {
			return life.Err()
		}
		return j.Append(ctx, e)
	}
	_, _ = agenttest.Collect(a.Run(life, agent.NewSession("s"), agent.Say("go")))
	s, err := j.Load("s", len(j.Lines()))
	if err != nil || len(s.Messages) != 1 || len(s.Answers) != 1 {
		t.Fatalf("%v %+v", err, s)
	}
	a.Journal = j.Append
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s)))
	if asked != 1 || ran != 2 || end.Stop != agent.RunEnd || len(s.Messages) != 3 {
		t.Errorf("asked %d times, ran %d times, %s, %d messages", asked, ran, end.Stop, len(s.Messages))
	}
}

func TestLaterFails(t *testing.T) {
	fault := errors.New("no room")
	for name, c := range map[string]struct {
		run  func(ctx context.Context) (*agent.Note, error)
		stop agent.RunStop
		text string
	}{
		"error": {func(context.Context) (*agent.Note, error) { return nil, fault }, agent.RunError, "hook off, Inject: no room"},
		"stop":  {func(context.Context) (*agent.Note, error) { return nil, &agent.StopError{Stop: agent.RunBudget} }, agent.RunBudget, ""},
		"panic": {func(context.Context) (*agent.Note, error) { panic("x") }, agent.RunError, "it came to no end"},
		"none":  {func(context.Context) (*agent.Note, error) { return nil, nil }, agent.RunEnd, ""},
	} {
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("end")), Hooks: []agent.Hook{putOff(c.run)}}
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go"))))
		if end.Stop != c.stop || c.text != "" && (end.Error == nil || !strings.Contains(end.Error.Message, c.text)) {
			t.Errorf("%s: %s %+v", name, end.Stop, end.Error)
		}
	}
}

// A cancelled run does not wait for what does not stop.
func TestLaterThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		ctx, cancel := context.WithCancelCause(t.Context())
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.Say("never")), Grace: time.Second, Hooks: []agent.Hook{
			putOff(func(context.Context) (*agent.Note, error) {
				cancel(&agent.StopError{Stop: agent.RunCancelled})
				<-hold
				return done("late"), nil
			}),
		}}
		s := agent.NewSession("s")
		end := lastEnd(t, mustRun(t, a.Run(ctx, s, agent.Say("go"))))
		if end.Stop != agent.RunCancelled || len(s.Messages) != 1 {
			t.Errorf("%s, %d messages", end.Stop, len(s.Messages))
		}
	})
}
