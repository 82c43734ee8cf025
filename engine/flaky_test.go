package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/mem"
)

// flaky stores, and then says that it has not.
type flaky struct {
	anyStore
	n int
}

var errReply = errors.New("the reply was lost")

func (f *flaky) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	pos, err := f.anyStore.Append(ctx, name, after, data)
	if strings.HasPrefix(name, "session/") && err == nil {
		f.n++
		return 0, errReply
	}
	return pos, err
}

// full is a store without room, as long as the test wants it.
type full struct {
	anyStore
	full func(name string) bool
}

func (f *full) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	if f.full(name) {
		return 0, store.ErrFull
	}
	return f.anyStore.Append(ctx, name, after, data)
}

// A full disk stops the run and says so; when there is room again the next message goes on from there.
func TestDiskFull(t *testing.T) {
	no := false
	st := &full{anyStore: mem.New(), full: func(name string) bool { return no && name == "session/a" }}
	s := newSetup(t, st)
	s.model.Next = func(_ int, req *agent.Request) agenttest.Reply {
		text := req.Messages[len(req.Messages)-1].Text()
		no = text == "two"
		return agenttest.Say("re " + text)
	}
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("one"))
	r.until("the end", isEnd)
	submit(t, s.eng, "a", say("two"))
	if e := r.untilType(agent.EvNotice); e.Error == nil || !strings.Contains(e.Text, "disk full") {
		t.Fatalf("%+v", e)
	}
	var unstored []agent.Event
	for _, e := range r.seen {
		if unstored = append(unstored, e); e.Type.Durable() {
			unstored = nil
		}
	}
	if got := streamed(unstored); got != "" || len(unstored) == 0 {
		t.Fatalf("%q is still shown", got)
	}
	waitIdle(t, s.eng, "a")
	no = false
	submit(t, s.eng, "a", say("three"))
	r.until("the end", isEnd)
	es := stored(t, st, "a")
	wantTexts(t, es, agent.User, "one", "two", "three")
	wantTexts(t, es, agent.Assistant, "re one", "re three")
	// no room for input: the sender is told
	st.full = func(string) bool { return true }
	if _, err := s.eng.Submit(t.Context(), "a", say("four")); !errors.Is(err, store.ErrFull) {
		t.Fatal(err)
	}
}

// Commands answer once for each ID; without Commands they are refused.
func TestCommands(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st)
	n := 0
	c := s.config()
	c.Commands = func(context.Context, string, string) (string, error) { n++; return "x", nil }
	eng := newEngine(t, c)
	for range 3 {
		if r, err := eng.Submit(t.Context(), "a", engine.Input{ID: "i", Command: "/x"}); err != nil || r.Text != "x" {
			t.Fatal(r, err)
		}
	}
	if n != 1 {
		t.Fatalf("done %d times", n)
	}
	if _, err := s.eng.Submit(t.Context(), "a", engine.Input{Command: "/bad"}); err == nil {
		t.Fatal("a bad command")
	}
	c.Commands = nil
	if _, err := newEngine(t, c).Submit(t.Context(), "a", engine.Input{Command: "/x"}); !errors.Is(err, engine.ErrInput) {
		t.Fatal(err)
	}
}
