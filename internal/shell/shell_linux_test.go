package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTimeoutKillsTheTree(t *testing.T) {
	for _, c := range []struct{ name, command string }{
		{"child", "sleep 300 & echo $! >pid; wait"},
		{"own session", "setsid sh -c 'echo $$ >pid; exec sleep 300' & wait"},
		{"own session, orphan, own output", "(setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &); sleep 300"},
		{"deaf", "trap '' TERM; echo $$ >pid; while :; do sleep 0.05; done"},
		{"job control", "set -m; sleep 300 & echo $! >pid; wait"},
		{"fork for ever", "f() { sleep 0.01; f & }; echo $$ >pid; f; sleep 300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r, took := run(t, Cmd{Command: c.command, Dir: dir, Timeout: 500 * time.Millisecond})
			if !r.TimedOut || r.Cancelled {
				t.Errorf("%+v", r)
			}
			if took > patience {
				t.Errorf("took %s", took)
			}
			if pid := pidIn(t, filepath.Join(dir, "pid")); alive(pid) {
				t.Errorf("%d lives", pid)
			}
			for _, p := range processesIn(dir) {
				t.Errorf("%d lives in %s", p, dir)
			}
		})
	}
}

// processesIn lists the processes whose directory is dir.
func processesIn(dir string) []int {
	var out []int
	for _, p := range processes() {
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid)); err == nil && cwd == dir {
			out = append(out, p.pid)
		}
	}
	return out
}
