// Package soak_test lets real engines, agents and models work against a server that fails in every way at random, for as
// long as one likes, and holds them to four promises: every turn ends with its answer or with an error that has a name, no
// tool runs twice for one call, nothing that was opened stays open, and memory does not grow.
//
// As an ordinary test it plays a few dozen turns. make soak plays half an hour; SOAK names another duration, SOAK_SEED
// another course of events.
package soak_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The size of a soak.
const (
	workers = 6  // sessions at work beside each other
	perLife = 12 // turns of a session before it is deleted
	short   = 90 // turns of the ordinary test
	// pace is the least time between two turns of a worker in a long soak: it is about time, not about load.
	pace = 200 * time.Millisecond
	// patience is how long a turn may take before it counts as hanging.
	patience = time.Minute
)

func TestSoak(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	long, err := time.ParseDuration(cmp.Or(os.Getenv("SOAK"), "0s"))
	if err != nil {
		t.Fatalf("SOAK: %v", err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SOAK_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatalf("SOAK_SEED: %v", err)
	}
	r := newRig(t, seed)
	defer r.close(t)
	s := &soak{rig: r, seed: seed, tally: map[string]int{}}
	s.run(t, long)
	s.report(t)
}

// soak is the whole course.
type soak struct {
	*rig
	seed uint64

	mu      sync.Mutex
	turns   int
	tally   map[string]int // turns by how they ended
	retries int
	heaps   []uint64
}

// run plays turns until the time is over, without a time a fixed number of them.
func (s *soak) run(t *testing.T, long time.Duration) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if long > 0 {
		ctx, cancel = context.WithTimeout(t.Context(), long)
		defer cancel()
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { s.work(ctx, t, w, long > 0) })
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	s.watch(t, long, done)
	s.sample(t)
}

// watch measures while the others work.
func (s *soak) watch(t *testing.T, long time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(max(long/30, 200*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			s.sample(t)
		}
	}
}

// sample notes how much memory lives.
func (s *soak) sample(t *testing.T) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heaps = append(s.heaps, m.HeapAlloc)
	t.Logf("%d turns, %d requests, heap %d kB, %d goroutines, %d connections", s.turns, s.server.asked(), m.HeapAlloc>>10, runtime.NumGoroutine(), s.server.open())
}

// work plays one session after the other.
func (s *soak) work(ctx context.Context, t *testing.T, worker int, forTime bool) {
	for life := 0; ctx.Err() == nil; life++ {
		session := fmt.Sprintf("w%d-%d", worker, life)
		p := s.player(session, s.seed+uint64(worker)<<32+uint64(life))
		for range perLife {
			if ctx.Err() != nil || !forTime && s.enough() {
				break
			}
			began := time.Now()
			end := p.turn(t)
			s.count(t, session, end)
			if forTime {
				rest(ctx, pace-time.Since(began))
			}
		}
		if err := s.engine.Delete(context.WithoutCancel(ctx), session); err != nil {
			t.Errorf("%s cannot be deleted: %v", session, err)
		}
		if !forTime && s.enough() {
			return
		}
	}
}

// rest waits out the pace.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (s *soak) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns >= short
}

// count notes how a turn ended.
func (s *soak) count(t *testing.T, session string, end ending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	s.retries += end.retries
	s.tally[end.name]++
	for _, fault := range end.faults {
		t.Errorf("%s: %s", session, fault)
	}
}

// report tells what was seen, and holds memory to its promise: the last quarter against the second.
func (s *soak) report(t *testing.T) {
	var ends, faults []string
	for name, n := range s.tally {
		ends = append(ends, fmt.Sprintf("%s %d", name, n))
	}
	for name, n := range s.server.played() {
		faults = append(faults, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(ends)
	slices.Sort(faults)
	t.Logf("turns: %d, withdrawn attempts: %d, tools run: %d", s.turns, s.retries, s.tools.ran())
	t.Logf("ended with: %s", strings.Join(ends, ", "))
	t.Logf("played: %s", strings.Join(faults, ", "))
	if s.tally["answer"] == 0 || len(s.tally) < 2 {
		t.Errorf("a soak without answers, or without faults, shows nothing: %v", s.tally)
	}
	if n := len(s.heaps); n >= 8 {
		first, last := mean(s.heaps[n/4:n/2]), mean(s.heaps[n-n/4:])
		t.Logf("heap in the second quarter %d kB, in the last %d kB", first>>10, last>>10)
		if last > first+first/4+(2<<20) {
			t.Errorf("memory grows: %d kB, then %d kB", first>>10, last>>10)
		}
	}
}

func mean(list []uint64) uint64 {
	var sum uint64
	for _, n := range list {
		sum += n
	}
	return sum / uint64(len(list))
}
