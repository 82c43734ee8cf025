package disk_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/storetest"
)

// tiny mounts a file system of 256 kB.
func tiny(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("not here: a small file system cannot be mounted, it takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all the room that is left, and gives it back when called.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	dir := tiny(t)
	s, err := disk.Open(dir, disk.Options{}) // closed before the file system is unmounted
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	after, n := int64(0), 0
	rev, err := s.Put(t.Context(), store.Doc{Key: "todo/a", Data: []byte("old")})
	if err != nil {
		t.Fatal(err)
	}
	add := func(size int) error {
		pos, err := s.Append(t.Context(), "session/a", after, fmt.Appendf(nil, "%d %s", n, strings.Repeat("x", size)))
		if err == nil {
			after, n = pos, n+1
		}
		return err
	}
	for range 3 {
		if err := add(1000); err != nil {
			t.Fatal(err)
		}
	}
	free := fill(t, dir)
	var full error
	for range 100 { // some room may be left in the last block
		if full = add(3000); full != nil {
			break
		}
	}
	if !errors.Is(full, store.ErrFull) {
		t.Fatalf("a full disk gives %v", full)
	}
	stored := n
	for _, err := range []error{
		add(100_000),
		only(s.Append(t.Context(), "session/new", 0, []byte(strings.Repeat("y", 5000)))),
		only(s.Put(t.Context(), store.Doc{Key: "todo/a", Rev: rev, Data: []byte(strings.Repeat("y", 5000))})),
		only(s.PutBlob(t.Context(), []byte(strings.Repeat("y", 5000)))),
	} {
		if !errors.Is(err, store.ErrFull) {
			t.Errorf("a full disk gives %v", err)
		}
	}
	if d, err := s.Get(t.Context(), "todo/a"); err != nil || string(d.Data) != "old" {
		t.Errorf("the document is %q (%v)", d.Data, err)
	}
	free()
	if err := add(10_000); err != nil {
		t.Fatal(err)
	}
	got := storetest.All(t, s, "session/a", 0)
	if len(got) != stored+1 {
		t.Fatalf("%d records, want %d", len(got), stored+1)
	}
	for i, r := range got {
		if !strings.HasPrefix(string(r.Data), fmt.Sprint(i, " ")) {
			t.Fatalf("record %d is %.20q", i, r.Data)
		}
	}
	noEmptyFiles(t, dir)
}

func only[T any](_ T, err error) error { return err }

func noEmptyFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() == 0 {
			t.Errorf("%s is empty (%v)", path, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
