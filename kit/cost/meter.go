package cost

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/store"
)

// Name is the hook's name and the kind of the logs.
const Name = "cost"

// Options say what a meter needs. The zero value counts in memory, without prices and limits.
type Options struct {
	// Prices are looked up by vendor and model; nil: all are unknown.
	Prices *Table
	// Log keeps each call, under cost/ROOT. nil: in memory only.
	Log store.Log
	// MaxCost is the most that a tree of sessions may cost in US dollars, MaxTokens the most that it may use; 0 = no limit.
	MaxCost   float64
	MaxTokens int64
	// RequestsPerMinute and TokensPerMinute bound what is sent to one vendor; 0 = no limit.
	RequestsPerMinute int
	TokensPerMinute   int64
	// Paused, if set, is told that a call only waits, until the returned function is called: its time does not run.
	Paused func(ctx context.Context) (resume func())
	// OnCall, if set, hears of each attempt when it has ended, on the goroutine of its caller. It must not wait.
	OnCall func(ctx context.Context, c Call)
	// Fault, if set, hears that a call could not be written down. It counts in this process all the same.
	Fault func(err error)
	// Lang is the language of what the person reads, "zh" or "en"; empty is English.
	Lang string
}

// Meter counts the calls of all sessions of a process. It is safe for concurrent use.
type Meter struct {
	o   Options
	msg msg.Catalogue

	mu    sync.Mutex
	trees map[string]*tree
	rates map[string]*rate
	told  map[string]bool // models of which it was said that their price is unknown
}

// New makes a meter. Nothing is read before it is needed.
func New(o Options) *Meter {
	if o.Prices == nil {
		o.Prices = &Table{raw: func() ([]byte, error) { return []byte(`{"models":[]}`), nil }}
	}
	return &Meter{o: o, msg: msg.For(msg.Lang(o.Lang)), trees: map[string]*tree{}, rates: map[string]*rate{}, told: map[string]bool{}}
}

// whoKey is the context's key for the session that calls.
type whoKey struct{}

// In says for which session a model is called. Whatever goes through the model it gives is counted there, retries, models
// that stand in and calls of features included, as far as it comes to a model of [Meter.Attempt].
func (m *Meter) In(session string, model agent.Model) agent.Model { return in{model, session} }

type in struct {
	agent.Model
	session string
}

// Stream names the session and passes on.
func (i in) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return i.Model.Stream(context.WithValue(ctx, whoKey{}, i.session), req)
}

// Hook ends a run with stop budget, before a model call, when its tree has reached a limit.
func (m *Meter) Hook() agent.Hook {
	return agent.Hook{
		Name: Name,
		OnSession: func(_ context.Context, s *agent.Session, start bool) {
			if !start {
				m.letGo(s.ID)
			}
		},
		Inject: func(ctx context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
			if stopping {
				return nil, nil
			}
			return nil, m.check(ctx, s.ID)
		},
		BeforeModel: func(ctx context.Context, s *agent.Session, _ *agent.Request) error { return m.check(ctx, s.ID) },
	}
}

// Spent is what the tree of a session has spent so far.
func (m *Meter) Spent(ctx context.Context, session string) (Sum, error) {
	t := m.tree(session)
	if err := t.catchUp(ctx); err != nil {
		return Sum{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum, nil
}

// Calls lists the calls of a session's tree, in the order in which they ended.
func (m *Meter) Calls(ctx context.Context, session string) ([]Call, error) {
	root := rootOf(session)
	if m.o.Log == nil {
		t := m.tree(root)
		t.mu.Lock()
		defer t.mu.Unlock()
		return append([]Call(nil), t.kept...), nil
	}
	var list []Call
	for rec, err := range m.o.Log.Read(ctx, logName(root), 0, false) {
		if err != nil {
			return list, fmt.Errorf("what %s has spent: %w", root, err)
		}
		if c, err := decodeCall(rec.Data); err == nil { // else a newer program's
			list = append(list, c)
		}
	}
	return list, nil
}

// Forget removes what is known of a session's tree, when the session at its root was removed.
func (m *Meter) Forget(ctx context.Context, session string) error {
	if session != rootOf(session) {
		return nil
	}
	m.mu.Lock()
	delete(m.trees, session)
	m.mu.Unlock()
	if m.o.Log == nil {
		return nil
	}
	return m.o.Log.Drop(ctx, logName(session))
}

// All lists the calls of every tree in the log.
func (m *Meter) All(ctx context.Context) ([]Call, error) {
	names, ok := m.o.Log.(store.Names)
	if !ok {
		return nil, nil
	}
	var list []Call
	for e, err := range names.Names(ctx, Name+"/") {
		if err != nil {
			return list, fmt.Errorf("what was spent: %w", err)
		}
		calls, err := m.Calls(ctx, strings.TrimPrefix(e.Name, Name+"/"))
		if err != nil {
			return list, err
		}
		list = append(list, calls...)
	}
	return list, nil
}

// Limits are what holds for each tree.
func (m *Meter) Limits() (usd float64, tokens int64) { return m.o.MaxCost, m.o.MaxTokens }

// Prices is the table.
func (m *Meter) Prices() *Table { return m.o.Prices }

func rootOf(session string) string {
	root, _, _ := strings.Cut(session, ".")
	return root
}

func logName(root string) string { return Name + "/" + root }

func (m *Meter) tree(session string) *tree {
	root := rootOf(session)
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.trees[root]
	if t == nil {
		t = &tree{m: m, root: root, bell: make(chan struct{})}
		m.trees[root] = t
	}
	return t
}

// letGo forgets a tree whose root is let go, as far as the log has all of it.
func (m *Meter) letGo(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.trees[session]; t != nil && m.o.Log != nil && t.idle() {
		delete(m.trees, session)
	}
}

func (m *Meter) rate(vendor string) *rate {
	if m.o.RequestsPerMinute <= 0 && m.o.TokensPerMinute <= 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rates[vendor]
	if r == nil {
		r = newRate(m.o.RequestsPerMinute, m.o.TokensPerMinute)
		m.rates[vendor] = r
	}
	return r
}

// unknown reports whether it is to be said that a model has no price: once, and only where that matters.
func (m *Meter) unknown(model string) bool {
	if m.o.MaxCost <= 0 {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	told := m.told[model]
	m.told[model] = true
	return !told
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
