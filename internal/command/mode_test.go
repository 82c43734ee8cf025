package command

import (
	"context"
	"iter"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
)

// lateInfo is an engine whose Info is older than what it has stored and shown.
type lateInfo struct {
	engine.Engine
	seq    int64
	events []agent.Event
}

func (l lateInfo) Info(context.Context, string) (engine.SessionInfo, error) {
	return engine.SessionInfo{Seq: l.seq, Running: true}, nil
}

func (l lateInfo) Follow(_ context.Context, _ string, after int64, _ bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range l.events {
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

// What counts is the last event that is stored, also if Info has not heard of it: who has seen the end may go on at once.
func TestIdleLooksAtTheLastEvent(t *testing.T) {
	answered := []agent.Event{{Seq: 3, Type: agent.EvMessage}, {Seq: 4, Type: agent.EvEnd}}
	for _, tt := range []struct {
		name   string
		seq    int64
		events []agent.Event
		busy   bool
	}{
		{"info is late", 3, answered, false},
		{"info is up to date", 4, answered, false},
		{"in the middle", 3, answered[:1], true},
		{"began anew meanwhile", 4, append(answered[:2:2], agent.Event{Seq: 5, Type: agent.EvMessage}), true},
	} {
		err := idle(t.Context(), &Host{Engine: lateInfo{seq: tt.seq, events: tt.events}}, "s")
		if (err != nil) != tt.busy {
			t.Errorf("%s: %v, want busy %v", tt.name, err, tt.busy)
		}
	}
}
