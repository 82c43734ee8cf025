package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world is a project, a person and a source for tests.
type world struct {
	t       *testing.T
	dir     string
	place   Place
	store   *Store
	fetcher *Fetcher
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	w := &world{t: t, dir: dir, place: ProjectPlace(dir), fetcher: fetcherFor(t)}
	w.store = &Store{Places: Places(dir, "", home, "")}
	return w
}

// plan fetches a source and plans to install skills of it.
func (w *world) plan(source string, ask Ask, names ...string) []Change {
	w.t.Helper()
	changes, err := w.tryPlan(source, ask, names...)
	if err != nil {
		w.t.Fatal(err)
	}
	return changes
}

func (w *world) tryPlan(source string, ask Ask, names ...string) ([]Change, error) {
	w.t.Helper()
	s, err := Parse(source, w.dir)
	if err != nil {
		return nil, err
	}
	b, err := w.fetcher.Fetch(w.t.Context(), s, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := b.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	chosen, _, err := b.Choose(names)
	if err != nil {
		return nil, err
	}
	changes, refused, err := w.store.Plan(w.t.Context(), w.place, b, chosen, ask)
	for _, r := range refused {
		err = errors.Join(err, r.Reason)
	}
	return changes, err
}

func (w *world) install(source string, names ...string) {
	w.t.Helper()
	if err := w.store.Apply(w.t.Context(), w.plan(source, Ask{}, names...), false); err != nil {
		w.t.Fatal(err)
	}
}

// source makes a local source of skills.
func (w *world) source(files map[string]string) string {
	w.t.Helper()
	dir := w.t.TempDir()
	for name, text := range files {
		write(w.t, filepath.Join(dir, name), text)
	}
	return dir
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		return ""
	}
	return string(data)
}

