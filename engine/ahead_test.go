package engine_test

import (
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
)

func TestWhatARunTakesInFirst(t *testing.T) {
	wait := func(queue bool, text string) engine.Queued {
		return engine.Queued{Pos: 7, Message: agent.TextMessage(agent.User, text), Queue: queue}
	}
	for _, c := range []struct {
		name           string
		queue          []engine.Queued
		open           bool
		first, steered []string
	}{
		{name: "nothing"},
		{name: "what was said", queue: []engine.Queued{wait(false, "a"), wait(false, "b")}, first: []string{"a", "b"}},
		{name: "one that was queued, what was said steers it", queue: []engine.Queued{wait(true, "q"), wait(true, "r"), wait(false, "a")}, first: []string{"q"}, steered: []string{"a"}},
		{name: "what was said comes before what is queued", queue: []engine.Queued{wait(false, "a"), wait(true, "q"), wait(false, "b")}, first: []string{"a"}, steered: []string{"b"}},
		{name: "a run that goes on", queue: []engine.Queued{wait(true, "q"), wait(false, "a"), wait(false, "b")}, open: true, steered: []string{"a", "b"}},
	} {
		notes, steered := engine.Ahead(c.queue, c.open)
		var first, later []string
		for _, n := range notes {
			first = append(first, n.Messages[0].Text())
		}
		for n := steered; n != nil; n = n.Next {
			later = append(later, n.Messages[0].Text())
		}
		if !slices.Equal(first, c.first) || !slices.Equal(later, c.steered) {
			t.Errorf("%s: %v, then %v", c.name, first, later)
		}
	}
}
