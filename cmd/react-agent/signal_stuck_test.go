//go:build unix

package main

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal ends the program also while its run is stuck inside the process, where no context reaches it: the second Ctrl-C
// soon, a request to end after a grace. The session is whole, as after any other death.
func TestSignalsEndAStuckProgram(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		sig  os.Signal
		code int
	}{
		"Ctrl-C":                   {[]string{"run", "--output", "jsonl", "--session", "s", "go"}, os.Interrupt, 130},
		"TERM":                     {[]string{"run", "--output", "jsonl", "--session", "s", "go"}, syscall.SIGTERM, 143},
		"Ctrl-C in a conversation": {[]string{"--plain", "--session", "s"}, os.Interrupt, 130},
		"TERM in a conversation":   {[]string{"--plain", "--session", "s"}, syscall.SIGTERM, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, "SAY one\nSAY two")
			l := &life{g: g, cmd: g.command([]string{"PARTS_STUCK=3:" + g.work("stuck.txt")}, tc.args...)}
			l.cmd.Stderr = &l.errs
			var err error
			if l.in, err = l.cmd.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			out, err := l.cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			l.out = bufio.NewReader(out)
			if err := l.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // may have ended
			if slices.Contains(tc.args, "--plain") {
				if _, err := l.in.Write([]byte("go\n")); err != nil {
					t.Fatal(err)
				}
			}
			g.appears("stuck.txt")
			if err := l.cmd.Process.Signal(tc.sig); err != nil {
				t.Fatal(err)
			}
			over := make(chan struct{})
			go func() { // Ctrl-C again, until the program is gone: nothing tells that the first one has arrived
				tick := time.NewTicker(50 * time.Millisecond)
				defer tick.Stop()
				for tc.sig == os.Interrupt {
					select {
					case <-tick.C:
						_ = l.cmd.Process.Signal(tc.sig) // may have ended
					case <-over:
						return
					}
				}
			}()
			var printed strings.Builder
			_, _ = l.out.WriteTo(&printed) // until it is gone
			code := l.wait()
			close(over)
			if code != tc.code {
				t.Fatalf("it ended with %d, want %d: %s %s", code, tc.code, printed.String(), l.errs.String())
			}
			// What the signal asked for was stored: the next start ends the run in order.
			if out, _ := g.command(nil, "run", "--resume", "s").CombinedOutput(); !strings.Contains(string(out), "cancelled") {
				t.Errorf("the run is not cancelled: %s", out)
			}
			g.check()
		})
	}
}
