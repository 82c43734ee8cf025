//go:build linux

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/internal/shell"
	"react-agent/kit/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	if done, code := Main(os.Args); done {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// rig is a sandbox with a home and a work directory of its own.
type rig struct {
	*Sandbox
	t          *testing.T
	home, root string
	out        string // a directory outside
}

// way is one of the ways in which commands are held.
type way struct {
	name string
	kind Kind
	bare bool // Landlock alone, as where namespaces are forbidden
}

func ways() []way {
	return []way{{"bwrap", Bwrap, false}, {"landlock", Landlock, false}, {"landlock alone", Landlock, true}}
}

// each runs a test for each way.
func each(t *testing.T, o Options, test func(t *testing.T, r *rig, w way)) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) { test(t, open(t, w, o), w) })
	}
}

// open makes the rig. What the machine does not have is skipped with the reason.
func open(t testing.TB, w way, o Options) *rig {
	t.Helper()
	base := sandboxtest.Folder(t)
	r := &rig{home: filepath.Join(base, "home"), root: filepath.Join(base, "home", "work 工作"), out: filepath.Join(base, "outside")}
	if tt, ok := t.(*testing.T); ok {
		r.t = tt
	}
	for _, dir := range []string{r.root, r.out, filepath.Join(r.home, ".ssh")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write0(t, filepath.Join(r.home, ".ssh", "id_x"), "secret key")
	write0(t, filepath.Join(r.home, ".netrc"), "secret password")
	write0(t, filepath.Join(r.home, "plain"), "plain")
	write0(t, filepath.Join(r.out, "file"), "old")
	o.Kind, o.Root, o.Home = w.kind, r.root, r.home
	if w.kind == Bwrap {
		if _, err := exec.LookPath("bwrap"); err != nil {
			t.Skip("needs bwrap")
		}
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	r.Sandbox = s
	if w.bare {
		var f finding
		if f.abi, f.lock = landlockABI(); f.lock == nil {
			f.lock = s.probe(finding{kind: Landlock})
		}
		f.kind = Landlock
		f.err = f.lock
		s.once.Do(func() { s.found = f })
	}
	f := s.try()
	if f.err != nil {
		t.Skip("not here: ", f.err)
	}
	if w.kind == Landlock && !w.bare && !f.spaces {
		t.Skip("not here: namespaces: ", f.confine)
	}
	return r
}

func write0(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sh runs a command in the sandbox, as bash does.
func (r *rig) sh(t *testing.T, command string) (output string, res shell.Result) {
	t.Helper()
	return r.run(t, shell.Cmd{Command: command})
}

func (r *rig) run(t *testing.T, c shell.Cmd) (output string, res shell.Result) {
	t.Helper()
	if c.Dir == "" {
		c.Dir = r.root
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	c.Prepare = r.Prepare
	res, err := shell.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", c.Command, err)
	}
	return string(res.Head), res
}

// works runs a command that must succeed and gives its output.
func (r *rig) works(t *testing.T, command string) string {
	t.Helper()
	out, res := r.sh(t, command)
	if res.Failed() {
		t.Errorf("%s: %s: %s", command, res.Status(), out)
	}
	return strings.TrimSpace(out)
}

// fails runs a command that must not.
func (r *rig) fails(t *testing.T, command string) string {
	t.Helper()
	out, res := r.sh(t, command)
	if !res.Failed() {
		t.Errorf("%s: succeeded: %s", command, out)
	}
	return out
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func shellCommand(command string) *exec.Cmd { return exec.Command("/bin/sh", "-c", command) }

func (s *Sandbox) close(t *testing.T) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
