//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"react-agent/provider/providertest"
)

// play gives the rig another model.
func (g *rig) play(script string) {
	g.srv = providertest.New(g.t.Context(), providertest.MustParse(script))
	g.t.Cleanup(g.srv.Close)
}

// sagaEvents is how many durable events a saga has that nobody kills, and how long it takes.
func sagaEvents(t *testing.T) (events int, took time.Duration) {
	t.Helper()
	s := newSaga(t)
	begin := time.Now()
	code := s.begin().play()
	took = time.Since(begin)
	s.ended(code)
	if events = len(s.before); events < 100 {
		t.Fatalf("the saga has only %d durable events", events)
	}
	return events, took
}

// stride is the distance between two places to die: all of them, or in a short run some.
func stride() int {
	if testing.Short() {
		return 9
	}
	return 1
}

// Wherever among the durable events of the saga a process dies, nothing is lost or done twice, and the next process comes
// to the same end.
func TestKilledBehindEveryEvent(t *testing.T) {
	t.Parallel()
	events, _ := sagaEvents(t)
	for k := 1; k <= events; k += stride() {
		t.Run(strconv.Itoa(k), func(t *testing.T) {
			t.Parallel()
			s := newSaga(t)
			s.dies(fmt.Sprintf("PARTS_DIE=after:%d", k))
			if len(s.before) != k {
				t.Fatalf("killed behind event %d, the log has %d", k, len(s.before))
			}
			s.ended(s.begin().play())
		})
	}
}

// The same with every life dying soon, so that recovery itself is interrupted again and again. In the first saga each
// life stores one event; in the second it does what follows one and dies before it can say so.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, die := range []string{"after:1", "before:2", "before:3", "after:4", "before:7"} {
		if testing.Short() && die[len(die)-1] < '4' {
			continue
		}
		t.Run(die, func(t *testing.T) {
			t.Parallel()
			s := newSaga(t)
			lives := 0
			for code := -1; code == -1; lives++ {
				if lives > 400 {
					t.Fatalf("no end after %d lives", lives)
				}
				if code = s.begin("PARTS_DIE=" + die).play(); code == -1 {
					s.died()
				} else {
					s.ended(code)
				}
			}
			t.Logf("%d lives", lives)
		})
	}
}

// The plain program is killed from outside at any time.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	_, took := sagaEvents(t)
	for i := range 30 / stride() {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			s := newSaga(t)
			for range 2 {
				l := s.begin()
				timer := time.AfterFunc(time.Duration(rnd.Int64N(int64(took))), func() { _ = l.cmd.Process.Kill() })
				code := l.play()
				timer.Stop()
				s.died()
				if code != -1 {
					break
				}
			}
			s.ended(s.begin().play())
		})
	}
}

// dies runs the program until it kills itself.
func (s *saga) dies(parts string) {
	s.t.Helper()
	if code := s.begin(parts).play(); code != -1 {
		s.t.Fatalf("the process was to die (%s) and ended with %d", parts, code)
	}
	s.died()
}
