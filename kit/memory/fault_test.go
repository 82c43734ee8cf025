package memory

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// noted collects what a store notices.
func noted(list *[]error) func(*Options) {
	return func(o *Options) { o.Notice = func(err error) { *list = append(*list, err) } }
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// direct runs SQL on a file behind the store's back.
func direct(t *testing.T, path string, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatIsNoneStaysAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		want error
		make func(t *testing.T, path string)
	}{
		"garbage":         {ErrCorrupt, func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("no database "), 1000)) }},
		"short":           {ErrCorrupt, func(t *testing.T, path string) { write(t, path, []byte("x")) }},
		"another program": {ErrCorrupt, func(t *testing.T, path string) { write(t, path, nil); direct(t, path, "CREATE TABLE notes(a)") }},
		"newer": {ErrNewer, func(t *testing.T, path string) {
			save(t, both(t, func(o *Options) { o.Project = path }), Draft{Text: "of later"})
			direct(t, path, "PRAGMA user_version=99")
		}},
		"no version": {ErrCorrupt, func(t *testing.T, path string) {
			save(t, both(t, func(o *Options) { o.Project = path }), Draft{Text: "of never"})
			direct(t, path, "PRAGMA user_version=0")
		}},
		"torn": {ErrCorrupt, func(t *testing.T, path string) {
			save(t, both(t, func(o *Options) { o.Project = path }), Draft{Text: "of one half"})
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(data[4096:], bytes.Repeat([]byte{0xa5}, len(data)-4096))
			write(t, path, data)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var notes []error
			s := both(t, noted(&notes))
			ctx := t.Context()
			mine := save(t, s, Draft{Text: "the person likes tea", Kind: Preference})
			c.make(t, s.o.Project)
			before, err := os.ReadFile(s.o.Project)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Save(ctx, Draft{Text: "tea is drunk at four"})
			wrong := &FileError{}
			if !errors.Is(err, c.want) || !errors.As(err, &wrong) || wrong.Path != s.o.Project {
				t.Fatalf("save: %v", err)
			}
			zh := msg.For(msg.Zh).Err(err)
			if !strings.Contains(err.Error(), "react-agent memory aside project") || !strings.Contains(zh, "react-agent memory aside project") || !strings.Contains(zh, "记忆文件") {
				t.Errorf("it does not say what to do: %v / %s", err, zh)
			}
			for range 2 {
				if hits, err := s.Search(ctx, Query{Text: "tea"}); len(hits) != 1 || hits[0].ID != mine.ID || !errors.Is(err, c.want) {
					t.Errorf("the person's memories are gone too: %v, %v", hits, err)
				}
				if page, n, err := s.List(ctx, Filter{}); len(page) != 1 || n != 1 || !errors.Is(err, c.want) {
					t.Errorf("listed: %v, %v", page, err)
				}
				if entered := inject(t, s, talk(person("tea?"))); !strings.Contains(entered, mine.ID) {
					t.Errorf("a turn is given %q", entered)
				}
			}
			if len(notes) != 1 || !errors.Is(notes[0], c.want) {
				t.Errorf("noticed: %v", notes)
			}
			if _, err := s.Search(ctx, Query{Text: "tea", Scope: Project}); !errors.Is(err, c.want) {
				t.Errorf("search: %v", err)
			}
			if st := s.Status(ctx); !errors.Is(st[0].Err, c.want) || st[1].Err != nil || st[1].Count != 1 {
				t.Errorf("status: %+v", st)
			}
			if after, err := os.ReadFile(s.o.Project); err != nil || !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
			to, err := s.SetAside(ctx, Project)
			if err != nil {
				t.Fatal(err)
			}
			if kept, err := os.ReadFile(to); err != nil || !bytes.Equal(before, kept) {
				t.Errorf("what was set aside is another: %v", err)
			}
			if done := save(t, s, Draft{Text: "tea is drunk at four"}); done.ID != "p1" {
				t.Errorf("the new file begins with %s", done.ID)
			}
		})
	}
}

func TestAFileThatIsADirectory(t *testing.T) {
	s := both(t)
	if err := os.MkdirAll(s.o.Project, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), Draft{Text: "x"}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("save: %v", err)
	}
	below := both(t, func(o *Options) { o.Project = filepath.Join(s.o.User, "memory.db") })
	write(t, s.o.User, nil)
	if _, err := below.Save(t.Context(), Draft{Text: "x"}); err == nil || !strings.Contains(err.Error(), s.o.User) {
		t.Errorf("save below a file: %v", err)
	}
}

func TestAnEmptyFileIsBegun(t *testing.T) {
	s := both(t)
	write(t, s.o.Project, nil) // a process that died before it had written the first thing
	if ids := find(t, s, "anything"); len(ids) != 0 {
		t.Errorf("found %v", ids)
	}
	if done := save(t, s, Draft{Text: "anything at all"}); done.ID != "p1" {
		t.Errorf("saved as %s", done.ID)
	}
}

