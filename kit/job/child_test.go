//go:build unix

package job

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store"
	"react-agent/store/disk"
)

// deadly is a log that kills this process, as kill -9 does, at a chosen point: before or after an append, or in between
// other things that happen to a job.
type deadly struct {
	*disk.Store
	points atomic.Int64
	last   int64 // 0 = never
}

func (d *deadly) point() {
	if d.points.Add(1) == d.last {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

func (d *deadly) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	d.point()
	defer d.point()
	return d.Store.Append(ctx, name, after, data)
}

// child is what the test binary does as another process: it works on session a until its turn is over.
func child(role string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := work(ctx, role); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func work(ctx context.Context, role string) error {
	st, err := disk.Open(os.Getenv("JOB_TEST_DIR"), disk.Options{Poll: 10 * time.Millisecond})
	if err != nil {
		return err
	}
	d := &deadly{Store: st}
	if d.last, err = strconv.ParseInt(role, 10, 64); err != nil {
		return err
	}
	var eng *engine.Local
	jobs, err := New(Options{
		Log: d, Dir: filepath.Join(st.Dir(), "jobs"), Root: st.Dir(), WaitAtEnd: true,
		Prepare: func(*exec.Cmd) error {
			d.point()
			return nil
		},
	})
	if err != nil {
		return err
	}
	next := agent.Tool{
		Name: "next", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Reads,
		Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("went on"), nil },
	}
	eng, err = engine.New(engine.Config{
		Log: d, KV: st, Blobs: st, Beat: 50 * time.Millisecond, Dead: 400 * time.Millisecond,
		Factory: func(_ context.Context, s engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{
				Model: &agenttest.Model{Next: twoJobs}, Tools: append(jobs.Tools(s.Waiting), next), Hooks: []agent.Hook{jobs.Hook(s.Waiting)},
				Parallel: 4,
			}, nil
		},
	})
	if err != nil {
		return err
	}
	m := agent.TextMessage(agent.User, "go")
	if _, err := eng.Submit(ctx, "a", engine.Input{ID: "go", Message: &m}); err != nil {
		return err
	}
	if err := eng.Resume(ctx, "a"); err != nil {
		return err
	}
	for e, err := range eng.Follow(ctx, "a", 0, true) {
		if err != nil {
			return err
		}
		if e.Type == agent.EvEnd {
			break
		}
	}
	if err := eng.Close(ctx); err != nil {
		return err
	}
	return jobs.Close(ctx)
}

// twoJobs starts two jobs, goes on for a step, and is done when it was told of both.
func twoJobs(_ int, req *agent.Request) agenttest.Reply {
	results, told := 0, 0
	for _, msg := range req.Messages {
		if msg.Role == agent.ToolRole {
			results++
		}
		if msg.From == Name {
			told += strings.Count(msg.Text(), "[bg:")
		}
	}
	switch {
	case results == 0:
		return agenttest.CallTools(
			"background_run", `{"command":"echo one >>ran; echo first"}`,
			"background_run", `{"command":"echo two >>ran; sleep 0.1; echo second"}`,
		)
	case results < 3:
		return agenttest.CallTool("next", "{}")
	case told < 2:
		return agenttest.Say("not yet")
	}
	return agenttest.Say("done")
}

// live lets a child work, and tells whether it was killed.
func live(t *testing.T, dir string, last int) (killed bool) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "JOB_TEST_CHILD="+strconv.Itoa(last), "JOB_TEST_DIR="+dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL && last > 0 {
		return true
	}
	t.Fatalf("killed at %d: %v\n%s", last, err, out)
	return false
}

// Whenever the process dies, each job runs once and is told of once, and the turn comes to its end.
func TestKilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	at := make(chan [2]int)
	var over atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for p := range at {
				dir := t.TempDir()
				if !live(t, dir, p[0]) {
					over.Store(true)
				} else {
					live(t, dir, p[1]) // dies again, or not
				}
				live(t, dir, 0)
				checkKilled(t, dir, p)
			}
		})
	}
	n := 1
	for ; !over.Load(); n++ {
		at <- [2]int{n, 1 + rnd.IntN(30)}
	}
	close(at)
	wg.Wait()
	t.Logf("killed at %d points", n-1)
	if n < 30 {
		t.Errorf("only %d points", n)
	}
}

// checkKilled looks at what came of it all.
func checkKilled(t *testing.T, dir string, p [2]int) {
	t.Helper()
	ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
	if s := string(ran); s != "one\ntwo\n" && s != "two\none\n" {
		t.Errorf("killed at %v: the commands ran %q", p, s)
	}
	st, err := disk.Open(dir, disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	told := map[string]int{}
	last := ""
	for rec, err := range st.Read(t.Context(), "session/a", 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.Decode(rec.Data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Message == nil {
			continue
		}
		if e.Message.From == Name {
			for line := range strings.Lines(e.Message.Text()) {
				if strings.HasPrefix(line, "[bg:") {
					told[strings.TrimSpace(line[13:])]++
				}
			}
		}
		if e.Message.Role == agent.Assistant {
			last = e.Message.Text()
		}
	}
	if len(told) != 2 || told["completed: first"] != 1 || told["completed: second"] != 1 || last != "done" {
		t.Errorf("killed at %v: told %v, the last words are %q", p, told, last)
	}
}

// faulty is a log whose appends fail sometimes, before or after the record was added.
type faulty struct {
	store.Log
	mu   sync.Mutex
	rnd  *rand.Rand
	rate int // one of so many fails
}

func (f *faulty) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	f.mu.Lock()
	bad, late := f.rnd.IntN(f.rate) == 0, f.rnd.IntN(2) == 0
	f.mu.Unlock()
	if bad && !late {
		return 0, store.ErrFull
	}
	pos, err := f.Log.Append(ctx, name, after, data)
	if bad && err == nil {
		return 0, store.ErrFull
	}
	return pos, err
}

// Names are those of the log underneath.
func (f *faulty) Names(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return f.Log.(store.Names).Names(ctx, prefix)
}
