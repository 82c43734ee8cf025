package ordinary

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func place(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

func TestReadGivesTheBeginning(t *testing.T) {
	dir, root := place(t)
	for limit, want := range map[int64]string{0: "", 3: "hel", 5: "hello", 100: "hello"} {
		data, info, err := Read(filepath.Join(dir, "a.txt"), limit)
		if err != nil || string(data) != want || info.Size() != 5 {
			t.Errorf("limit %d: %q %v", limit, data, err)
		}
		if data, _, err = ReadIn(root, "a.txt", limit); err != nil || string(data) != want {
			t.Errorf("below a root, limit %d: %q %v", limit, data, err)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	dir, root := place(t)
	if _, _, err := Read(filepath.Join(dir, "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error: %v", err)
	}
	if _, _, err := OpenIn(root, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error: %v", err)
	}
}

func TestADirectoryIsNoFile(t *testing.T) {
	dir, root := place(t)
	_, _, err := Open(filepath.Join(dir, "sub"))
	_, _, in := OpenIn(root, "sub")
	for _, err := range []error{err, in} {
		e, ok := errors.AsType[*Error](err)
		if !ok || !e.Mode.IsDir() {
			t.Errorf("error: %v", err)
		}
	}
	if want := "sub is a directory, no regular file"; in.Error() != want {
		t.Errorf("%q, want %q", in, want)
	}
}

func TestKinds(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		0: "an ordinary file", fs.ModeDir: "a directory", fs.ModeNamedPipe: "a FIFO", fs.ModeSocket: "a socket",
		fs.ModeDevice | fs.ModeCharDevice: "a device", fs.ModeIrregular: "a special file",
	} {
		if got := Kind(mode | 0o600); got != want {
			t.Errorf("%v is %s, want %s", mode, got, want)
		}
	}
}
