package shell

import (
	"os"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	if _, err := Find("sh"); err != nil {
		t.Skip("needs sh")
	}
	for _, c := range []struct {
		name, command, out, errs string
		lost                     bool
	}{
		{"both", "echo out; echo err >&2; echo more", "out\nmore\n", "err\n", false},
		{"nothing", "true", "", "", false},
		{"a flood", "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done >&2; echo end >&2; echo out", "out\n", "end\n", true},
		{"one that stays holds it", "nohup sleep 30 >/dev/null & echo out; echo err >&2", "out\n", "err\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var shown strings.Builder
			r, err := Run(t.Context(), Cmd{
				Command: c.command, Shell: "sh", Dir: t.TempDir(), Split: true, Output: func(p []byte) { shown.Write(p) },
			})
			if err != nil || r.Failed() {
				t.Fatal(err, r.Status())
			}
			if string(r.Head) != c.out || !strings.HasSuffix(string(r.Errors), c.errs) || (r.ErrorsLost > 0) != c.lost {
				t.Errorf("out %q, errors %q, lost %d", r.Head, r.Errors, r.ErrorsLost)
			}
			if strings.Contains(shown.String(), "err") || len(r.Errors) > 64<<10 {
				t.Errorf("shown %q, %d bytes of errors", shown.String(), len(r.Errors))
			}
			for _, p := range r.Left { // started with nohup: it is ours to end
				if q, err := os.FindProcess(p.PID); err == nil && p.Running {
					_ = q.Kill()
				}
			}
		})
	}
	if _, err := Run(t.Context(), Cmd{Args: []string{"/no/such/program"}, Dir: t.TempDir(), Split: true}); err == nil {
		t.Error("what is not there was started")
	}
}
