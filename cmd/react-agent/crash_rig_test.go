//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/provider/providertest"
)

// rig is a home, a state and a work directory with a model, in which the real binary is started again and again.
type rig struct {
	t     *testing.T
	dir   string
	srv   *providertest.Server
	extra []string // of the environment
}

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	g := &rig{t: t, dir: t.TempDir(), srv: providertest.New(t.Context(), providertest.MustParse(script))}
	t.Cleanup(g.srv.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"react-agent", "react-agent-parts"} { // TestMain runs the program under these names
		if err := os.Symlink(self, filepath.Join(g.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(g.work(), 0o755); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *rig) work(name ...string) string {
	return filepath.Join(append([]string{g.dir, "work"}, name...)...)
}

func (g *rig) state(name ...string) string {
	return filepath.Join(append([]string{g.dir, "state"}, name...)...)
}

func (g *rig) command(parts []string, args ...string) *exec.Cmd {
	name := "react-agent"
	if len(parts) > 0 {
		name = "react-agent-parts"
	}
	cmd := exec.CommandContext(soon(g.t), filepath.Join(g.dir, name), args...)
	cmd.Dir = g.work()
	cmd.Env = append(g.srv.Env(), "HOME="+g.dir, "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8", "REACT_AGENT_STATE_DIR="+g.state())
	cmd.Env = slices.Concat(cmd.Env, built(), g.extra, parts)
	return cmd
}

// life is one start of the program with --input jsonl --output jsonl.
type life struct {
	g    *rig
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs bytes.Buffer
	// what it printed
	events []agent.Event
	asked  map[string]bool
}

// start starts a life; parts makes it the program with other parts.
func (g *rig) start(parts []string, args ...string) *life {
	g.t.Helper()
	l := &life{g: g, cmd: g.command(parts, append([]string{"run", "--input", "jsonl", "--output", "jsonl"}, args...)...), asked: map[string]bool{}}
	l.cmd.Stderr = &l.errs
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	l.out = bufio.NewReader(out)
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		g.t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // may have ended
	return l
}

// next reads one printed event; false when the life is over.
func (l *life) next() (agent.Event, bool) {
	l.g.t.Helper()
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		return agent.Event{}, false
	}
	e, err := engine.Decode(line, nil)
	if err != nil {
		l.g.t.Fatalf("printed line %.200q: %v", line, err)
	}
	l.events = append(l.events, e)
	return e, true
}

// play answers every question with yes until the run ends or the process does, and gives the exit code; -1 is a kill.
func (l *life) play() int {
	l.g.t.Helper()
	for {
		e, ok := l.next()
		if !ok {
			break
		}
		switch {
		case e.Type == agent.EvAsk && !l.asked[e.Ask.ID]:
			l.asked[e.Ask.ID] = true
			_, _ = fmt.Fprintf(l.in, `{"answer":{"id":%q,"allow":true}}`+"\n", e.Ask.ID) // it may be dead by now
		case e.Type == agent.EvEnd:
			_ = l.in.Close()
		}
	}
	return l.wait()
}

func (l *life) wait() int {
	l.g.t.Helper()
	_ = l.in.Close()
	err := l.cmd.Wait()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		l.g.t.Fatal(err)
	}
	return l.cmd.ProcessState.ExitCode()
}

// readLines gives the whole lines of a file; none when it is absent.
func readLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	var lines []string
	for line := range strings.Lines(string(whole)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

func (g *rig) log() []string { return readLines(g.t, g.state("log", "session", "s.jsonl")) }

func (g *rig) decode(lines []string) []agent.Event {
	g.t.Helper()
	var events []agent.Event
	for i, line := range lines {
		e, err := engine.Decode([]byte(line), nil)
		if err != nil || e.Seq != int64(i)+1 {
			g.t.Fatalf("line %d of the log has number %d (%v): %.200s", i+1, e.Seq, err, line)
		}
		events = append(events, e)
	}
	return events
}

// check lets the program itself judge the session.
func (g *rig) check() {
	g.t.Helper()
	if out, err := g.command(nil, "replay", "s", "--check").CombinedOutput(); err != nil {
		g.t.Fatalf("replay --check: %v\n%s", err, out)
	}
}

// appears waits until a file of the work directory is there and not empty.
func (g *rig) appears(name string) {
	g.t.Helper()
	ctx := soon(g.t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(readLines(g.t, g.work(name))) == 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			g.t.Fatalf("%s does not appear", name)
		}
	}
}

// soon bounds what must not take for ever.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
