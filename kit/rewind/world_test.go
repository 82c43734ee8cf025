package rewind

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
)

// tb is what a test, a benchmark and a property have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// world is a work directory, a session with a log in memory, and a Rewind.
type world struct {
	tb
	o       Options
	r       *Rewind
	id      string
	s       *agent.Session
	a       *agent.Agent
	lines   [][]byte
	notices []string
}

func newWorld(t tb, root, dir string, change func(*Options)) *world {
	t.Helper()
	w := &world{tb: t, id: "s", s: agent.NewSession("s")}
	w.o = Options{Root: root, Dir: dir, NoSync: true, Paths: givenPaths, Patience: time.Minute, Notice: func(text string) { w.notices = append(w.notices, text) }}
	if change != nil {
		change(&w.o)
	}
	w.open()
	w.a = &agent.Agent{Journal: func(_ context.Context, e *agent.Event) error {
		line, err := agent.EncodeJSON(e)
		w.lines = append(w.lines, line)
		return err
	}}
	return w
}

// open makes a Rewind anew, as a restart does.
func (w *world) open() {
	w.Helper()
	r, err := New(w.o)
	if err != nil {
		w.Fatal(err)
	}
	w.r, w.o.Root = r, r.o.Root
}

// givenPaths reads {"paths": [...]} from a call.
func givenPaths(_ agent.Tool, c agent.Call) ([]string, bool) {
	var a struct {
		Paths []string `json:"paths"`
	}
	if json.Unmarshal(c.Args, &a) != nil || a.Paths == nil {
		return nil, false
	}
	return a.Paths, true
}

func (w *world) append(e *agent.Event) int64 {
	w.Helper()
	if err := w.a.Append(context.Background(), w.s, e); err != nil {
		w.Fatal(err)
	}
	return e.Seq
}

// reload is what the engine does after a void.
func (w *world) reload() {
	w.Helper()
	s, err := agent.Load(w.id, func(yield func([]byte, error) bool) {
		for _, line := range w.lines {
			if !yield(line, nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.s = s
}

// say begins a turn.
func (w *world) say(text string) int64 {
	w.Helper()
	m := agent.TextMessage(agent.User, text)
	return w.append(&agent.Event{Type: agent.EvMessage, Message: &m})
}

// path is a file of the work directory.
func (w *world) path(rel string) string { return filepath.Join(w.o.Root, filepath.FromSlash(rel)) }

// tool makes a wrapped tool of a function.
func (w *world) tool(effect agent.Effect, resume bool, fn func()) agent.Tool {
	return w.r.Wrap([]agent.Tool{{Name: "t", Effect: effect, Resume: resume, Run: func(context.Context, agent.Call) (agent.Result, error) {
		fn()
		return agent.TextResult("done"), nil
	}}})[0]
}

// call has the model call a tool: one that writes the paths, or without any one that executes.
func (w *world) call(fn func(), paths ...string) {
	w.Helper()
	args, effect := []byte("{}"), agent.Executes
	if len(paths) > 0 {
		for i := range paths {
			paths[i] = w.path(paths[i])
		}
		raw, err := json.Marshal(map[string]any{"paths": paths})
		if err != nil {
			w.Fatal(err)
		}
		args, effect = raw, agent.Writes
	}
	w.run(w.tool(effect, false, fn), w.ask(args))
}

// ask appends the message with the call and gives the call.
func (w *world) ask(args []byte) agent.Call {
	w.Helper()
	key := w.id + "/" + strconv.FormatInt(w.s.Seq+1, 10) + ".1"
	c := agent.Call{ID: "c", Name: "t", Key: key, Args: args}
	w.append(&agent.Event{Type: agent.EvMessage, Message: &agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Kind: agent.CallKind, Call: &c}}}})
	w.append(&agent.Event{Type: agent.EvCall, Call: &c})
	return c
}

func (w *world) run(t agent.Tool, c agent.Call) {
	w.Helper()
	res, err := t.Run(context.Background(), c)
	if err != nil || res.Error {
		w.Fatalf("call: %v %v", res, err)
	}
	res.CallID, res.Key = c.ID, c.Key
	w.append(&agent.Event{Type: agent.EvMessage, Message: &agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &res}}}})
}

func (w *world) plan(from int64) *Plan {
	w.Helper()
	p, err := w.r.Plan(context.Background(), w.s, from)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

func (w *world) perform(p *Plan, force bool) Result {
	w.Helper()
	res, err := w.r.Perform(context.Background(), w.a, w.s, p, force)
	if err != nil {
		w.Fatal(err)
	}
	w.reload()
	return res
}

func (w *world) rewind(from int64) Result {
	w.Helper()
	return w.perform(w.plan(from), false)
}

func (w *world) redo() Result {
	w.Helper()
	p, err := w.r.PlanRedo(context.Background(), w.s)
	if err != nil {
		w.Fatal(err)
	}
	return w.perform(p, false)
}

func (w *world) write(rel, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(rel)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.path(rel), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// tree is what a person would see: kind, mode and content of everything below a directory.
func tree(t tb, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if rel == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			all[rel] = "dir " + info.Mode().Perm().String()
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[rel] = "link " + to
			return err
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			all[rel] = info.Mode().String() + " " + string(data)
			return err
		default:
			all[rel] = info.Mode().Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same compares two trees.
func same(t tb, what string, got, want map[string]string) {
	t.Helper()
	if d := difference(got, want); d != "" {
		t.Fatalf("%s:%s", what, d)
	}
}

func difference(got, want map[string]string) string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if got[p] != want[p] {
			fmt.Fprintf(&b, "\n%s is %.60q, want %.60q", p, got[p], want[p])
		}
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[p]; !ok {
			fmt.Fprintf(&b, "\n%s is %.60q, want nothing", p, got[p])
		}
	}
	return b.String()
}

func testWorld(t *testing.T, change func(*Options)) *world {
	t.Helper()
	return newWorld(t, t.TempDir(), t.TempDir(), change)
}
