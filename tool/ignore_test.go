package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ignoreNames are what the trees of these tests are made of.
var ignoreNames = []string{"a", "b", "ab", "a.b", ".a", "x y", "a b ", "[a]", "a*", "中", "#a", "!a", `\`, "A", "7", "\t", "\v", "\x7f", "~"}

// ignoreBits are what the rules are made of.
var ignoreBits = []string{
	"a", "b", "ab", ".", "x y", "中", "A", "/", "/", "/", "*", "*", "**", "**/", "/**", "/**/", "***", "?", "!", "#", `\`, " ", "\t",
	"[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[a", "[!]", `[\]a]`, "[[:alpha:]]", "[[:no:]]", "[[:upper:]-z]", "[a-]", "[-a]", "[:a]", `[\a-b]`, "[[a]", "[/]", "[[:a]", "[*-z]",
	"[[:alnum:]]", "[[:blank:]]", "[[:cntrl:]]", "[[:digit:]]", "[[:graph:]]", "[[:lower:]]", "[[:print:]]", "[[:punct:]]", "[[:space:]]", "[[:xdigit:]]", `[a-\`, `[\`,
	`\a`, `\*`, `\ `, `\/`, `\#a`, `\!a`, "a ", "*.b", ".*",
}

func rules(t *rapid.T, label string) string {
	lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(ignoreBits), 1, 5).Draw(t, "bits"), "")
	}), 0, 4).Draw(t, label)
	return strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "line end"))
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
}

// git runs git in a directory, without anybody's settings.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		if e.ExitCode() == 1 && args[0] == "check-ignore" {
			return string(out) // none is ignored
		}
		t.Fatalf("git %v: %v: %s", args, err, e.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// everything lists a tree, without .git.
func everything(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// notIgnored lists what git would not ignore.
func notIgnored(t testing.TB, dir string) []string {
	t.Helper()
	all := everything(t, dir)
	out := git(t, dir, strings.Join(all, "\x00"), "check-ignore", "--no-index", "-z", "--stdin")
	ignored := strings.Split(out, "\x00")
	return slices.DeleteFunc(all, func(p string) bool { return slices.Contains(ignored, p) })
}

// walked lists what a walk visits.
func walked(t testing.TB, root, top string, all bool) []string {
	t.Helper()
	var list []string
	last := ""
	w := walk{root: root, top: top, all: all, tally: &tally{}}
	w.visit = func(f found) bool {
		key := f.path
		if f.dir() {
			key += "/"
		}
		if key <= last {
			t.Errorf("%q comes after %q", key, last)
		}
		last = key
		list = append(list, f.path)
		return true
	}
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A walk sees what git sees, with rules in many places. Each directory below the top is a small tree with its own rules,
// so that one question to git tells about many.
func TestWalkIgnoresLikeGit(t *testing.T) {
	needGit(t)
	needUnix(t)
	top := t.TempDir()
	git(t, top, "", "init", "-q")
	rapid.Check(t, func(rt *rapid.T) {
		old, err := os.ReadDir(top)
		if err != nil {
			rt.Fatal(err)
		}
		for _, d := range old {
			if d.Name() != ".git" {
				os.RemoveAll(filepath.Join(top, d.Name()))
			}
		}
		write(t, filepath.Join(top, ".git", "info", "exclude"), rules(rt, "exclude"))
		if rapid.Bool().Draw(rt, "at the top") {
			write(t, filepath.Join(top, ".gitignore"), rules(rt, "top"))
		}
		for i := range rapid.IntRange(1, 10).Draw(rt, "trees") {
			dir := filepath.Join(top, fmt.Sprint(i))
			write(t, filepath.Join(dir, ".gitignore"), rules(rt, "tree"))
			for range rapid.IntRange(1, 8).Draw(rt, "files") {
				parts := rapid.SliceOfN(rapid.SampledFrom(ignoreNames), 1, 4).Draw(rt, "path")
				file := filepath.Join(dir, filepath.Join(parts...))
				if os.MkdirAll(filepath.Dir(file), 0o700) != nil {
					continue // a file is in the way
				}
				if info, err := os.Stat(file); err != nil || !info.IsDir() {
					write(t, file, "")
				}
				if rapid.IntRange(0, 3).Draw(rt, "nested") == 0 {
					write(t, filepath.Join(filepath.Dir(file), ".gitignore"), rules(rt, "nested rules"))
				}
			}
		}
		want := notIgnored(t, top)
		got := walked(t, top, top, false)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Errorf("walk %q\n git %q", got, want)
		}
		all := everything(t, top)
		slices.Sort(all)
		if got := walked(t, top, top, true); !slices.Equal(got, all) {
			rt.Errorf("all: walk %q\nfiles %q", got, all)
		}
	})
}

func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		rules, path string
		dir, want   bool
	}{
		{"*.o", "x/y.o", false, true},
		{"*.o\n!y.o", "x/y.o", false, false},
		{"!y.o\n*.o", "x/y.o", false, true},
		{"/a", "a", false, true},
		{"/a", "b/a", false, false},
		{"a/", "a", false, false},
		{"a/", "b/a", true, true},
		{"a/b", "a/b", false, true},
		{"a/b", "c/a/b", false, false},
		{"**/b", "a/c/b", false, true},
		{"a/**", "a/b/c", false, true},
		{"a/**", "a", true, false},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a/*/b", "a/x/y/b", false, false},
		{"# a", "# a", false, false},
		{`\#a`, "#a", false, true},
		{"a ", "a", false, true},
		{`a\ `, "a ", false, true},
		{"\xef\xbb\xbfa", "a", false, true},
		{"a\r\n", "a", false, true},
		{"[", "[", false, false},
		{`a\`, "a", false, false},
		{"", "", false, false},
		{"?", "中", false, false}, // bytes, as in git
		{"???", "中", false, true},
		{"a*b*c*d*e*f*g*h*i*j*k*l*m*n*z", strings.Repeat("abcdefghijklmn", 300), false, false},
		{strings.Repeat("**/", 40) + "z", strings.Repeat("a/", 2000) + "b", false, false},
	} {
		l := &ignoreLevel{rules: parseIgnore(c.rules)}
		if got := l.ignored(c.path, c.dir); got != c.want {
			t.Errorf("%.40q %.40q: %v", c.rules, c.path, got)
		}
	}
}

