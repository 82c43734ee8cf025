package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"react-agent/store"
	"react-agent/store/disk"
)

// Where others write by hand nothing of what they have written is cut off, whatever stands at the end.
func TestAForeignLastLine(t *testing.T) {
	const first = `{"n":1}` + "\n"
	for name, c := range map[string]struct {
		file   string
		before []string // as it is read
		old    []string // as it is read when nobody has written for a while
		after  []string // as it is read behind an append
		rest   string   // the file then
	}{
		"nothing":         {"", nil, nil, []string{"x"}, "x\n"},
		"whole":           {first + `{"n":2}`, []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":1}`, `{"n":2}`, "x"}, first + `{"n":2}` + "\nx\n"},
		"half":            {first + `{"n":`, []string{`{"n":1}`}, []string{`{"n":1}`, `{"n":`}, []string{`{"n":1}`, `{"n":`, "x"}, first + `{"n":` + "\nx\n"},
		"alone":           {`{"n":1}`, []string{`{"n":1}`}, []string{`{"n":1}`}, []string{`{"n":1}`, "x"}, first + "x\n"},
		"an empty line":   {"\n" + first, []string{`{"n":1}`}, []string{`{"n":1}`}, []string{`{"n":1}`, "x"}, "\n" + first + "x\n"},
		"behind an empty": {first + "\n" + `{"n":2}` + "\n", []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":1}`, `{"n":2}`}, []string{`{"n":1}`, `{"n":2}`, "x"}, first + "\n" + `{"n":2}` + "\nx\n"},
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			at := filepath.Join(work, "bob.jsonl")
			s := open(t, t.TempDir(), disk.Options{Logs: []disk.Place{{Kind: "inbox", Dir: work, Within: work}}})
			read := func(want []string) (last int64) {
				t.Helper()
				var got []string
				for rec, err := range s.Read(t.Context(), "inbox/bob", 0, false) {
					if err != nil {
						t.Fatal(err)
					}
					got, last = append(got, string(rec.Data)), rec.Pos
				}
				if rec, err := s.Last(t.Context(), "inbox/bob"); !slices.Equal(got, want) || rec.Pos != last || err != nil {
					t.Errorf("read %q, wanted %q; the last one at %d is %+v %v", got, want, last, rec, err)
				}
				return last
			}
			write := func() {
				t.Helper()
				if err := os.WriteFile(at, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write()
			read(c.before)
			long := time.Now().Add(-time.Hour)
			if err := os.Chtimes(at, long, long); err != nil {
				t.Fatal(err)
			}
			read(c.old)
			for _, where := range []func() int64{func() int64 { return -1 }, func() int64 { return read(c.before) }} {
				write()
				after := where()
				_, err := s.Append(t.Context(), "inbox/bob", after, []byte("x"))
				if half := len(c.old) > len(c.before); half && after >= 0 { // it has become a record that the writer has not seen
					if !errors.Is(err, store.ErrConflict) {
						t.Errorf("%v, wanted a conflict", err)
					}
					_, err = s.Append(t.Context(), "inbox/bob", read(c.old), []byte("x"))
				}
				if err != nil {
					t.Fatal(err)
				}
				read(c.after)
				if raw, err := os.ReadFile(at); string(raw) != c.rest || err != nil {
					t.Errorf("the file is %q, wanted %q; %v", raw, c.rest, err)
				}
			}
		})
	}
}

// What another program has written since is never written over: the position is not the last one any more.
func TestAForeignLineInBetween(t *testing.T) {
	work := t.TempDir()
	s := open(t, t.TempDir(), disk.Options{Logs: []disk.Place{{Kind: "inbox", Dir: work, Within: work}}})
	pos, err := s.Append(t.Context(), "inbox/bob", 0, []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	const text = "one\n\n" + `{"n":2}` + "\n"
	if err := os.WriteFile(filepath.Join(work, "bob.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Append(t.Context(), "inbox/bob", pos, []byte("x"))
	if raw, _ := os.ReadFile(filepath.Join(work, "bob.jsonl")); !errors.Is(err, store.ErrConflict) || string(raw) != text {
		t.Errorf("%v, the file is %q", err, raw)
	}
}
