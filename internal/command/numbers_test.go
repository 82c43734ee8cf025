package command

import (
	"slices"
	"testing"

	"react-agent/engine"
)

// A number stays with its message; when nothing waits it begins again.
func TestNumbers(t *testing.T) {
	var n Numbers
	queue := func(positions ...int64) (list []engine.Queued) {
		for _, p := range positions {
			list = append(list, engine.Queued{Pos: p})
		}
		return list
	}
	for i, c := range []struct {
		waits []engine.Queued
		want  []int
	}{
		{queue(10, 20), []int{1, 2}},
		{queue(20, 30), []int{2, 3}},
		{queue(30), []int{3}},
		{nil, []int{}},
		{queue(40), []int{1}},
		{queue(50), []int{1}},
	} {
		if got := n.Of("s", c.waits); !slices.Equal(got, c.want) {
			t.Errorf("look %d: %v, wanted %v", i+1, got, c.want)
		}
	}
	if got := n.Of("other", queue(7)); !slices.Equal(got, []int{1}) {
		t.Errorf("another session begins with %v", got)
	}
}
