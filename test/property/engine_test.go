package property_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/mem"
)

// TestSessions lets a person talk to a session that runs: messages into the turn and behind it, changed and taken back
// while they wait, cancels, compactions, rewinds, and processes that die at any append. In the end everything that was
// said is in the log once, unless it was taken back or cancelled while it waited.
func TestSessions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { rapid.SyncTest(rt, func(rt *rapid.T) { newHouse(rt).live() }) })
}

const session = "s"

// mortal is a store whose process may die: from then on nothing it wants happens any more.
type mortal struct {
	*mem.Store
	mu    sync.Mutex
	left  int  // appends to the session's log until it dies; 0: it lives on
	after bool // the last one is stored, and nobody is told
	dead  bool
}

func (m *mortal) gone() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

func (m *mortal) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
}

// Append implements [store.Log].
func (m *mortal) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	m.mu.Lock()
	dying := false
	if !m.dead && m.left > 0 && name == "session/"+session {
		m.left--
		dying = m.left == 0
		m.dead = dying
	}
	dead := m.dead && (!dying || !m.after)
	m.mu.Unlock()
	if dead {
		return 0, errDied
	}
	pos, err := m.Store.Append(ctx, name, after, data)
	if dying {
		return 0, errDied
	}
	return pos, err
}

// Put implements [store.KV].
func (m *mortal) Put(ctx context.Context, d store.Doc) (int64, error) {
	if m.gone() {
		return 0, errDied
	}
	return m.Store.Put(ctx, d)
}

// said is something that the person has said, and what has become of it since.
type said struct {
	id, word string
	pos      int64
	edits    []string // that were taken
	removed  bool
}

// house is where processes live one after the other, and the person.
type house struct {
	rt    *rapid.T
	store *mem.Store
	mu    sync.Mutex
	rnd   *rand.Rand // of what the model does, which is asked on other goroutines
	said  []*said
	lives int

	now      *mortal
	engine   *engine.Local
	requests []string // that no vendor would take
	encoder  *encoder
}

func newHouse(rt *rapid.T) *house {
	h := &house{rt: rt, store: mem.New(), rnd: rand.New(rand.NewPCG(1, rapid.Uint64().Draw(rt, "model"))), encoder: newEncoder(rt, seats()[0])}
	h.born()
	return h
}

// born starts a process.
func (h *house) born() {
	h.lives++
	h.now = &mortal{Store: h.store}
	e, err := engine.New(engine.Config{Log: h.now, KV: h.now, Blobs: h.store, Factory: h.agent, NoSync: true, Process: fmt.Sprint("p", h.lives)})
	if err != nil {
		h.rt.Fatal(err)
	}
	h.engine = e
}

func (h *house) agent(context.Context, engine.Spec) (*agent.Agent, error) {
	work := func(name string, e agent.Effect) agent.Tool {
		return agent.NewTool(name, "works", e, func(ctx context.Context, in struct {
			Do string `json:"do"`
		},
		) (agent.Result, error) {
			rest(ctx, h.draw(2000))
			return agent.TextResult("did " + in.Do), nil
		})
	}
	return &agent.Agent{
		System: "Work.", Model: &agenttest.Model{Next: h.reply}, Tools: []agent.Tool{work("read", agent.Reads), work("write", agent.Writes)},
		Parallel: 2, MaxSteps: 8, Compact: h.compact,
	}, nil
}

// draw gives some time, on any goroutine.
func (h *house) draw(ms int) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Duration(h.rnd.IntN(ms)) * time.Millisecond
}

// rest waits; in the bubble that takes no time.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (h *house) reply(_ int, req *agent.Request) agenttest.Reply {
	wait := h.draw(3000)
	h.mu.Lock()
	defer h.mu.Unlock()
	out, err := h.encoder.encode(context.Background(), req)
	if err == nil {
		err = valid(seats()[0], out)
	}
	if err != nil {
		h.requests = append(h.requests, fmt.Sprintf("%v: %s", err, out.body))
	}
	r := agenttest.Say("so be it")
	switch n := h.rnd.IntN(10); {
	case n < 4:
		r = agenttest.CallTools("read", `{"do":"a"}`, "write", `{"do":"b"}`, "write", `{"do":"c"}`)
	case n == 4:
		r = agenttest.Fail(&agent.ModelError{Kind: agent.ErrContextLength, Err: errors.New("too long")})
	case n == 5:
		r = agenttest.Fail(&agent.ModelError{Kind: agent.ErrServer, Err: errors.New("try later")})
	}
	r.Wait = func(ctx context.Context) { rest(ctx, wait) }
	return r
}

