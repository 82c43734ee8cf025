package mates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/kit/team"
	"react-agent/store/mem"
)

// local is an engine as a team knows it.
type local struct{ *engine.Local }

func (l local) Submit(ctx context.Context, session string, in team.Input) error {
	_, err := l.Local.Submit(ctx, session, engine.Input{ID: in.ID, Message: in.Message, Answer: in.Answer, Cancel: in.Cancel, Quiet: in.Quiet})
	return err
}

func (l local) Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error] {
	return l.Local.Follow(ctx, session, after, live)
}

func (l local) Status(ctx context.Context, session string) (team.Status, error) {
	i, err := l.Info(ctx, session)
	return team.Status{Seq: i.Seq, Running: i.Running, Usage: i.Usage}, err
}

// board is a board of tasks in memory.
type board struct {
	mu     sync.Mutex
	tasks  []Task
	owners map[int]string
	done   map[int]bool
	fail   error
}

func (b *board) free(fits func(Task) bool) int {
	return slices.IndexFunc(b.tasks, func(t Task) bool { return b.owners[t.ID] == "" && !b.done[t.ID] && fits(t) })
}

func (b *board) All(context.Context) ([]Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.tasks), nil
}

func (b *board) Ready(_ context.Context, fits func(Task) bool) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.free(fits) >= 0, b.fail
}

func (b *board) Next(_ context.Context, owner string, fits func(Task) bool) (Task, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.free(fits)
	if i < 0 {
		return Task{}, false, nil
	}
	b.owners[b.tasks[i].ID] = owner
	return b.tasks[i], true, nil
}

func (b *board) Held(_ context.Context, owner string) (list []Task, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tasks {
		if b.owners[t.ID] == owner && !b.done[t.ID] {
			list = append(list, t)
		}
	}
	return list, nil
}

func (b *board) Free(ctx context.Context, owner string) ([]Task, error) {
	list, err := b.Held(ctx, owner)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range list {
		delete(b.owners, t.ID)
	}
	return list, err
}

// rig is a product of one engine and one team; what its models say is what a test has written down for a name, in order, and
// at last "well".
type rig struct {
	t     *testing.T
	store *mem.Store
	dir   string
	eng   *engine.Local
	team  *team.Team
	mates *Mates
	board *board
	wait  bool
	// trusted says that what lies in the folder may enter conversations.
	trusted bool
	woken   []string
	trim    bool // the next compaction makes a head

	mu    sync.Mutex
	says  map[string][]agenttest.Reply
	asked map[string][]*agent.Request
	warns []error
}

// in runs a test with a rig in a bubble, where nothing has to be waited for.
func in(t *testing.T, fn func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{
			t: t, store: mem.New(), dir: t.TempDir(), board: &board{owners: map[int]string{}, done: map[int]bool{}}, wait: true,
			says: map[string][]agenttest.Reply{}, asked: map[string][]*agent.Request{},
		}
		r.open()
		defer r.close()
		if err := r.mates.Meet(t.Context()); err != nil { // what a test puts down is ours
			t.Fatal(err)
		}
		fn(t, r)
	})
}

// roused is whom the team has woken so far.
func (r *rig) roused() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.woken)
}

// open makes a new process over the same store.
func (r *rig) open() {
	r.t.Helper()
	eng, err := engine.New(engine.Config{Log: r.store, KV: r.store, Blobs: r.store, Factory: r.agent})
	if err != nil {
		r.t.Fatal(err)
	}
	r.eng = eng
	closing := func(cause error) bool { return errors.Is(cause, engine.ErrClosed) }
	r.team = team.New(team.Options{Sessions: local{eng}, KV: r.store, Closing: closing})
	o := Options{
		Team: r.team, Sessions: local{eng}, Log: r.store, KV: r.store, Locks: r.dir, Board: r.board, Root: "/work", Wait: r.wait, Closing: closing,
		Trusted: r.trusted,
		Do: func(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session) error) error {
			return eng.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
				return fn(ctx, a, s)
			})
		},
		Wake: func(session string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.woken = append(r.woken, session)
		},
		Warn: func(err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.warns = append(r.warns, err)
		},
	}
	r.mates = New(o)
}

func (r *rig) close() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.t.Context()), 2*time.Second)
	defer cancel()
	if err := r.eng.Close(ctx); err != nil {
		r.t.Error(err)
	}
	r.team.Close()
	r.mates.Close()
}

// again is the next process.
func (r *rig) again() {
	r.close()
	r.open()
}

// agent is the factory.
func (r *rig) agent(ctx context.Context, s engine.Spec) (*agent.Agent, error) {
	spec, err := r.team.Spec(ctx, s.Session)
	if err != nil {
		return nil, err
	}
	seat := r.team.Seat(&team.Seat{Session: s.Session, Waiting: s.Waiting, Idle: s.Idle, Attended: true})
	own := r.mates.Seat(&Seat{Session: s.Session, Spec: spec, Attended: true, Waiting: s.Waiting, Idle: s.Idle})
	tools := seat.Take(spec, slices.Concat(workTools(), own.Tools()))
	own.Take(tools)
	a := &agent.Agent{Model: r, Tools: tools, Hooks: []agent.Hook{own.Hook(), seat.Hook()}, Ask: s.Ask, Parallel: 8, Compact: own.Compact(r.compact)}
	if spec != nil {
		a.Name, a.System, a.MaxSteps = spec.Path, spec.System, spec.Steps
	}
	if own.IsMate() {
		a.Ask = own.Ask
	}
	return a, nil
}

