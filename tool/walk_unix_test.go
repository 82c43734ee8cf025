//go:build unix

package tool

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
)

// Nothing that is found on the way can hold a search up.
func TestSearchSpecialFiles(t *testing.T) {
	e := world(t)
	at := func(name string) string { return filepath.Join(e.Root, name) }
	write(t, at("d/f"), "needle\n")
	for _, name := range []string{"fifo", "d/.gitignore", "d/fifo"} {
		if err := syscall.Mkfifo(at(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	short, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // the path of a socket must be short, wherever TMPDIR is
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	if err := os.Symlink(e.Root, filepath.Join(short, "d")); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(short, "d", "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, to := range map[string]string{"round": ".", "d/up": "..", "self": "self", "zero": "/dev/zero", "tty": "/dev/tty", "to": "d/f"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, r := call(t, Grep(e), args{"pattern": "needle"}); r.Error || got != "d/f\n1:needle" {
		t.Errorf("%s", got)
	}
	if got, _ := call(t, Grep(e), args{"pattern": "nothing"}); got != "(no matches)\n[6 links were not followed]" {
		t.Errorf("%s", got)
	}
	if got, _ := call(t, Grep(e), args{"pattern": "needle", "path": "round/d/up/to"}); got != "d/f\n1:needle" {
		t.Errorf("a link that is named: %s", got)
	}
	if got, _ := call(t, Glob(e), args{"pattern": "fifo"}); got != "d/fifo\nfifo" {
		t.Errorf("%s", got)
	}
	for path, want := range map[string]string{
		"fifo": "is a FIFO", "socket": "is a socket", "zero": "is a device", "self": "round in a circle",
	} {
		if got, r := call(t, Grep(e), args{"pattern": "x", "path": path}); !r.Error || !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	s := scanner{}
	if _, err := s.file(t.Context(), at("fifo")); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a file that became a FIFO: %v", err)
	}
}

// What cannot be read is counted and does not end the search.
func TestSearchUnreadable(t *testing.T) {
	e := world(t)
	write(t, filepath.Join(e.Root, "f"), "needle\n")
	root, err := os.OpenRoot(e.Root)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("n", 250)
	for range 20 { // longer than a path may be: even root cannot read it
		if err := root.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		next, err := root.OpenRoot(name)
		root.Close()
		if root = next; err != nil {
			t.Fatal(err)
		}
	}
	root.Close()
	if got, r := call(t, Grep(e), args{"pattern": "needle"}); r.Error || got != "f\n1:needle\n[1 files or directories could not be read]" {
		t.Errorf("%s", got)
	}
	if got, r := call(t, Glob(e), args{"pattern": "f"}); r.Error || got != "f\n[1 directories could not be read]" {
		t.Errorf("%s", got)
	}
}

// A cancel is obeyed at once, even in the middle of a file.
func TestSearchCancel(t *testing.T) {
	e := world(t)
	f, err := os.Create(filepath.Join(e.Root, "big"))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("aaaaaaaaaaaaaaab", 1<<12) + "\n"
	for range 1000 {
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	r, err := Grep(e).Run(ctx, agent.Call{Args: json.RawMessage(`{"pattern":"(a*)*(b|c)[d-e]","path":"big"}`)})
	if err == nil || !r.Error {
		t.Errorf("%s %v", r.Text(), err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}
