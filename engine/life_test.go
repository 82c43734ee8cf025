package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/mem"
)

// crash makes a second engine over what a first one has left behind, as after a kill: the first one's lease points to a
// process that is gone.
func crash(t *testing.T, st anyStore, session string) {
	t.Helper()
	d, err := st.Get(t.Context(), "lease/"+session)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := st.Put(t.Context(), store.Doc{Key: "lease/" + session, Rev: d.Rev, Data: []byte(`{"owner":"gone"}`)}); err != nil {
		t.Fatal(err)
	}
}

// A session that was cut anywhere goes on from there, and nothing is taken twice.
func TestResumeFromEveryPrefix(t *testing.T) {
	first := mem.New()
	s := newSetup(t, first, agenttest.CallTool("work", "{}"), agenttest.Say("done"))
	g := newGate()
	s.tools = []agent.Tool{g.Tool("work")}
	s.hooks = []agent.Hook{askBefore("work")}
	r := follow(t, s.eng, "a", 0)
	in := say("go")
	in.ID = "once"
	submit(t, s.eng, "a", in)
	ask := r.UntilType(agent.EvAsk)
	submit(t, s.eng, "a", engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Allow: true}})
	g.Open <- struct{}{}
	r.Until("the end", isEnd)
	waitIdle(t, s.eng, "a")
	var lines, inputs [][]byte
	for rec := range first.Read(t.Context(), "session/a", 0, false) {
		lines = append(lines, rec.Data)
	}
	for rec := range first.Read(t.Context(), "input/a", 0, false) {
		inputs = append(inputs, rec.Data)
	}
	for cut := range lines {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			st := mem.New()
			for _, line := range lines[:cut] {
				appendTo(t, st, "session/a", line)
			}
			for _, line := range inputs {
				appendTo(t, st, "input/a", line)
			}
			crash(t, st, "a")
			g := newGate()
			g.Open <- struct{}{}
			s := newSetup(t, st)
			s.tools = []agent.Tool{g.Tool("work")}
			s.hooks = []agent.Hook{askBefore("work")}
			s.model.Next = func(_ int, req *agent.Request) agenttest.Reply {
				if req.Messages[len(req.Messages)-1].Role == agent.ToolRole {
					return agenttest.Say("done")
				}
				return agenttest.CallTool("work", "{}")
			}
			r := follow(t, s.eng, "a", 0)
			if err := s.eng.Resume(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			r.Until("the end", isEnd)
			waitIdle(t, s.eng, "a")
			es := stored(t, st, "a")
			wantTexts(t, es, agent.User, "go")
			if got := texts(es, agent.ToolRole); len(got) != 1 {
				t.Fatalf("results are %q", got)
			}
			if err := s.eng.Resume(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			if info, err := s.eng.Info(t.Context(), "a"); err != nil || info.Running {
				t.Fatalf("nothing was left to do: %+v %v", info, err)
			}
		})
	}
}

func appendTo(t testing.TB, st anyStore, name string, line []byte) {
	t.Helper()
	if _, err := st.Append(t.Context(), name, -1, line); err != nil {
		t.Fatal(err)
	}
}

// Close stops a run behind its next durable event; another engine goes on with it.
func TestCloseAndResume(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"), agenttest.Say("done"))
		s.tools = []agent.Tool{g.Tool("work")}
		r := follow(t, s.eng, "a", 0)
		submit(t, s.eng, "a", say("go"))
		g.Wait(t)
		go func() {
			for { // the tool returns when the engine is closing
				if _, err := s.eng.Info(t.Context(), "a"); err != nil {
					break
				}
			}
			g.Open <- struct{}{}
		}()
		if err := s.eng.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range r.Got {
		}
		es := stored(t, st, "a")
		if last := es[len(es)-1]; last.Message == nil || last.Message.Role != agent.ToolRole {
			t.Fatalf("the last event is %+v", last)
		}
		if _, err := s.eng.Submit(t.Context(), "a", say("x")); !errors.Is(err, engine.ErrClosed) {
			t.Fatalf("a closed engine says %v", err)
		}
		next := newSetup(t, st)
		next.model, next.tools = s.model, s.tools
		wantLeft(t, next.eng, "a")
		if info, err := next.eng.Info(t.Context(), "a"); err != nil || info.Running {
			t.Fatalf("nobody works on it: %+v %v", info, err)
		}
		r = follow(t, next.eng, "a", 0)
		if err := next.eng.Resume(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		r.Until("the end", isEnd)
		wantTexts(t, stored(t, st, "a"), agent.Assistant, "", "done")
		waitIdle(t, next.eng, "a")
		wantLeft(t, next.eng)
	})
}

