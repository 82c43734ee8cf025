//go:build unix

package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"react-agent/store"
	"react-agent/store/disk"
)

// project is a store with documents and logs in a work directory, and what lies beside that.
type project struct {
	*disk.Store
	work, out string
}

func newProject(t *testing.T) project {
	t.Helper()
	dir := t.TempDir()
	p := project{work: filepath.Join(dir, "work"), out: filepath.Join(dir, "out")}
	for _, d := range []string{filepath.Join(p.work, ".team"), p.out} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.Store = open(t, filepath.Join(dir, "state"), disk.Options{
		Docs: []disk.Place{{Kind: "task", Dir: filepath.Join(p.work, ".team", "tasks"), Within: p.work}},
		Logs: []disk.Place{{Kind: "inbox", Dir: filepath.Join(p.work, ".team", "inbox"), Within: p.work}},
	})
	return p
}

// everything does all that a store does with a document and a log, and gives the errors.
func (p project) everything(ctx context.Context) map[string]error {
	errs := map[string]error{}
	_, errs["Get"] = p.Get(ctx, "task/1")
	_, errs["Put"] = p.Put(ctx, store.Doc{Key: "task/1", Data: []byte("new")})
	_, errs["Remove"] = p.Put(ctx, store.Doc{Key: "task/1"})
	errs["Lock"] = p.Lock(ctx, "task/", func(kv store.KV) error {
		_, err := kv.Put(ctx, store.Doc{Key: "task/1", Data: []byte("new")})
		return err
	})
	for _, err := range p.List(ctx, "task/") {
		errs["List"] = err
	}
	_, errs["Append"] = p.Append(ctx, "inbox/bob", -1, []byte("line"))
	_, errs["First"] = p.Append(ctx, "inbox/bob", 0, []byte("line"))
	for _, err := range p.Read(ctx, "inbox/bob", 0, false) {
		errs["Read"] = err
	}
	_, errs["Last"] = p.Last(ctx, "inbox/bob")
	_, errs["Torn"] = p.Torn(ctx, "inbox/bob")
	_, errs["Size"] = p.Size(ctx, "inbox/bob")
	errs["Sync"] = p.Sync(ctx, "inbox/bob")
	errs["Drop"] = p.Drop(ctx, "inbox/bob")
	return errs
}

const secret = "what lies elsewhere, without a newline"

// A folder that somebody has cloned or unpacked may have links that lead anywhere, and pipes that nobody writes to.
func TestNothingIsBelieved(t *testing.T) {
	docs := "Get Put Remove Lock List"
	logs := "Append First Read Last Torn Size Sync Drop"
	for name, c := range map[string]struct {
		make  func(p project, link func(to, at string))
		at    string // what the error names
		fails string
	}{
		"a document":            {func(p project, link func(to, at string)) { link("../../../out/file", "tasks/1.json") }, "tasks/1.json", docs},
		"a document inside":     {func(p project, link func(to, at string)) { link("../../README", "tasks/1.json") }, "tasks/1.json", docs},
		"a new document":        {func(p project, link func(to, at string)) { link("../../../out/new", "tasks/1.json") }, "tasks/1.json", docs},
		"what is renamed":       {func(p project, link func(to, at string)) { link("../../../out/file", "tasks/1.json.tmp") }, "tasks/1.json.tmp", "Put Lock"},
		"the lock":              {func(p project, link func(to, at string)) { link("../../../out/new", "tasks/.lock") }, "tasks/.lock", "Put Remove Lock"},
		"the documents' folder": {func(p project, link func(to, at string)) { link("../../out", "tasks") }, "tasks", docs},
		"a log":                 {func(p project, link func(to, at string)) { link("../../../out/file", "inbox/bob.jsonl") }, "inbox/bob.jsonl", logs},
		"a new log":             {func(p project, link func(to, at string)) { link("../../../out/new", "inbox/bob.jsonl") }, "inbox/bob.jsonl", logs},
		"the logs' folder":      {func(p project, link func(to, at string)) { link("../../out", "inbox") }, "inbox", logs},
		"both folders": {func(p project, link func(to, at string)) {
			_ = os.Remove(filepath.Join(p.work, ".team"))
			link("../out", "")
		}, "", docs + " " + logs},
		"pipes": {func(p project, _ func(to, at string)) {
			for _, at := range []string{"tasks/1.json", "inbox/bob.jsonl"} {
				_ = os.MkdirAll(filepath.Dir(filepath.Join(p.work, ".team", at)), 0o700)
				if err := syscall.Mkfifo(filepath.Join(p.work, ".team", at), 0o600); err != nil {
					panic(err)
				}
			}
		}, "", docs + " " + logs},
		"folders": {func(p project, _ func(to, at string)) {
			for _, at := range []string{"tasks/1.json", "inbox/bob.jsonl"} {
				if err := os.MkdirAll(filepath.Join(p.work, ".team", at), 0o700); err != nil {
					panic(err)
				}
			}
		}, "", docs + " " + logs},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			for _, file := range []string{filepath.Join(p.out, "file"), filepath.Join(p.out, "1.json"), filepath.Join(p.out, "bob.jsonl"), filepath.Join(p.work, "README")} {
				if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c.make(p, func(to, at string) {
				at = filepath.Join(p.work, ".team", at)
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.Symlink(to, at)); err != nil {
					t.Fatal(err)
				}
			})
			errs := p.everything(t.Context())
			for op := range strings.FieldsSeq(c.fails) {
				want := filepath.Join(p.work, ".team", c.at)
				if err := errs[op]; !errors.Is(err, store.ErrForeign) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", op, err)
				}
			}
			untouched(t, p)
		})
	}
}

func untouched(t *testing.T, p project) {
	t.Helper()
	entries, err := os.ReadDir(p.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(entries, nil) {
		file := filepath.Join(p.work, "README")
		if e != nil {
			file = filepath.Join(p.out, e.Name())
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != secret {
			t.Errorf("%s: %q %v", file, got, err)
		}
	}
	if len(entries) != 3 {
		t.Errorf("something was made: %v", entries)
	}
}

// One file that is none does not keep the others from being listed; without any all works as elsewhere.
func TestTheOthersAreListed(t *testing.T) {
	p := newProject(t)
	for op, err := range p.everything(t.Context()) {
		if errors.Is(err, store.ErrForeign) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if _, err := p.Put(t.Context(), store.Doc{Key: "task/3", Data: []byte("3")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("3.json", filepath.Join(p.work, ".team", "tasks", "2.json")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for d, err := range p.List(t.Context(), "task/") {
		if (d.Key == "task/2") != errors.Is(err, store.ErrForeign) {
			t.Errorf("%s: %v", d.Key, err)
		}
		got = append(got, d.Key+"="+string(d.Data))
	}
	if list := strings.Join(got, " "); list != "task/1=new task/2= task/3=3" {
		t.Error(list)
	}
	if _, err := p.Append(t.Context(), "inbox/bob", -1, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if last, err := p.Last(t.Context(), "inbox/bob"); err != nil || string(last.Data) != "one" {
		t.Error(last, err)
	}
}
