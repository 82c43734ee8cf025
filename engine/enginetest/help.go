package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/engine"
)

// Patience is how long a test waits for what must come.
const Patience = 30 * time.Second

// Say is a message of the person.
func Say(text string) engine.Input {
	m := agent.TextMessage(agent.User, text)
	return engine.Input{Message: &m}
}

// Submit hands an input in and gives its position.
func Submit(t testing.TB, e engine.Engine, session string, in engine.Input) int64 {
	t.Helper()
	r, err := e.Submit(t.Context(), session, in)
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	return r.Pos
}

// Reader follows a session beside a test. Got has what was not read yet, Seen what was.
type Reader struct {
	t    testing.TB
	Got  chan agent.Event
	Seen []agent.Event
}

// Follow begins to read. The reader ends with the test, or with the engine.
func Follow(t testing.TB, e engine.Engine, session string, after int64) *Reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &Reader{t: t, Got: make(chan agent.Event, 10000)}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(r.Got)
		for ev, err := range e.Follow(ctx, session, after, true) {
			if err != nil {
				if !errors.Is(err, engine.ErrClosed) {
					t.Errorf("Follow: %v", err)
				}
				return
			}
			r.Got <- ev
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return r
}

// Until reads on until an event fits.
func (r *Reader) Until(what string, fits func(agent.Event) bool) agent.Event {
	r.t.Helper()
	late := time.NewTimer(Patience)
	defer late.Stop()
	for {
		select {
		case e, ok := <-r.Got:
			if !ok {
				r.t.Fatalf("the stream ended before %s; events:\n%s", what, ShowEvents(r.Seen))
			}
			r.Seen = append(r.Seen, e)
			if fits(e) {
				return e
			}
		case <-late.C:
			r.t.Fatalf("%s did not come; events:\n%s", what, ShowEvents(r.Seen))
		}
	}
}

// UntilType reads on until an event of a type.
func (r *Reader) UntilType(typ agent.EventType) agent.Event {
	r.t.Helper()
	return r.Until(string(typ), func(e agent.Event) bool { return e.Type == typ })
}

// ShowEvents lists events for a message of a test.
func ShowEvents(es []agent.Event) string {
	var b strings.Builder
	for _, e := range es {
		line, _ := agent.EncodeJSON(e)
		fmt.Fprintf(&b, "  %.200s\n", line)
	}
	return b.String()
}

// Durable are the events among others that are stored.
func Durable(es []agent.Event) []agent.Event {
	return slices.DeleteFunc(slices.Clone(es), func(e agent.Event) bool { return !e.Type.Durable() })
}

// Texts are what a role has said; of a result, its text.
func Texts(es []agent.Event, role agent.Role) []string {
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

// WantTexts wants a role to have said this.
func WantTexts(t testing.TB, es []agent.Event, role agent.Role, want ...string) {
	t.Helper()
	if got := Texts(es, role); !slices.Equal(got, want) {
		t.Fatalf("%s says %q, want %q; events:\n%s", role, got, want, ShowEvents(es))
	}
}

// Gate is a tool that waits for the test: a call tells its key to Entered, and comes back once Open gives something.
type Gate struct {
	Entered chan string
	Open    chan struct{}
}

// NewGate makes a gate that is closed.
func NewGate() *Gate { return &Gate{Entered: make(chan string, 100), Open: make(chan struct{}, 100)} }

// Tool is the gate under a name.
func (g *Gate) Tool(name string) agent.Tool {
	return agent.Tool{
		Name: name, Doc: "waits", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Executes,
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			g.Entered <- c.Key
			select {
			case <-g.Open:
				return agent.TextResult(name + " done"), nil
			case <-ctx.Done():
				return agent.Result{}, ctx.Err()
			}
		},
	}
}

// Wait waits for a call, and gives its key.
func (g *Gate) Wait(t testing.TB) string {
	t.Helper()
	select {
	case key := <-g.Entered:
		return key
	case <-time.After(Patience):
		t.Fatal("the tool was not called")
		return ""
	}
}