// wantLeft looks which sessions their programs have left at work.
func wantLeft(t *testing.T, eng *engine.Local, want ...string) {
	t.Helper()
	var got []string
	for id, err := range eng.Left(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("left at work are %q, want %q", got, want)
	}
}

// What a process works on is not left, for it and for others on its machine; what was only looked at in between stays left.
func TestLeft(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"))
		s.tools = []agent.Tool{g.Tool("work")}
		submit(t, s.eng, "a", say("go"))
		g.Wait(t)
		other := newSetup(t, st, agenttest.Say("hello"))
		submit(t, other.eng, "b", say("go")) // ends in order
		waitIdle(t, other.eng, "b")
		if runtime.GOOS == "linux" { // elsewhere only silence tells
			wantLeft(t, other.eng)
		}
		wantLeft(t, s.eng)
		now, cancel := context.WithCancel(t.Context())
		cancel() // no time to come to a durable event
		if err := s.eng.Close(now); err != nil {
			t.Fatal(err)
		}
		wantLeft(t, other.eng, "a")
		err := other.eng.Do(t.Context(), "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		waitIdle(t, other.eng, "a")
		wantLeft(t, other.eng, "a")
		if err := other.eng.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		wantLeft(t, other.eng)
	})
}

// Close does not wait for a person, and not longer than it is told to.
func TestCloseWhileAsking(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.CallTool("work", "{}"))
	s.tools = []agent.Tool{newGate().Tool("work")}
	s.hooks = []agent.Hook{askBefore("work")}
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("go"))
	ask := r.UntilType(agent.EvAsk)
	if err := s.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := newGate()
	g.Open <- struct{}{}
	next := newSetup(t, st, agenttest.Say("done"))
	next.tools, next.hooks = []agent.Tool{g.Tool("work")}, s.hooks
	r = follow(t, next.eng, "a", 0)
	submit(t, next.eng, "a", engine.Input{Answer: &agent.Answer{ID: ask.Ask.ID, Allow: true}})
	r.Until("the end", isEnd)
	wantTexts(t, stored(t, st, "a"), agent.ToolRole, "work done")
}

// A reader that joins in mid-message gets what was shown so far, and then the rest.
func TestLateJoiner(t *testing.T) {
	st := mem.New()
	begun, goOn := make(chan bool), make(chan bool)
	s := newSetup(t, st)
	s.model.Next = func(int, *agent.Request) agenttest.Reply { return agenttest.Reply{} }
	s.eng = newEngine(t, func() engine.Config {
		c := s.config()
		c.Factory = func(context.Context, engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{Model: slow{begun, goOn}}, nil
		}
		return c
	}())
	early := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("go"))
	<-begun // "one " was sent; the chunk may be under way
	early.Until("the first words", func(e agent.Event) bool { return e.Type == agent.EvChunk })
	late := follow(t, s.eng, "a", 0)
	if e := late.UntilType(agent.EvStep); e.Text != "model" {
		t.Fatalf("what goes on is %q", e.Text)
	}
	late.UntilType(agent.EvRetry)
	if c := late.UntilType(agent.EvChunk); c.Chunk.Part.Text != "one " {
		t.Fatalf("the text so far is %q", c.Chunk.Part.Text)
	}
	close(goOn)
	for _, r := range []*reader{early, late} {
		r.Until("the end", isEnd)
		if got := streamed(r.Seen); got != "one two" {
			t.Fatalf("a reader saw %q", got)
		}
	}
}

// streamed puts together what a reader was shown of the last message.
func streamed(es []agent.Event) string {
	text := ""
	for _, e := range es {
		if e.Type == agent.EvRetry {
			text = ""
		}
		if e.Type == agent.EvChunk {
			text += e.Chunk.Part.Text
		}
	}
	return text
}

type slow struct{ begun, goOn chan bool }

func (slow) Info() agent.ModelInfo { return agent.ModelInfo{Name: "slow"} }

