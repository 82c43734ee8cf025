package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"

	"react-agent/skills"
)

func TestUnpackOnceAndWhole(t *testing.T) {
	base := filepath.Join(t.TempDir(), "user", "shipped")
	dir, err := unpack(skills.Files, base)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "weather", "weather.sh")
	before, err := os.Stat(file)
	if err != nil || !unpacked(skills.Files, dir) {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "weather", "__pycache__"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "weather", "__pycache__", "x.pyc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := unpack(skills.Files, base)
	after, statErr := os.Stat(file)
	if err != nil || statErr != nil || again != dir || !os.SameFile(before, after) {
		t.Errorf("%s, %v, %v: it was made again", again, err, statErr)
	}
	for name, spoil := range map[string]func() error{
		"changed":  func() error { return os.WriteFile(file, make([]byte, before.Size()), 0o600) },
		"longer":   func() error { return os.WriteFile(file, []byte("x"), 0o600) },
		"gone":     func() error { return os.Remove(file) },
		"more":     func() error { return os.WriteFile(filepath.Join(dir, "weather", "more.md"), nil, 0o600) },
		"a folder": func() error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
		"a link": func() error {
			return errors.Join(os.Rename(file, file+"2"), os.Symlink(file+"2", file))
		},
		"no folder": func() error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
	} {
		if name == "a link" && runtime.GOOS == "windows" {
			continue
		}
		if err := spoil(); err != nil {
			t.Fatal(name, err)
		}
		if _, err := unpack(skills.Files, base); err != nil || !unpacked(skills.Files, dir) {
			t.Errorf("%s: not mended: %v", name, err)
		}
	}
	left, err := os.ReadDir(base)
	if err != nil || len(left) != 1 {
		t.Errorf("%v is left behind", left)
	}
}

func TestUnpackByMany(t *testing.T) {
	base := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			dir, err := unpack(skills.Files, base)
			if err != nil || !unpacked(skills.Files, dir) {
				t.Errorf("%s: %v", dir, err)
			}
		})
	}
	all.Wait()
}

func TestUnpackNamesContent(t *testing.T) {
	base := t.TempDir()
	seen := map[string]bool{}
	for _, files := range []fstest.MapFS{
		{"a/b": {Data: []byte("c")}},
		{"a/b": {Data: []byte("d")}},
		{"a/bc": {}},
		{"a/b": {Data: []byte("c")}, "a/c": {}},
	} {
		dir, err := unpack(files, base)
		if err != nil || seen[dir] {
			t.Errorf("%s: %v", dir, err)
		}
		seen[dir] = true
	}
}

// bad is a file system that cannot be read.
type bad struct{}

func (bad) Open(string) (fs.File, error) { return nil, fs.ErrPermission }

func TestUnpackFails(t *testing.T) {
	base := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(base, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []fs.FS{bad{}, fstest.MapFS{"a": {}}} {
		if dir, err := unpack(f, base); err == nil {
			t.Errorf("%s was unpacked", dir)
		}
	}
	if unpacked(bad{}, base) {
		t.Error("what cannot be read is there")
	}
}

func BenchmarkUnpacked(b *testing.B) {
	base := b.TempDir()
	if _, err := unpack(skills.Files, base); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := unpack(skills.Files, base); err != nil {
			b.Fatal(err)
		}
	}
}
