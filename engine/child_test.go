package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/disk"
)

// child is what the test binary does as another process: it works on session a of a store, with a model that calls a
// tool five times a turn. It says what happens, one line each, and obeys lines on stdin.
func child(job string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	st, err := disk.Open(os.Getenv("ENGINE_TEST_DIR"), disk.Options{Poll: 10 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var mu sync.Mutex
	report := func(a ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(a...)
	}
	s := &setup{st: st, model: &agenttest.Model{Next: fiveCalls}}
	s.tools = []agent.Tool{{
		Name: "work", Schema: json.RawMessage(`{"type":"object"}`), Resume: true,
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			report("tool", c.Key)
			if job == "stuck" {
				<-ctx.Done()
				return agent.Result{}, ctx.Err()
			}
			return agent.TextResult("done"), nil
		},
	}}
	eng, err := engine.New(s.config())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if err := eng.Resume(ctx, "a"); err != nil {
		fmt.Println(err)
		return 1
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line := in.Text()
		if line == "close" {
			break
		}
		msg := say(line)
		msg.ID = line
		msg.Queue = true
		if _, err := eng.Submit(ctx, "a", msg); err != nil {
			report("error", err)
			continue
		}
		report("submitted", line)
	}
	if err := eng.Close(ctx); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// fiveCalls answers when five results follow the last message of the person.
func fiveCalls(_ int, req *agent.Request) agenttest.Reply {
	n := 0
	for i := len(req.Messages) - 1; i >= 0 && req.Messages[i].Role != agent.User; i-- {
		if req.Messages[i].Role == agent.ToolRole {
			n++
		}
	}
	if n < 5 {
		return agenttest.CallTool("work", "{}")
	}
	return agenttest.Say("done")
}

// process is a child that runs.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, dir, job string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "ENGINE_TEST_JOB="+job, "ENGINE_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // may have ended
		_ = cmd.Wait()
	})
	return p
}

func (p *process) tell(line string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
}

// until reads reports until one begins so.
func (p *process) until(prefix string) {
	p.t.Helper()
	for p.out.Scan() {
		line := p.out.Text()
		if strings.HasPrefix(line, "error") {
			p.t.Fatal(line)
		}
		if strings.HasPrefix(line, prefix) {
			return
		}
	}
	p.t.Fatalf("the child ended before it said %q", prefix)
}

func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	_ = p.cmd.Wait() // was killed
}
