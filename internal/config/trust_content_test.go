package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// folder makes files below a new directory.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func hashed(t *testing.T, path string) Content {
	t.Helper()
	c, err := HashContent(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTrustInAFolderIsTrustInItsContent(t *testing.T) {
	dir := folder(t, map[string]string{"SKILL.md": "text", "scripts/run.py": "print(1)", ".git/HEAD": "x", "scripts/__pycache__/run.pyc": "x"})
	file := TrustFile{Path: filepath.Join(t.TempDir(), "user", "trust")}
	first := hashed(t, dir)
	if !slices.Equal(first.Names(), []string{"SKILL.md", "scripts/run.py"}) {
		t.Fatalf("files: %q", first.Names())
	}
	if changed, known := file.Changed(first); known || len(changed) != 2 || file.TrustedContent(first) {
		t.Fatalf("before: %q, known %v", changed, known)
	}
	for range 2 { // the second changes nothing
		if err := file.AddContent(first); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != 3 {
		t.Errorf("%d lines:\n%s", n, data)
	}
	if !file.TrustedContent(hashed(t, dir)) {
		t.Error("the same content is not trusted")
	}
	put(t, dir, ".git/HEAD", "other")
	put(t, dir, "scripts/__pycache__/more.pyc", "other")
	if !file.TrustedContent(hashed(t, dir)) {
		t.Error("what no program of the folder runs counts")
	}

	for name, c := range map[string]struct {
		change func()
		want   []string
	}{
		"a change": {func() { put(t, dir, "scripts/run.py", "print(2)") }, []string{"scripts/run.py"}},
		"a new":    {func() { put(t, dir, "scripts/new.py", "print(3)") }, []string{"scripts/new.py"}},
		"none left": {func() {
			if err := os.Remove(filepath.Join(dir, "scripts", "run.py")); err != nil {
				t.Fatal(err)
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, dir, "scripts/run.py", "print(1)")
			_ = os.Remove(filepath.Join(dir, "scripts", "new.py"))
			c.change()
			now := hashed(t, dir)
			changed, known := file.Changed(now)
			if file.TrustedContent(now) || !known || !slices.Equal(changed, c.want) {
				t.Errorf("trusted %v, known %v, changed %q", file.TrustedContent(now), known, changed)
			}
		})
	}
}

func TestNamesAreContent(t *testing.T) {
	a := folder(t, map[string]string{"a": "1", "b": "2"})
	b := folder(t, map[string]string{"a": "2", "b": "1"})
	c := folder(t, map[string]string{"a": "1", "sub/b": "2"})
	if x, y, z := hashed(t, a), hashed(t, b), hashed(t, c); x.SHA256 == y.SHA256 || x.SHA256 == z.SHA256 {
		t.Error("files that changed places are the same content")
	}
}

func TestASingleFileIsContentToo(t *testing.T) {
	dir := folder(t, map[string]string{"one.md": "text"})
	file := TrustFile{Path: filepath.Join(t.TempDir(), "trust")}
	path := filepath.Join(dir, "one.md")
	if err := file.AddContent(hashed(t, path)); err != nil {
		t.Fatal(err)
	}
	if !file.TrustedContent(hashed(t, path)) {
		t.Error("not trusted")
	}
	put(t, dir, "one.md", "other")
	now := hashed(t, path)
	if changed, known := file.Changed(now); file.TrustedContent(now) || !known || !slices.Equal(changed, []string{"."}) {
		t.Errorf("changed %q, known %v", changed, known)
	}
}

func TestLinksCountByWhereTheyLead(t *testing.T) {
	dir := folder(t, map[string]string{"a.py": "1", "b.py": "2", "sub/x": "3"})
	link := filepath.Join(dir, "run.py")
	if err := os.Symlink("a.py", link); err != nil {
		t.Skip("not here: symbolic links")
	}
	before := hashed(t, dir)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.py", link); err != nil {
		t.Fatal(err)
	}
	if hashed(t, dir).SHA256 == before.SHA256 {
		t.Error("a link that leads elsewhere is the same content")
	}
	outside := folder(t, map[string]string{"evil.py": "x"})
	for name, to := range map[string]string{"a file": filepath.Join(outside, "evil.py"), "a folder": outside, "up": "..", "nothing": "none.py"} {
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		if _, err := HashContent(dir); err == nil || !strings.Contains(err.Error(), "run.py") && name != "nothing" {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The folder itself may be reached over a link.
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, other); err != nil {
		t.Fatal(err)
	}
	if x, y := hashed(t, other), hashed(t, dir); x.Path != y.Path || x.SHA256 != y.SHA256 {
		t.Error("over a link it is another folder")
	}
}

func TestAFolderNobodyLooksThroughIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	for i := range maxTrustFiles + 1 {
		if err := os.WriteFile(filepath.Join(dir, "f"+string(rune('a'+i%26))+strings.Repeat("x", i/26)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := HashContent(dir); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("error: %v", err)
	}
	if _, err := HashContent(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("error: %v", err)
	}
}

func TestWhatIsSaidOfTextsHoldsForTheProject(t *testing.T) {
	file := TrustFile{Path: filepath.Join(t.TempDir(), "user", "trust")}
	want := func(root string, yes, said bool) {
		t.Helper()
		if y, s := file.Texts(root); y != yes || s != said {
			t.Errorf("%s: yes %v, said %v", root, y, s)
		}
	}
	set := func(root string, yes bool) {
		t.Helper()
		if err := file.SetTexts(root, yes); err != nil {
			t.Fatal(err)
		}
	}
	want("/a", false, false)
	set("/a", true)
	want("/a", true, true)
	want("/a/b", false, false)
	want("/", false, false)
	set("/a", false)
	set("/a", false)
	want("/a", false, true)
	set("/a", true)
	want("/a", true, true)
	if data, err := os.ReadFile(file.Path); err != nil || strings.Count(string(data), "\n") != 3 {
		t.Errorf("record:\n%s%v", data, err)
	}
	if file.Trusted("/a", trustTexts) && file.Trusted("/b", trustTexts) {
		t.Error("the record of one project is that of another")
	}
	if err := file.SetTexts("/a\nb", true); err == nil {
		t.Error("a line break in a name was recorded")
	}
	want("/a\nb", false, false)
}

func TestWhatWasMetIsNamedAsLongAsItIsThere(t *testing.T) {
	dir := folder(t, map[string]string{"sub/AGENTS.md": "x", "AGENTS.md": "y"})
	file := TrustFile{Path: filepath.Join(t.TempDir(), "trust")}
	if met := file.Met(dir); met != nil {
		t.Fatalf("met: %q", met)
	}
	path := filepath.Join(dir, "sub", "AGENTS.md")
	for range 2 {
		if err := file.Meet(path); err != nil {
			t.Fatal(err)
		}
	}
	if met := file.Met(dir); !slices.Equal(met, []string{path}) {
		t.Errorf("met: %q", met)
	}
	if met := file.Met(filepath.Join(dir, "su")); met != nil {
		t.Errorf("met elsewhere: %q", met)
	}
	if yes, said := file.Texts(path); yes || said {
		t.Error("to meet is to trust")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if met := file.Met(dir); met != nil {
		t.Errorf("met what is gone: %q", met)
	}
}

func TestTrustFromManyAtOnce(t *testing.T) {
	file := TrustFile{Path: filepath.Join(t.TempDir(), "trust")}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := file.SetTexts("/p"+string(rune('a'+i)), true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		if yes, _ := file.Texts("/p" + string(rune('a'+i))); !yes {
			t.Errorf("/p%c is lost", 'a'+i)
		}
	}
}
