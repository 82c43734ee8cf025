package engine_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/engine/enginetest"
	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("ENGINE_TEST_JOB"); job != "" {
		os.Exit(child(job))
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must come.
const patience = enginetest.Patience

// anyStore is one value that is all three stores.
type anyStore interface {
	store.Log
	store.KV
	store.Blobs
}

// setup is an engine under test: a scripted model and a few tools.
type setup struct {
	t       testing.TB
	eng     *engine.Local
	st      anyStore
	model   *agenttest.Model
	tools   []agent.Tool
	hooks   []agent.Hook
	nobody  bool
	fail    error // of the factory
	made    int
	compact func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error)
}

func (s *setup) factory(_ context.Context, spec engine.Spec) (*agent.Agent, error) {
	s.made++
	if s.fail != nil {
		return nil, s.fail
	}
	a := &agent.Agent{Model: s.model, Tools: s.tools, Hooks: s.hooks, Compact: s.compact}
	if !s.nobody {
		a.Ask = spec.Ask
	}
	return a, nil
}

func (s *setup) config() engine.Config {
	return engine.Config{
		Log: s.st, KV: s.st, Blobs: s.st, Factory: s.factory,
		Beat: 50 * time.Millisecond, Dead: 400 * time.Millisecond, Poll: 10 * time.Millisecond,
		Commands: func(_ context.Context, session, line string) (engine.Reply, error) {
			if line == "/bad" {
				return engine.Reply{}, errors.New("no such command")
			}
			return engine.Reply{Text: session + " heard " + line}, nil
		},
	}
}

func newEngine(t testing.TB, c engine.Config) *engine.Local {
	t.Helper()
	eng, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		if err := eng.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return eng
}

func newSetup(t testing.TB, st anyStore, script ...agenttest.Reply) *setup {
	t.Helper()
	s := &setup{t: t, st: st, model: agenttest.NewModel(script...)}
	s.eng = newEngine(t, s.config())
	return s
}

func diskStore(t testing.TB, dir string) *disk.Store {
	t.Helper()
	s, err := disk.Open(dir, disk.Options{Poll: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// stored reads a session's log and checks what must hold for every log.
func stored(t testing.TB, st anyStore, session string) []agent.Event {
	t.Helper()
	var es []agent.Event
	taken := map[int64]int64{}
	results := map[string]bool{}
	for rec, err := range st.Read(t.Context(), "session/"+session, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.Decode(rec.Data, func(sha string) ([]byte, error) { return st.GetBlob(t.Context(), sha) })
		if err != nil {
			t.Fatalf("%q: %v", rec.Data, err)
		}
		if e.Seq != int64(len(es))+1 {
			t.Fatalf("event %d is number %d", len(es)+1, e.Seq)
		}
		for _, k := range e.Took {
			if old := taken[k.Pos]; old != 0 && e.Type != agent.EvCompact {
				t.Fatalf("input %d was taken by events %d and %d", k.Pos, old, e.Seq)
			}
			taken[k.Pos] = e.Seq
		}
		if e.Message != nil && e.Message.Role == agent.ToolRole {
			key := e.Message.Result().Key
			if results[key] {
				t.Fatalf("call %s has two results", key)
			}
			results[key] = true
		}
		es = append(es, e)
	}
	return es
}

func stores(t *testing.T, fn func(t *testing.T, st anyStore)) {
	t.Run("mem", func(t *testing.T) { fn(t, mem.New()) })
	t.Run("disk", func(t *testing.T) { fn(t, diskStore(t, t.TempDir())) })
}

// What the tests of this package share with those of other engines.
type (
	gate   = enginetest.Gate
	reader = enginetest.Reader
)

func newGate() *gate { return enginetest.NewGate() }

func say(text string) engine.Input { return enginetest.Say(text) }

func submit(t testing.TB, e engine.Engine, session string, in engine.Input) int64 {
	t.Helper()
	return enginetest.Submit(t, e, session, in)
}

func follow(t testing.TB, e engine.Engine, session string, after int64) *reader {
	t.Helper()
	return enginetest.Follow(t, e, session, after)
}

func isEnd(e agent.Event) bool { return enginetest.IsEnd(e) }

func showEvents(es []agent.Event) string { return enginetest.ShowEvents(es) }

func durable(es []agent.Event) []agent.Event { return enginetest.Durable(es) }

func texts(es []agent.Event, role agent.Role) []string { return enginetest.Texts(es, role) }

func wantTexts(t testing.TB, es []agent.Event, role agent.Role, want ...string) {
	t.Helper()
	enginetest.WantTexts(t, es, role, want...)
}

func waitQueue(t *testing.T, e engine.Engine, id string, n int) {
	t.Helper()
	enginetest.WaitQueue(t, e, id, n)
}

func waitIdle(t *testing.T, e engine.Engine, id string) {
	t.Helper()
	enginetest.WaitIdle(t, e, id)
}

func askBefore(name string) agent.Hook { return enginetest.AskBefore(name) }
