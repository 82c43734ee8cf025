package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/storetest"
)

func TestProcessesAppend(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		cmd, out := start(t, dir, "append")
		wg.Go(func() {
			text, _ := io.ReadAll(out)
			if err := cmd.Wait(); err != nil {
				t.Errorf("child: %v %s", err, text)
			}
		})
	}
	s := open(t, dir, disk.Options{})
	seen := 0
	for r, err := range s.Read(t.Context(), "input/a", 0, true) { // while they write
		if err != nil {
			t.Fatal(err)
		}
		var pid, i int
		var rest string
		_, _ = fmt.Sscan(string(r.Data), &pid, &i, &rest) // record 0 has no rest
		if len(rest) != i*50 {
			t.Fatalf("record %.40q is not whole", r.Data)
		}
		if seen++; seen == 600 {
			break
		}
	}
	wg.Wait()
	if got := storetest.All(t, s, "input/a", 0); len(got) != 600 {
		t.Fatalf("%d records, want 600", len(got))
	}
}

// What was reported as stored is there after a kill, at most one more, nothing else, and the next one goes on.
func TestKillWhileAppending(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, disk.Options{})
	for round := range 8 {
		reported := killAfter(t, dir, "fence", 10+round*7)
		got := storetest.All(t, s, "session/a", 0)
		if n := len(got); n < reported || n > reported+1 {
			t.Fatalf("%d records, %d were reported", n, reported)
		}
		for i, r := range got {
			if string(r.Data) != record(i+1) {
				t.Fatalf("record %d is %.40q", i+1, r.Data)
			}
		}
	}
}

func TestKillWhilePutting(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, disk.Options{})
	for round := range 6 {
		reported := killAfter(t, dir, "put", 5+round*5)
		d, err := s.Get(t.Context(), "todo/n")
		n := 0
		if err == nil {
			_, err = fmt.Sscan(string(d.Data), &n)
		}
		if err != nil || n < reported || n > reported+1 {
			t.Fatalf("document %q (%v), %d was reported", d.Data, err, reported)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "kv", "todo"))
	if err != nil || len(entries) > 3 {
		t.Fatalf("litter: %v %v", entries, err)
	}
}

// logFile is the one file of session/a.
func logFile(dir string) string { return filepath.Join(dir, "log", "session", "a.jsonl") }