func (m slow) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		part := agent.TextPart("one ")
		if !yield(agent.Chunk{Part: &part}, nil) {
			return
		}
		m.begun <- true
		<-m.goOn
		part = agent.TextPart("two")
		if !yield(agent.Chunk{Part: &part}, nil) {
			return
		}
		yield(agent.Chunk{Stop: agent.StopEnd}, nil)
	}
}

// A reader that does not read loses live events only, and is silent rather than wrong.
func TestSlowReader(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st)
	c := s.config()
	c.Backlog = 4
	s.eng = newEngine(t, c)
	s.model.Next = func(n int, _ *agent.Request) agenttest.Reply {
		var r agenttest.Reply
		for i := range 50 {
			part := agent.TextPart(fmt.Sprint(i, " "))
			r.Chunks = append(r.Chunks, agent.Chunk{Part: &part})
		}
		r.Chunks = append(r.Chunks, agent.Chunk{Stop: agent.StopEnd})
		return r
	}
	first := make(chan bool)
	stuck := make(chan bool)
	got := make(chan []agent.Event, 1)
	go func() {
		var es []agent.Event
		for e, err := range s.eng.Follow(t.Context(), "a", 0, true) {
			if err != nil {
				break
			}
			if es = append(es, e); len(es) == 1 {
				close(first)
				<-stuck
			}
			if isEnd(e) && e.Seq > 20 {
				break
			}
		}
		got <- es
	}()
	r := follow(t, s.eng, "a", 0)
	for i := range 10 {
		submit(t, s.eng, "a", say(fmt.Sprint("turn ", i)))
		r.Until("an end", isEnd)
		if i == 0 {
			<-first
		}
	}
	close(stuck)
	es := <-got
	n, live := int64(0), int64(0)
	for _, e := range es {
		switch {
		case e.Type.Durable():
			if n++; e.Seq != n {
				t.Fatalf("durable event %d is number %d", n, e.Seq)
			}
			live = 0
		case e.Seq == n && (e.Type == agent.EvStep || e.Type == agent.EvRetry): // what goes on, and the message from its beginning
			live = e.N
		case e.Seq != n || e.N > live+1:
			t.Fatalf("live event %d of %d behind %d of %d", e.N, e.Seq, live, n)
		default:
			live = e.N
		}
	}
	if n < 20 {
		t.Fatalf("%d durable events", n)
	}
}

// Bodies over 64 kB, many smaller ones, and attachments stand in the blob store, and come back.
func TestBigBodies(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		big := strings.Repeat("b<>&\"\\漢\n", 20000)
		args := `{"x":"` + strings.Repeat("a", 100_000) + `"}`
		s := newSetup(t, st, agenttest.Reply{Thinking: big, Text: big, Calls: []agent.Call{{Name: "work", Args: []byte(args)}}}, agenttest.Say("done"))
		s.tools = []agent.Tool{{
			Name: "work", Schema: []byte(`{"type":"object","properties":{"x":{"type":"string"}}}`),
			Run: func(context.Context, agent.Call) (agent.Result, error) {
				r := agent.TextResult(big)
				for range 40 {
					r.Parts = append(r.Parts, agent.TextPart(strings.Repeat("s", 60_000)))
				}
				r.Parts = append(r.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Data: []byte("png")}})
				r.Detail = []byte(`{"d":"` + strings.Repeat("d", 70_000) + `"}`)
				r.State = map[string]json.RawMessage{"todo": []byte(`["` + strings.Repeat("t", 70_000) + `"]`)}
				return r, nil
			},
		}}
		r := follow(t, s.eng, "a", 0)
		m := agent.TextMessage(agent.User, big)
		m.Parts = append(m.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "text/plain", Data: []byte("attached")}})
		submit(t, s.eng, "a", engine.Input{Message: &m})
		r.Until("the end", isEnd)
		for rec, err := range st.Read(t.Context(), "session/a", 0, false) {
			if err != nil || len(rec.Data) > store.MaxRecord {
				t.Fatal(len(rec.Data), err)
			}
			if bytes.Contains(rec.Data, []byte(`"type":"call"`)) && bytes.Contains(rec.Data, []byte(`"args"`)) {
				t.Fatalf("a call repeats its large arguments: %.300s", rec.Data)
			}
		}
		waitIdle(t, s.eng, "a")
		// what is loaded is what was there: the next request begins with the last one's bytes
		next := newSetup(t, st, agenttest.Say("again"))
		next.tools = s.tools
		r2 := follow(t, next.eng, "a", 0)
		submit(t, next.eng, "a", say("more"))
		r2.Until("the second run's end", func(e agent.Event) bool { return isEnd(e) && e.Run != r.Seen[0].Run })
		bodies := s.model.Bodies()
		if !bytes.HasPrefix(next.model.Bodies()[0], bodies[len(bodies)-1]) {
			t.Fatal("the loaded history differs from the one in memory")
		}
		for _, m := range []*agenttest.Model{s.model, next.model} { // attachments too, which no JSON shows
			reqs := m.Requests()
			msgs := reqs[len(reqs)-1].Messages
			if b := msgs[0].Parts[1].Blob; string(b.Data) != "attached" {
				t.Errorf("the person's attachment has the bytes %q", b.Data)
			}
			parts := msgs[2].Result().Parts
			if b := parts[len(parts)-1].Blob; string(b.Data) != "png" {
				t.Errorf("the tool's attachment has the bytes %q", b.Data)
			}
		}
		es := stored(t, st, "a")
		if es[0].Message.Text() != big || es[0].Message.Parts[1].Blob.SHA256 == "" {
			t.Fatal("the message has not come back whole")
		}
		for _, e := range r2.Seen {
			if e.Message != nil && e.Message.Role == agent.ToolRole && len(e.Message.Result().Text()) != len(big)+40*60_000 {
				t.Fatalf("the result has %d bytes", len(e.Message.Result().Text()))
			}
		}
	})
}

