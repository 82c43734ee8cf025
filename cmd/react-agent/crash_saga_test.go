//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
)

// The saga is a scripted run of twenty steps: calls that only read beside each other, commands that are asked for and
// run beside each other, writes and edits alone in their place, and writes that ask while they already run. Every tool
// that changes something leaves one line or file that can be counted. Replies depend on the history alone, so any life of
// it must come to the same end.
const (
	sagaSteps = 20
	sagaEnd   = "this is the end of the saga"
)

// effect is what one call of the saga leaves behind.
type effect struct {
	file string // in the rig's folder
	line string
}

func sagaScript(dir string) (script string, effects map[string]effect) {
	effects = map[string]effect{} // by call id
	var b strings.Builder
	b.WriteString("KEYED\n")
	for i := 1; i < sagaSteps; i++ {
		n := 0
		call := func(tool, format string, args ...any) string {
			if n++; n > 1 {
				b.WriteString("+ ")
			}
			fmt.Fprintf(&b, "CALL %s %s\n", tool, fmt.Sprintf(format, args...))
			return fmt.Sprintf("call_%d_%d", i, n)
		}
		read := func() { call("read_file", `{"path":"in%d.txt"}`, i) }
		switch {
		case i%8 == 0:
			to := filepath.Join(dir, fmt.Sprintf("outside%d.txt", i))
			effects[call("write_file", `{"path":%q,"content":"out %d\n"}`, to, i)] = effect{filepath.Base(to), fmt.Sprintf("out %d", i)}
			read()
		case i%4 == 1:
			read()
			call("list_dir", `{"path":"."}`)
			call("read_file", `{"path":"in%d.txt"}`, i+1)
		case i%4 == 2:
			for k := range 2 {
				line := fmt.Sprintf("command %d.%d", i, k)
				effects[call("bash", `{"command":"echo %s >>count.txt"}`, line)] = effect{"work/count.txt", line}
			}
			read()
		case i%4 == 3:
			line := fmt.Sprintf("edit %d", i)
			effects[call("edit_file", `{"path":"notes.txt","old_text":"END","new_text":"%s\nEND"}`, line)] = effect{"work/notes.txt", line}
			read()
			effects[call("write_file", `{"path":"new%d.txt","content":"new %d\n"}`, i, i)] = effect{fmt.Sprintf("work/new%d.txt", i), fmt.Sprintf("new %d", i)}
		default:
			read()
			call("read_file", `{"path":"missing%d.txt"}`, i)
		}
	}
	fmt.Fprintf(&b, "SAY %s\n", sagaEnd)
	return b.String(), effects
}

// saga is a rig in which the saga plays.
type saga struct {
	*rig
	effects map[string]effect
	before  []string          // the log as it was when the last process died
	fates   map[string]string // tools by the keys of calls that were running when their process died
}

