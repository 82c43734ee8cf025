//go:build unix

package rewind

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSpecialFiles: FIFOs are neither read nor made nor removed; names and targets may be any bytes; state that lies in the work
// directory is no part of it.
func TestSpecialFiles(t *testing.T) {
	root := t.TempDir()
	w := newWorld(t, root, filepath.Join(root, "state", "checkpoint"), func(o *Options) { o.Skip = []string{filepath.Join(root, "state")} })
	w.write("state/log", "1")
	w.write("bad\xffname", "old")
	w.write("will be a fifo", "old")
	w.must(syscall.Mkfifo(w.path("fifo"), 0o600))
	w.must(os.Symlink("to\xfe", w.path("link")))
	turn := w.say("go")
	w.call(func() {
		w.write("state/log", "2")
		w.write("bad\xffname", "new")
		w.must(os.Remove(w.path("link")))
		w.must(os.Remove(w.path("fifo")))
		w.must(os.Remove(w.path("will be a fifo")))
		w.must(syscall.Mkfifo(w.path("will be a fifo"), 0o600))
	})
	w.open()
	res := w.rewind(turn)
	got := tree(t, root)
	if len(res.Left) != 2 || res.Left[0].Lost == "" || res.Left[1].Lost == "" {
		t.Errorf("left: %+v", res.Left)
	}
	if !strings.HasSuffix(got["bad\xffname"], " old") || got["link"] != "link to\xfe" || !strings.HasSuffix(got["state/log"], " 2") || got["fifo"] != "" {
		t.Errorf("tree: %q", got)
	}
}

// TestHardLinks: names of one file stay names of one file when all of them go back, and a foreign name keeps what it has.
func TestHardLinks(t *testing.T) {
	w := testWorld(t, nil)
	w.write("a", "old")
	w.must(os.Link(w.path("a"), w.path("b")))
	turn := w.say("go")
	w.call(func() { w.must(os.WriteFile(w.path("a"), []byte("new"), 0o644)) }, "a")
	w.rewind(turn)
	same(t, "after", tree(t, w.o.Root), map[string]string{"a": "-rw-r--r-- old", "b": "-rw-r--r-- old"})
	a, err := os.Stat(w.path("a"))
	w.must(err)
	b, err := os.Stat(w.path("b"))
	w.must(err)
	if !os.SameFile(a, b) {
		t.Error("a and b are two files now")
	}

	out := filepath.Join(t.TempDir(), "c")
	w.must(os.Link(w.path("a"), out))
	turn = w.say("go")
	w.call(func() { w.must(os.WriteFile(w.path("a"), []byte("new"), 0o644)) })
	w.rewind(turn)
	if c, err := os.ReadFile(out); err != nil || string(c) != "new" {
		t.Errorf("c is %q %v", c, err)
	}
}

// TestForbidden: directories that do not let us in are told and left; those that forbid changes are opened for a restore.
func TestForbidden(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("not here: root may do everything")
	}
	w := testWorld(t, nil)
	w.write("shut/x", "old")
	w.write("secret", "old")
	w.write("fixed/x", "old")
	w.must(os.Chmod(w.path("secret"), 0))
	w.must(os.Chmod(w.path("shut"), 0))
	w.must(os.Chmod(w.path("fixed"), 0o555))
	turn := w.say("go")
	w.call(func() {
		w.must(os.Chmod(w.path("fixed"), 0o755))
		w.write("fixed/x", "new")
		w.must(os.Chmod(w.path("fixed"), 0o555))
	})
	if len(w.notices) != 2 {
		t.Errorf("notices: %q", w.notices)
	}
	w.rewind(turn)
	w.must(os.Chmod(w.path("secret"), 0o600))
	w.must(os.Chmod(w.path("shut"), 0o700))
	if got := tree(t, w.o.Root); !strings.HasSuffix(got["fixed/x"], " old") || !strings.HasPrefix(got["fixed"], "dir -r-xr-xr-x") {
		t.Errorf("tree: %q", got)
	}
	w.must(os.Chmod(w.path("fixed"), 0o755))
}