// A torn tail is cut off, the person is told, and the session goes on.
func TestTornTail(t *testing.T) {
	for _, more := range []int64{-20, -1, 5} { // beside the length of the last line
		dir := t.TempDir()
		st := diskStore(t, dir)
		s := newSetup(t, st, agenttest.Say("one"), agenttest.Say("two"))
		r := follow(t, s.eng, "a", 0)
		submit(t, s.eng, "a", say("first"))
		r.Until("the end", isEnd)
		waitIdle(t, s.eng, "a")
		if err := s.eng.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "log", "session", "a.jsonl")
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		last := int64(bytes.LastIndexByte(file[:len(file)-1], '\n') + 1)
		if more < 0 {
			last = int64(len(file))
		}
		if err := os.Truncate(name, last-max(more, -more)); err != nil {
			t.Fatal(err)
		}
		next := newSetup(t, st, agenttest.Say("two"), agenttest.Say("three"))
		r = follow(t, next.eng, "a", 0)
		submit(t, next.eng, "a", say("second"))
		told, answered, ended := false, false, false // a notice that came before the reader is shown when it has caught up
		r.Until("notice, answer and end", func(e agent.Event) bool {
			told = told || e.Type == agent.EvNotice
			answered = answered || e.Message != nil && e.Message.Role == agent.Assistant && e.Message.Text() != "one"
			ended = ended || answered && isEnd(e)
			return told && ended
		})
		waitIdle(t, next.eng, "a")
		wantTexts(t, stored(t, st, "a"), agent.User, "first", "second")
	}
}

// What Do does stands in the log, is shown, and waits for the run.
func TestDo(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"), agenttest.Say("one"), agenttest.Say("two"))
		s.tools = []agent.Tool{g.Tool("work")}
		s.compact = func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
			if n.Why != agent.Asked {
				return nil, nil
			}
			return &agent.Trim{From: s.Seq + 1, Head: []agent.Message{agent.TextMessage(agent.User, "summary")}}, nil
		}
		r := follow(t, s.eng, "a", 0)
		submit(t, s.eng, "a", say("go"))
		g.Wait(t)
		done := make(chan error, 1)
		go func() {
			done <- s.eng.Do(t.Context(), "a", func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
				return a.Append(ctx, s, &agent.Event{Type: agent.EvState, State: map[string]json.RawMessage{"mode": []byte(`"plan"`)}})
			})
		}()
		g.Open <- struct{}{}
		r.Until("the end", isEnd)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if e := r.Until("the state", func(e agent.Event) bool { return e.State["mode"] != nil }); e.Type != agent.EvState {
			t.Fatalf("%+v", e)
		}
		err := s.eng.Do(t.Context(), "a", func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error {
			for e, err := range a.CompactNow(ctx, s, "") {
				if err != nil {
					return err
				}
				emit(e)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c := r.UntilType(agent.EvCompact)
		// undo the compaction; then the history is whole again
		err = s.eng.Do(t.Context(), "a", func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
			return a.Append(ctx, s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: c.Seq, To: c.Seq}, Text: "undo"})
		})
		if err != nil {
			t.Fatal(err)
		}
		r.UntilType(agent.EvVoid)
		submit(t, s.eng, "a", say("more"))
		r.Until("the end", isEnd)
		reqs := s.model.Requests()
		if n := len(reqs[len(reqs)-1].Messages); n != 5 {
			t.Fatalf("the last request has %d messages, want 5", n)
		}
		wrong := errors.New("wrong")
		err = s.eng.Do(t.Context(), "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error { return wrong })
		if !errors.Is(err, wrong) {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = s.eng.Do(ctx, "a", func(ctx context.Context, _ *agent.Agent, _ *agent.Session, _ func(agent.Event)) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stored(t, st, "a")
	})
}