// A search that begins below the top of a repository knows the rules above; a repository inside has only its own; a work
// tree finds the rules of its repository; without a repository rules begin at the work directory.
func TestIgnoreRoots(t *testing.T) {
	needGit(t)
	needUnix(t)
	e := world(t)
	at := func(p string) string { return filepath.Join(e.Root, p) }
	write(t, at("repo/f"), "")
	git(t, at("repo"), "", "init", "-q")
	git(t, at("repo"), "", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	write(t, at("repo/.git/info/exclude"), "excluded\n")
	write(t, at("repo/.gitignore"), "/sub/gone\n*.o\n!keep.o\n")
	for _, f := range []string{"gone", "x.o", "keep.o", "excluded", "kept", "inner/x.o", "inner/excluded", "inner/own"} {
		write(t, at("repo/sub/"+f), "")
	}
	git(t, at("repo/sub/inner"), "", "init", "-q")
	write(t, at("repo/sub/inner/.gitignore"), "own")
	if got, want := walked(t, at("repo/sub"), e.Root, false), []string{
		"inner", "inner/.gitignore", "inner/excluded", "inner/x.o", "keep.o", "kept",
	}; !slices.Equal(got, want) {
		t.Errorf("below the top: %q", got)
	}
	git(t, at("repo"), "", "worktree", "add", "-q", at("tree"))
	for _, f := range []string{"excluded", "x"} {
		write(t, at("tree/"+f), "")
	}
	if got := walked(t, at("tree"), e.Root, false); !slices.Equal(got, []string{"x"}) {
		t.Errorf("work tree: %q", got)
	}
	write(t, at(".gitignore"), "*.log\n")
	write(t, at("plain/deep/.gitignore"), "!b.log")
	for _, f := range []string{"a.log", "b.log", "c"} {
		write(t, at("plain/deep/"+f), "")
	}
	if got := walked(t, at("plain"), e.Root, false); !slices.Equal(got, []string{"deep", "deep/.gitignore", "deep/b.log", "deep/c"}) {
		t.Errorf("no repository: %q", got)
	}
	if got := walked(t, at("plain/deep"), e.Root, false); !slices.Equal(got, []string{".gitignore", "b.log", "c"}) {
		t.Errorf("no repository, deeper: %q", got)
	}
}

func FuzzIgnore(f *testing.F) {
	for _, bit := range ignoreBits {
		f.Add(bit+"\n!"+bit+"/", "a/b/"+bit, true)
	}
	f.Add(bom+"a", bom+"a", false)
	f.Add("a\\", "a", false)
	f.Add("a\r", "a\r", false)
	f.Add("\xff*\r\n", "\xffx", true)
	f.Add("/\n//\n\\!a\n\\#", "#", true)
	f.Add(" \n\\ ", " ", true)
	f.Add("a/", "a", true)
	f.Add("**/\n*", "", true)
	f.Add("a/**/b\n!**/c/\n[[:alpha:]-z]*\\", "a/x/b", false)
	f.Fuzz(func(t *testing.T, text, path string, dir bool) {
		if len(text) > 200 || len(path) > 200 {
			return
		}
		judge := func(text string) bool { return (&ignoreLevel{rules: parseIgnore(text)}).ignored(path, dir) }
		first := judge(text)
		if judge(text+"\n"+strings.TrimPrefix(text, bom)) != first { // which counts at the start of a file only
			t.Error("the same rules twice are not the same")
		}
		if judge("#" + strings.ReplaceAll(text, "\n", "\n#")) {
			t.Error("a comment ignores")
		}
		upper := &ignoreLevel{rules: parseIgnore(text)}
		if (&ignoreLevel{up: upper}).ignored(path, dir) != first {
			t.Error("a level without rules changes something")
		}
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSuffix(line, "\r")
			if line == "" || line[0] == '!' || line[0] == '#' || bytes.HasPrefix([]byte(line), []byte(bom)) {
				continue
			}
			if judge(line) && judge(text+"\n!"+line) {
				t.Errorf("%q ignores, but !%q does not take it back", line, line)
			}
			if !judge(line) && judge("*\n!"+line) != judge("*") {
				t.Errorf("%q does not match, but !%q does", line, line)
			}
		}
	})
}
