package rewind

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func (w *world) told(word string) int {
	n := 0
	for _, text := range w.notices {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// TestMuchData: what a look may copy goes to the small files; the others are named, once, and are kept when the bound is
// raised.
func TestMuchData(t *testing.T) {
	w := testWorld(t, func(o *Options) { o.MaxLook = 3_000_000 })
	for i := range 4 {
		w.write(fmt.Sprint("data", i), strings.Repeat(fmt.Sprint(i), 2_000_000))
	}
	w.write("z/small", "old")
	turn := w.say("go")
	destroy := func() {
		w.must(os.Remove(w.path("z/small")))
		for i := range 4 {
			w.must(os.Remove(w.path(fmt.Sprint("data", i))))
		}
	}
	w.call(destroy)
	if kept := w.r.objects.size.Load(); kept > 3_000_000 {
		t.Errorf("%d bytes were copied", kept)
	}
	if w.told("data1, data2, data3") != 1 || w.told("small") != 0 {
		t.Errorf("notices: %q", w.notices)
	}
	res := w.rewind(turn)
	if len(res.Left) != 3 || res.Left[0].Lost == "" || tree(t, w.o.Root)["z/small"] != "-rw-r--r-- old" {
		t.Errorf("result: %+v", res)
	}

	for i := range 4 {
		w.write(fmt.Sprint("data", i), strings.Repeat(fmt.Sprint(i), 2_000_000))
	}
	w.call(func() {})
	w.o.MaxLook = 20_000_000
	w.open()
	want := tree(t, w.o.Root)
	turn = w.say("again")
	w.call(destroy)
	w.rewind(turn)
	same(t, "with a larger bound", tree(t, w.o.Root), want)
}

// TestNoTimeToRead: what a look does not come to read is named once and kept by a later one, and no change is made of that.
func TestNoTimeToRead(t *testing.T) {
	w := testWorld(t, nil)
	for i := range 9 {
		w.write(fmt.Sprint("f", i), "old")
	}
	want := tree(t, w.o.Root)
	w.r.reading = -1
	turn := w.say("go")
	w.call(func() { w.write("f0", "lost") })
	w.call(func() {})
	if w.told("later") != 1 || w.r.objects.size.Load() != 0 {
		t.Fatalf("notices: %q", w.notices)
	}
	w.r.reading = time.Minute
	w.call(func() {})
	for _, rec := range w.r.history.records {
		if len(rec.Changes) > 0 && rec.Changes[0].Path != "f0" {
			t.Errorf("a change that was none: %+v", rec)
		}
	}
	if res := w.rewind(turn); len(res.Left) != 1 || res.Left[0].Path != "f0" {
		t.Errorf("result: %+v", res)
	}
	w.write("f0", "old")
	turn = w.say("again")
	w.call(func() {
		for i := range 9 {
			w.must(os.Remove(w.path(fmt.Sprint("f", i))))
		}
	})
	w.rewind(turn)
	same(t, "after a later look", tree(t, w.o.Root), want)
}

// TestSlowSearch: a search that takes too long is given up and not begun again at once; the next may take longer.
func TestSlowSearch(t *testing.T) {
	w := testWorld(t, func(o *Options) { o.Patience = 1 })
	w.write("a", "old")
	turn := w.say("go")
	w.call(func() { w.write("a", "new") })
	if w.told("too long") != 1 || w.r.slow == 0 || w.r.rest.IsZero() {
		t.Fatalf("notices: %q, slow %d", w.notices, w.r.slow)
	}
	w.call(func() { w.write("a", "newer") }, "a") // a named file is kept in any case
	if res := w.rewind(turn); len(res.Done) != 1 || tree(t, w.o.Root)["a"] != "-rw-r--r-- new" {
		t.Errorf("result: %+v", res)
	}
	w.r.rest = time.Now().Add(time.Hour)
	slow := w.r.slow
	w.call(func() {})
	if w.r.slow != slow {
		t.Error("it searched while it was to rest")
	}
	w.r.rest, w.r.o.Patience = time.Time{}, time.Minute
	w.call(func() {})
	if w.r.slow != 0 || !w.r.index.full {
		t.Error("the search was not made up for")
	}
	if w.r.gaveUp(errors.New("another"), 0) {
		t.Error("a fault is not a search that is too long")
	}
}

// TestManyQuestions: above a number git is not asked for each path, and says the same: an ignored directory that has a
// file of git, one with ignored files only, a file that comes later.
func TestManyQuestions(t *testing.T) {
	needGit(t)
	w := testWorld(t, nil)
	w.git("init", "-q")
	w.write(".gitignore", "*.log\nbuild/\n")
	for i := range 100 {
		w.write(fmt.Sprintf("src/d%d/f", i), "code")
		w.write(fmt.Sprintf("src/d%d/f.log", i), "log")
	}
	w.write("build/tracked", "tracked")
	w.write("build/out", "out")
	w.write("logs/a.log", "log")
	w.write("odd/:(top)x", "odd")
	w.must(os.MkdirAll(w.path("empty"), 0o755))
	w.git("add", "-f", "src/d1/f", "build/tracked")
	w.git("commit", "-qm", "all")
	turn := w.say("go")
	want := tree(t, w.o.Root)
	w.call(func() {
		for _, dir := range []string{"src", "build", "odd", "empty"} {
			w.must(os.RemoveAll(w.path(dir)))
		}
		w.write("logs/kept", "new")
	})
	w.rewind(turn)
	got := tree(t, w.o.Root)
	for p := range want {
		if strings.HasSuffix(p, ".log") && strings.HasPrefix(p, "src/") || p == "build/out" {
			delete(want, p)
		}
	}
	same(t, "after the rewind", got, want)
	if slices.ContainsFunc(w.notices, func(s string) bool { return s != "" }) {
		t.Errorf("notices: %q", w.notices)
	}
}