// An agent that cannot be made is an answer to the message; the next message asks again.
func TestFactoryFails(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.Say("works"))
	s.fail = errors.New("no key")
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("go"))
	end := r.Until("the end", isEnd)
	if end.Stop != agent.RunError || end.Error == nil || end.Error.Kind != agent.ErrConfig || !strings.Contains(end.Error.Message, "no key") {
		t.Fatalf("ended %+v %+v", end, end.Error)
	}
	waitIdle(t, s.eng, "a")
	s.fail = nil
	submit(t, s.eng, "a", say("again"))
	r.Until("the end", isEnd)
	wantTexts(t, stored(t, st, "a"), agent.User, "go", "again")
	made := s.made
	waitIdle(t, s.eng, "a")
	s.eng.Refresh("A")
	s.model.Next = func(int, *agent.Request) agenttest.Reply { return agenttest.Say("fresh") }
	submit(t, s.eng, "a", say("once more"))
	r.Until("the end", isEnd)
	if s.made != made+1 {
		t.Fatalf("the factory was asked %d times, want %d", s.made, made+1)
	}
}

// Hooks hear of the session once when it is opened, and once when it is let go.
func TestOnSession(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.Say("1"), agenttest.Say("2"), agenttest.Say("3"))
	var mu sync.Mutex // sessions are opened and let go beside each other
	heard := map[string][]bool{}
	s.hooks = []agent.Hook{{Name: "h", OnSession: func(_ context.Context, ses *agent.Session, start bool) {
		mu.Lock()
		defer mu.Unlock()
		heard[ses.ID] = append(heard[ses.ID], start)
	}}}
	c := s.config()
	c.Keep = 1
	s.eng = newEngine(t, c)
	for _, id := range []string{"a", "a", "b"} {
		submit(t, s.eng, id, say("go"))
		waitIdle(t, s.eng, id)
	}
	if err := s.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// How the two sessions lie to each other is free: a may be let go only by Close, behind b.
	if got := fmt.Sprint(heard); got != "map[a:[true false] b:[true false]]" {
		t.Fatalf("hooks heard %s", got)
	}
}

// A quiet input lets hooks inject what they have; nothing is stored when they have nothing.
func TestQuiet(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.Say("one"), agenttest.Say("two"))
	finished := make(chan bool, 1)
	s.hooks = []agent.Hook{{Name: "job", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
		select {
		case <-finished:
			m := agent.TextMessage(agent.User, "job done")
			m.From = "job"
			return &agent.Note{Messages: []agent.Message{m}}, nil
		default:
			return nil, nil
		}
	}}}
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("go"))
	r.Until("the end", isEnd)
	submit(t, s.eng, "a", engine.Input{Quiet: true})
	waitIdle(t, s.eng, "a")
	submit(t, s.eng, "a", engine.Input{Cancel: true}) // nothing to cancel
	waitIdle(t, s.eng, "a")
	if n := len(stored(t, st, "a")); n != len(durable(r.Seen)) {
		t.Fatalf("%d events are stored, %d were shown", n, len(durable(r.Seen)))
	}
}