func (h *house) compact(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
	rest(ctx, h.draw(1000))
	return agenttest.Trim(3)(ctx, s, n)
}

func (h *house) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(h.rt, label) }

// live is a whole history.
func (h *house) live() {
	for range rapid.IntRange(1, 12).Draw(h.rt, "steps") {
		h.step()
		if h.now.gone() {
			h.die()
		}
	}
	h.now.mu.Lock()
	h.now.left = 0
	h.now.mu.Unlock()
	if h.now.gone() {
		h.die()
	}
	h.until("the last word")
	h.judge()
	if err := h.engine.Close(context.Background()); err != nil {
		h.rt.Fatal(err)
	}
}

// die ends a process that can do nothing any more, and starts another.
func (h *house) die() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = h.engine.Close(ctx) // it cannot write down that it has left
	h.born()
	ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, x := range h.said {
		if x.pos == 0 { // nobody has told the person that it was taken: it is said again
			h.submit(ctx, x, engine.Input{ID: x.id, Message: message(x.word)})
		}
	}
	if err := h.engine.Resume(ctx, session); err != nil {
		h.rt.Fatalf("resume: %v", err)
	}
}

func message(text string) *agent.Message {
	m := agent.TextMessage(agent.User, text)
	return &m
}

func (h *house) say(text string, queue bool) {
	n := len(h.said) + 1
	x := &said{id: fmt.Sprint("id", n), word: fmt.Sprintf("%s %d.", text, n)}
	h.said = append(h.said, x)
	h.submit(context.Background(), x, engine.Input{ID: x.id, Message: message(x.word), Queue: queue})
}

func (h *house) submit(ctx context.Context, x *said, in engine.Input) {
	h.rt.Helper()
	got, err := h.engine.Submit(ctx, session, in)
	if err == nil {
		x.pos = got.Pos
	} else if !h.now.gone() {
		h.rt.Fatalf("submit: %v", err)
	}
}

// step is one thing that the person does, or that happens.
func (h *house) step() {
	switch h.pick("step", 14) {
	case 5:
		rest(context.Background(), time.Duration(h.pick("seconds", 8))*time.Second)
	case 6:
		h.edit()
	case 7:
		if _, err := h.engine.Submit(context.Background(), session, engine.Input{Cancel: true}); err != nil && !h.now.gone() {
			h.rt.Fatalf("cancel: %v", err)
		}
	case 8:
		h.between(func(ctx context.Context, a *agent.Agent, s *agent.Session) error {
			_, err := agenttest.Collect(a.CompactNow(ctx, s, ""))
			return err
		})
	case 9:
		h.between(func(ctx context.Context, a *agent.Agent, s *agent.Session) error {
			for _, m := range slices.Backward(s.Messages) {
				if m.Role == agent.User && m.From == "" {
					return a.Append(ctx, s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: m.Seq, To: s.Seq}})
				}
			}
			return nil
		})
	case 10:
		h.now.mu.Lock()
		h.now.left, h.now.after = 1+h.pick("left", 8), h.pick("after", 2) == 1
		h.now.mu.Unlock()
	case 11:
		h.now.kill()
	case 12:
		h.engine.Refresh(session)
	case 13:
		synctest.Wait()
	default:
		h.say([]string{"wish", "order"}[h.pick("word", 2)], h.pick("queue", 3) == 2)
	}
}

// edit changes, or takes back, what waits.
func (h *house) edit() {
	info, err := h.engine.Info(context.Background(), session)
	if err != nil || len(info.Queue) == 0 {
		return
	}
	q := info.Queue[h.pick("queued", len(info.Queue))]
	i := slices.IndexFunc(h.said, func(x *said) bool { return x.pos == q.Pos })
	if i < 0 {
		return
	}
	x := h.said[i]
	in := engine.Input{Edit: q.Pos, Message: &agent.Message{}}
	word := fmt.Sprintf("changed %d.%d.", i+1, len(x.edits)+1)
	if h.pick("remove", 3) > 0 {
		in.Message = message(word)
	}
	if _, err = h.engine.Submit(context.Background(), session, in); errors.Is(err, engine.ErrInput) {
		return // it was taken in meanwhile
	}
	if err != nil && !h.now.gone() {
		h.rt.Fatalf("edit: %v", err)
	}
	if len(in.Message.Parts) > 0 {
		x.edits = append(x.edits, word)
	} else {
		x.removed = true
	}
}