func newSaga(t *testing.T) *saga {
	t.Helper()
	g := newRig(t, "NOTHING")
	g.srv.Close()
	script, effects := sagaScript(g.dir)
	g.play(script)
	s := &saga{rig: g, effects: effects, fates: map[string]string{}}
	for i := range sagaSteps + 1 {
		if err := os.WriteFile(g.work(fmt.Sprintf("in%d.txt", i)), fmt.Appendf(nil, "input %d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(g.work("notes.txt"), []byte("END\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// begin starts the saga, or goes on with it if anything of it was stored.
func (s *saga) begin(parts ...string) *life {
	s.t.Helper()
	if len(readLines(s.t, s.state("log", "input", "s.jsonl"))) == 0 {
		return s.start(parts, "--mode", "auto", "--session", "s", "tell the saga")
	}
	l := s.start(parts, "--mode", "auto", "--resume", "s")
	if n := len(s.before); n > 0 && strings.Contains(s.before[n-1], `"type":"end"`) {
		_ = l.in.Close() // nothing is open: it would wait for input
	}
	return l
}

// died judges what a dead process has left: nothing that stood in the log before has changed, and no tool has done
// anything without its call event.
func (s *saga) died() {
	s.t.Helper()
	now := s.log()
	if len(now) < len(s.before) || !slices.Equal(now[:len(s.before)], s.before) {
		s.t.Fatalf("the log does not begin as it was: %d lines, were %d", len(now), len(s.before))
	}
	s.before = now
	events := s.decode(now)
	started, results := map[string]bool{}, map[string]int{}
	for _, e := range events {
		switch {
		case e.Type == agent.EvCall:
			if started[e.Call.ID] {
				s.t.Fatalf("event %d starts %s a second time", e.Seq, e.Call.ID)
			}
			started[e.Call.ID] = true
		case e.Type == agent.EvMessage && e.Message.Result() != nil:
			if results[e.Message.Result().Key]++; results[e.Message.Result().Key] > 1 {
				s.t.Fatalf("event %d is a second result of %s", e.Seq, e.Message.Result().Key)
			}
		}
	}
	for id, x := range s.effects {
		if n := s.count(x); n > 1 || n == 1 && !started[id] {
			s.t.Fatalf("%s was done %d times, started: %v", id, n, started[id])
		}
	}
	for _, e := range events {
		if e.Type == agent.EvCall && results[e.Call.Key] == 0 {
			s.fates[e.Call.Key] = e.Call.Name
		}
	}
}

func (s *saga) count(x effect) (n int) {
	s.t.Helper()
	for _, line := range readLines(s.t, filepath.Join(s.dir, x.file)) {
		if line == x.line {
			n++
		}
	}
	return n
}

// ended judges the whole saga.
func (s *saga) ended(code int) {
	s.t.Helper()
	s.died()
	events := s.decode(s.before)
	last := events[len(events)-1]
	if code != 0 || last.Type != agent.EvEnd || last.Stop != agent.RunEnd || last.Steps != sagaSteps {
		s.t.Fatalf("exit %d, last event %s", code, s.before[len(s.before)-1])
	}
	s.results(events)
	s.taken(events)
	if text := events[len(events)-2].Message.Text(); text != sagaEnd {
		s.t.Errorf("the last answer is %q", text)
	}
	if faults := s.srv.Faults(); len(faults) > 0 {
		s.t.Errorf("the model refused requests: %s", strings.Join(faults, "; "))
	}
	s.check()
}

// results holds invariant 2.
func (s *saga) results(events []agent.Event) {
	s.t.Helper()
	calls, answered, steps := 0, map[string]bool{}, 0
	for _, e := range events {
		if e.Type != agent.EvMessage {
			continue
		}
		if e.Message.Role == agent.Assistant {
			steps++
			calls += len(e.Message.Calls())
		}
		r := e.Message.Result()
		if r == nil {
			continue
		}
		answered[r.Key] = true
		broken := strings.HasPrefix(r.Text(), "interrupted")
		name, died := s.fates[r.Key]
		reads := name == "read_file" || name == "list_dir"
		if broken != (died && !reads) {
			s.t.Errorf("%s (%s, its process died: %v) was answered %q", r.CallID, name, died, r.Text())
		}
		x, counts := s.effects[r.CallID]
		if !counts {
			continue
		}
		if n := s.count(x); !broken && (n != 1 || r.Error) || n > 1 {
			s.t.Errorf("%s was done %d times and answered %q", r.CallID, n, r.Text())
		}
	}
	if steps != sagaSteps || calls != len(answered) {
		s.t.Errorf("%d steps, %d calls, %d results", steps, calls, len(answered))
	}
}

// taken holds invariant 9.
func (s *saga) taken(events []agent.Event) {
	s.t.Helper()
	used, said := map[int64]int64{}, 0
	for _, e := range events {
		for _, t := range e.Took {
			if at, again := used[t.Pos]; again {
				s.t.Errorf("event %d takes input %d, which event %d has taken", e.Seq, t.Pos, at)
			}
			used[t.Pos] = e.Seq
		}
		if e.Message != nil && e.Message.Role == agent.User && e.Message.From == "" {
			said++
		}
	}
	if said != 1 || len(used) == 0 {
		s.t.Errorf("the person has spoken %d times, %d inputs were taken", said, len(used))
	}
}