// A message that a hook refuses is used up by the end of the run, not tried for ever.
func TestRefusedInput(t *testing.T) {
	st := mem.New()
	s := newSetup(t, st, agenttest.Say("fine"))
	s.hooks = []agent.Hook{{Name: "no", OnInput: func(_ context.Context, _ *agent.Session, m *agent.Message) error {
		if m.Text() == "bad" {
			return &agent.StopError{Stop: agent.RunDenied, Text: "not this"}
		}
		return nil
	}}}
	r := follow(t, s.eng, "a", 0)
	pos := submit(t, s.eng, "a", say("bad"))
	end := r.Until("the end", isEnd)
	if end.Stop != agent.RunDenied || len(end.Took) != 1 || end.Took[0].Pos != pos {
		t.Fatalf("ended %s, took %+v", end.Stop, end.Took)
	}
	submit(t, s.eng, "a", say("good"))
	r.Until("the end", isEnd)
	wantTexts(t, stored(t, st, "a"), agent.User, "good")
}

// Deleting a running session ends it, its readers, and its children.
func TestDeleteRunning(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, agenttest.CallTool("work", "{}"), agenttest.Say("anew"))
		s.tools = []agent.Tool{g.Tool("work")}
		r := follow(t, s.eng, "a", 0)
		appendTo(t, st, "session/a.1", []byte(`{"seq":1,"type":"state","time":"2026-01-01T00:00:00Z"}`))
		appendTo(t, st, "session/a1", []byte(`{"seq":1,"type":"state","time":"2026-01-01T00:00:00Z"}`))
		submit(t, s.eng, "a", say("go"))
		g.Wait(t)
		if err := s.eng.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for e := range r.Got {
			if isEnd(e) {
				t.Fatal("a deleted session has no end")
			}
		}
		var left []string
		for i, err := range s.eng.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, i.ID)
		}
		if strings.Join(left, ",") != "a1" {
			t.Fatalf("left are %q", left)
		}
		submit(t, s.eng, "a", say("again"))
		follow(t, s.eng, "a", 0).Until("the end", isEnd)
		wantTexts(t, stored(t, st, "a"), agent.User, "again")
	})
}

func TestNew(t *testing.T) {
	if _, err := engine.New(engine.Config{}); err == nil {
		t.Fatal("an engine of nothing")
	}
	st := mem.New()
	s := &setup{st: st}
	c := s.config()
	c.Process = "no/good"
	if _, err := engine.New(c); !errors.Is(err, store.ErrName) {
		t.Fatal(err)
	}
	a, b := engine.NewID(), engine.NewID()
	if _, err := store.CleanID(a); err != nil || a == b || a[:15] > b[:15] {
		t.Fatal(a, b, err)
	}
}

func BenchmarkLoad5000(b *testing.B) {
	st := diskStore(b, b.TempDir())
	now := time.Now().UTC().Truncate(time.Millisecond)
	text := strings.Repeat("word ", 60)
	for seq := int64(1); seq <= 5000; seq++ {
		role := agent.User
		if seq%2 == 0 {
			role = agent.Assistant
		}
		m := agent.TextMessage(role, text)
		if role == agent.Assistant {
			m.Stop = agent.StopEnd
		}
		e := agent.Event{Seq: seq, Type: agent.EvMessage, Time: now, Session: "a", Agent: "main", Run: "1", Message: &m}
		line, err := agent.EncodeJSON(&e)
		if err != nil {
			b.Fatal(err)
		}
		appendTo(b, st, "session/a", line)
	}
	s := &setup{t: b, st: st}
	b.Run("info", func(b *testing.B) {
		for b.Loop() {
			eng := newEngine(b, s.config())
			if info, err := eng.Info(b.Context(), "a"); err != nil || info.Seq != 5000 {
				b.Fatal(info, err)
			}
		}
	})
	b.Run("follow", func(b *testing.B) {
		eng := newEngine(b, s.config())
		for b.Loop() {
			n := 0
			for _, err := range eng.Follow(b.Context(), "a", 0, false) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != 5000 {
				b.Fatal(n)
			}
		}
	})
}

// Many short turns, each said as soon as the one before has ended: none falls between a worker that leaves and the next.
func TestNoInputIsMissed(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		s := newSetup(t, st)
		s.model.Next = func(int, *agent.Request) agenttest.Reply { return agenttest.Say("ok") }
		r := follow(t, s.eng, "a", 0)
		for i := range 300 {
			submit(t, s.eng, "a", say(fmt.Sprint(i)))
			r.Until("the end", isEnd)
		}
		stored(t, st, "a")
	})
}
