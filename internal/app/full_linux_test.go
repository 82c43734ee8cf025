package app

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"react-agent/internal/command"
	"react-agent/internal/config"
)

// A server on whose disk nothing can be stored is not ready, and doctor says so.
func TestNotReadyOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("not here: a small file system cannot be mounted, it takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	p := &product{dir: dir, c: &config.Config{}, o: command.Options{Demo: true}, host: &command.Host{}}
	if err := p.serves(context.Background()); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("it is not full")
	}
	if err := p.serves(context.Background()); err == nil {
		t.Error("it is ready")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
}
