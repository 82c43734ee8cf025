//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What was started with nohup stays under Landlock, as without a sandbox. Nothing outlives bubblewrap, and that is told;
// bubblewrap's own process is nobody's left-over.
func TestNohupIsToldAsItIs(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		for range 5 {
			_, res := r.sh(t, "nohup sleep 300 >/dev/null 2>&1 & echo started")
			if len(res.Left) != 1 || !strings.Contains(res.Left[0].Command, "sleep 300") {
				t.Errorf("left: %+v", res.Left)
			}
			for _, p := range res.Left {
				if p.Running == (w.kind == Bwrap) {
					t.Errorf("%+v", p)
				}
				if !p.Running {
					continue
				}
				if !exists(filepath.Join("/proc", strconv.Itoa(p.PID))) {
					t.Errorf("%d is said to run and does not", p.PID)
				}
				if proc, err := os.FindProcess(p.PID); err == nil {
					_ = proc.Kill()
				}
			}
		}
	})
}