func (h *house) between(fn func(ctx context.Context, a *agent.Agent, s *agent.Session) error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(h.pick("patience", 20))*time.Second)
	defer cancel()
	err := h.engine.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		return fn(ctx, a, s)
	})
	if err != nil && ctx.Err() == nil && !h.now.gone() && !errors.Is(err, agent.ErrUse) {
		h.rt.Fatalf("between runs: %v", err)
	}
}

// until says a last thing and waits until nothing is left to do.
func (h *house) until(text string) {
	h.say(text, false)
	for range 1000 {
		rest(context.Background(), 10*time.Second)
		info, err := h.engine.Info(context.Background(), session)
		if err != nil {
			h.rt.Fatal(err)
		}
		if !info.Running && len(info.Queue) == 0 {
			return
		}
	}
	info, err := h.engine.Info(context.Background(), session)
	h.rt.Fatalf("it never ends: process %d, gone %v, %+v %v\n%s", h.lives, h.now.gone(), info, err, h.logs())
}

// logs are what there is of the session, for who looks for a fault.
func (h *house) logs() string {
	var b strings.Builder
	for _, name := range []string{"input/" + session, "session/" + session} {
		for rec, err := range h.store.Read(context.Background(), name, 0, false) {
			fmt.Fprintf(&b, "%s %d %s %v\n", name, rec.Pos, rec.Data, err)
		}
	}
	for _, prefix := range []string{"lease/", "owner/"} {
		for d, err := range h.store.List(context.Background(), prefix) {
			fmt.Fprintf(&b, "%s %s %v\n", d.Key, d.Data, err)
		}
	}
	return b.String()
}

// judge holds what must be so when all is quiet.
func (h *house) judge() {
	h.rt.Helper()
	var lines [][]byte
	var events []agent.Event
	for rec, err := range h.store.Read(context.Background(), "session/"+session, 0, false) {
		if err != nil {
			h.rt.Fatal(err)
		}
		e, err := engine.Decode(rec.Data, nil)
		if err != nil {
			h.rt.Fatal(err)
		}
		lines, events = append(lines, rec.Data), append(events, e)
	}
	w := &world{rt: h.rt, lines: lines}
	w.session = w.load()
	w.replay()
	w.pairs()
	if len(h.requests) > 0 {
		h.rt.Fatalf("%s\n%s", strings.Join(h.requests, "\n"), w.show())
	}
	h.words(events, w.show)
	h.followed(events)
}

// words: each input is used up once, and what was said stands in the log.
func (h *house) words(events []agent.Event, show func() string) {
	h.rt.Helper()
	took, dropped, count := map[int64]int64{}, map[int64]bool{}, map[string]int{}
	for _, e := range events {
		if m := e.Message; m != nil && m.Role == agent.User && m.From == "" {
			count[m.Text()]++
		}
		for _, t := range e.Took {
			if e.Type == agent.EvCompact { // it repeats them
				continue
			}
			if at, again := took[t.Pos]; again {
				h.rt.Fatalf("event %d takes input %d, as event %d did\n%s", e.Seq, t.Pos, at, show())
			}
			took[t.Pos] = e.Seq
			dropped[t.Pos] = dropped[t.Pos] || e.Type == agent.EvEnd
		}
	}
	for _, x := range h.said {
		n := count[x.word]
		for _, word := range x.edits {
			n += count[word]
		}
		if n > 1 || n == 0 && !x.removed && !dropped[x.pos] {
			h.rt.Fatalf("%q (at %d, changed to %q, taken back %v) stands %d times in the log\n%v\n%s", x.word, x.pos, x.edits, x.removed, n, maps.All(took), show())
		}
	}
}

// followed: whoever reads along from the beginning sees every stored event in its order.
func (h *house) followed(events []agent.Event) {
	h.rt.Helper()
	var seen int64
	for e, err := range h.engine.Follow(context.Background(), session, 0, false) {
		if err != nil {
			h.rt.Fatal(err)
		}
		if seen++; e.Seq != seen {
			h.rt.Fatalf("event %d is shown after %d", e.Seq, seen-1)
		}
	}
	if int(seen) != len(events) {
		h.rt.Fatalf("%d events of %d are shown", seen, len(events))
	}
}
