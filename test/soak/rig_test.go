package soak_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/httpx"
	"react-agent/provider"
	"react-agent/provider/wire"
	"react-agent/store/mem"
)

// idle is how long a reply may be silent.
const idle = 120 * time.Millisecond

// rig is everything that a session needs, as the product puts it together.
type rig struct {
	server *server
	client *http.Client
	engine *engine.Local
	tools  *tools
	models []agent.Model
}

func newRig(t *testing.T, seed uint64) *rig {
	r := &rig{server: newServer(t, seed), tools: &tools{runs: map[string]int{}}}
	client, err := httpx.NewClient(httpx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.client = client
	var wires []agent.Model
	for i, api := range apis() {
		m, err := provider.Open(provider.Spec{
			API: api, Preset: wire.Preset{Name: "soak", API: api}, BaseURL: r.server.url, Key: "k", Model: "m" + api, HTTP: client,
			Info: agent.ModelInfo{Context: 200_000}, IdleTimeout: idle,
			Retry: provider.RetryPolicy{Retries: 2, Base: 2 * time.Millisecond, MaxWait: 1500 * time.Millisecond, Jitter: func() float64 { return float64(i) / 4 }},
		})
		if err != nil {
			t.Fatal(err)
		}
		wires = append(wires, m)
	}
	for i := range wires { // each wire stands in for the one before it
		r.models = append(r.models, provider.Fallback(wires[i], wires[(i+1)%len(wires)]))
	}
	st := mem.New()
	r.engine, err = engine.New(engine.Config{Log: st, KV: st, Blobs: st, Factory: r.factory, NoSync: true, Keep: 2 * workers})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// factory gives sessions the models in turn, by their names.
func (r *rig) factory(_ context.Context, spec engine.Spec) (*agent.Agent, error) {
	n := 0
	for _, c := range spec.Session {
		n += int(c)
	}
	return &agent.Agent{
		System: "Do as the person says.", Model: r.models[n%len(r.models)], Tools: r.tools.list(), MaxSteps: 20, Parallel: 1 + n%2, Ask: spec.Ask,
	}, nil
}

// close closes everything and waits until the server has seen the last connection go.
func (r *rig) close(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.engine.Close(ctx); err != nil {
		t.Errorf("the engine does not close: %v", err)
	}
	r.client.CloseIdleConnections()
	if err := r.server.gone(ctx); err != nil {
		t.Errorf("%d connections stay open: %v", r.server.open(), err)
	}
	r.server.close()
}

// tools are what the models may call. They note what ran.
type tools struct {
	mu   sync.Mutex
	runs map[string]int // of the turns at work, by turn and step
	all  int
}

type stepArgs struct {
	Turn string `json:"turn"`
	Step int    `json:"step"`
}

func (l *tools) list() []agent.Tool {
	return []agent.Tool{
		agent.NewTool("note", "Notes a step.", agent.Writes, func(_ context.Context, in stepArgs) (agent.Result, error) {
			return agent.TextResult(l.done(in)), nil
		}),
		agent.NewTool("wait", "Notes a step after a while.", agent.Reads, func(ctx context.Context, in stepArgs) (agent.Result, error) {
			rest(ctx, 3*time.Millisecond)
			return agent.TextResult(l.done(in)), ctx.Err()
		}),
		agent.NewTool("fail", "Notes a step and fails.", agent.Reads, func(_ context.Context, in stepArgs) (agent.Result, error) {
			return agent.ErrorResult(l.done(in)), nil
		}),
	}
}

// done notes that a step was made, and gives the words by which the server knows it.
func (l *tools) done(in stepArgs) string {
	step := stepMark(in.Turn, in.Step)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs[step]++
	l.all++
	return step
}

// take gives how often the steps of a turn were made, and forgets them.
func (l *tools) take(turn string) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var n []int
	for step := range maxSteps {
		key := stepMark(turn, step)
		if l.runs[key] > 0 {
			n = append(n, l.runs[key])
		}
		delete(l.runs, key)
	}
	return n
}

func (l *tools) ran() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// player is the person of one session.
type player struct {
	*rig
	session string
	random  *rand.Rand
	seq     int64
	turns   int
}

func (r *rig) player(session string, seed uint64) *player {
	return &player{rig: r, session: session, random: rand.New(rand.NewPCG(seed, 7))}
}

// ending is how a turn ended.
type ending struct {
	name    string // answer, cancelled, or the kind of the error
	retries int
	faults  []string // what must not be
}

func (e *ending) fault(format string, args ...any) {
	e.faults = append(e.faults, fmt.Sprintf(format, args...))
}

// turn says something and waits for what comes of it.
func (p *player) turn(t *testing.T) (end ending) {
	p.turns++
	turn, steps := fmt.Sprintf("%s-%d", p.session, p.turns), p.random.IntN(maxSteps+1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	m := agent.TextMessage(agent.User, orders(turn, steps))
	if _, err := p.engine.Submit(ctx, p.session, engine.Input{Message: &m}); err != nil {
		end.fault("%s was not taken: %v", turn, err)
		return end
	}
	cancelled := p.random.IntN(40) == 0
	var wg sync.WaitGroup
	if cancelled { // the person thinks better of it
		after := time.Duration(p.random.IntN(30)) * time.Millisecond
		wg.Go(func() {
			rest(ctx, after)
			if _, err := p.engine.Submit(ctx, p.session, engine.Input{Cancel: true}); err != nil {
				t.Errorf("%s: the cancel was not taken: %v", turn, err)
			}
		})
	}
	last, text, err := p.follow(ctx, &end)
	wg.Wait()
	made := p.tools.take(turn)
	switch {
	case err != nil:
		end.name = "hung"
		end.fault("%s has no end: %v", turn, err)
	case last.Stop == agent.RunEnd:
		end.name = "answer"
		if text != answerOf(turn) {
			end.fault("%s was answered %q", turn, text)
		}
		if len(made) != steps {
			end.fault("%s took %d steps of %d", turn, len(made), steps)
		}
	case last.Stop == agent.RunCancelled && cancelled:
		end.name = "cancelled"
	case last.Stop == agent.RunError && last.Error != nil && slices.Contains(kinds(), last.Error.Kind) && last.Error.Message != "":
		end.name = string(last.Error.Kind)
	default:
		end.fault("%s ended with %q, %+v, %q", turn, last.Stop, last.Error, last.Text)
	}
	if slices.ContainsFunc(made, func(n int) bool { return n > 1 }) {
		end.fault("%s: a step was made more than once: %v", turn, made)
	}
	return end
}

// follow reads the events of the turn to its end, and gives that and the last text of the model.
func (p *player) follow(ctx context.Context, end *ending) (agent.Event, string, error) {
	var text string
	for e, err := range p.engine.Follow(ctx, p.session, p.seq, true) {
		if err != nil {
			return agent.Event{}, "", err
		}
		p.seq = max(p.seq, e.Seq)
		switch {
		case e.Type == agent.EvRetry:
			end.retries++
		case e.Type == agent.EvMessage && e.Message.Role == agent.Assistant:
			text = e.Message.Text()
		case e.Type == agent.EvEnd:
			return e, text, nil
		}
	}
	return agent.Event{}, "", errors.Join(errors.New("the events have ended"), ctx.Err())
}

// kinds are the errors that a vendor, or the way to it, may be blamed for.
func kinds() []agent.ErrorKind {
	return []agent.ErrorKind{
		agent.ErrRateLimit, agent.ErrAuth, agent.ErrQuota, agent.ErrServer, agent.ErrNetwork, agent.ErrTruncated, agent.ErrTimeout,
		agent.ErrBadRequest, agent.ErrInvalidResponse, agent.ErrContentFilter, agent.ErrContextLength,
	}
}