func (r *rig) compact(_ context.Context, s *agent.Session, _ agent.Need) (*agent.Trim, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.trim || len(s.Messages) == 0 {
		return nil, nil
	}
	r.trim = false
	return &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "summary")}, From: s.Seq + 1}, nil
}

type word struct {
	Do string `json:"do,omitempty"`
}

// workTools are those that do something: bash hangs, asks, panics or says what it did.
func workTools() (list []agent.Tool) {
	for _, name := range []string{"bash", "read_file", "write_file", "edit_file", "task_update"} {
		list = append(list, agent.NewTool(name, name, agent.Executes, func(ctx context.Context, in word) (agent.Result, error) {
			switch in.Do {
			case "hang":
				<-ctx.Done()
				return agent.Result{}, ctx.Err()
			case "ask":
				ans, err := agent.AskUser(ctx, agent.Ask{Text: "may I?"})
				return agent.TextResult(fmt.Sprintf("allowed %v %s", ans.Allow, ans.Text)), err
			}
			return agent.TextResult("did " + in.Do), nil
		}))
	}
	return append(list, agent.NewTool(toolClaim, "claim", agent.Writes, func(context.Context, struct {
		ID int `json:"task_id"`
	},
	) (agent.Result, error) {
		return agent.TextResult("Claimed"), nil
	}))
}

func (r *rig) Info() agent.ModelInfo { return agent.ModelInfo{Provider: "rig", Name: "rig"} }

// Stream is what is said next.
func (r *rig) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	name := Lead
	if rest, ok := strings.CutPrefix(req.System, "You are '"); ok {
		name, _, _ = strings.Cut(rest, "'")
	}
	r.mu.Lock()
	kept := *req
	kept.Messages = slices.Clone(req.Messages)
	r.asked[name] = append(r.asked[name], &kept)
	reply := agenttest.Say("well")
	if list := r.says[name]; len(list) > 0 {
		reply, r.says[name] = list[0], list[1:]
	}
	r.mu.Unlock()
	return agenttest.NewModel(reply).Stream(ctx, req)
}

// say writes down what is said under a name from now on.
func (r *rig) say(name string, replies ...agenttest.Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.says[name] = replies
}

// put puts tasks on the board; own says whose one is, "" is nobody's.
func (b *board) put(tasks ...Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks = append(b.tasks, tasks...)
}

func (b *board) own(id int, owner string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owners[id] = owner
}

func (b *board) owner(id int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.owners[id]
}

func call(name string, args any) agenttest.Reply {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return agenttest.CallTool(name, string(raw))
}

type args map[string]any

func spawn(name string) agenttest.Reply {
	return call(toolSpawn, args{"name": name, "role": "builder", "prompt": "go, " + name})
}

// tell speaks to the lead and waits until nothing moves.
func (r *rig) tell(text string) {
	r.t.Helper()
	m := agent.TextMessage(agent.User, text)
	if err := (local{r.eng}).Submit(r.t.Context(), "s", team.Input{Message: &m}); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
}

// pass lets time go by.
func (r *rig) pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

// told is what a name was told and has got from its calls, in the last request.
func (r *rig) told(name string) (texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.asked[name]
	if len(list) == 0 {
		return nil
	}
	for _, m := range list[len(list)-1].Messages {
		text := m.Text()
		if res := m.Result(); res != nil {
			text = res.Text()
		}
		texts = append(texts, text)
	}
	return texts
}

// results are the results of a session's calls.
func (r *rig) results(session string) (texts []string) {
	r.t.Helper()
	for e, err := range r.eng.Follow(r.t.Context(), session, 0, false) {
		if err != nil {
			r.t.Fatal(err)
		}
		if e.Message != nil && e.Message.Result() != nil {
			texts = append(texts, e.Message.Result().Text())
		}
	}
	return texts
}

// wants compares a session's results with what they are to be.
func (r *rig) wants(session string, want ...string) {
	r.t.Helper()
	if got := r.results(session); !slices.Equal(got, want) {
		r.t.Errorf("results of %s:\n%q\nwanted\n%q", session, got, want)
	}
}

// status is how a member stands in the file.
func (r *rig) status(name string) Status {
	r.t.Helper()
	x, err := r.mates.Team(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	if i := x.find(name); i >= 0 {
		return x.Members[i].Status
	}
	return ""
}

// mail is what stands in an inbox, read or not.
func (r *rig) mail(name string) []Message {
	r.t.Helper()
	list, more, err := gather(r.mates.read(r.t.Context(), name, 0, false), untaken)
	if err != nil || more {
		r.t.Fatal(more, err)
	}
	return messages(list)
}

func input(m agent.Message) team.Input { return team.Input{Message: &m} }