func TestALockedFileIsNamedAndWaitedFor(t *testing.T) {
	var notes []error
	s := both(t, noted(&notes))
	save(t, s, Draft{Text: "before the lock"})
	other, err := sql.Open("sqlite", "file:"+s.o.Project)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"save":   func(ctx context.Context) error { _, err := s.Save(ctx, Draft{Text: "during the lock"}); return err },
		"search": func(ctx context.Context) error { _, err := s.Search(ctx, Query{Text: "lock"}); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if err := do(ctx); !errors.Is(err, ErrBusy) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		ctx, cancel = context.WithTimeout(t.Context(), time.Nanosecond)
		if err := do(ctx); !errors.Is(err, ErrSlow) || errors.Is(err, ErrBusy) {
			t.Errorf("%s that has no time: %v", name, err)
		}
		cancel()
	}
	quick, cancel := context.WithTimeout(t.Context(), quickly) // a turn does not wait until its bound: that is of the test, no clock
	defer cancel()
	if n, err := s.Hook().Inject(quick, talk(person("what of the lock?")), false); n != nil || err != nil || quick.Err() != nil {
		t.Errorf("a turn: %v, %v, %v", n, err, quick.Err())
	}
	short, cancel := context.WithTimeout(t.Context(), glance/4) // it is left alone now
	defer cancel()
	if n, err := s.Hook().Inject(short, talk(person("what of the lock?")), false); n != nil || err != nil || short.Err() != nil {
		t.Errorf("the next turn: %v, %v, %v", n, err, short.Err())
	}
	if len(notes) != 1 || !errors.Is(notes[0], ErrBusy) {
		t.Errorf("noticed %v", notes)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := s.Search(gone, Query{Text: "lock"}); !errors.Is(err, context.Canceled) || errors.Is(err, ErrBusy) {
		t.Errorf("search of a run that was cancelled: %v", err)
	}
	saved := make(chan error)
	go func() {
		_, err := s.Save(t.Context(), Draft{Text: "as soon as the lock has gone"})
		saved <- err
	}()
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-saved; err != nil {
		t.Errorf("who waits does not get it: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if list, n, err := s.List(t.Context(), Filter{}); err != nil || n != 2 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAFullDiskLosesNothingThatWasThere(t *testing.T) {
	s := both(t)
	save(t, s, Draft{Text: "there before the disk was full"})
	var pages int
	f := s.files[0]
	if err := f.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := f.db.Exec("PRAGMA max_page_count=1"); err != nil { // it becomes what there is
		t.Fatal(err)
	}
	var err error
	n := 0
	for err == nil && n < 100 {
		_, err = s.Save(t.Context(), Draft{Text: strings.Repeat("another "+string(rune('a'+n%26)), 100) + strings.Repeat("x", n)})
		n++
	}
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), s.o.Project) {
		t.Fatalf("after %d: %v", n, err)
	}
	if ids := find(t, s, "before the disk"); len(ids) == 0 || ids[0] != "p1" {
		t.Errorf("found %v", ids)
	}
	if st := s.Status(t.Context()); st[0].Err != nil || st[0].Count != n {
		t.Errorf("%+v, saved %d", st[0], n)
	}
	if _, err := f.db.Exec("PRAGMA max_page_count=100000"); err != nil {
		t.Fatal(err)
	}
	save(t, s, Draft{Text: "there is room again"})
}

func TestWhereNothingCanBeWritten(t *testing.T) {
	s := both(t)
	save(t, s, Draft{Text: "the port is 8080"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = both(t, func(o *Options) { o.Project = s.o.Project })
	find(t, s, "port")
	if os.Getuid() == 0 { // who may write anywhere has to forbid it to himself
		if _, err := s.files[0].db.Exec("PRAGMA query_only=1"); err != nil {
			t.Fatal(err)
		}
	} else {
		dir := filepath.Dir(s.o.Project)
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	}
	if _, err := s.Save(t.Context(), Draft{Text: "the port is 9090, it seems"}); !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "permissions") {
		t.Errorf("save: %v", err)
	}
	if ids := find(t, s, "port"); len(ids) != 1 {
		t.Errorf("found %v", ids)
	}
	x := agent.NewSession("s")
	x.Messages = []agent.Message{agent.TextMessage(agent.User, "which port is it?")}
	if n, err := s.Hook().Inject(t.Context(), x, false); err != nil || n == nil {
		t.Errorf("what is remembered does not enter where its use cannot be counted: %v, %v", n, err)
	}
}

func TestAnotherFileInItsPlace(t *testing.T) {
	s, other := both(t), (*Store)(nil)
	save(t, s, Draft{Text: "the old one"})
	other = New(s.o)
	if _, err := other.SetAside(t.Context(), Project); err != nil {
		t.Fatal(err)
	}
	if ids := find(t, s, "old one"); len(ids) != 0 {
		t.Errorf("what was set aside is still searched: %v", ids)
	}
	save(t, other, Draft{Text: "the new one"})
	if ids := find(t, s, "new one"); len(ids) != 1 {
		t.Errorf("the new file is not seen: %v", ids)
	}
	if _, err := other.SetAside(t.Context(), User); err == nil {
		t.Error("a file that is not there was set aside")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		func() error { _, err := other.Save(t.Context(), Draft{Text: "x"}); return err }(),
		func() error { _, err := other.Search(t.Context(), Query{Text: "x"}); return err }(),
		func() error { _, err := other.SetAside(t.Context(), Project); return err }(),
		func() error { _, err := other.Get(t.Context(), "p1"); return err }(),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("of a closed one: %v", err)
		}
	}
	if err := (*Store)(nil).Close(); err != nil {
		t.Error(err)
	}
}
