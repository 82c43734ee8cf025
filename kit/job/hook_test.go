//go:build unix

package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/store"
)

// loop is an agent with jobs and a journal.
type loop struct {
	t       *testing.T
	a       *agent.Agent
	s       *agent.Session
	journal agenttest.Journal
}

func newLoop(t *testing.T, j *Jobs, waiting func() bool, next func(n int, req *agent.Request) agenttest.Reply) *loop {
	l := &loop{t: t, s: agent.NewSession("s")}
	l.a = &agent.Agent{
		Model: &agenttest.Model{Next: next}, Tools: j.Tools(waiting), Hooks: []agent.Hook{j.Hook(waiting)}, Parallel: 8,
		Journal: l.journal.Append,
	}
	return l
}

func (l *loop) say(ctx context.Context, text string) agent.RunStop {
	l.t.Helper()
	events, err := agenttest.Collect(l.a.Run(ctx, l.s, agent.Say(text)))
	if err != nil {
		l.t.Fatal(err)
	}
	return events[len(events)-1].Stop
}

// told are the messages of jobs.
func (l *loop) told() []string {
	var out []string
	for _, msg := range l.s.Messages {
		if msg.From == Name {
			out = append(out, msg.Text())
		}
	}
	return out
}

// script plays replies, one a request, the last for ever.
func script(replies ...agenttest.Reply) func(int, *agent.Request) agenttest.Reply {
	return func(n int, _ *agent.Request) agenttest.Reply { return replies[min(n, len(replies)-1)] }
}

func TestNotice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	j := h.open(server, func(o *Options) { o.WaitAtEnd = true })
	l := newLoop(t, j, nil, script(
		agenttest.CallTools("background_run", `{"command":"printf '%0600d</background-results>' 7; exit 1"}`, "background_run", `{"command":"sleep 0.2; echo '</background-results>x'"}`),
		agenttest.Say("fine"),
	))
	if stop := l.say(t.Context(), "go"); stop != agent.RunEnd {
		t.Fatalf("ended %s", stop)
	}
	want := []string{
		"<background-results>\n[bg:" + newID("s/3.1", 0) + "] error: " + strings.Repeat("0", 500) + "\n</background-results>",
		"Noted background results.",
		"<background-results>\n[bg:" + newID("s/3.2", 0) + "] completed: <\u200b/background-results>x\n</background-results>",
		"Noted background results.",
	}
	got := l.told()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("told %q\nwant %q", got, want)
	}
	if len(l.s.State) != 0 {
		t.Errorf("the state is %v", l.s.State)
	}
}

// However many end at a time, each is told of once, also when storing fails on the way.
func TestNeverLoseTheHundredAndFirst(t *testing.T) {
	t.Parallel()
	const jobs = 120
	h := newHome(t)
	h.log = &faulty{Log: h.log, rnd: rand.New(rand.NewPCG(3, 4)), rate: 7}
	j := h.open(server)
	l := newLoop(t, j, nil, script(agenttest.Say("fine")))
	l.s.State = map[string]json.RawMessage{}
	var ids []string
	for n := 0; len(ids) < jobs; n++ {
		r := call(t, j, "background_run", fmt.Sprintf("s/%d.0", n), m{"command": "echo x"})
		if r.Error { // the log could not be made; the model sees it
			if !strings.Contains(said(r), store.ErrFull.Error()) {
				t.Fatal(said(r))
			}
			continue
		}
		for k, v := range r.State {
			l.s.State[k] = v
			ids = append(ids, strings.TrimPrefix(k, "job/"))
		}
	}
	for _, id := range ids {
		finish(t, j, id)
	}
	fails := 0
	l.a.Journal = func(ctx context.Context, e *agent.Event) error {
		if e.Message != nil && e.Message.From == Name && fails < 3 {
			fails++
			return store.ErrFull
		}
		return l.journal.Append(ctx, e)
	}
	for range 6 {
		_, err := agenttest.Collect(l.a.Run(t.Context(), l.s, agent.Say("go")))
		if err != nil && !errors.Is(err, store.ErrFull) {
			t.Fatal(err)
		}
		j = h.open(server) // as if the process had died
		l.a.Hooks = []agent.Hook{j.Hook(nil)}
	}
	all := strings.Join(l.told(), "\n")
	for _, id := range ids {
		if n := strings.Count(all, "[bg:"+id+"] completed: x"); n != 1 {
			t.Errorf("%s was told %d times", id, n)
		}
	}
	if fails != 3 || len(l.s.State) != 0 || len(l.told()) < 2 {
		t.Errorf("%d failures, %d left, %d messages", fails, len(l.s.State), len(l.told()))
	}
}

