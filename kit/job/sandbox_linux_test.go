package job

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/kit/sandbox"
	"react-agent/kit/sandbox/sandboxtest"
)

func sandboxHelper(args []string) (done bool, code int) { return sandbox.Main(args) }

// Jobs keep their promises in a box: input, output, status, terminal, being found again and being stopped.
func TestInTheSandbox(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.Bwrap, sandbox.Landlock} {
		t.Run(string(kind), func(t *testing.T) {
			if _, err := exec.LookPath("bwrap"); err != nil && kind == sandbox.Bwrap {
				t.Skip("needs bwrap")
			}
			base := sandboxtest.Folder(t)
			h := newHome(t)
			h.cwd, h.dir = filepath.Join(base, "work"), filepath.Join(base, "state", "jobs")
			if err := os.Mkdir(h.cwd, 0o700); err != nil {
				t.Fatal(err)
			}
			box, err := sandbox.Open(sandbox.Options{Kind: kind, Root: h.cwd, Home: base, Hide: []string{filepath.Join(base, "state")}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			})
			if err := box.Prepare(exec.Command("true")); err != nil {
				t.Skip("not here: ", err)
			}
			boxed(t, h, box)
		})
	}
}

func boxed(t *testing.T, h *home, box *sandbox.Sandbox) {
	t.Helper()
	in := func(o *Options) { o.Prepare = box.Prepare }
	j := h.open(in)
	long := "echo long; : " + strings.Repeat("x", 100<<10)
	for key, c := range map[string]struct{ command, want string }{
		"s/1.0": {"cat; echo in >file; cat file; echo x 2>/dev/null >" + h.dir + "/evil; exit 3", "[error] in\n[exit status 3]"},
		"s/2.0": {long, "[completed] long"},
	} {
		id := begin(t, j, key, m{"command": c.command})
		finish(t, j, id)
		if got := said(call(t, j, "check_background", "s/9.0", m{"task_id": id})); got != c.want {
			t.Errorf("%.60s: %q, want %q", c.command, got, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "evil")); err == nil {
		t.Error("it is no box")
	}

	id := begin(t, j, "s/3.0", m{"command": "trap '' TERM; (setsid sh -c 'while :; do date +%s%N >beat; sleep 0.02; done' >/dev/null 2>&1 &); echo up; sleep 300"})
	beat := filepath.Join(h.cwd, "beat")
	until(t, "the daemon", func() bool { return content(t, beat) != "" })
	other := h.open(in)
	x, err := other.get(t.Context(), id)
	if err != nil || other.info(x).Status != Running {
		t.Fatalf("found again: %+v %v", other.info(x), err)
	}
	if err := other.Kill(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if i := finish(t, j, id); i.Status != Failed || i.Reason != reasonKilled {
		t.Errorf("%+v", i)
	}
	last := content(t, beat)
	marks := 0
	until(t, "a while", func() bool { marks++; return marks > 40 })
	if now := content(t, beat); now != last {
		t.Error("the daemon goes on")
	}

	id = begin(t, j, "s/4.0", m{"command": "test -t 0 && stty size; read -r x; echo got $x", "pty": true})
	call(t, j, "job", "s/5.0", m{"task_id": id, "action": "input", "text": "hi", "key": "enter"})
	if i := finish(t, j, id); i.Status != Completed || !strings.Contains(content(t, j.output(id)), "got hi") || !strings.Contains(content(t, j.output(id)), "40 120") {
		t.Errorf("%+v %q", i, content(t, j.output(id)))
	}
}
