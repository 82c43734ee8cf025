package rewind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/kit/rewind"
	"react-agent/store/disk"
	"react-agent/tool"
)

// product is an engine over a disk store whose model plays a script with the real tools, with checkpoints.
type product struct {
	t    *testing.T
	root string
	eng  *engine.Local
	rw   *rewind.Rewind
}

func newProduct(t *testing.T, root, state string, script ...agenttest.Reply) *product {
	t.Helper()
	st, err := disk.Open(state, disk.Options{Poll: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	env := tool.Env{Root: root}
	rw, err := rewind.New(rewind.Options{
		Root: root, Dir: filepath.Join(state, "checkpoint"),
		Paths: func(tl agent.Tool, c agent.Call) ([]string, bool) {
			found, ok := tool.Paths(env, tl, c)
			var paths []string
			for _, p := range found {
				paths = append(paths, p.Real)
			}
			return paths, ok
		},
		Notice: func(text string) { t.Error("notice:", text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	model := agenttest.NewModel(script...)
	eng, err := engine.New(engine.Config{Log: st, KV: st, Blobs: st, Factory: func(context.Context, engine.Spec) (*agent.Agent, error) {
		return &agent.Agent{Model: model, Tools: rw.Wrap(tool.All(env)), Parallel: 8}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			t.Error(err)
		}
		_ = st.Close()
	})
	return &product{t, root, eng, rw}
}

// say says something and waits for the end of the run.
func (p *product) say(text string) {
	p.t.Helper()
	info, err := p.eng.Info(p.t.Context(), "s")
	if err != nil {
		p.t.Fatal(err)
	}
	m := agent.TextMessage(agent.User, text)
	if _, err := p.eng.Submit(p.t.Context(), "s", engine.Input{Message: &m}); err != nil {
		p.t.Fatal(err)
	}
	for e, err := range p.eng.Follow(p.t.Context(), "s", info.Seq, true) {
		if err != nil {
			p.t.Fatal(err)
		}
		if e.Type == agent.EvEnd {
			return
		}
	}
}

func (p *product) do(fn func(ctx context.Context, a *agent.Agent, s *agent.Session) error) {
	p.t.Helper()
	err := p.eng.Do(p.t.Context(), "s", func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		return fn(ctx, a, s)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *product) rewind(seq int64) (res rewind.Result) {
	p.t.Helper()
	p.do(func(ctx context.Context, a *agent.Agent, s *agent.Session) error {
		plan, err := p.rw.Plan(ctx, s, seq)
		if err == nil {
			res, err = p.rw.Perform(ctx, a, s, plan, false)
		}
		return err
	})
	return res
}

func (p *product) turns() (turns []rewind.Turn) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *agent.Agent, s *agent.Session) (err error) {
		turns, err = p.rw.Turns(ctx, s)
		return err
	})
	return turns
}

func (p *product) want(file, content string) {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.root, file))
	if content == "" && os.IsNotExist(err) {
		return
	}
	if err != nil || string(b) != content {
		p.t.Errorf("%s is %q (%v), want %q", file, b, err, content)
	}
}

// TestThroughTheEngine rewinds and redoes a conversation with the real tools, over a restart.
func TestThroughTheEngine(t *testing.T) {
	root, state := t.TempDir(), t.TempDir()
	args := func(v map[string]string) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	p := newProduct(t, root, state,
		agenttest.CallTool("write_file", args(map[string]string{"path": "a.txt", "content": "first"})),
		agenttest.Say("written"),
		agenttest.CallTools(
			"bash", args(map[string]string{"command": "mkdir out && cp a.txt out/copy && echo more >> a.txt"}),
			"bash", args(map[string]string{"command": "echo beside > beside"}),
		),
		agenttest.Say("run"),
		agenttest.Say("after the rewind"),
	)
	p.say("write it")
	p.say("run it")
	turns := p.turns()
	if len(turns) != 2 || !slices.Equal(turns[0].Files, []string{"a.txt"}) ||
		!slices.Equal(turns[1].Files, []string{"a.txt", "beside", "out", "out/copy"}) {
		t.Fatalf("turns: %+v", turns)
	}
	res := p.rewind(turns[1].Seq)
	if len(res.Done) != 4 || len(res.Left) != 0 || res.Event == 0 {
		t.Errorf("result: %+v", res)
	}
	p.want("a.txt", "first")
	p.want("out/copy", "")
	if got := p.turns(); len(got) != 1 {
		t.Errorf("turns: %+v", got)
	}
	p.do(func(ctx context.Context, a *agent.Agent, s *agent.Session) error {
		plan, err := p.rw.PlanRedo(ctx, s)
		if err == nil {
			_, err = p.rw.Perform(ctx, a, s, plan, false)
		}
		return err
	})
	p.want("a.txt", "firstmore\n")
	p.want("out/copy", "first")
	if got := p.turns(); len(got) != 2 {
		t.Errorf("turns: %+v", got)
	}
	p.rewind(turns[0].Seq)
	p.want("a.txt", "")
	p.want("beside", "")
	p.say("hello")
	if got := p.turns(); len(got) != 1 || got[0].Text != "hello" {
		t.Errorf("turns: %+v", got)
	}
	checkLog(t, p)
}

// checkLog: the voids stand in the log, with what can be redone.
func checkLog(t *testing.T, p *product) {
	t.Helper()
	var voids []string
	for e, err := range p.eng.Follow(t.Context(), "s", 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvVoid {
			voids = append(voids, fmt.Sprintf("%s %t %d", e.Text, e.Void.From < e.Void.To, len(e.State)))
		}
	}
	if want := []string{"rewind true 1", "redo false 1", "rewind true 1"}; !slices.Equal(voids, want) {
		t.Errorf("voids: %q, want %q", voids, want)
	}
}