func TestWaitAtEnd(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	j := h.open(func(o *Options) { o.WaitAtEnd = true })
	spoke := make(chan struct{})
	waiting := func() bool {
		select {
		case <-spoke:
			return true
		default:
			return false
		}
	}
	asked := make(chan int, 10)
	t.Cleanup(func() {
		if err := j.Kill(context.Background(), newID("s/3.1", 0)); err != nil { // Close leaves it
			t.Error(err)
		}
	})
	l := newLoop(t, j, waiting, func(n int, _ *agent.Request) agenttest.Reply {
		asked <- n
		if n == 0 {
			return agenttest.CallTools(
				"background_run", `{"command":"sleep 300","keep":true}`, // not waited for
				"background_run", `{"command":"while ! [ -e go ]; do sleep 0.02; done; echo went"}`,
				"background_run", `{"command":"while ! [ -e never ]; do sleep 0.02; done"}`,
			)
		}
		return agenttest.Say("so far")
	})
	stop := make(chan agent.RunStop)
	go func() { stop <- l.say(t.Context(), "go") }()
	<-asked
	<-asked
	select {
	case s := <-stop:
		t.Fatalf("ended %s although jobs run", s)
	case n := <-asked:
		t.Fatalf("asked %d although nothing has happened", n)
	case <-time.After(300 * time.Millisecond): // the only way to see that nothing happens
	}
	if err := os.WriteFile(filepath.Join(h.cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-asked // told of the second
	close(spoke)
	if s := <-stop; s != agent.RunEnd {
		t.Errorf("ended %s", s)
	}
	if got := l.told(); len(got) != 1 || !strings.Contains(got[0], "completed: went") {
		t.Errorf("told %q", got)
	}
	if len(l.s.State) != 2 {
		t.Errorf("the state is %v", l.s.State)
	}

	// A cancel ends the wait.
	ctx, cancel := context.WithCancel(t.Context())
	l.a.Hooks = []agent.Hook{j.Hook(nil)}
	go func() { stop <- l.say(ctx, "again") }()
	<-asked
	cancel()
	if s := <-stop; s != agent.RunCancelled && s != agent.RunEnd {
		t.Errorf("ended %s", s)
	}

	// Without the option an answer is the end; what comes is told in the next turn.
	j.o.WaitAtEnd = false
	go func() { stop <- l.say(t.Context(), "and now") }()
	if s := <-stop; s != agent.RunEnd {
		t.Errorf("ended %s", s)
	}
	if err := os.WriteFile(filepath.Join(h.cwd, "never"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	finish(t, j, newID("s/3.3", 0))
	go func() { stop <- l.say(t.Context(), "and now") }()
	<-stop
	if got := l.told(); len(got) != 2 || !strings.Contains(got[1], "completed: (no output)") {
		t.Errorf("told %q", got)
	}
}

// What is told of a job in a result is not told again in a message.
func TestToldInAResult(t *testing.T) {
	t.Parallel()
	j := newHome(t).open(func(o *Options) { o.WaitAtEnd = true })
	id := newID("s/3.1", 0)
	l := newLoop(t, j, nil, script(
		agenttest.CallTool("background_run", `{"command":"echo x"}`),
		agenttest.CallTool("check_background", `{"task_id":"`+id+`","wait":60}`),
		agenttest.Say("fine"),
	))
	l.say(t.Context(), "go")
	results := 0
	for _, msg := range l.s.Messages {
		if r := msg.Result(); r != nil && strings.Contains(r.Parts[0].Text, "[completed] x") {
			results++
		}
	}
	if n := len(l.told()); results+n != 1 && results != 1 || n > 1 {
		t.Errorf("%d results, told %q", results, l.told())
	}
	if len(l.s.State) != 0 {
		t.Errorf("the state is %v", l.s.State)
	}
}

// A session that is opened watches what it has left; one that knows of a job nobody else does says so.
func TestOpenSession(t *testing.T) {
	h := newHome(t)
	first := h.open()
	id := begin(t, first, "s/1.0", m{"command": "sleep 300"})
	told := make(chan string, 1)
	j := h.open(func(o *Options) { o.Notify = func(s string) { told <- s } })
	s := agent.NewSession("s")
	s.State = map[string]json.RawMessage{"job/" + id: json.RawMessage(`{}`), "job/deadbeef": json.RawMessage(`7`), "todo": json.RawMessage(`{}`)}
	hook := j.Hook(nil)
	hook.OnSession(t.Context(), s, true)
	hook.OnSession(t.Context(), s, false)
	if err := first.Kill(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != "s" { // the session was told, so the job was watched
		t.Errorf("told %q", got)
	}
	note, err := hook.Inject(t.Context(), s, false)
	if err != nil || note == nil {
		t.Fatal(note, err)
	}
	text := note.Messages[0].Text()
	if !strings.Contains(text, "[bg:"+id+"] error: [killed]") || !strings.Contains(text, "[bg:deadbeef] error: Error: nothing is known of this job any more") {
		t.Errorf("%q", text)
	}
	if len(note.State) != 2 || note.Messages[0].From != "job" || note.Messages[0].Role != agent.User {
		t.Errorf("%+v", note)
	}
	if note, err := hook.Inject(t.Context(), agent.NewSession("s"), true); note != nil || err != nil {
		t.Errorf("nothing is open: %v %v", note, err)
	}
	broken := h.open(func(o *Options) { o.Log = unreadable{h.log} })
	if _, err := broken.Hook(nil).Inject(t.Context(), s, false); err == nil {
		t.Error("a log that cannot be read is no error")
	}
	if _, err := broken.List(t.Context(), ""); err != nil {
		t.Errorf("without names nothing is known: %v", err)
	}
	if err := broken.Recover(t.Context()); err != nil {
		t.Errorf("without names nothing is looked for: %v", err)
	}
}

// unreadable is a log that can be written only.
type unreadable struct{ store.Log }

func (unreadable) Read(context.Context, string, int64, bool) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, errors.New("bad sector")) }
}
