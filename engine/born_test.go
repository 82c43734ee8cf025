package engine_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
)

// A session whose first message is too long for its log is listed under the beginning of that message.
func TestTitleOfALongMessage(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		s := newSetup(t, st, agenttest.Say("done"))
		r := follow(t, s.eng, "a", 0)
		submit(t, s.eng, "a", say("what I want\n"+strings.Repeat("long ", 40_000)))
		r.Until("the end", isEnd)
		waitIdle(t, s.eng, "a")
		for info, err := range newSetup(t, st).eng.List(t.Context(), "") {
			if err != nil || info.Title != "what I want" {
				t.Errorf("%q %v", info.Title, err)
			}
		}
	})
}

// The span of a session begins with its first event, and another one of the same name begins later.
func TestSpan(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		s := newSetup(t, st, agenttest.Say("one"), agenttest.Say("two"))
		if born, last, err := s.eng.Span(t.Context(), "A"); !born.IsZero() || last != 0 || err != nil {
			t.Errorf("%v %d %v", born, last, err)
		}
		turn := func() []agent.Event {
			r := follow(t, s.eng, "a", 0)
			submit(t, s.eng, "a", say("hi"))
			r.Until("the end", isEnd)
			waitIdle(t, s.eng, "a")
			return stored(t, st, "a")
		}
		first := turn()
		born, last, err := s.eng.Span(t.Context(), "A")
		if !born.Equal(first[0].Time) || last != first[len(first)-1].Seq || err != nil {
			t.Errorf("%v %d %v", born, last, err)
		}
		if err := s.eng.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for time.Now().Truncate(time.Millisecond).Equal(born) { // times are kept in milliseconds
			runtime.Gosched()
		}
		turn()
		if again, _, err := s.eng.Span(t.Context(), "a"); !again.After(born) || err != nil {
			t.Errorf("%v, then %v %v", born, again, err)
		}
		if _, _, err := s.eng.Span(t.Context(), ".."); err == nil {
			t.Error("a name that is none")
		}
	})
}

// What is done to a session that is deleted meanwhile ends with that reason, whatever it has met itself.
func TestDoOnADeletedSession(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		s := newSetup(t, st)
		begun, done := make(chan struct{}), make(chan error, 1)
		go func() {
			done <- s.eng.Do(t.Context(), "a", func(ctx context.Context, _ *agent.Agent, _ *agent.Session, _ func(agent.Event)) error {
				close(begun)
				<-ctx.Done()
				return agent.ErrUse
			})
		}()
		<-begun
		if err := s.eng.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, engine.ErrDropped) {
			t.Error(err)
		}
	})
}
