package team

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/store/mem"
)

// fake is an engine of which a test decides everything.
type fake struct {
	mu      sync.Mutex
	said    []Input
	running bool
	seq     int64
	fail    error // of Submit
	events  chan agent.Event
	broken  error // ends a Follow
}

func newFake() *fake { return &fake{events: make(chan agent.Event, 100), running: true} }

func (f *fake) Submit(_ context.Context, _ string, in Input) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, in)
	f.seq = 1
	if in.Cancel {
		f.events <- agent.Event{Type: agent.EvEnd, Seq: 90, Stop: agent.RunCancelled}
	}
	return f.fail
}

func (f *fake) Follow(ctx context.Context, _ string, _ int64, live bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for live {
			select {
			case e, ok := <-f.events:
				if !ok {
					yield(agent.Event{}, f.broken)
					return
				}
				if !yield(e, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (f *fake) Status(context.Context, string) (Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Status{Seq: f.seq, Running: f.running}, nil
}

func (f *fake) Resume(context.Context, string) error { return nil }

func (f *fake) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = false
}

func answer(seq int64, text string) agent.Event {
	m := agent.TextMessage(agent.Assistant, text)
	return agent.Event{Type: agent.EvMessage, Seq: seq, Message: &m}
}

var errShut = errors.New("shut")

func fakeTeam(t *testing.T, f *fake) *Team {
	t.Helper()
	team := New(Options{Sessions: f, KV: mem.New(), Closing: func(err error) bool { return errors.Is(err, errShut) }})
	t.Cleanup(team.Close)
	return team
}

func work() Task { return Task{Key: "s/3.1", Parent: "s", Name: "step", Text: "do it"} }

// A run that cannot go on where it was has no end. If nobody else goes on with it, that is the end, with its reason.
func TestARunWithoutAnEnd(t *testing.T) {
	f := newFake()
	team := fakeTeam(t, f)
	f.events <- answer(2, "so far")
	f.events <- agent.Event{Type: agent.EvNotice, Error: &agent.Error{Message: "disk full"}}
	f.stop()
	r, err := team.Run(t.Context(), work())
	if err != nil || r.State != Failed || r.Reason != "disk full" || r.Text != "so far" {
		t.Errorf("%+v %v", r, err)
	}
}

// If somebody does, the child is waited for.
func TestARunThatGoesOnElsewhere(t *testing.T) {
	f := newFake()
	team := fakeTeam(t, f)
	f.events <- agent.Event{Type: agent.EvNotice, Error: &agent.Error{Message: "another process has it"}}
	f.events <- answer(2, "done there")
	f.events <- agent.Event{Type: agent.EvEnd, Seq: 3, Stop: agent.RunEnd, Steps: 1}
	r, err := team.Run(t.Context(), work())
	if err != nil || r.State != Done || r.Text != "done there" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestEventsThatCannotBeRead(t *testing.T) {
	f := newFake()
	f.broken = errors.New("unreadable")
	close(f.events)
	if _, err := fakeTeam(t, f).Run(t.Context(), work()); err == nil || !strings.Contains(err.Error(), "unreadable") {
		t.Error(err)
	}
}

// When the program ends there is no result: one would be an answer to a call that is to go on later.
func TestNoResultWhileTheProgramEnds(t *testing.T) {
	for name, where := range map[string]func(f *fake){
		"submit": func(f *fake) { f.fail = errShut },
		"follow": func(f *fake) { f.broken = errShut; close(f.events) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			where(f)
			team := fakeTeam(t, f)
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := team.Run(ctx, work())
				done <- err
			}()
			select {
			case err := <-done:
				t.Fatalf("it returned before its context ended: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			cancel(errShut)
			if err := <-done; !errors.Is(err, errShut) {
				t.Error(err)
			}
			d, err := team.tree(t.Context(), "s")
			if err != nil || d.Children[0].State != Running {
				t.Errorf("%+v %v", d, err)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			for _, in := range f.said {
				if in.Cancel {
					t.Error("the child was cancelled")
				}
			}
		})
	}
}

// What ends a parent ends the child, but for the end of the program and the loss of the session.
func TestWhatEndsTheChild(t *testing.T) {
	for _, c := range []struct {
		cause  error
		cancel bool
	}{
		{&agent.StopError{Stop: agent.RunCancelled}, true},
		{&agent.StopError{Stop: agent.RunTimeout}, true},
		{context.Canceled, true},
		{errShut, false},
		{errors.New("the event was not stored"), false},
	} {
		f := newFake()
		team := fakeTeam(t, f)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			for {
				f.mu.Lock()
				begun := len(f.said) > 0
				f.mu.Unlock()
				if begun {
					break
				}
				<-time.After(time.Millisecond)
			}
			cancel(c.cause)
		}()
		r, err := team.Run(ctx, work())
		if c.cancel != (err == nil && r.State == Cancelled) {
			t.Errorf("%v: %+v %v", c.cause, r, err)
		}
	}
}
