package engine_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/mem"
)

// lazyStore is a store in which the first look at a session's log takes until it is released.
type lazyStore struct {
	anyStore
	once             sync.Once
	entered, release chan struct{}
}

func (s *lazyStore) Read(ctx context.Context, name string, after int64, follow bool) iter.Seq2[store.Record, error] {
	if name == "session/a" && !follow {
		s.once.Do(func() {
			close(s.entered)
			<-s.release
		})
	}
	return s.anyStore.Read(ctx, name, after, follow)
}

// Who gives up waiting for something between runs, or cancels when nothing runs, ends that alone: what is said meanwhile is
// worked on.
func TestGivingUpEndsNoWorker(t *testing.T) {
	for name, give := range map[string]func(t *testing.T, s *setup, cancel func()){
		"given up": func(_ *testing.T, _ *setup, cancel func()) { cancel() },
		"cancelled": func(t *testing.T, s *setup, _ func()) {
			submit(t, s.eng, "a", engine.Input{Cancel: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := &lazyStore{anyStore: mem.New(), entered: make(chan struct{}), release: make(chan struct{})}
			s := newSetup(t, st, agenttest.Say("hello"))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ran, done := false, make(chan error, 1)
			go func() {
				done <- s.eng.Do(ctx, "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error {
					ran = true
					return nil
				})
			}()
			<-st.entered
			give(t, s, cancel)
			submit(t, s.eng, "a", say("hi"))
			close(st.release)
			if err := <-done; ran == (ctx.Err() != nil) || !errors.Is(err, ctx.Err()) {
				t.Errorf("it ran: %v, and says %v", ran, err)
			}
			follow(t, s.eng, "a", 0).Until("the end", func(e agent.Event) bool { return isEnd(e) && e.Stop == agent.RunEnd })
			wantTexts(t, stored(t, st, "a"), agent.Assistant, "hello")
		})
	}
}
