package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/mem"
)

// leaving is a store during whose first append to an input log the sender leaves.
type leaving struct {
	anyStore
	leave func()
}

func (l *leaving) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	pos, err := l.anyStore.Append(ctx, name, after, data)
	if strings.HasPrefix(name, "input/") {
		l.leave()
	}
	return pos, err
}

// Who leaves while the message is stored leaves a message that is worked on; who has left before has said nothing.
func TestSenderLeaves(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSetup(t, &leaving{anyStore: mem.New(), leave: cancel}, agenttest.Say("hello"))
	r := follow(t, s.eng, "a", 0)
	if receipt, err := s.eng.Submit(ctx, "a", say("hi")); err != nil || receipt.Pos == 0 {
		t.Errorf("%+v %v", receipt, err)
	}
	if ctx.Err() == nil {
		t.Error("nobody has left")
	}
	r.Until("the end", isEnd)
	if receipt, err := s.eng.Submit(ctx, "b", say("hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v %v", receipt, err)
	}
	if info, err := s.eng.Info(t.Context(), "b"); err != nil || len(info.Queue) > 0 || info.Running {
		t.Errorf("%+v %v", info, err)
	}
}

// asked is a context that says when it was asked for its end several times.
type asked struct {
	context.Context
	n    atomic.Int64
	many chan struct{}
}

func (a *asked) Done() <-chan struct{} {
	if a.n.Add(1) == 6 {
		close(a.many)
	}
	return a.Context.Done()
}

// What waits for the end of a run is told at once that the engine closes, and does not ask again and again until the run has
// come to its next event.
func TestClosingEndsWhatWaits(t *testing.T) {
	g := newGate()
	s := newSetup(t, mem.New(), agenttest.CallTool("work", "{}"))
	s.tools = []agent.Tool{g.Tool("work")}
	submit(t, s.eng, "a", say("go"))
	g.Wait(t)
	waiting := &asked{Context: t.Context(), many: make(chan struct{})}
	waits := make(chan error, 1)
	go func() {
		waits <- s.eng.Do(waiting, "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error {
			return errors.New("it was done")
		})
	}()
	<-waiting.many
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan error, 1)
	go func() { closed <- s.eng.Close(ctx) }()
	select {
	case err := <-waits:
		if !errors.Is(err, engine.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("it waits still")
	}
	cancel()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
