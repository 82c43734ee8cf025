package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient is how long a test waits for what must come.
const patient = 30 * time.Second

// local is the engine as a team knows it.
type local struct{ *engine.Local }

func (l local) Submit(ctx context.Context, session string, in Input) error {
	_, err := l.Local.Submit(ctx, session, engine.Input{ID: in.ID, Message: in.Message, Answer: in.Answer, Cancel: in.Cancel})
	return err
}

func (l local) Status(ctx context.Context, session string) (Status, error) {
	i, err := l.Info(ctx, session)
	return Status{Seq: i.Seq, Running: i.Running, Usage: i.Usage}, err
}

func (l local) Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error] {
	return l.Local.Follow(ctx, session, after, live)
}

// disk are the files of a rig.
type disk struct {
	mu    sync.Mutex
	files map[string]string
	fail  error
}

func (d *disk) Read(_ context.Context, path string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.files[path]
	if !ok {
		return "", fmt.Errorf("open %s: no such file", path)
	}
	return s, nil
}

func (d *disk) Write(_ context.Context, path, content string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		d.files[path] = content
	}
	return d.fail
}

// rig is a product of one engine and one team. Its models say what belongs to the first words of a conversation.
type rig struct {
	t      *testing.T
	store  *mem.Store
	eng    *engine.Local
	team   *Team
	files  *disk
	o      Options
	steps  int
	types  []Type
	nobody bool // there is nobody to ask
	way    func(Sessions) Sessions

	mu      sync.Mutex
	scripts map[string][]agenttest.Reply
	asked   map[string][]*agent.Request // by first words
	extra   []agent.Tool
	hooks   []agent.Hook
	lines   []string // progress of the root
}

func newRig(t *testing.T, change ...func(r *rig)) *rig {
	t.Helper()
	r := &rig{
		t: t, store: mem.New(), files: &disk{files: map[string]string{}}, steps: 1000,
		scripts: map[string][]agenttest.Reply{}, asked: map[string][]*agent.Request{},
	}
	r.o.Inherit = []string{"mode"}
	for _, fn := range change {
		fn(r)
	}
	r.open()
	return r
}

// open makes a new process over the same store.
func (r *rig) open() {
	r.t.Helper()
	eng, err := engine.New(engine.Config{
		Log: r.store, KV: r.store, Blobs: r.store, Factory: r.agent, Beat: 20 * time.Millisecond, Dead: 200 * time.Millisecond,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.eng = eng
	o := r.o
	o.Sessions, o.KV = local{eng}, r.store
	if r.way != nil {
		o.Sessions = r.way(o.Sessions)
	}
	o.Closing = func(cause error) bool { return errors.Is(cause, engine.ErrClosed) }
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	r.team = New(o)
	team := r.team
	r.t.Cleanup(func() { r.close(eng, team) })
}

func (r *rig) close(eng *engine.Local, team *Team) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := eng.Close(ctx); err != nil {
		r.t.Error(err)
	}
	team.Close()
}

// agent is the factory.
func (r *rig) agent(ctx context.Context, s engine.Spec) (*agent.Agent, error) {
	team := r.team
	spec, err := team.Spec(ctx, s.Session)
	if err != nil {
		return nil, err
	}
	steps := r.steps
	if spec != nil {
		steps = spec.Steps
	}
	seat := team.Seat(&Seat{
		Session: s.Session, MaxSteps: steps, Types: r.types, Files: r.files, Waiting: s.Waiting, Idle: s.Idle, Attended: !r.nobody,
	})
	tools := slices.Concat(baseTools(), r.extra, seat.SpawnTools())
	tools = seat.Take(spec, tools)
	hooks := append([]agent.Hook{seat.Hook(), {Name: "watch", OnEvent: r.watch}}, r.hooks...)
	a := &agent.Agent{
		Model: r, Tools: tools, Hooks: hooks, MaxSteps: steps, Parallel: 8, Grace: 3 * time.Second,
	}
	if !r.nobody {
		a.Ask = s.Ask
	}
	if spec != nil {
		a.Name, a.System, a.Ask = spec.Path, spec.System, team.Asker(s.Session, !r.nobody, s.Ask)
		if spec.Background {
			a.Ask = nil
		}
	}
	return a, nil
}

// watch keeps what is shown at a root.
func (r *rig) watch(_ context.Context, e agent.Event) {
	if e.Type == agent.EvProgress && isRoot(e.Session) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, e.Text)
	}
}

type word struct {
	Do string `json:"do,omitempty"`
}

