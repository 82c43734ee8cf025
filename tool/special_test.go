//go:build unix

package tool

import (
	"errors"
	"os"
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
