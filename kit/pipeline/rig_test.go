package pipeline

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/shell"
	"react-agent/store"
	"react-agent/store/mem"
)

// rig is a work directory with one pipeline, whose commands and sub-agents are functions of the test.
type rig struct {
	t     *testing.T
	work  string
	skill Skill
	kv    store.KV
	// next gives the output of the n-th call of the program; 0 is the first.
	next func(n int) Outcome
	// run is what a command does; nil: nothing.
	run func(c Command) (Outcome, error)
	ask func(t Task) (Reply, error)

	mu    sync.Mutex
	nexts int
	ran   []Command
	asked []Task
	o     Options
}

func newRig(t *testing.T) *rig {
	work := t.TempDir()
	if to, err := filepath.EvalSymlinks(work); err == nil {
		work = to
	}
	g := &rig{t: t, work: work, kv: mem.New(), skill: Skill{Name: "demo", Dir: filepath.Join(work, "skills", "demo")}}
	g.write("skills/demo/scripts/run.py", "")
	g.ask = func(Task) (Reply, error) {
		return Reply{Text: "a reply", Usage: &agent.Usage{Input: new(int64(10))}}, nil
	}
	g.o = Options{WorkDir: work, KV: g.kv, Skills: []Skill{g.skill}, Run: g.command, Ask: g.subAgent, Files: plainFiles{}}
	return g
}

// plainFiles reads and writes without rules and secrets.
type plainFiles struct{}

func (plainFiles) Read(_ context.Context, _, path string) (string, error) {
	data, err := os.ReadFile(path)
	return string(data), err
}

func (plainFiles) Write(_ context.Context, _, path, content string) error {
	return os.WriteFile(path, []byte(content), 0o644)
}

func (g *rig) write(name, content string) {
	g.t.Helper()
	path := filepath.Join(g.work, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

func (g *rig) read(name string) string {
	data, err := os.ReadFile(filepath.Join(g.work, filepath.FromSlash(name)))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(data)
}

func (g *rig) settings(yaml string) { g.write("skills/demo/pipeline.yaml", yaml) }

// blocks plays a program that goes on with every call, and stays with the last block.
func (g *rig) blocks(list ...string) {
	g.next = func(n int) Outcome { return printed(list[min(n, len(list)-1)]) }
}

func printed(s string) Outcome { return Outcome{Output: []byte(s), Status: "exit status 0"} }

func emit(fields ...string) string {
	bars := strings.Repeat("━", 72)
	return bars + "\n" + strings.Join(fields, "\n") + "\n" + bars + "\n"
}

func (g *rig) command(ctx context.Context, c Command) (Outcome, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if c.Args != nil {
		g.nexts++
		return g.next(g.nexts - 1), nil
	}
	g.ran = append(g.ran, c)
	if g.run == nil {
		return printed(""), nil
	}
	return g.run(c)
}

func (g *rig) subAgent(_ context.Context, t Task) (Reply, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, t)
	return g.ask(t)
}

// commands are the texts of what was run.
func (g *rig) commands() []string {
	var out []string
	for _, c := range g.ran {
		out = append(out, c.Text)
	}
	return out
}

// call calls the tool in a run of its own, as the kernel does.
func (g *rig) call(query string, more ...string) agent.Result {
	g.t.Helper()
	return g.callAs("s/1.0", query, more...)
}

func (g *rig) callAs(key, query string, more ...string) agent.Result {
	g.t.Helper()
	in := map[string]string{"query": query}
	for i := 1; i < len(more); i += 2 {
		in[more[i-1]] = more[i]
	}
	res, err := g.tool().Run(g.t.Context(), agent.Call{ID: "c", Key: key, Name: "run_demo_pipeline", Args: raw(g.t, in)})
	if err != nil {
		g.t.Fatal(err)
	}
	return res
}

func (g *rig) tool() agent.Tool {
	g.t.Helper()
	p, err := New(g.o)
	if err != nil {
		g.t.Fatal(err)
	}
	tools := p.Tools()
	if len(tools) == 0 {
		g.t.Fatal("no tool", p.Problems())
	}
	return tools[0]
}

func raw(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func textOf(res agent.Result) string {
	var s strings.Builder
	for _, p := range res.Parts {
		s.WriteString(p.Text)
	}
	return s.String()
}

// want checks the answer of a call.
func want(t *testing.T, res agent.Result, failed bool, words ...string) {
	t.Helper()
	s := textOf(res)
	if res.Error != failed {
		t.Errorf("error %v, want %v", res.Error, failed)
	}
	for _, w := range words {
		if !strings.Contains(s, w) {
			t.Errorf("%q is missing", w)
		}
	}
	if t.Failed() {
		t.Logf("the answer:\n%s", s)
	}
}

// record gives what is kept of a call.
func (g *rig) record(key string) record {
	g.t.Helper()
	r, _, err := states{g.kv}.load(g.t.Context(), key)
	if err != nil || r == nil {
		g.t.Fatal("no record", err)
	}
	return *r
}

// done is the block of an end.
func done() string { return emit("STATE  : DONE — all of it", "STEP   : end", "TYPE   : terminal") }

// python is a rig with a real program: a copy of a skill of testdata, commands through a real shell.
func python(t *testing.T, name string) *rig {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	g := newRig(t)
	g.skill = Skill{Name: name, Dir: filepath.Join(g.work, "skills", name)}
	if err := os.CopyFS(g.skill.Dir, os.DirFS(filepath.Join("testdata", "skills", name))); err != nil {
		t.Fatal(err)
	}
	g.o.Skills = []Skill{g.skill}
	g.o.Run = func(ctx context.Context, c Command) (Outcome, error) {
		g.mu.Lock()
		g.ran = append(g.ran, c)
		run := g.run
		g.mu.Unlock()
		if run != nil {
			if out, err := run(c); err != nil {
				return out, err
			}
		}
		return realRun(ctx, g.work, c)
	}
	return g
}

// realRun runs a command as the product does, without a sandbox and without asking.
func realRun(ctx context.Context, work string, c Command) (Outcome, error) {
	cmd := shell.Cmd{
		Args: c.Args, Command: "set -e\n" + c.Text, Shell: "sh", Dir: work, Timeout: c.Timeout, Split: c.Args != nil, Keep: 256 << 10,
		Vars: append(os.Environ(), append(c.Env, "PYTHONDONTWRITEBYTECODE=1")...),
	}
	r, err := shell.Run(ctx, cmd)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Output: slices.Concat(r.Head, r.Tail), Errors: string(r.Errors), Lost: r.Lost, Code: r.Code, Status: r.Status(), TimedOut: r.TimedOut, Why: r.Human,
	}, nil
}

// progress runs the tool inside an agent, so that there is progress, and a person to ask.
func (g *rig) progress(query string) (events []agent.Event) {
	g.t.Helper()
	model := agenttest.NewModel(agenttest.CallTool("run_demo_pipeline", string(raw(g.t, map[string]string{"query": query}))), agenttest.Say("done"))
	p, err := New(g.o)
	if err != nil {
		g.t.Fatal(err)
	}
	a := &agent.Agent{Model: model, Tools: p.Tools(), Hooks: []agent.Hook{p.Hook()}}
	for e, err := range a.Run(g.t.Context(), &agent.Session{ID: "s"}, agent.Say("go")) {
		if err != nil {
			g.t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
