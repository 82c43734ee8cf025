package filelock

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func take(t *testing.T, path string) (*os.File, bool) {
	t.Helper()
	f, ok, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	return f, ok
}

func TestOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, ok := take(t, path)
	if !ok {
		t.Fatal("a free lock was refused")
	}
	if _, ok := take(t, path); ok {
		t.Fatal("two holders")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f, ok = take(t, path)
	if !ok {
		t.Fatal("closing did not free it")
	}
	Unlock(f)
	g, ok := take(t, path)
	if !ok {
		t.Fatal("unlocking did not free it")
	}
	if err := errors.Join(f.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, _ := take(t, path)
	g, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if err := Lock(ctx, g); !errors.Is(err, enough) {
		t.Fatalf("waiting does not end with its context: %v", err)
	}
	got := make(chan error)
	go func() { got <- Lock(t.Context(), g) }()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	if _, ok, err := Take(filepath.Join(dir, "none", "lock")); ok || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", ok, err)
	}
	f, err := os.Create(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(t.Context(), f); err == nil || !strings.Contains(err.Error(), f.Name()) {
		t.Errorf("a closed file: %v", err)
	}
}

// TestAnotherProcess runs itself again: what another process holds is not given.
func TestAnotherProcess(t *testing.T) {
	if os.Getenv("FILELOCK_TEST") != "" {
		if _, ok := take(t, "lock"); ok {
			t.Fatal("two processes have it")
		}
		return
	}
	path := filepath.Join(t.TempDir(), "lock")
	f, _ := take(t, path)
	defer f.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run", "^TestAnotherProcess$")
	c.Dir = filepath.Dir(path)
	c.Env = append(os.Environ(), "FILELOCK_TEST=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
