package engine_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/disk"
)

// A small file system is filled while a turn runs and freed before the next: every line parses afterwards, nothing is
// empty, and the session goes on in a new engine.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("not here: a small file system cannot be mounted, it takes root: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	st, err := disk.Open(dir, disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	filler := filepath.Join(dir, "filler")
	answer := strings.Repeat("b", 20_000)
	s := newSetup(t, st)
	s.model.Next = func(_ int, req *agent.Request) agenttest.Reply {
		if text := req.Messages[len(req.Messages)-1].Text(); text != "two" {
			return agenttest.Say("re " + text)
		}
		fillUp(t, filler)
		return agenttest.Say(answer)
	}
	r := follow(t, s.eng, "a", 0)
	submit(t, s.eng, "a", say("one"))
	r.Until("the end", isEnd)
	submit(t, s.eng, "a", say("two"))
	if e := r.UntilType(agent.EvNotice); e.Error == nil || !strings.Contains(e.Error.Message, "disk full") {
		t.Fatalf("%+v", e)
	}
	waitIdle(t, s.eng, "a")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	submit(t, s.eng, "a", say("three"))
	r.Until("the end", isEnd)
	waitIdle(t, s.eng, "a")
	if err := s.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 && filepath.Base(filepath.Dir(path)) != "blob" {
			t.Errorf("%s is empty (%v)", path, err)
		}
		for line := range strings.Lines(string(data)) {
			if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") && strings.HasSuffix(path, "l") {
				t.Errorf("%s: bad line %.100q", path, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	next := newSetup(t, st, agenttest.Say("re four"))
	r = follow(t, next.eng, "a", 0)
	submit(t, next.eng, "a", say("four"))
	r.Until("the last answer", func(e agent.Event) bool { return e.Message != nil && e.Message.Text() == "re four" })
	r.Until("the end", isEnd)
	wantTexts(t, stored(t, st, "a"), agent.User, "one", "two", "three", "four")
	if err := next.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func fillUp(t *testing.T, name string) {
	f, err := os.Create(name)
	if err != nil {
		t.Error(err)
		return
	}
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkStep is one step of an agent: a model call and a tool, journalled. A tool that only reads needs no sync.
func BenchmarkStep(b *testing.B) {
	for name, effect := range map[string]agent.Effect{"reads": agent.Reads, "executes": agent.Executes} {
		b.Run(name, func(b *testing.B) {
			st := diskStore(b, b.TempDir())
			s := newSetup(b, st)
			c := s.config()
			c.Beat = 0
			work := newGate().Tool("work")
			work.Effect = effect
			work.Run = func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("done"), nil }
			c.Factory = func(context.Context, engine.Spec) (*agent.Agent, error) {
				return &agent.Agent{Model: &stepper{left: b.N}, Tools: []agent.Tool{work}}, nil
			}
			s.eng = newEngine(b, c)
			b.ResetTimer()
			submit(b, s.eng, "a", say("go"))
			for e, err := range s.eng.Follow(b.Context(), "a", 0, true) {
				if err != nil {
					b.Fatal(err)
				}
				if isEnd(e) {
					break
				}
			}
		})
	}
}

var _ engine.Engine = (*engine.Local)(nil)

// stepper calls the tool so many times, and remembers nothing.
type stepper struct{ left int }

func (*stepper) Info() agent.ModelInfo { return agent.ModelInfo{Name: "stepper"} }

func (m *stepper) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		m.left--
		part := agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "work", Args: json.RawMessage("{}")}}
		stop := agent.StopCalls
		if m.left < 0 {
			part, stop = agent.TextPart("done"), agent.StopEnd
		}
		_ = yield(agent.Chunk{Part: &part}, nil) && yield(agent.Chunk{Stop: stop}, nil)
	}
}
