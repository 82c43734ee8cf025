package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/kit/skill"
)

// npm runs the npm program in the test's project. SKILLS_CLI is the command: "/path/to/node /path/to/skills/bin/cli.mjs".
func (w *world) npm(args ...string) string {
	w.t.Helper()
	cmd := w.npmCommand(args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("skills %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (w *world) npmCommand(args ...string) *exec.Cmd {
	w.t.Helper()
	words := strings.Fields(os.Getenv("SKILLS_CLI"))
	if len(words) == 0 {
		w.t.Skip("not here: npm skills CLI (SKILLS_CLI names it)")
	}
	cmd := exec.CommandContext(w.t.Context(), words[0], append(words[1:], args...)...)
	cmd.Dir = w.dir
	cmd.Env = append(gitEnv(w.t), "HOME="+w.store.Places[1].Dir, "DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1", "XDG_STATE_HOME=", "CI=1", "NO_COLOR=1")
	return cmd
}

// npmList are the names that their list has.
func (w *world) npmList(more ...string) []string {
	w.t.Helper()
	out := w.npm(append([]string{"list", "--json"}, more...)...)
	var list []struct{ Name string }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

// loads are the names that load in the project, with repetitions.
func (w *world) loads() []string {
	w.t.Helper()
	set, err := skill.Load(w.t.Context(), skill.Options{
		Roots: skill.Places(w.dir, "", "", ""), Installed: Installed(w.store.Places),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, f := range set.Doctor() {
		names = append(names, f.Name+" "+string(f.Status))
	}
	for _, k := range set.All() {
		if !k.Installed {
			w.t.Errorf("%s does not count as installed", k.Name)
		}
	}
	return names
}

// plainTwo is a source without files that are not installed: of those their hash knows, and we cannot.
func plainTwo() map[string]string {
	files := two()
	delete(files, "skills/one/metadata.json")
	delete(files, "skills/one/__pycache__/x.pyc")
	return files
}

// What they install we find once, whole, as installed; we update and remove it.
func TestTheyInstall(t *testing.T) {
	w := newWorld(t)
	src := w.source(plainTwo())
	w.npm("add", src, "--skill", "*", "-a", "claude-code", "codex", "-y")
	w.want("states", w.states(), "Two Words installed; one installed")
	w.want("loads", strings.Join(w.loads(), "; "), "one loaded; Two Words loaded")
	for _, u := range w.updates() {
		if u.Err != nil || !u.Change.Same {
			t.Errorf("%s: %v %+v", u.State.Name, u.Err, u.Change)
		}
	}
	write(t, w.path(".agents/skills/one/run.sh"), "mine")
	w.want("states", w.states(), "Two Words installed; one modified")
	st, err := w.store.Find(t.Context(), "one", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Remove(t.Context(), st, true); err != nil {
		t.Fatal(err)
	}
	w.want("their list", strings.Join(w.npmList(), ","), "Two Words")
	write(t, filepath.Join(src, "skills/two/SKILL.md"), md("Two Words", "second", "v2"))
	if err := w.store.Apply(t.Context(), []Change{*w.updates()[0].Change}, false); err != nil {
		t.Fatal(err)
	}
	w.npm("remove", "Two Words", "-y")
	w.want("states", w.states(), "")
	w.want("tree", w.tree(), "skills-lock.json")
}

// A copy for one agent only, which is how they do it when there is one, is found where it is.
func TestTheyInstallForOneAgent(t *testing.T) {
	w := newWorld(t)
	w.npm("add", w.source(plainTwo()), "--skill", "one", "-a", "claude-code", "-y")
	w.want("states", w.states(), "one installed")
	w.want("loads", strings.Join(w.loads(), "; "), "one loaded")
	st, err := w.store.Find(t.Context(), "one", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Remove(t.Context(), st, false); err != nil {
		t.Fatal(err)
	}
	w.want("removed", w.tree(), "skills-lock.json")
}

// What we install they list, leave alone while it is current, update and remove.
func TestWeInstall(t *testing.T) {
	w := newWorld(t)
	bare, work := repo(t, map[string]string{
		"skills/one/SKILL.md": md("one", "first", "v1"), "skills/one/B.md": "1", "skills/one/a_b.md": "2", "skills/one/a-b.md": "3", "skills/zh/metadata.json": "{}",
		"skills/two/SKILL.md": md("Two Words", "second", "v1"), "skills/zh/SKILL.md": md("zh", "第三", "v1"), "skills/zh/文.md": "1", "skills/zh/中.md": "2",
	})
	w.install("file://"+bare, "*")
	w.want("their list", strings.Join(w.npmList(), ","), "Two Words,one,zh")
	if out := w.npm("update", "-p", "-y"); !strings.Contains(out, "up to date") || strings.Contains(out, "Updating one") {
		t.Error(out)
	}
	push(t, work, map[string]string{"skills/one/SKILL.md": md("one", "first", "v2")})
	if out := w.npm("update", "-p", "-y"); !strings.Contains(out, "Updated one") || strings.Contains(out, "Updated zh") {
		t.Error(out)
	}
	w.want("states", w.states(), "Two Words installed; one installed; zh installed")
	for _, u := range w.updates() {
		if u.Err != nil || !u.Change.Same {
			t.Errorf("%s: %v %+v", u.State.Name, u.Err, u.Change)
		}
	}
	w.npm("remove", "one", "zh", "-y")
	w.want("states", w.states(), "Two Words installed")
}

// Our entries are theirs, but for the fields that are ours alone.
func TestEntriesAreTheirs(t *testing.T) {
	bare, _ := repo(t, map[string]string{"skills/one/SKILL.md": md("one", "first", "v1"), "skills/one/metadata.json": "{}", "a/SKILL.md": md("A b", "x", "y")})
	local := t.TempDir()
	write(t, filepath.Join(local, "skills/x/SKILL.md"), md("x", "y", "z"))
	site := serve(t, map[string][]byte{
		"/.well-known/agent-skills/index.json":     []byte(`{"skills":[{"name":"one","description":"first","files":["SKILL.md","ref/a.md"]}]}`),
		"/.well-known/agent-skills/one/SKILL.md":   []byte(md("one", "first", "x")),
		"/.well-known/agent-skills/one/ref/a.md":   []byte("a"),
		"/team/.well-known/skills/index.json":      []byte(`{"$schema":"` + indexV2 + `","skills":[{"name":"two","description":"second","type":"skill-md","url":"two.md","digest":"` + digest([]byte(md("two", "second", "x"))) + `"}]}`),
		"/team/.well-known/skills/two.md":          []byte(md("two", "second", "x")),
		"/.well-known/agent-skills/one/unused.txt": nil,
	})
	for _, source := range []string{"file://" + bare, local, site, site + "/team"} { // they have fragments on other URLs only
		ours, theirs := newWorld(t), newWorld(t)
		for _, level := range []int{0, 1} {
			ours.place, theirs.place = ours.store.Places[level], theirs.store.Places[level]
			args := []string{"add", source, "--skill", "*", "-a", "codex", "-y"}
			if level == 1 {
				args = append(args, "-g")
			}
			theirs.npm(args...)
			ours.install(source, "*")
			got, want := fieldsOf(t, ours.place), fieldsOf(t, theirs.place)
			if len(want) == 0 && level == 1 {
				continue // they keep no account of this kind of source
			}
			if got != strings.ReplaceAll(want, theirs.dir, ours.dir) {
				t.Errorf("%s\n%s\ntheirs\n%s", source, got, want)
			}
		}
	}
}

// fieldsOf is a lock file without what only we write and without times.
func fieldsOf(t *testing.T, p Place) string {
	t.Helper()
	l, err := readLock(p)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(l.entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	var out strings.Builder
	for _, e := range l.entries {
		for _, f := range []string{fCommit, fFiles, fOriginal, fSince, fUpdated} {
			e.object = slices.DeleteFunc(e.object, func(m member) bool { return m.key == f })
		}
		raw, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		source := e.text(fSource)
		if p.Level == Project && e.text(fKind) == string(Local) { // relative to folders of the test
			raw = []byte(strings.ReplaceAll(string(raw), source, filepath.Base(source)))
		}
		out.WriteString(e.key + " " + string(raw) + "\n")
	}
	return out.String()
}

// Both find the same skills in a source, in all of these arrangements.
func TestBothFindTheSame(t *testing.T) {
	a, b, c := md("a", "does a", "x"), md("b", "does b", "x"), md("c", "does c", "x")
	for name, files := range arrangements(a, b, c) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			src := w.source(files)
			found := names(fetch(t, src))
			slices.Sort(found)
			out, err := w.npmCommand("add", src, "--skill", "*", "-a", "codex", "-y", "--json").Output()
			var list []struct{ Name, Status string }
			if jsonErr := json.Unmarshal(out, &list); jsonErr != nil {
				t.Fatal(err, jsonErr, string(out))
			}
			var theirs []string
			for _, l := range list {
				if l.Status == "installed" {
					theirs = append(theirs, l.Name)
				}
			}
			slices.Sort(theirs)
			if !slices.Equal(found, theirs) {
				t.Errorf("%v, they find %v", found, theirs)
			}
		})
	}
}
