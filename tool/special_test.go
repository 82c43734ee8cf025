//go:build unix

package tool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"react-agent/agent"
)

func TestReadRefusesSpecialFiles(t *testing.T) {
	e := world(t)
	if err := syscall.Mkfifo(filepath.Join(e.Root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(e.Root, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("fifo", filepath.Join(e.Root, "link")); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(e.Root, "big"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(1 << 40); err != nil {
		t.Fatal(err)
	}
	if err := big.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"fifo": "a FIFO", "link": "a FIFO", "loop": "round in a circle", "/dev/zero": "a device", ".": "is a directory",
		"big": "too large", "missing": "no such file", "": "path is empty", "a\x00b": "NUL", "fifo/x": "not a directory",
	} {
		for _, tool := range []agent.Tool{ReadFile(e), EditFile(e), WriteFile(e)} {
			if path == "missing" && tool.Name == "write_file" || path == "big" && tool.Name == "write_file" || strings.HasPrefix(path, "/dev") && tool.Name != "read_file" {
				continue
			}
			got, r := call(t, tool, args{"path": path, "old_text": "a", "new_text": "b", "content": "c"})
			if !r.Error || !strings.Contains(got, want) {
				t.Errorf("%s %q: %q, want %q", tool.Name, path, got, want)
			}
		}
	}
}

func TestNewFilesFollowTheUmask(t *testing.T) {
	e := world(t)
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	call(t, WriteFile(e), args{"path": "f", "content": ""})
	if info, err := os.Stat(filepath.Join(e.Root, "f")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// A file with an attribute of its own keeps it.
func TestAttributesStay(t *testing.T) {
	e := world(t)
	file := filepath.Join(e.Root, "f")
	put(t, file, "one")
	if err := setAttribute(file); err != nil {
		t.Skipf("not here: extended attributes: %v", err)
	}
	call(t, EditFile(e), args{"path": "f", "old_text": "one", "new_text": "a longer one"})
	call(t, EditFile(e), args{"path": "f", "old_text": "a longer one", "new_text": "2"})
	if get(t, file) != "2" || !hasAttributes(file) {
		t.Errorf("%q, attributes %v", get(t, file), hasAttributes(file))
	}
}

// A link that turns up between the decision and the writing is not followed.
func TestPlaceThatMoves(t *testing.T) {
	e := world(t)
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(e.Root, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := e.locate("d/f")
	if err != nil || !p.inside {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(e.Root, "d")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(e.Root, "d")); err != nil {
		t.Fatal(err)
	}
	if err := replace(p.real, []byte("x"), func() error { return p.still(t.Context()) }); !errors.Is(err, errMoved) {
		t.Errorf("%v", err)
	}
	if list, err := os.ReadDir(out); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}

// More attributes than fit into a small list are seen too.
func TestManyAttributesStay(t *testing.T) {
	e := world(t)
	file := filepath.Join(e.Root, "f")
	put(t, file, "one")
	for i := range 8 {
		if err := setNamedAttribute(file, fmt.Sprintf("user.%0200d", i)); err != nil {
			t.Skipf("not here: many extended attributes: %v", err)
		}
	}
	call(t, EditFile(e), args{"path": "f", "old_text": "one", "new_text": "two"})
	if get(t, file) != "two" || !hasAttributes(file) {
		t.Errorf("%q, attributes %v", get(t, file), hasAttributes(file))
	}
}

// A file that must stay where it is, as one with two names must, has its old content after a write that fails half-way.
func TestWriteInPlaceFails(t *testing.T) {
	const inside = "REACT_AGENT_TEST_FULL_DISK"
	if dir := os.Getenv(inside); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 4 << 20, Max: 4 << 20} // more than a profile of coverage needs
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		got, r := call(t, WriteFile(Env{Root: dir}), args{"path": "f", "content": strings.Repeat("new\n", 2<<20)})
		if !r.Error || !strings.Contains(got, "file too large") {
			t.Fatalf("%q", got)
		}
		return
	}
	e := world(t)
	file := filepath.Join(e.Root, "f")
	put(t, file, "the old content\n")
	if err := os.Link(file, filepath.Join(e.Root, "g")); err != nil {
		t.Skipf("not here: hard links: %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriteInPlaceFails$")
	cmd.Env = append(os.Environ(), inside+"="+e.Root, "GOCOVERDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := get(t, file); got != "the old content\n" {
		t.Errorf("%d bytes: %.20q", len(got), got)
	}
}