// states are name and status of everything that is recorded.
func (w *world) states() string {
	w.t.Helper()
	list, err := w.store.States(w.t.Context())
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, s := range list {
		line := s.Name + " " + string(s.Status)
		if len(s.Changed) > 0 {
			line += " " + strings.Join(s.Changed, ",")
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// tree lists all files below the project, links with their targets.
func (w *world) tree() string {
	w.t.Helper()
	var out []string
	err := filepath.WalkDir(w.dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(w.dir, p)
		if d.Type()&os.ModeSymlink != 0 {
			target, _ := os.Readlink(p)
			rel += " -> " + target
		}
		out = append(out, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func (w *world) want(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

func (w *world) blocked(changes []Change, part string) {
	w.t.Helper()
	before := w.tree()
	err := w.store.Apply(w.t.Context(), changes, false)
	if err == nil || !strings.Contains(err.Error(), part) {
		w.t.Errorf("%v, want %q", err, part)
	}
	w.want("what must not change", w.tree(), before)
}

func two() map[string]string {
	return map[string]string{
		"skills/one/SKILL.md": md("one", "first", "v1"), "skills/one/run.sh": "#!/bin/sh\n", "skills/one/metadata.json": "{}",
		"skills/one/__pycache__/x.pyc": "x", "skills/two/SKILL.md": md("Two Words", "second", "v1"),
	}
}

func TestInstallAndRemove(t *testing.T) {
	w := newWorld(t)
	src := w.source(two())
	changes := w.plan(src, Ask{}, "*")
	if len(changes) != 2 || changes[0].Name != "one" || len(changes[0].Files) != 2 || !changes[0].Diffs[1].Script {
		t.Fatalf("%+v", changes)
	}
	w.want("a plan changes nothing", w.tree(), "")
	if err := w.store.Apply(t.Context(), changes, false); err != nil {
		t.Fatal(err)
	}
	w.want("installed", w.tree(), ".agents/skills/one/SKILL.md\n.agents/skills/one/run.sh\n.agents/skills/two-words/SKILL.md\nskills-lock.json")
	w.want("states", w.states(), "Two Words installed; one installed")
	if again := w.plan(src, Ask{}, "one"); !again[0].Same || len(again[0].Diffs) != 0 {
		t.Errorf("%+v", again)
	}
	write(t, w.path(".agents/skills/one/__pycache__/y.pyc"), "made by running it")
	w.want("what running leaves is no edit", w.states(), "Two Words installed; one installed")
	st, err := w.store.Find(t.Context(), "two_words", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Remove(t.Context(), st, false); err != nil {
		t.Fatal(err)
	}
	w.want("removed", w.states(), "one installed")
	if err := w.store.Remove(t.Context(), st, false); err == nil {
		t.Error("removed twice")
	}
	for name, level := range map[string]Level{"two": "", "one": User} {
		if _, err := w.store.Find(t.Context(), name, level); err == nil {
			t.Errorf("%s %s was found", name, level)
		}
	}
}

// What somebody has written is not lost, unless they say so.
func TestEditsAreKept(t *testing.T) {
	w := newWorld(t)
	src := w.source(two())
	w.install(src, "one")
	write(t, w.path(".agents/skills/one/run.sh"), "mine")
	write(t, w.path(".agents/skills/one/notes.md"), "mine too")
	w.want("states", w.states(), "one modified notes.md,run.sh")
	st, err := w.store.Find(t.Context(), "one", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Remove(t.Context(), st, false); err == nil || !strings.Contains(err.Error(), "notes.md, run.sh") {
		t.Error(err)
	}
	changes := w.plan(src, Ask{}, "one")
	w.blocked(changes, "notes.md, run.sh")
	for _, d := range changes[0].Diffs {
		if !d.Edited {
			t.Errorf("%+v", d)
		}
	}
	if u := w.updates(); !u[0].Change.Same {
		t.Error("nothing is new there, so there is nothing to update")
	}
	write(t, filepath.Join(src, "skills/one/SKILL.md"), md("one", "first", "v2"))
	u := w.updates()
	w.blocked([]Change{*u[0].Change}, "notes.md, run.sh")
	if err := w.store.Apply(t.Context(), []Change{*u[0].Change}, true); err != nil {
		t.Fatal(err)
	}
	w.want("forced", w.states()+w.read(".agents/skills/one/run.sh"), "one installed#!/bin/sh\n")
}

func (w *world) updates() []Update {
	w.t.Helper()
	states, err := w.store.States(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := w.store.Updates(w.t.Context(), w.fetcher, states, false)
	if err != nil {
		w.t.Fatal(err)
	}
	if left, err := os.ReadDir(w.fetcher.Temp); err != nil || len(left) > 0 {
		w.t.Errorf("left behind: %v %v", left, err)
	}
	return u
}

// What is in the way and was not installed stays.
func TestWhatIsInTheWay(t *testing.T) {
	w := newWorld(t)
	src := w.source(two())
	write(t, w.path(".agents/skills/one/SKILL.md"), md("one", "my own", "x"))
	w.blocked(w.plan(src, Ask{}, "one"), "was not installed")
	if err := os.RemoveAll(w.path(".agents/skills/one")); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	write(t, filepath.Join(outside, "keep"), "x")
	link(t, outside, w.path(".agents/skills/one"))
	changes := w.plan(src, Ask{}, "one")
	w.blocked(changes, "is a link")
	if err := w.store.Apply(t.Context(), changes, true); err != nil {
		t.Fatal(err)
	}
	w.want("the link is replaced", w.states(), "one installed")
	if _, err := os.Stat(filepath.Join(outside, "keep")); err != nil {
		t.Error("what the link led to was touched:", err)
	}
	other := w.source(map[string]string{"one/SKILL.md": md("one", "other", "x")})
	w.blocked(w.plan(other, Ask{}), "installed already from")
	named := w.plan(other, Ask{Name: "another"})
	if err := w.store.Apply(t.Context(), named, false); err != nil {
		t.Fatal(err)
	}
	w.want("under another name", w.states()+" "+strings.SplitN(w.read(".agents/skills/another/SKILL.md"), "\n", 3)[1], "another installed; one installed name: another")
	write(t, filepath.Join(other, "one/SKILL.md"), md("one", "other", "new"))
	for _, u := range w.updates() {
		if u.Err != nil || u.Change.Same != (u.State.Name == "one") {
			t.Errorf("%s: %v", u.State.Name, u.Err)
		}
	}
	for _, name := range []string{"Bad Name", "../x", "", "x/"} {
		if _, err := w.tryPlan(other, Ask{Name: name}); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := w.tryPlan(src, Ask{Name: "x"}, "*"); err == nil {
		t.Error("one name for two skills")
	}
	clash := w.source(map[string]string{"skills/a/SKILL.md": md("a b", "x", "x"), "skills/b/SKILL.md": md("a-b!", "x", "x")})
	if _, err := w.tryPlan(clash, Ask{}, "*"); err == nil || !strings.Contains(err.Error(), "same folder") {
		t.Error(err)
	}
}

// A skill is not installed into itself, nor over itself.
func TestOverlaps(t *testing.T) {
	w := newWorld(t)
	write(t, w.path("SKILL.md"), md("own", "x", "x"))
	write(t, w.path(".agents/skills/here/SKILL.md"), md("here", "x", "x"))
	for _, source := range []string{".", "./.agents/skills/here"} {
		if _, err := w.tryPlan(source, Ask{}); err == nil || !strings.Contains(err.Error(), "lie within one another") {
			t.Errorf("%s: %v", source, err)
		}
	}
	write(t, w.path("skills/other/SKILL.md"), md("other", "x", "x"))
	w.install("./skills/other")
	w.want("a skill of the project itself", w.states(), "other installed")
}

// A skill with a link, or with names that are one elsewhere, is refused whole.
func TestHostileFolders(t *testing.T) {
	w := newWorld(t)
	src := w.source(two())
	link(t, "/etc/passwd", filepath.Join(src, "skills/one/data"))
	if _, err := w.tryPlan(src, Ask{}, "one"); err == nil || !strings.Contains(err.Error(), "data is not an ordinary file (link)") {
		t.Error(err)
	}
	link(t, "/etc", filepath.Join(src, "skills/etc"))
	link(t, "../../../x", filepath.Join(src, "skills/three/SKILL.md"))
	b := fetch(t, src)
	if !slices.Equal(names(b), []string{"one", "Two Words"}) || len(b.Skipped) != 1 {
		t.Errorf("%v %v", names(b), b.Skipped)
	}
	src = w.source(map[string]string{"SKILL.md": md("a", "b", "c"), "x": "1", "X": "2"})
	if _, err := w.tryPlan(src, Ask{}); err == nil || !strings.Contains(err.Error(), "same file on other systems") {
		t.Error(err)
	}
	src = w.source(map[string]string{"SKILL.md": md("a", "b", "c"), "x:y": "1"})
	if _, err := w.tryPlan(src, Ask{}); err == nil || !strings.Contains(err.Error(), "not safe") {
		t.Error(err)
	}
	src = w.source(map[string]string{"SKILL.md": md("a", "b", "c"), "x": strings.Repeat("x", maxBytes)})
	if _, err := w.tryPlan(src, Ask{}); err == nil || !strings.Contains(err.Error(), "25 MiB") {
		t.Error(err)
	}
	src = w.source(map[string]string{"SKILL.md": md("a", "b", "c"), strings.Repeat("d/", maxDepth+1) + "x": "x"})
	if _, err := w.tryPlan(src, Ask{}); err == nil || !strings.Contains(err.Error(), "folders deep") {
		t.Error(err)
	}
	w.want("nothing was written", w.tree(), "")
}

// A project whose folder for skills is a link to elsewhere gets nothing written there, and nothing removed.
func TestPlacesThatLeadOut(t *testing.T) {
	w := newWorld(t)
	src, outside := w.source(two()), t.TempDir()
	link(t, outside, w.path(".agents"))
	if _, err := w.tryPlan(src, Ask{}, "one"); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Error(err)
	}
	if err := os.Remove(w.path(".agents")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(outside, "one/SKILL.md"), md("one", "somebody's", "x"))
	link(t, outside, w.path(".claude/skills"))
	w.install(src, "one")
	st, err := w.store.Find(t.Context(), "one", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Remove(t.Context(), st, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "one/SKILL.md")); err != nil {
		t.Error("something outside was removed:", err)
	}
}

// Other agents find it too: by a link, or by a copy; both go again.
func TestLinksAndCopiesForOthers(t *testing.T) {
	for _, asCopy := range []bool{false, true} {
		w := newWorld(t)
		src := w.source(two())
		if err := os.Mkdir(w.path(".claude"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := w.store.Apply(t.Context(), w.plan(src, Ask{Copy: asCopy}, "Two Words"), false); err != nil {
			t.Fatal(err)
		}
		if asCopy {
			w.want("copy", w.tree(), ".agents/skills/two-words/SKILL.md\n.claude/skills/two-words/SKILL.md\nskills-lock.json")
			write(t, filepath.Join(src, "skills/two/SKILL.md"), md("Two Words", "second", "v2"))
			if err := w.store.Apply(t.Context(), []Change{*w.updates()[0].Change}, false); err != nil {
				t.Fatal(err)
			}
			w.want("both are updated", w.read(".agents/skills/two-words/SKILL.md"), w.read(".claude/skills/two-words/SKILL.md"))
			write(t, w.path(".claude/skills/two-words/SKILL.md"), md("Two Words", "edited", "x"))
			w.want("both are watched", w.states(), "Two Words modified SKILL.md")
		} else {
			w.want("link", w.tree(), ".agents/skills/two-words/SKILL.md\n.claude/skills/two-words -> ../../.agents/skills/two-words\nskills-lock.json")
		}
		write(t, w.path(".claude/skills/own/SKILL.md"), md("own", "x", "x"))
		link(t, "nowhere", w.path(".claude/skills/dead"))
		st, err := w.store.Find(t.Context(), "Two Words", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.Remove(t.Context(), st, true); err != nil {
			t.Fatal(err)
		}
		w.want("removed", w.tree(), ".claude/skills/dead -> nowhere\n.claude/skills/own/SKILL.md\nskills-lock.json")
	}
}

func TestUpdates(t *testing.T) {
	w := newWorld(t)
	bare, work := repo(t, map[string]string{
		"skills/one/SKILL.md": md("one", "first", "v1"), "skills/one/old.sh": "x", "skills/two/SKILL.md": md("two", "second", "v1"), "skills/gone/SKILL.md": md("gone", "g", "x"),
	})
	w.install("file://"+bare, "*")
	for _, u := range w.updates() {
		if u.Err != nil || !u.Change.Same {
			t.Errorf("%s: %v", u.State.Name, u.Err)
		}
	}
	git(t, work, "mv", "skills/two", "skills/other")
	git(t, work, "rm", "-rq", "skills/gone", "skills/one/old.sh")
	commit := push(t, work, map[string]string{"skills/one/SKILL.md": md("one", "first", "v2"), "skills/one/new.sh": "x", "skills/other/SKILL.md": md("two", "second", "v2")})
	var changes []Change
	for _, u := range w.updates() {
		switch u.State.Name {
		case "gone":
			if u.Err == nil || !strings.Contains(u.Err.Error(), "has no gone any more") {
				t.Error(u.Err)
			}
			continue
		case "one":
			var got []string
			for _, d := range u.Change.Diffs {
				got = append(got, string(d.What)+" "+d.Path)
			}
			w.want("diff", strings.Join(got, ", "), "change SKILL.md, add new.sh, remove old.sh")
		}
		if u.Err != nil || u.Change.Blocked != nil {
			t.Fatal(u.State.Name, u.Err, u.Change)
		}
		changes = append(changes, *u.Change)
	}
	if err := w.store.Apply(t.Context(), changes, false); err != nil {
		t.Fatal(err)
	}
	w.want("updated", w.states(), "gone installed; one installed; two installed")
	st, err := w.store.Find(t.Context(), "two", "")
	if err != nil || st.Commit != commit || st.entry.text(fPath) != "skills/other/SKILL.md" || !strings.Contains(w.read(".agents/skills/two/SKILL.md"), "v2") {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := os.Stat(w.path(".agents/skills/one/old.sh")); err == nil {
		t.Error("a file that is gone there is still here")
	}
	if err := os.RemoveAll(w.path(".agents/skills/one")); err != nil {
		t.Fatal(err)
	}
	w.want("a folder that is gone", w.states(), "gone installed; one missing; two installed")
	for _, u := range w.updates() {
		if u.State.Name == "one" {
			if err := w.store.Apply(t.Context(), []Change{*u.Change}, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.want("comes back", w.states(), "gone installed; one installed; two installed")
}

// Entries that cannot be fetched again say why, and the others are looked at.
func TestSourcesThatCannotBeFetchedAgain(t *testing.T) {
	w := newWorld(t)
	src := w.source(two())
	w.install(src, "*")
	l, err := readLock(w.place)
	if err != nil {
		t.Fatal(err)
	}
	for name, fields := range map[string]string{
		"npm": `{"source":"pkg","sourceType":"node_modules"}`, "short": `{"source":"a/b","sourceType":"git"}`,
		"dash": `{"source":"x","sourceUrl":"--upload-pack=x","sourceType":"git"}`, "ext": `{"source":"x","sourceUrl":"ext::sh -c x","sourceType":"git"}`,
		"up": `{"source":"a/b/..","sourceType":"github"}`, "odd": `{"source":5}`,
	} {
		o, err := readObject([]byte(fields))
		if err != nil {
			t.Fatal(err)
		}
		l.set(entry{name, o})
	}
	if err := l.write(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, u := range w.updates() {
		if u.Err != nil {
			n++
		}
	}
	if n != 6 {
		t.Errorf("%d of 6 were refused", n)
	}
}

func TestMeanwhile(t *testing.T) {
	w := newWorld(t)
	src := w.source(two())
	changes := w.plan(src, Ask{}, "one")
	write(t, w.path(".agents/skills/one/SKILL.md"), "somebody was faster")
	w.blocked(changes, "has changed meanwhile")
	if err := w.store.Apply(t.Context(), changes, true); err == nil {
		t.Error("not even by force: nobody has seen what would be lost")
	}
	ctx, cancel := context.WithCancel(t.Context())
	release, err := hold(ctx, w.place.Skills())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := hold(ctx, w.place.Skills()); err == nil {
		t.Error("held twice")
	}
	release()
}

// TestHelperProcess is no test: it is what tests run in another process, in a folder with a project and a source.
func TestHelperProcess(t *testing.T) {
	for _, verb := range []string{"install", "remove"} {
		for _, step := range []string{"staged", "recorded", "placed", "taken", "never"} {
			t.Run(verb+"-"+step, func(t *testing.T) {
				if _, err := os.Stat("project"); err != nil {
					t.Skip("not here: this is run by other tests")
				}
				help(t, verb, step)
			})
		}
	}
}

// help does something to the project and kills this process at a step.
func help(t *testing.T, verb, step string) {
	dir, err := filepath.EvalSymlinks("project")
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{Places: []Place{ProjectPlace(dir)}, step: func(name string) {
		if name == step {
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				_ = p.Kill()
			}
			select {}
		}
	}}
	if verb == "remove" {
		st, err := s.Find(t.Context(), "one", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(t.Context(), st, false); err != nil {
			t.Fatal(err)
		}
		return
	}
	source, err := filepath.EvalSymlinks("source")
	if err != nil {
		t.Fatal(err)
	}
	b, err := (&Fetcher{Temp: t.TempDir()}).Fetch(t.Context(), localSource(source, dir), false)
	if err != nil {
		t.Fatal(err)
	}
	changes, _, err := s.Plan(t.Context(), s.Places[0], b, b.Found, Ask{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), changes, false); err != nil {
		t.Fatal(err)
	}
}

func helperProcess(t *testing.T, dir, source, verb, step string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestHelperProcess$/^"+verb+"-"+step+"$")
	cmd.Dir = t.TempDir()
	link(t, dir, filepath.Join(cmd.Dir, "project"))
	link(t, source, filepath.Join(cmd.Dir, "source"))
	return cmd
}

// Whatever ends the program, and wherever: the old skill is there or the new one, whole, and never one from elsewhere that
// nobody knows to be. The next change clears up.
func TestKilledInTheMiddle(t *testing.T) {
	for _, verb := range []string{"install", "update", "remove"} {
		for _, step := range []string{"staged", "recorded", "placed", "taken"} {
			if (verb == "remove") != (step == "taken") {
				continue
			}
			t.Run(verb+" "+step, func(t *testing.T) {
				w := newWorld(t)
				src := w.source(map[string]string{"SKILL.md": md("one", "first", "v1"), "a/b": "v1"})
				other := w.source(map[string]string{"SKILL.md": md("other", "x", "x")})
				does := verb
				if verb != "install" {
					w.install(src)
				}
				if verb == "update" {
					write(t, filepath.Join(src, "a/b"), "v2")
					does = "install"
				}
				cmd := helperProcess(t, w.dir, src, does, step)
				if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.Exited() {
					t.Fatalf("it was not killed: %v %s", err, out)
				}
				got := w.read(".agents/skills/one/SKILL.md") + w.read(".agents/skills/one/a/b")
				old, now := md("one", "first", "v1")+"v1", md("one", "first", "v1")+"v2"
				if got != "" && got != old && got != now {
					t.Errorf("neither the old nor the new one: %q", got)
				}
				if verb == "update" && got == "" {
					t.Error("the skill is gone")
				}
				if is := Installed(w.store.Places); got != "" && !is(w.path(".agents/skills/one")) {
					t.Error("it is there and nobody knows that it came from elsewhere")
				}
				w.install(other)
				states, tree := w.states(), w.tree()
				if strings.Contains(tree, staging) {
					t.Errorf("something is left over:\n%s", tree)
				}
				if strings.Contains(states, "modified") || strings.Contains(states, "missing") {
					t.Errorf("%s\n%s", states, tree)
				}
			})
		}
	}
}

// Where two folders cannot change places in one step, a program that dies between the two steps is made good by the next.
func TestSwapWithoutExchange(t *testing.T) {
	w := newWorld(t)
	src := w.source(map[string]string{"SKILL.md": md("one", "first", "v1")})
	w.install(src)
	write(t, filepath.Join(src, "SKILL.md"), md("one", "first", "v2"))
	c := w.plan(src, Ask{})[0]
	l, err := readLock(w.place)
	if err != nil {
		t.Fatal(err)
	}
	staged, err := stageAll([]Change{c})
	if err != nil {
		t.Fatal(err)
	}
	if err := record(l, []Change{c}); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(staged[w.place.Skills()], aside)
	if err := os.MkdirAll(old, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(c.Dir, filepath.Join(old, "one")); err != nil {
		t.Fatal(err)
	}
	w.install(w.source(map[string]string{"SKILL.md": md("other", "x", "x")}))
	w.want("made good", w.states()+w.read(".agents/skills/one/SKILL.md"), "one installed; other installed"+md("one", "first", "v2"))
}

// Many at once, in this process and in others: each is there at the end, and so is its entry.
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
	var sources []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		sources = append(sources, w.source(map[string]string{"SKILL.md": md(name, "does "+name, "x")}))
	}
	errs := make(chan error, len(sources))
	for i, src := range sources {
		if i%2 == 0 {
			cmd := helperProcess(t, w.dir, src, "install", "never")
			go func() {
				out, err := cmd.CombinedOutput()
				if err != nil {
					err = fmt.Errorf("%w: %s", err, out)
				}
				errs <- err
			}()
			continue
		}
		changes := w.plan(src, Ask{})
		go func() { errs <- w.store.Apply(t.Context(), changes, false) }()
	}
	for range sources {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	w.want("all", w.states(), "a installed; b installed; c installed; d installed; e installed; f installed")
}

func TestUserLevel(t *testing.T) {
	w := newWorld(t)
	home := w.store.Places[1]
	w.place = home
	src := w.source(two())
	w.install(src, "one")
	st, err := w.store.Find(t.Context(), "one", User)
	if err != nil || st.Status != Intact || len(st.entry.text(fFolder)) != 64 || st.entry.text(fSince) == "" || st.entry.text(fURL) != src {
		t.Fatalf("%+v %v", st, err)
	}
	since := st.entry.text(fSince)
	write(t, filepath.Join(src, "skills/one/SKILL.md"), md("one", "first", "v2"))
	if err := w.store.Apply(t.Context(), []Change{*w.updates()[0].Change}, false); err != nil {
		t.Fatal(err)
	}
	if st, err = w.store.Find(t.Context(), "one", User); err != nil || st.entry.text(fSince) != since || st.Status != Intact {
		t.Errorf("%+v %v", st, err)
	}
	if err := w.store.Remove(t.Context(), st, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home.Skills(), "one")); err == nil {
		t.Error("still there")
	}
}

func TestNotesAndRenames(t *testing.T) {
	body := "---\nname: x\nallowed-tools: Bash\n---\nrun !`id` now\n"
	if got := notes(Tree{{Path: skillFile, Data: []byte(body)}}); len(got) != 2 {
		t.Error(got)
	}
	if got := notes(Tree{{Path: skillFile, Data: []byte(md("x", "y", "plain `code` and !important"))}}); len(got) != 0 {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"---\nname: old\ndescription: x\n---\nname: y\n":        "---\nname: new\ndescription: x\n---\nname: y\n",
		"---\r\ndescription: x\r\nname: \"a b\"\r\n---\r\nbody": "---\r\ndescription: x\r\nname: new\r\n---\r\nbody",
		"---\nname: >\n  a\n---\n":                              "", "---\nname: &x a\n---\n": "", "---\ndescription: y\n---\nname: z\n": "",
	} {
		got, err := rename([]byte(text), "new")
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}

// Without a newer version what a person changed stays, and is taken back when that is wanted.
func TestForceBringsBackWhatWasInstalled(t *testing.T) {
	w := newWorld(t)
	w.install(w.source(map[string]string{"SKILL.md": md("weather", "d", "b\n")}))
	file := ".agents/skills/weather/SKILL.md"
	before := w.read(file)
	if err := os.WriteFile(w.path(file), []byte(before+"mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	states, err := w.store.States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := w.store.Updates(t.Context(), w.fetcher, states, false)
	if err != nil || len(kept) != 1 || !kept[0].Change.Same || kept[0].Change.Restores {
		t.Fatalf("kept: %+v, %v", kept, err)
	}
	back, err := w.store.Updates(t.Context(), w.fetcher, states, true)
	if err != nil || len(back) != 1 {
		t.Fatalf("%+v, %v", back, err)
	}
	c := back[0].Change
	if c.Same || !c.Restores || c.Blocked == nil || len(c.Diffs) != 1 || !c.Diffs[0].Edited || c.Shown()["SKILL.md"] == "" {
		t.Fatalf("change: %+v", c)
	}
	if err := w.store.Apply(t.Context(), []Change{*c}, true); err != nil {
		t.Fatal(err)
	}
	if got := w.read(file); got != before {
		t.Errorf("is %q, was %q", got, before)
	}
}
