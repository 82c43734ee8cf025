package install

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"react-agent/internal/httpx"
)

// Entries that others wrote are checked by the one hash they have.
func TestEntriesOfOthers(t *testing.T) {
	w := newWorld(t)
	text := md("one", "first", "x")
	tree := Tree{{Path: skillFile, Data: []byte(text)}, {Path: "run.sh", Data: []byte("x"), Exec: true}}
	put := func(dir string) {
		write(t, filepath.Join(dir, skillFile), text)
		write(t, filepath.Join(dir, "run.sh"), "x")
		if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ level, fields string }{
		{"project", `"source":"a/b","sourceType":"github","skillPath":"SKILL.md","computedHash":"` + tree.hash() + `"`},
		{"project", `"source":"h","sourceType":"well-known","sourceUrl":"https://h","wellKnownDigest":"` + siteDigest(tree) + `"`},
		{"user", `"source":"a/b","sourceType":"github","sourceUrl":"https://github.com/a/b.git","skillPath":"SKILL.md","skillFolderHash":"` + tree.gitTree() + `"`},
		{"user", `"source":"/x","sourceType":"local","sourceUrl":"/x","skillFolderHash":"` + tree.hash() + `"`},
		{"user", `"source":"h","sourceType":"well-known","sourceUrl":"https://h/x","skillFolderHash":"","sourceBaseUrl":"https://h/team","wellKnownDigest":"` + siteDigest(tree) + `"`},
	} {
		p := w.store.Places[0]
		version := "1"
		if c.level == "user" {
			p, version = w.store.Places[1], "3"
		}
		dir := filepath.Join(p.Skills(), "one")
		put(dir)
		write(t, p.Lock, `{"version":`+version+`,"skills":{"one":{`+c.fields+`}}}`)
		st, err := w.store.Find(t.Context(), "one", p.Level)
		if err != nil || st.Status != Intact {
			t.Errorf("%s: %+v %v", c.fields, st, err)
		}
		if s, err := st.entry.source(p); err != nil || s.URL == "" || !s.recorded {
			t.Errorf("%s: %+v %v", c.fields, s, err)
		}
		write(t, filepath.Join(dir, "run.sh"), "mine")
		known := !strings.Contains(c.fields, "wellKnownDigest")
		if st, err = w.store.Find(t.Context(), "one", p.Level); err != nil || (st.Status == Modified) != known || known && st.Reason == nil {
			t.Errorf("%s: %+v %v", c.fields, st, err)
		}
		if err := w.store.Remove(t.Context(), st, false); (err == nil) == known {
			t.Errorf("%s: %v", c.fields, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// A skill of theirs that is current there stays; one that is newer there replaces it, unless it cannot be told whether it
// was changed here.
func TestUpdatesOfOthersEntries(t *testing.T) {
	w := newWorld(t)
	src := w.source(map[string]string{"SKILL.md": md("one", "first", "v1")})
	w.install(src)
	strip := func() {
		l, err := readLock(w.place)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := l.find("one")
		if e.object, err = e.put(fFiles, ""); err != nil {
			t.Fatal(err)
		}
		if err := l.write(); err != nil {
			t.Fatal(err)
		}
	}
	strip()
	if u := w.updates(); !u[0].Change.Same {
		t.Errorf("%+v", u[0])
	}
	write(t, w.path(".agents/skills/one/SKILL.md"), md("one", "first", "mine"))
	if u := w.updates(); !u[0].Change.Same {
		t.Errorf("nothing is new there: %+v", u[0])
	}
	write(t, filepath.Join(src, "SKILL.md"), md("one", "first", "v2"))
	w.blocked([]Change{*w.updates()[0].Change}, "may have been changed")
	write(t, w.path(".agents/skills/one/SKILL.md"), md("one", "first", "v1"))
	if err := w.store.Apply(t.Context(), []Change{*w.updates()[0].Change}, false); err != nil {
		t.Fatal(err)
	}
	w.want("updated", w.states()+w.read(".agents/skills/one/SKILL.md"), "one installed"+md("one", "first", "v2"))
}

// A person's skill from GitHub is recorded by git's name of its folder, as they do it.
func TestUserLevelFromGitHub(t *testing.T) {
	w := newWorld(t)
	w.place = w.store.Places[1]
	bare, work := repo(t, map[string]string{"skills/one/SKILL.md": md("one", "first", "v1"), "skills/one/run.sh": "x"})
	w.fetcher.Env = append(w.fetcher.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+bare+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/own-er/re.po.git")
	w.fetcher.allow("github.com") // no name is looked up in a test
	w.install("own-er/re.po@one")
	st, err := w.store.Find(t.Context(), "one", User)
	if err != nil || st.Status != Intact {
		t.Fatalf("%+v %v", st, err)
	}
	for field, want := range map[string]string{
		fSource: "own-er/re.po", fKind: "github", fURL: "https://github.com/own-er/re.po.git", fPath: "skills/one/SKILL.md",
		fFolder: git(t, work, "rev-parse", "HEAD:skills/one"),
	} {
		if got := st.entry.text(field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	if u := w.updates(); u[0].Err != nil || !u[0].Change.Same {
		t.Errorf("%+v", u[0])
	}
	w.place = w.store.Places[0]
	w.install("own-er/re.po/skills#main")
	if st, err = w.store.Find(t.Context(), "one", Project); err != nil || st.entry.text(fSource) != "own-er/re.po" || st.entry.text(fURL) != "" || st.Ref != "main" ||
		st.entry.text(fPath) != "skills/one/SKILL.md" {
		t.Errorf("%+v %v", st, err)
	}
}

// What a lock file names has not been typed by anybody: this machine is asked about, too.
func TestRecordedAddressesAreAskedAbout(t *testing.T) {
	w := newWorld(t)
	files := map[string][]byte{"/s.md": []byte(md("one", "first", "v1"))}
	w.install(serve(t, files) + "/s.md")
	files["/s.md"] = []byte(md("one", "first", "v2"))
	w.fetcher = fetcherFor(t)
	if u := w.updates(); u[0].Err == nil || !strings.Contains(u[0].Err.Error(), "private address 127.0.0.1") {
		t.Errorf("%+v", u[0])
	}
	w.fetcher.Private = func(host string, _ netip.Addr, net httpx.Net) bool {
		return host == "127.0.0.1" && net == httpx.Loopback
	}
	if err := w.store.Apply(t.Context(), []Change{*w.updates()[0].Change}, false); err != nil {
		t.Fatal(err)
	}
	w.want("updated", w.states()+w.read(".agents/skills/one/SKILL.md"), "one installed"+md("one", "first", "v2"))
}

// Where folders cannot change places, and where they cannot even be moved, an update works all the same.
func TestPoorFileSystems(t *testing.T) {
	for name, rename := range map[string]func(a, b string) error{
		"no exchange": nil,
		"no move": func(a, b string) error {
			if filepath.Base(filepath.Dir(b)) == aside {
				return &os.LinkError{Op: "rename", Old: a, New: b, Err: syscall.EXDEV}
			}
			return os.Rename(a, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.store.exchange = func(_, _ string) (bool, error) { return false, nil }
			w.store.rename = rename
			src := w.source(map[string]string{"SKILL.md": md("one", "first", "v1"), "a/b": "x"})
			w.install(src)
			write(t, filepath.Join(src, "SKILL.md"), md("one", "first", "v2"))
			w.install(src)
			w.want("updated", w.states()+w.read(".agents/skills/one/SKILL.md"), "one installed"+md("one", "first", "v2"))
			w.want("tree", w.tree(), ".agents/skills/one/SKILL.md\n.agents/skills/one/a/b\nskills-lock.json")
		})
	}
}

// When the last step fails, the lock file says again what is there.
func TestFailingAtTheEnd(t *testing.T) {
	w := newWorld(t)
	src := w.source(map[string]string{"SKILL.md": md("one", "first", "v1")})
	full := errors.New("the disk is gone")
	w.store.rename = func(_, _ string) error { return full }
	if err := w.store.Apply(t.Context(), w.plan(src, Ask{}), false); !errors.Is(err, full) {
		t.Error(err)
	}
	w.want("states", w.states(), "")
	w.store.rename = nil
	w.install(src)
	w.store.exchange = func(_, _ string) (bool, error) { return false, full }
	write(t, filepath.Join(src, "SKILL.md"), md("one", "first", "v2"))
	if err := w.store.Apply(t.Context(), w.plan(src, Ask{}), false); !errors.Is(err, full) {
		t.Error(err)
	}
	w.want("states", w.states()+w.read(".agents/skills/one/SKILL.md"), "one installed"+md("one", "first", "v1"))
}

// Links that lead nowhere any more belong to a skill whose folder is gone.
func TestDeadLinks(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(w.path(".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.install(w.source(map[string]string{"SKILL.md": md("one", "first", "v1")}))
	if err := os.RemoveAll(w.path(".agents/skills/one")); err != nil {
		t.Fatal(err)
	}
	st, err := w.store.Find(t.Context(), "one", "")
	if err != nil || st.Status != Missing || len(st.Links) != 1 {
		t.Fatalf("%+v %v", st, err)
	}
	if err := w.store.Remove(t.Context(), st, false); err != nil {
		t.Fatal(err)
	}
	w.want("removed", w.tree(), "skills-lock.json")
	outside := t.TempDir()
	write(t, filepath.Join(outside, skillFile), md("one", "first", "v1"))
	w.install(w.source(map[string]string{"SKILL.md": md("one", "first", "v1")}))
	if err := os.RemoveAll(w.path(".agents/skills/one")); err != nil {
		t.Fatal(err)
	}
	link(t, outside, w.path(".agents/skills/one"))
	if st, err = w.store.Find(t.Context(), "one", ""); err != nil || st.Status != Linked {
		t.Fatalf("%+v %v", st, err)
	}
	if u := w.updates(); u[0].Err == nil || !strings.Contains(u[0].Err.Error(), "is a link") {
		t.Errorf("%+v", u[0])
	}
	if err := w.store.Remove(t.Context(), st, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(outside, skillFile)); err != nil {
		t.Error("what the link led to is gone:", err)
	}
}

func TestNamesThatDoSomethingOnAScreen(t *testing.T) {
	for _, name := range []string{"a\u202egnp.exe", "a\u200bb", "a\u2028b", "\ufeffa", "a\u009bb", "a\x1b[2J"} {
		if safePath(name) == nil {
			t.Errorf("%q passes", name)
		}
	}
	for _, name := range []string{"中文.md", "a b.md", "👩\u200d🔬.md", "é", "-x", ".x", "a,b"} {
		if err := safePath(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestChoose(t *testing.T) {
	w := newWorld(t)
	b := fetch(t, w.source(two()))
	if _, ok, err := b.Choose(nil); ok || err != nil {
		t.Error("somebody has to say which", err)
	}
	if list, ok, err := b.Choose([]string{"ONE", "two_words", "one"}); !ok || err != nil || len(list) != 2 {
		t.Error(list, err)
	}
	if _, _, err := b.Choose([]string{"three"}); err == nil || !strings.Contains(err.Error(), "it has: one, Two Words") {
		t.Error(err)
	}
	s := parsed(t, "a/b")
	if s, err := s.WithRef("v1"); err != nil || s.String() != "a/b#v1" {
		t.Error(s, err)
	}
	if _, err := s.WithRef("--x"); err == nil {
		t.Error("an option is no branch")
	}
}
