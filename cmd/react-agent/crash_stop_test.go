//go:build unix

package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"react-agent/agent"
)

// An owner that is stopped loses its session to the next process, which goes on to the end. When it wakes it stores
// nothing more, ends what it had started, and says why it gives up.
func TestStoppedOwner(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script string
		next   []string // what the second process says
		holds  bool     // the owner is stopped while the model speaks; else while its command runs
		count  []string // what the commands have left in the end
	}{
		"waiting for the model": {
			script: `KEYED
				CALL bash {"command":"echo one >>count.txt"}
				WAIT 3
				+ CALL bash {"command":"echo two >>count.txt"}
				SAY done`,
			holds: true, count: []string{"one", "two"},
		},
		"running a command": {
			script: `KEYED
				CALL bash {"command":"echo one >>count.txt; until [ -e go ]; do sleep 0.02; done; echo late >>count.txt"}
				SAY done`,
			next: []string{"and quickly"}, count: []string{"one"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, tc.script)
			parts := []string{"PARTS_DEAD=600ms"}
			owner := g.start(parts, "--yolo", "--session", "s", "go")
			for {
				e, ok := owner.next()
				if !ok {
					t.Fatalf("the owner has ended: %s", owner.errs.String())
				}
				if e.Type == agent.EvCall {
					break
				}
			}
			if tc.holds {
				if err := g.srv.Holding(soon(t)); err != nil {
					t.Fatal(err)
				}
			} else {
				g.appears("count.txt")
			}
			if err := owner.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			before := g.log()
			heir := g.start(parts, append([]string{"--yolo", "--resume", "s"}, tc.next...)...)
			if code := heir.play(); code != 0 {
				t.Fatalf("the second process ended with %d: %s", code, heir.errs.String())
			}
			after := g.log()
			if len(after) <= len(before) || !slices.Equal(after[:len(before)], before) {
				t.Fatalf("the log does not begin as it was: %q, was %q", after, before)
			}
			if err := owner.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			code := owner.play()
			last := owner.events[len(owner.events)-1]
			if code != exitInternal || last.Type != agent.EvEnd || last.Error == nil || !strings.Contains(last.Error.Message, "another process has taken this session over") {
				t.Errorf("the owner ended with %d and said %+v", code, last)
			}
			if now := g.log(); !slices.Equal(now, after) {
				t.Errorf("the owner has stored more: %q", now[min(len(now), len(after)):])
			}
			events := g.decode(after)
			if end := events[len(events)-1]; end.Type != agent.EvEnd || end.Stop != agent.RunEnd {
				t.Errorf("the last event is %q", after[len(after)-1])
			}
			if got := readLines(t, g.work("count.txt")); !slices.Equal(got, tc.count) {
				t.Errorf("the commands have left %q, want %q", got, tc.count)
			}
			if faults := g.srv.Faults(); len(faults) > 0 {
				t.Error(faults)
			}
			g.check()
		})
	}
}

// exitInternal is the documented exit code of a fault that is no mistake of the person or the model.
const exitInternal = 1
