package engine_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/mem"
)

var errBroken = errors.New("the store broke")

// broken is a store of which one part fails, as long as the test wants it.
type broken struct {
	*mem.Store
	part atomic.Value // string
}

func (b *broken) is(part string) bool { return b.part.Load() == part }

func (b *broken) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	if b.is("append") {
		return 0, errBroken
	}
	return b.Store.Append(ctx, name, after, data)
}

func (b *broken) Read(ctx context.Context, name string, after int64, follow bool) iter.Seq2[store.Record, error] {
	if b.is("read") {
		return func(yield func(store.Record, error) bool) { yield(store.Record{}, errBroken) }
	}
	return b.Store.Read(ctx, name, after, follow)
}

func (b *broken) Names(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	if b.is("names") {
		return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errBroken) }
	}
	return b.Store.Names(ctx, prefix)
}

func (b *broken) Drop(ctx context.Context, name string) error {
	if b.is("drop") {
		return errBroken
	}
	return b.Store.Drop(ctx, name)
}

func (b *broken) Get(ctx context.Context, key string) (store.Doc, error) {
	if b.is("get") {
		return store.Doc{}, errBroken
	}
	return b.Store.Get(ctx, key)
}

func (b *broken) Put(ctx context.Context, d store.Doc) (int64, error) {
	if b.is("put") {
		return 0, errBroken
	}
	return b.Store.Put(ctx, d)
}

func (b *broken) Last(ctx context.Context, name string) (store.Record, error) {
	if b.is("last") {
		return store.Record{}, errBroken
	}
	return b.Store.Last(ctx, name)
}

func (b *broken) PutBlob(ctx context.Context, data []byte) (string, error) {
	if b.is("blob") {
		return "", errBroken
	}
	return b.Store.PutBlob(ctx, data)
}

// A store that fails is an error of the call that needed it, never an empty session or a short list; and when the store
// works again the same engine goes on.
func TestBrokenStore(t *testing.T) {
	for part, fails := range map[string][]string{
		"append": {"submit"},
		"read":   {"follow", "info", "resume"},
		"names":  {"list", "delete"},
		"drop":   {"delete"},
		"get":    {"info", "list", "do"},
		"put":    {"do"},
		"last":   {"list"},
		"blob":   {"attach"},
	} {
		for _, call := range fails {
			t.Run(part+"/"+call, func(t *testing.T) {
				st := &broken{Store: mem.New()}
				st.part.Store("")
				first := newSetup(t, st, agenttest.Say("one"))
				r := follow(t, first.eng, "a", 0)
				submit(t, first.eng, "a", say("go"))
				r.Until("the end", isEnd)
				if err := first.eng.Close(t.Context()); err != nil {
					t.Fatal(err)
				}

				s := newSetup(t, st, agenttest.Say("two"))
				st.part.Store(part)
				err := useEngine(t.Context(), s.eng, call)
				st.part.Store("")
				if !errors.Is(err, errBroken) {
					t.Errorf("got %v, want the store's error", err)
				}
				if call == "delete" { // half of it may be gone; what is left can be deleted again
					if err := s.eng.Delete(t.Context(), "a"); err != nil {
						t.Error(err)
					}
					return
				}
				r = follow(t, s.eng, "a", 0)
				submit(t, s.eng, "a", say("again"))
				r.Until("the answer", func(e agent.Event) bool { return e.Message != nil && e.Message.Text() == "two" })
				r.Until("the end", isEnd)
			})
		}
	}
}

func useEngine(ctx context.Context, e *engine.Local, call string) error {
	switch call {
	case "submit":
		_, err := e.Submit(ctx, "a", say("hi"))
		return err
	case "attach":
		in := say("look")
		in.Message.Parts = append(in.Message.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Data: []byte("PNG")}})
		_, err := e.Submit(ctx, "a", in)
		return err
	case "follow":
		for _, err := range e.Follow(ctx, "a", 0, false) {
			return err
		}
		return nil
	case "info":
		_, err := e.Info(ctx, "a")
		return err
	case "list":
		for _, err := range e.List(ctx, "") {
			return err
		}
		return nil
	case "delete":
		return e.Delete(ctx, "a")
	case "resume":
		return e.Resume(ctx, "a")
	default:
		return e.Do(ctx, "a", func(context.Context, *agent.Agent, *agent.Session, func(agent.Event)) error { return nil })
	}
}

// What comes to an engine that is closed is refused, whatever it is.
func TestClosedEngineRefuses(t *testing.T) {
	s := newSetup(t, mem.New())
	if err := s.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"submit", "follow", "info", "delete", "resume", "do"} {
		if err := useEngine(t.Context(), s.eng, call); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: %v", call, err)
		}
	}
	for _, call := range []string{"submit", "follow", "info", "delete", "resume", "do"} {
		if err := useEngine(t.Context(), newSetup(t, mem.New()).eng, call); errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: an open engine says it is closed", call)
		}
	}
}
