//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"react-agent/provider/providertest"
)

// play gives the rig another model.
func (g *rig) play(script string) {
	g.srv = providertest.New(g.t.Context(), providertest.MustParse(script))
	g.t.Cleanup(g.srv.Close)
}

// sagaEvents is how many durable events a saga has whose process lives.
func sagaEvents(t *testing.T) int {
	t.Helper()
	s := newSaga(t)
	s.ended(s.begin().play())
	if n := len(s.before); n < 100 {
		t.Fatalf("the saga has only %d durable events", n)
	} else {
		return n
	}
	return 0
}

// A process that dies right behind or right before any durable event of the saga loses nothing, does nothing twice, and
// the next one comes to the same end.
func TestKilledAtEveryEvent(t *testing.T) {
	begin := time.Now()
	events := sagaEvents(t)
	t.Logf("%d durable events, one life takes %v", events, time.Since(begin))
	kills := 0
	for k := 1; k <= events; k++ {
		s := newSaga(t)
		if code := s.begin(fmt.Sprintf("PARTS_DIE=after:%d", k)).play(); code != -1 {
			t.Fatalf("the process was to die behind event %d, and ended with %d", k, code)
		}
		kills++
		s.died()
		s.ended(s.begin().play())
		_ = rand.Int
	}
	t.Logf("%d kills in %v", kills, time.Since(begin))
}
