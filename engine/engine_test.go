package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
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
const patience = 30 * time.Second

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
		Beat: 50 * time.Millisecond, Dead: 400 * time.Millisecond,
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

func say(text string) engine.Input {
	m := agent.TextMessage(agent.User, text)
	return engine.Input{Message: &m}
}

func submit(t testing.TB, e engine.Engine, session string, in engine.Input) int64 {
	t.Helper()
	r, err := e.Submit(t.Context(), session, in)
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	return r.Pos
}

// reader follows a session beside the test.
type reader struct {
	t    testing.TB
	got  chan agent.Event
	seen []agent.Event
}

func follow(t testing.TB, e engine.Engine, session string, after int64) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &reader{t: t, got: make(chan agent.Event, 10000)}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(r.got)
		for ev, err := range e.Follow(ctx, session, after, true) {
			if err != nil {
				if !errors.Is(err, engine.ErrClosed) {
					t.Errorf("Follow: %v", err)
				}
				return
			}
			r.got <- ev
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return r
}

// until reads on until an event fits.
func (r *reader) until(what string, fits func(agent.Event) bool) agent.Event {
	r.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case e, ok := <-r.got:
			if !ok {
				r.t.Fatalf("the stream ended before %s; events:\n%s", what, showEvents(r.seen))
			}
			r.seen = append(r.seen, e)
			if fits(e) {
				return e
			}
		case <-late.C:
			r.t.Fatalf("%s did not come; events:\n%s", what, showEvents(r.seen))
		}
	}
}

func (r *reader) untilType(typ agent.EventType) agent.Event {
	r.t.Helper()
	return r.until(string(typ), func(e agent.Event) bool { return e.Type == typ })
}

func showEvents(es []agent.Event) string {
	var b strings.Builder
	for _, e := range es {
		line, _ := agent.EncodeJSON(e)
		fmt.Fprintf(&b, "  %.200s\n", line)
	}
	return b.String()
}

func durable(es []agent.Event) []agent.Event {
	return slices.DeleteFunc(slices.Clone(es), func(e agent.Event) bool { return !e.Type.Durable() })
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

func texts(es []agent.Event, role agent.Role) []string {
	var out []string
	for _, e := range es {
		if e.Message != nil && e.Message.Role == role {
			text := e.Message.Text()
			if r := e.Message.Result(); r != nil {
				text = r.Text()
			}
			out = append(out, text)
		}
	}
	return out
}

func wantTexts(t testing.TB, es []agent.Event, role agent.Role, want ...string) {
	t.Helper()
	if got := texts(es, role); !slices.Equal(got, want) {
		t.Fatalf("%s says %q, want %q; events:\n%s", role, got, want, showEvents(es))
	}
}

func stores(t *testing.T, fn func(t *testing.T, st anyStore)) {
	t.Run("mem", func(t *testing.T) { fn(t, mem.New()) })
	t.Run("disk", func(t *testing.T) { fn(t, diskStore(t, t.TempDir())) })
}

// gate is a tool that waits for the test.
type gate struct {
	entered chan string
	open    chan struct{}
}

func newGate() *gate { return &gate{entered: make(chan string, 100), open: make(chan struct{}, 100)} }

func (g *gate) tool(name string) agent.Tool {
	return agent.Tool{
		Name: name, Doc: "waits", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Executes,
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			g.entered <- c.Key
			select {
			case <-g.open:
				return agent.TextResult(name + " done"), nil
			case <-ctx.Done():
				return agent.Result{}, ctx.Err()
			}
		},
	}
}

func (g *gate) wait(t testing.TB) string {
	t.Helper()
	select {
	case key := <-g.entered:
		return key
	case <-time.After(patience):
		t.Fatal("the tool was not called")
		return ""
	}
}