// baseTools are the tools of the rig: those that the usual types get, and one that hangs until it is cancelled.
func baseTools() []agent.Tool {
	var out []agent.Tool
	for name, e := range map[string]agent.Effect{"bash": agent.Executes, "read_file": agent.Reads, "write_file": agent.Writes, "edit_file": agent.Writes} {
		out = append(out, agent.NewTool(name, name, e, func(ctx context.Context, in word) (agent.Result, error) {
			switch in.Do {
			case "hang":
				<-ctx.Done()
				return agent.Result{}, ctx.Err()
			case "ask":
				ans, err := agent.AskUser(ctx, agent.Ask{Text: "may I?", Rules: []string{"bash(x)"}})
				return agent.TextResult(fmt.Sprintf("allowed %v, always %v, %s", ans.Allow, ans.Always, ans.Text)), err
			case "mode":
				return agent.TextResult("looked"), nil
			}
			return agent.TextResult("did " + in.Do), nil
		}))
	}
	slices.SortFunc(out, func(a, b agent.Tool) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Info implements [agent.Model].
func (r *rig) Info() agent.ModelInfo { return agent.ModelInfo{Provider: "rig", Name: "rig"} }

// Stream implements [agent.Model]: the reply is the one behind the answers that the conversation has.
func (r *rig) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	first := req.Messages[0].Text()
	n := 0
	for _, m := range req.Messages {
		if m.Role == agent.Assistant {
			n++
		}
	}
	r.mu.Lock()
	kept := *req
	kept.Messages = slices.Clone(req.Messages)
	r.asked[first] = append(r.asked[first], &kept)
	var list []agenttest.Reply
	for _, key := range slices.Sorted(maps.Keys(r.scripts)) {
		if strings.HasPrefix(first, key) {
			list = r.scripts[key]
		}
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return fails(fmt.Errorf("nothing is said to %q", first))
	}
	one := list[min(n, len(list)-1)] // the last one for ever
	return agenttest.NewModel(one).Stream(ctx, req)
}

func fails(err error) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrServer, Provider: "rig", Err: err})
	}
}

// says gives the replies to conversations that begin with these words.
func (r *rig) says(first string, replies ...agenttest.Reply) {
	for i := range replies {
		if replies[i].Usage == nil {
			replies[i].Usage = &agent.Usage{Input: new(int64(10)), Output: new(int64(1))}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scripts[first] = replies
}

// requests are those of conversations with these first words.
func (r *rig) requests(first string) []*agent.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked[first])
}

// reached waits for the first request of a conversation.
func (r *rig) reached(first string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patient)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for len(r.requests(first)) == 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.t.Fatalf("nobody asks with %q", first)
		}
	}
}

// calls counts all requests.
func (r *rig) calls() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, list := range r.asked {
		n += len(list)
	}
	return n
}

// say hands a message to a session.
func (r *rig) say(session, text string) {
	r.t.Helper()
	m := agent.TextMessage(agent.User, text)
	if _, err := r.eng.Submit(r.t.Context(), session, engine.Input{Message: &m}); err != nil {
		r.t.Fatal(err)
	}
}

// run says something and follows to the end of the run. each may answer questions and look at events.
func (r *rig) run(session, text string, each ...func(e agent.Event)) agent.Event {
	r.t.Helper()
	info, err := r.eng.Info(r.t.Context(), session)
	if err != nil {
		r.t.Fatal(err)
	}
	r.say(session, text)
	return r.until(session, info.Seq, func(e agent.Event) bool {
		for _, fn := range each {
			fn(e)
		}
		return e.Type == agent.EvEnd
	})
}

// until follows until an event fits.
func (r *rig) until(session string, after int64, fits func(e agent.Event) bool) agent.Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patient)
	defer cancel()
	for e, err := range r.eng.Follow(ctx, session, after, true) {
		if err != nil {
			r.t.Fatal(err)
		}
		if fits(e) {
			return e
		}
	}
	r.t.Fatalf("it did not come in session %s; the log:\n%s", session, r.log(session))
	return agent.Event{}
}

// ended waits for the end of a session's run.
func (r *rig) ended(session string) agent.Event {
	r.t.Helper()
	return r.until(session, 0, func(e agent.Event) bool { return e.Type == agent.EvEnd })
}

// events are those that are stored.
func (r *rig) events(session string) (list []agent.Event) {
	r.t.Helper()
	for e, err := range r.eng.Follow(context.WithoutCancel(r.t.Context()), session, 0, false) {
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func (r *rig) log(session string) string {
	var b strings.Builder
	for _, e := range r.events(session) {
		raw, _ := agent.EncodeJSON(e)
		fmt.Fprintf(&b, "%.300s\n", raw)
	}
	return b.String()
}

// results are the texts of a session's results, in the order of their events.
func (r *rig) results(session string) (texts []string) {
	for _, e := range r.events(session) {
		if e.Message != nil && e.Message.Result() != nil {
			texts = append(texts, e.Message.Result().Text())
		}
	}
	return texts
}

// notices are what a session was told of background children.
func (r *rig) notices(session string) (texts []string) {
	for _, e := range r.events(session) {
		if e.Message != nil && e.Message.From == Name {
			texts = append(texts, e.Message.Text())
		}
	}
	return texts
}

func (r *rig) tree(root string) *tree {
	r.t.Helper()
	d, err := r.team.tree(context.WithoutCancel(r.t.Context()), root)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// task is a call of task.
func task(prompt string, more ...string) string {
	fields := map[string]any{"prompt": prompt}
	for _, m := range more {
		key, value, _ := strings.Cut(m, "=")
		fields[key] = value
		if value == "true" {
			fields[key] = true
		}
	}
	raw, _ := json.Marshal(fields)
	return string(raw)
}

// block waits in a reply until the returned function is called.
func block() (agenttest.Reply, func()) {
	gate := make(chan struct{})
	return agenttest.Reply{Text: "late", Wait: func(ctx context.Context) {
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}}, sync.OnceFunc(func() { close(gate) })
}
