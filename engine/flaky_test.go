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
	r.Until("the end", isEnd)
	submit(t, s.eng, "a", say("two"))
	if e := r.UntilType(agent.EvNotice); e.Error == nil || !strings.Contains(e.Text, "disk full") {
		t.Fatalf("%+v", e)
	}
	var unstored []agent.Event
	for _, e := range r.Seen {
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
	r.Until("the end", isEnd)
	es := stored(t, st, "a")
	wantTexts(t, es, agent.User, "one", "two", "three")
	wantTexts(t, es, agent.Assistant, "re one", "re three")
	// no room for input: the sender is told
	st.full = func(string) bool { return true }
	if _, err := s.eng.Submit(t.Context(), "a", say("four")); !errors.Is(err, store.ErrFull) {
		t.Fatal(err)
	}
}

// A command line may stand for a message: that is said in its place, once for each ID, and what is kept from the log is kept
// from it, too.
func TestCommandThatSpeaks(t *testing.T) {
	s := newSetup(t, mem.New(), agenttest.Say("one"), agenttest.Say("two"))
	c := s.config()
	n := 0
	c.Commands = func(_ context.Context, _, line string) (engine.Reply, error) {
		n++
		m := agent.TextMessage(agent.User, line)
		if line == "/odd" {
			m.Role = agent.Assistant
		}
		return engine.Reply{Message: &m}, nil
	}
	c.Receive = func(in *engine.Input) {
		if in.Message != nil {
			in.Message.Parts[0].Text = strings.ReplaceAll(in.Message.Parts[0].Text, "key", "[secret]")
		}
	}
	eng := newEngine(t, c)
	var first engine.Receipt
	for i := range 3 {
		r, err := eng.Submit(t.Context(), "a", engine.Input{ID: "i", Command: "/do key"})
		if err != nil || r.Pos == 0 {
			t.Fatal(r, err)
		}
		if i == 0 {
			first = r
			first.Again = true // from now on
		} else if r != first {
			t.Fatalf("the same input stands at %v and at %v", first, r)
		}
	}
	if _, err := eng.Submit(t.Context(), "a", engine.Input{Command: "/odd"}); !errors.Is(err, engine.ErrInput) {
		t.Fatal(err)
	}
	for e, err := range eng.Follow(t.Context(), "a", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvMessage && e.Message.Role == agent.User && e.Message.Text() != "/do [secret]" {
			t.Fatalf("said: %q", e.Message.Text())
		}
		if e.Type == agent.EvEnd {
			break
		}
	}
	if n != 4 {
		t.Fatalf("asked %d times", n)
	}
}

// Commands answer once for each ID; without Commands they are refused.
func TestCommands(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st)
	n := 0
	c := s.config()
	c.Commands = func(context.Context, string, string) (engine.Reply, error) {
		n++
		return engine.Reply{Text: "x"}, nil
	}
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

// A command that is sent again while it is at work is done once, and both hear what it came to; one that has failed is done
// again. A session that begins anew has heard nothing.
func TestCommandAtWorkIsNotDoneTwice(t *testing.T) {
	st := mem.New()
	c := newSetup(t, st).config()
	begun, goOn := make(chan struct{}, 10), make(chan error)
	c.Commands = func(ctx context.Context, _, _ string) (engine.Reply, error) {
		begun <- struct{}{}
		select {
		case err := <-goOn:
			return engine.Reply{Text: "done"}, err
		case <-ctx.Done():
			return engine.Reply{}, ctx.Err()
		}
	}
	eng := newEngine(t, c)
	in := engine.Input{ID: "i", Command: "/x"}
	texts := make(chan string)
	send := func(ctx context.Context) {
		r, err := eng.Submit(ctx, "a", in)
		if err != nil {
			r.Text = err.Error()
		}
		texts <- r.Text
	}
	first, hangUp := context.WithCancel(t.Context())
	go send(first)
	<-begun
	hangUp()
	if got := <-texts; got != context.Canceled.Error() {
		t.Fatal(got)
	}
	go send(t.Context())
	<-begun
	for range 3 {
		go send(t.Context())
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := eng.Submit(gone, "a", in); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	goOn <- nil
	for range 4 {
		if got := <-texts; got != "done" {
			t.Fatal(got)
		}
	}
	if len(begun) != 0 {
		t.Fatal("done again")
	}
	if err := eng.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	go send(t.Context())
	<-begun
	goOn <- errors.New("no")
	if got := <-texts; got != "no" {
		t.Fatal(got)
	}
}