func writeLog(t testing.TB, dir, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(logFile(dir)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logFile(dir), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A log cut anywhere loses the record that was cut, and the next one begins on a line of its own.
func TestTornTail(t *testing.T) {
	lines := []string{`{"seq":1}`, `{"seq":2,"x":"yyyy"}`, `{"seq":3}`}
	whole := strings.Join(lines, "\n") + "\n"
	for cut := range len(whole) + 1 {
		for _, tail := range []string{"", "\x00", strings.Repeat("\x00", 5000), strings.Repeat("\x00", 70) + "\n", "\x00\n\n\n"} {
			torn := whole[:cut] + tail
			rest, kept := whole[:cut], 0
			if i := strings.LastIndexByte(rest, '\n'); i >= 0 {
				rest, kept = rest[i+1:], strings.Count(rest, "\n")
			}
			for _, fence := range []bool{true, false} {
				checkTorn(t, lines[:kept], torn, len(rest)+len(tail), fence)
			}
		}
	}
}

func checkTorn(t *testing.T, kept []string, torn string, size int, fence bool) {
	t.Helper()
	dir := t.TempDir()
	writeLog(t, dir, torn)
	s := open(t, dir, disk.Options{})
	n, err := s.Torn(t.Context(), "session/a")
	if err != nil || n != int64(size) {
		t.Fatalf("%q: torn %d (%v), want %d", torn, n, err, size)
	}
	after := int64(0)
	got := storetest.All(t, s, "session/a", 0)
	if len(got) > 0 {
		after = got[len(got)-1].Pos
	}
	if r, err := s.Last(t.Context(), "session/a"); err != nil || r.Pos != after {
		t.Fatalf("%q: last %v %v, want %d", torn, r, err, after)
	}
	if !fence {
		after = -1
	}
	if _, err := s.Append(t.Context(), "session/a", after, []byte("new")); err != nil {
		t.Fatalf("%q: %v", torn, err)
	}
	want := append(append([]string{}, kept...), "new")
	got = storetest.All(t, s, "session/a", 0)
	for i, r := range got {
		if i >= len(want) || string(r.Data) != want[i] {
			t.Fatalf("%q: record %d is %q", torn, i, r.Data)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%q: %d records, want %d", torn, len(got), len(want))
	}
	if n, err := s.Torn(t.Context(), "session/a"); err != nil || n != 0 {
		t.Fatalf("%q: torn %d (%v) after an append", torn, n, err)
	}
	if file, err := os.ReadFile(logFile(dir)); err != nil || fence && bytes.IndexByte(file, 0) >= 0 {
		t.Fatalf("%q: the file is %q (%v)", torn, file, err)
	}
}

// A damaged line hides itself only; a writer that stands before it cuts it off with all that follows.
func TestDamageInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("l", 3*store.MaxRecord)
	for _, bad := range []string{"\x00\x00\x00", "", long} {
		writeLog(t, dir, "one\n"+bad+"\nthree\n")
		s := open(t, dir, disk.Options{})
		got := storetest.All(t, s, "session/a", 0)
		if len(got) != 2 || string(got[0].Data) != "one" || string(got[1].Data) != "three" {
			t.Fatalf("records are %.200v", got)
		}
		if _, err := s.Append(t.Context(), "session/a", got[0].Pos, []byte("two")); err != nil {
			t.Fatal(err)
		}
		if got := storetest.All(t, s, "session/a", 0); len(got) != 2 || string(got[1].Data) != "two" {
			t.Fatalf("records are %.200v", got)
		}
	}
	writeLog(t, dir, "one\n"+long) // too long, and without an end
	s := open(t, dir, disk.Options{})
	if got := storetest.All(t, s, "session/a", 0); len(got) != 1 {
		t.Fatalf("records are %.200v", got)
	}
}

func TestPermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, dir, disk.Options{})
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("opening made the folder: %v", err)
	}
	for range s.Names(t.Context(), "session/") {
		t.Fatal("nothing is there")
	}
	if _, err := s.Append(t.Context(), "session/a", 0, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), store.Doc{Key: "todo/a", Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutBlob(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	work := t.TempDir()
	for _, o := range []disk.Options{
		{Durability: "none"},
		{Docs: []disk.Place{{Kind: "Bad"}}},
		{Docs: []disk.Place{{Kind: "task", Dir: "relative"}}},
		{Logs: []disk.Place{{Kind: "inbox", Before: "../"}}},
	} {
		if _, err := disk.Open(dir, o); err == nil {
			t.Errorf("Open took %+v", o)
		}
	}
	s := open(t, dir, disk.Options{
		Docs: []disk.Place{{Kind: "task", Dir: filepath.Join(work, ".tasks"), Before: "task_"}},
		Logs: []disk.Place{{Kind: "inbox", Dir: filepath.Join(work, ".team", "inbox")}},
	})
	if _, err := s.Put(t.Context(), store.Doc{Key: "task/7", Data: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), "inbox/bob", -1, []byte("hi")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{".tasks/task_7.json": "{}", ".team/inbox/bob.jsonl": "hi\n"} {
		if got, err := os.ReadFile(filepath.Join(work, path)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", path, got, err)
		}
	}
	for d, err := range s.List(t.Context(), "task/") {
		if err != nil || d.Key != "task/7" {
			t.Errorf("%v %v", d, err)
		}
	}
}

// A document changed by hand has a new revision; a blob changed by hand is as good as absent, and is mended.
func TestChangedByHand(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, disk.Options{})
	rev, err := s.Put(t.Context(), store.Doc{Key: "todo/a", Data: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kv", "todo", "a.json"), []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), store.Doc{Key: "todo/a", Rev: rev, Data: []byte("z")}); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("the change was overwritten: %v", err)
	}
	sha, err := s.PutBlob(t.Context(), []byte("blob"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "blob", sha), []byte("blab"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GetBlob(t.Context(), sha); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("a damaged blob: %v", err)
	}
	if _, err := s.PutBlob(t.Context(), []byte("blob")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.GetBlob(t.Context(), sha); err != nil || string(got) != "blob" {
		t.Fatal(string(got), err)
	}
}

// A file that is replaced or removed under an open log is noticed.
func TestReplacedUnderneath(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, disk.Options{})
	pos, err := s.Append(t.Context(), "session/a", 0, []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logFile(dir)+".new", []byte("one\nTWO\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(logFile(dir)+".new", logFile(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), "session/a", pos, []byte("two")); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("appended to a file that has no name: %v", err)
	}
	if err := os.Remove(logFile(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), "session/a", pos, []byte("two")); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("appended behind a record that is gone: %v", err)
	}
	if _, err := os.Stat(logFile(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a refused append made a file: %v", err)
	}
}

func FuzzRecovery(f *testing.F) {
	f.Add([]byte("one\ntwo\nthr"), true)
	f.Add([]byte("one\n\x00\x00\x00"), false)
	f.Add([]byte("\n\n\x00\ntwo\n"), true)
	f.Add([]byte(""), false)
	f.Fuzz(func(t *testing.T, file []byte, fence bool) {
		dir := t.TempDir()
		writeLog(t, dir, string(file))
		s := open(t, dir, disk.Options{})
		before := storetest.All(t, s, "session/a", 0)
		after := int64(-1)
		if n := len(before); fence && n > 0 {
			after = before[n-1].Pos
		} else if fence {
			after = 0
		}
		pos, err := s.Append(t.Context(), "session/a", after, []byte("new"))
		if err != nil {
			t.Fatal(err)
		}
		got := storetest.All(t, s, "session/a", 0)
		if len(got) != len(before)+1 || string(got[len(before)].Data) != "new" || got[len(before)].Pos != pos {
			t.Fatalf("records are %v, were %v", got, before)
		}
		for i, r := range before {
			if got[i].Pos != r.Pos || !bytes.Equal(got[i].Data, r.Data) {
				t.Fatalf("record %d is %q, was %q", i, got[i].Data, r.Data)
			}
		}
		if torn, err := s.Torn(t.Context(), "session/a"); err != nil || torn != 0 {
			t.Fatal(torn, err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, every := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%v", every), func(b *testing.B) {
			s := open(b, b.TempDir(), disk.Options{})
			data := bytes.Repeat([]byte("x"), 500)
			after := int64(0)
			for b.Loop() {
				pos, err := s.Append(b.Context(), "session/a", after, data)
				if err == nil && every {
					err = s.Sync(b.Context(), "session/a")
				}
				if err != nil {
					b.Fatal(err)
				}
				after = pos
			}
		})
	}
}

func BenchmarkLease(b *testing.B) {
	s := open(b, b.TempDir(), disk.Options{})
	for b.Loop() {
		rev, err := s.Put(b.Context(), store.Doc{Key: "lease/a", Data: []byte("x")})
		if err == nil {
			_, err = s.Put(b.Context(), store.Doc{Key: "lease/a", Rev: rev})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s := open(b, b.TempDir(), disk.Options{})
	data := bytes.Repeat([]byte("x"), 500)
	for range 5000 {
		if _, err := s.Append(b.Context(), "session/a", -1, data); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if n := len(storetest.All(b, s, "session/a", 0)); n != 5000 {
			b.Fatal(n)
		}
	}
}

// A waiting reader costs no goroutine, and sees another store's change soon.
func TestFollowPolls(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, disk.Options{}), open(t, dir, disk.Options{})
	if _, err := other.Append(t.Context(), "session/a", -1, []byte("x")); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	n := 0
	for _, err := range s.Read(t.Context(), "session/a", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
		if _, err := other.Append(t.Context(), "session/a", -1, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Fatalf("took %v", d)
	}
}
