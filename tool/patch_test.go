package tool

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"

	"react-agent/agent"
)

// tree lists every file below a directory with its content, links as "-> target", directories with a slash.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		switch {
		case d.IsDir():
			out[rel+"/"] = ""
		case d.Type()&os.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			out[rel] = "-> " + to
		default:
			out[rel] = get(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func plant(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(to, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		put(t, path, content)
	}
}

func wrap(body string) string { return beginPatch + "\n" + body + endPatch + "\n" }

func TestPatchForms(t *testing.T) {
	needUnix(t)
	for _, c := range []struct {
		name, patch string
		have, want  map[string]string // want: only what differs; "" with a name that ends in ! means gone
		said        string
	}{
		{
			"all kinds at once",
			wrap("*** Add File: new/a.txt\n+one\n+\n+two\n*** Update File: b.txt\n@@\n keep\n-old\n+new\n*** Move to x\n"),
			map[string]string{"b.txt": "keep\nold\n"},
			nil, "patch line 11: ",
		},
		{
			"add, update, move, delete",
			wrap("*** Add File: new/a.txt\n+one\n+\n+two\n*** Update File: b.txt\n keep\n-old\n+new\n\n*** Update File: c.txt\n*** Move to: d/c.txt\n@@\n-x\n+y\n*** Delete File: e.txt\n"),
			map[string]string{"b.txt": "keep\nold\n", "c.txt": "x\n", "e.txt": "gone"},
			map[string]string{"new/": "", "new/a.txt": "one\n\ntwo\n", "b.txt": "keep\nnew\n", "c.txt!": "", "d/": "", "d/c.txt": "y\n", "e.txt!": ""},
			"Applied the patch:\nA new/a.txt\nM b.txt (1 hunk)\nR c.txt -> d/c.txt (1 hunk)\nD e.txt",
		},
		{
			"move alone",
			wrap("*** Update File: a\n*** Move to: b\n"),
			map[string]string{"a": "x"},
			map[string]string{"a!": "", "b": "x"},
			"R a -> b",
		},
		{
			"header tells which",
			wrap("*** Update File: a.py\n@@ class B:\n     def f(self):\n-        return 1\n+        return 2\n"),
			map[string]string{"a.py": "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n\nclass C:\n    def f(self):\n        return 1\n"},
			map[string]string{"a.py": "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n\nclass C:\n    def f(self):\n        return 1\n"},
			"M a.py (1 hunk)",
		},
		{
			"two headers",
			wrap("*** Update File: a.py\n@@ class B:\n@@     def g(self):\n-        x\n+        y\n"),
			map[string]string{"a.py": "class A:\n    def g(self):\n        x\nclass B:\n    def f(self):\n        x\n    def g(self):\n        x\n"},
			map[string]string{"a.py": "class A:\n    def g(self):\n        x\nclass B:\n    def f(self):\n        x\n    def g(self):\n        y\n"},
			"M a.py",
		},
		{
			"end of file",
			wrap("*** Update File: a\n@@\n x\n+y\n*** End of File\n"),
			map[string]string{"a": "x\nx\n"},
			map[string]string{"a": "x\nx\ny\n"},
			"M a",
		},
		{
			"added at the end, no last line end",
			wrap("*** Update File: a\n@@\n+y\n*** End of File\n"),
			map[string]string{"a": "x"},
			map[string]string{"a": "x\ny"},
			"M a",
		},
		{
			"fill an empty file",
			wrap("*** Update File: a\n@@\n+y\n"),
			map[string]string{"a": ""},
			map[string]string{"a": "y\n"},
			"M a",
		},
		{
			"empty new file",
			wrap("*** Add File: a\n*** Add File: b\n"),
			nil,
			map[string]string{"a": "", "b": ""},
			"A a\nA b",
		},
		{
			"white space at line ends",
			wrap("*** Update File: a\n one\n-two\n+TWO\n"),
			map[string]string{"a": "one \t\ntwo  \nthree\n"},
			map[string]string{"a": "one \t\nTWO\nthree\n"},
			"M a (1 hunk)\n[hunk 1 of a: found with other white space at line ends]",
		},
		{
			"exact before nearly",
			wrap("*** Update File: a\n-x\n+y\n"),
			map[string]string{"a": "x \nx\n"},
			map[string]string{"a": "x \ny\n"},
			"M a (1 hunk)",
		},
		{
			"unified with dates",
			"--- a.txt\t2026-01-01 00:00:00\n+++ a.txt\t2026-01-02 00:00:00\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n",
			map[string]string{"a.txt": "1\n2\n3\n"},
			map[string]string{"a.txt": "1\ntwo\n3\n"},
			"M a.txt (1 hunk)",
		},
		{
			"git with all kinds",
			"From 1234\nSubject: x\n\n---\n a | 2 +-\n\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@ head\n-1\n+2\n" +
				"diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n" +
				"diff --git a/d b/d\ndeleted file mode 100644\nindex 1..0\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n" +
				"diff --git a/o b/sub/o\nsimilarity index 100%\nrename from o\nrename to sub/o\n" +
				"diff --git a/e b/e\nnew file mode 100644\nindex 0..0\n-- \n2.39\n",
			map[string]string{"a": "1\n", "d": "bye\n", "o": "o"},
			map[string]string{"a": "2\n", "n": "x\ny", "d!": "", "o!": "", "sub/": "", "sub/o": "o", "e": ""},
			"M a (1 hunk)\nA n\nD d\nR o -> sub/o\nA e",
		},
		{
			"numbers choose among equal places, and may be off otherwise",
			"--- a/a\n+++ b/a\n@@ -3,1 +3,1 @@\n-x\n+y\n@@ -9,2 +9,2 @@\n q\n-r\n+s\n",
			map[string]string{"a": "x\nx\nx\nq\nr\n"},
			map[string]string{"a": "x\nx\ny\nq\ns\n"},
			"M a (2 hunks)\n[hunk 2 of a: at line 4, not 9]",
		},
		{
			"lines that look like names",
			"--- a\n+++ a\n@@ -1,3 +1,2 @@\n keep\n--- x\n-y\n+++ z\n",
			map[string]string{"a": "keep\n-- x\ny\n"},
			map[string]string{"a": "keep\n++ z\n"},
			"M a",
		},
		{
			"a last line end comes",
			"--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n",
			map[string]string{"a": "x"},
			map[string]string{"a": "x\n"},
			"M a",
		},
		{
			"a last line end goes",
			"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n",
			map[string]string{"a": "x\n"},
			map[string]string{"a": "x"},
			"M a",
		},
		{
			"bare @@ needs no numbers",
			"--- a/a\n+++ b/a\n@@\n-x\n+y\n@@ z\n-w\n+v\n\n",
			map[string]string{"a": "x\nz\nw\n"},
			map[string]string{"a": "y\nz\nv\n"},
			"M a (2 hunks)",
		},
		{
			"bare @@, several files",
			"--- a\n+++ a\n@@\n-x\n+y\nIndex: b\n--- b\n+++ b\n@@\n@@ h\n-x\n+y\n\\ No newline at end of file\ndiff -u c c\n--- c\n+++ c\n@@\n-x\n+y\n",
			map[string]string{"a": "x\n", "b": "x\nh\nx\n", "c": "x\n"},
			map[string]string{"a": "y\n", "b": "x\nh\ny", "c": "y\n"},
			"M a (1 hunk)\nM b (1 hunk)\nM c (1 hunk)",
		},
		{
			"context without its space",
			"--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n\n-y\n+z\n",
			map[string]string{"a": "x\n\ny\n"},
			map[string]string{"a": "x\n\nz\n"},
			"M a",
		},
		{
			"crlf file, lf patch",
			wrap("*** Update File: a\n 1\n-2\n+two\n+more\n 3\n"),
			map[string]string{"a": bom + "1\r\n2\r\n3"},
			map[string]string{"a": bom + "1\r\ntwo\r\nmore\r\n3"},
			"M a",
		},
		{
			"lf file, crlf patch",
			strings.ReplaceAll(wrap("*** Update File: a\n 1\n-2\n+two\n"), "\n", "\r\n"),
			map[string]string{"a": "1\n2\n"},
			map[string]string{"a": "1\ntwo\n"},
			"M a",
		},
		{
			"mixed ends stay",
			wrap("*** Update File: a\n 1\n-2\n-3\n+two\n+three\n 4\n"),
			map[string]string{"a": "1\r\n2\n3\r\n4\n5\r\n"},
			map[string]string{"a": "1\r\ntwo\nthree\r\n4\n5\r\n"},
			"M a",
		},
		{
			"an end is changed on purpose",
			"--- a\n+++ a\n@@ -1,2 +1,2 @@\n-x\r\n+x\n y\r\n",
			map[string]string{"a": "x\r\ny\r\n"},
			map[string]string{"a": "x\ny\r\n"},
			"M a",
		},
		{
			"mark in both",
			"--- a\n+++ a\n@@ -1 +1 @@\n-" + bom + "x\n+" + bom + "y\n",
			map[string]string{"a": bom + "x\n"},
			map[string]string{"a": bom + "y\n"},
			"M a",
		},
		{
			"through a link",
			wrap("*** Update File: l\n-x\n+y\n"),
			map[string]string{"a": "x\n", "l": "-> a"},
			map[string]string{"a": "y\n"},
			"M l",
		},
		{
			"latin-1",
			wrap("*** Update File: a\n-x\n+y\n"),
			map[string]string{"a": "caf\xe9\nx\n"},
			map[string]string{"a": "caf\xe9\ny\n"},
			"M a",
		},
		{
			"quoted name",
			"--- \"a/\\344\\270\\255\"\n+++ \"b/\\344\\270\\255\"\n@@ -1 +1 @@\n-x\n+y\n",
			map[string]string{"中": "x\n"},
			map[string]string{"中": "y\n"},
			"M 中",
		},
		{
			"two hunks side by side",
			wrap("*** Update File: a\n 1\n-2\n+two\n 3\n@@\n 3\n-4\n+four\n"),
			map[string]string{"a": "1\n2\n3\n4\n"},
			map[string]string{"a": "1\ntwo\n3\nfour\n"},
			"M a (2 hunks)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := world(t)
			plant(t, e.Root, c.have)
			want := tree(t, e.Root)
			for name, content := range c.want {
				if gone, ok := strings.CutSuffix(name, "!"); ok {
					delete(want, gone)
				} else {
					want[name] = content
				}
			}
			got, r := call(t, ApplyPatch(e), args{"patch": c.patch})
			if r.Error != (c.want == nil) || !strings.Contains(got, c.said) {
				t.Errorf("%q, want %q", got, c.said)
			}
			if now := tree(t, e.Root); !reflect.DeepEqual(now, want) {
				t.Errorf("files %q\nwant  %q", now, want)
			}
			if !r.Error && !json.Valid(r.Detail) && c.name != "move alone" && c.name != "empty new file" {
				t.Errorf("detail %q", r.Detail)
			}
		})
	}
}

func TestPatchRefusals(t *testing.T) {
	needUnix(t)
	have := map[string]string{
		"a": "x\ny\nx\n", "bin": "a\x00b", "dir/f": "1\n", "link": "-> a", "latin": "caf\xe9\n", "two": "one\ntwo\n",
	}
	for _, c := range []struct{ name, patch, want string }{
		{"empty", " \n", "the patch is empty"},
		{"no patch", "please change x to y\n", "the patch changes nothing: it is a unified diff"},
		{"no end", beginPatch + "\n*** Delete File: a\n", "the patch ends at line 2 without \"*** End Patch\": is it whole?"},
		{"behind the end", wrap("*** Delete File: a\n") + "more\n", "patch line 4: text behind"},
		{"no section", wrap("what\n"), "patch line 2: want *** Add File:"},
		{"no path", wrap("*** Add File:\n+x\n"), "patch line 2: *** Add File names no path"},
		{"no begin", "*** Update File: a\n", "patch line 1: \"*** Update File: a\": a patch of this form begins with"},
		{"new file without +", wrap("*** Add File: n\n+x\ny\n"), "patch line 4: every line of the new file n must begin with +"},
		{"new file with a hole", wrap("*** Add File: n\n+x\n\n+y\n"), "patch line 5: every line of a new file must begin with +"},
		{"no hunk", wrap("*** Update File: a\n"), "patch line 2: no hunk for a"},
		{"no change", wrap("*** Update File: a\n@@\n x\n"), "patch line 3: hunk 1 of a has no line with + or -"},
		{"odd line", wrap("*** Update File: a\n@@\n-x\nz\n"), "patch line 5: a line of hunk 1 of a must begin with"},
		{"not there", wrap("*** Update File: a\n@@\n-x\n-q\n+z\n"), "hunk 1 of a (patch line 3): these lines are not in a"},
		{"ambiguous", wrap("*** Update File: a\n@@\n-x\n+z\n"), "hunk 1 of a (patch line 3): its lines are in a 2 times (line 1, 3): add lines"},
		{"loosely ambiguous", wrap("*** Update File: a\n@@\n-x \n+z\n"), "2 times (line 1, 3)"},
		{"unknown header", wrap("*** Update File: a\n@@ class Q\n-y\n+z\n"), `the line of its header, "class Q", is not in a`},
		{"above its header", wrap("*** Update File: two\n@@ two\n-one\n+z\n"), "above the line of its header"},
		{"not at the end", wrap("*** Update File: a\n-y\n+z\n*** End of File\n"), "but not at the end of the file"},
		{"applied before", wrap("*** Update File: two\n one\n-2\n+two\n"), "perhaps it was applied before"},
		{"no context", wrap("*** Update File: a\n@@\n+z\n"), "it has no line of the file"},
		{"nothing changes", wrap("*** Update File: a\n-y\n+y\n"), "the patch changes nothing in a"},
		{"all faults", wrap("*** Update File: a\n@@\n-q\n+z\n@@\n-r\n+z\n*** Delete File: none\n"), "hunk 2 of a (patch line 6)"},
		{"all faults too", wrap("*** Update File: a\n@@\n-q\n+z\n*** Delete File: none\n"), "patch line 6: none does not exist"},
		{"missing", wrap("*** Update File: none\n-x\n+y\n"), "patch line 2: none does not exist"},
		{"exists", wrap("*** Add File: a\n+x\n"), "patch line 2: a exists already"},
		{"move onto", wrap("*** Update File: a\n*** Move to: dir/f\n-y\n+z\n"), "dir/f exists already"},
		{"below a file", wrap("*** Add File: a/n\n+x\n"), "is no directory"},
		{"directory", wrap("*** Delete File: dir\n"), "is a directory"},
		{"link", wrap("*** Delete File: link\n"), "link is a link to"},
		{"move a link", wrap("*** Update File: link\n*** Move to: n\n"), "link is a link to"},
		{"binary", wrap("*** Update File: bin\n-a\n+b\n"), "bin is binary"},
		{"other encoding", wrap("*** Update File: latin\n+é\n*** End of File\n"), "latin is not UTF-8"},
		{"twice", wrap("*** Update File: a\n-y\n+z\n*** Delete File: ./a\n"), "patch line 5: ./a is in the patch already, at line 2"},
		{"twice over a link", wrap("*** Update File: a\n-y\n+z\n*** Update File: link\n-y\n+q\n"), "is in the patch already"},
		{"hunks in each other's way", wrap("*** Update File: a\n-y\n+z\n@@\n y\n+w\n"), "hunk 1 changes line 2 as well"},
		{"hunks at one place", wrap("*** Update File: a\n y\n+z\n@@\n y\n+w\n"), "hunk 1 changes the same place"},
		{"empty path", wrap("*** Update File: \n-y\n+z\n"), "names no path"},
		{"counts", "--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n-y\n+z\n", "patch line 3: the header of hunk 1 of a says 3 old and 3 new lines, but 2 and 2 follow"},
		{"more than counted", "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n x\n", "but 3 and 3 follow"},
		{"no file", "@@ -1 +1 @@\n-x\n+y\n", "belongs to no file"},
		{"stray line", "--- a\n+++ a\n@@ -2 +2 @@\n-y\n+z\n\n+more\n", "belongs to no file"},
		{"no names", "--- /dev/null\n+++ /dev/null\n", "no file is named"},
		{"mode", "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n", "use chmod"},
		{"copy", "diff --git a/a b/b\ncopy from a\ncopy to b\n", "cannot copy"},
		{"binary diff", "diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n", "binary files cannot be patched"},
		{"odd git", "diff --git a/a b/a\nwhat\n", "not understood"},
		{"empty git", "diff --git a/a b/a\n", "followed by no change"},
		{"link by git", "diff --git a/l b/l\nnew file mode 120000\n", "links and submodules"},
		{"more is there", "--- two\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "two has more than the lines"},
		{"new with old lines", "--- /dev/null\n+++ n\n@@ -1 +1 @@\n-x\n+y\n", "can have only lines with +"},
		{"odd line in a bare hunk", "--- a\n+++ a\n@@\n-y\n+z\n*odd\n", "patch line 6: a line of hunk 1 of a must begin with"},
		{"numbers that are none", "--- a\n+++ a\n@@ -x +1 @@\n-y\n+y\n", "the line of its header"},
		{"numbers without an end", "--- a\n+++ a\n@@ -1 +1\n-y\n+y\n", "the line of its header"},
		{"move without a name", wrap("*** Update File: a\n*** Move to:\n"), "*** Move to names no path"},
		{"a long odd line", wrap("*** Update File: a\n-y\n" + strings.Repeat("z", 100) + "\n"), strings.Repeat("z", 60) + "…"},
		{"new with two hunks", "--- /dev/null\n+++ n\n@@ -0,0 +1 @@\n+y\n@@ -0,0 +1 @@\n+y\n", "several hunks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := world(t)
			plant(t, e.Root, have)
			before := tree(t, e.Root)
			got, r := call(t, ApplyPatch(e), args{"patch": c.patch})
			if !r.Error || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if now := tree(t, e.Root); !reflect.DeepEqual(now, before) {
				t.Errorf("files %q", now)
			}
		})
	}
}

// When a file fails in the middle, what came before it is as it was.
func TestPatchIsTakenBack(t *testing.T) {
	needUnix(t)
	e := world(t)
	plant(t, e.Root, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n", "z": "9\n"})
	before := tree(t, e.Root)
	all := wrap("*** Update File: a\n-1\n+one\n*** Delete File: b\n*** Update File: c\n*** Move to: new/c\n-3\n+three\n" +
		"*** Add File: deep/er/n\n+x\n*** Add File: deep/er/n/below\n+x\n")
	got, r := call(t, ApplyPatch(e), args{"patch": all})
	if !r.Error || !strings.Contains(got, "deep/er/n/below: ") || !strings.HasSuffix(got, "nothing was changed") {
		t.Errorf("%q", got)
	}
	if now := tree(t, e.Root); !reflect.DeepEqual(now, before) {
		t.Errorf("files %q", now)
	}
}

// What somebody does to a file between the check and the writing is found, and what came before is taken back.
func TestPatchMeetsOthers(t *testing.T) {
	needUnix(t)
	have := map[string]string{"a": "1\n", "b": "2\n", "d/x": "3\n"}
	for _, c := range []struct {
		name, section string
		meanwhile     func(root string) error
		want          string
	}{
		{"update", "*** Update File: b\n-2\n+two\n", func(root string) error { return os.WriteFile(filepath.Join(root, "b"), []byte("other"), 0o600) }, "changed by somebody else"},
		{"delete", "*** Delete File: b\n", func(root string) error { return os.WriteFile(filepath.Join(root, "b"), []byte("other"), 0o600) }, "changed by somebody else"},
		{"move", "*** Update File: b\n*** Move to: e\n", func(root string) error { return os.WriteFile(filepath.Join(root, "b"), []byte("other"), 0o600) }, "changed by somebody else"},
		{"move onto", "*** Update File: b\n*** Move to: e\n", func(root string) error { return os.WriteFile(filepath.Join(root, "e"), nil, 0o600) }, "exists already"},
		{"add", "*** Add File: e\n+x\n", func(root string) error { return os.WriteFile(filepath.Join(root, "e"), nil, 0o600) }, "exists already"},
		{"gone", "*** Delete File: b\n", func(root string) error { return os.Remove(filepath.Join(root, "b")) }, "changed by somebody else"},
		{"link", "*** Add File: d/new\n+x\n", func(root string) error {
			if err := os.Rename(filepath.Join(root, "d"), filepath.Join(root, "was")); err != nil {
				return err
			}
			return os.Symlink("was", filepath.Join(root, "d"))
		}, "leads elsewhere"},
		{"link to a moved place", "*** Update File: b\n*** Move to: d/b\n", func(root string) error {
			if err := os.Rename(filepath.Join(root, "d"), filepath.Join(root, "was")); err != nil {
				return err
			}
			return os.Symlink("was", filepath.Join(root, "d"))
		}, "leads elsewhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := world(t).withDefaults()
			plant(t, e.Root, have)
			files, err := parsePatch(wrap("*** Update File: a\n-1\n+one\n" + c.section))
			if err != nil {
				t.Fatal(err)
			}
			plan, err := e.planAll(files)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.meanwhile(e.Root); err != nil {
				t.Fatal(err)
			}
			want := tree(t, e.Root)
			err = moveAll(t.Context(), plan)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "nothing was changed") {
				t.Errorf("%v, want %q", err, c.want)
			}
			if now := tree(t, e.Root); !reflect.DeepEqual(now, want) {
				t.Errorf("files %q, want %q", now, want)
			}
		})
	}
}

// What cannot be taken back is named.
func TestPatchNamesWhatIsLeft(t *testing.T) {
	e := world(t)
	plant(t, e.Root, map[string]string{"a": "1\n", "b": "2\n"})
	plan, err := e.withDefaults().planAll([]filePatch{
		{path: "a", line: 2, hunks: []hunk{{n: 1, body: []patchLine{{op: '-', text: "1"}, {op: '+', text: "one"}}}}},
		{path: "b", line: 5, hunks: []hunk{{n: 1, body: []patchLine{{op: '-', text: "2"}, {op: '+', text: "two"}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(e.Root, "b"), "somebody else\n")
	if err := moveAll(t.Context(), plan); err == nil || !strings.Contains(err.Error(), "changed by somebody else") || !strings.HasSuffix(err.Error(), "nothing was changed") {
		t.Error(err)
	}
	if get(t, filepath.Join(e.Root, "a")) != "1\n" || get(t, filepath.Join(e.Root, "b")) != "somebody else\n" {
		t.Errorf("%q", tree(t, e.Root))
	}
	var u undo
	u.add("x has its new content", func() error { return errChanged })
	if err := u.back(); err == nil || !strings.Contains(err.Error(), "x has its new content (") {
		t.Error(err)
	}
}

func TestPatchOutside(t *testing.T) {
	needUnix(t)
	e := world(t)
	out := t.TempDir()
	plant(t, e.Root, map[string]string{"in": "1\n"})
	plant(t, out, map[string]string{"f": "1\n"})
	if err := os.Symlink(out, filepath.Join(e.Root, "away")); err != nil {
		t.Fatal(err)
	}
	for _, patch := range []string{
		wrap("*** Update File: in\n-1\n+2\n*** Update File: away/f\n-1\n+2\n"),
		wrap("*** Update File: in\n-1\n+2\n*** Add File: away/n\n+x\n"),
		wrap("*** Update File: in\n-1\n+2\n*** Delete File: ../" + filepath.Base(out) + "/f\n*** Delete File: away/f\n"),
		wrap("*** Update File: in\n*** Move to: away/in\n"),
	} {
		got, r := call(t, ApplyPatch(e), args{"patch": patch})
		if !r.Error || !strings.Contains(got, "nothing was changed") {
			t.Errorf("%q", got)
		}
	}
	if get(t, filepath.Join(e.Root, "in")) != "1\n" || !reflect.DeepEqual(tree(t, out), map[string]string{"f": "1\n"}) {
		t.Errorf("%q %q", tree(t, e.Root), tree(t, out))
	}
	e.Outside = func(string) bool { return true }
	if got, r := call(t, ApplyPatch(e), args{"patch": wrap("*** Update File: in\n*** Move to: away/in\n*** Delete File: away/f\n")}); r.Error {
		t.Error(got)
	}
	if !reflect.DeepEqual(tree(t, out), map[string]string{"in": "1\n"}) {
		t.Errorf("%q", tree(t, out))
	}
	e.Confine = true
	if got, r := call(t, ApplyPatch(e), args{"patch": wrap("*** Delete File: away/in\n")}); !r.Error || !strings.Contains(got, "Path escapes workspace: away/in") {
		t.Error(got)
	}
}

func TestPatchKeepsModes(t *testing.T) {
	needUnix(t)
	e := world(t)
	plant(t, e.Root, map[string]string{"run.sh": "echo 1\n", "mv.sh": "echo 1\n"})
	for _, name := range []string{"run.sh", "mv.sh"} {
		if err := os.Chmod(filepath.Join(e.Root, name), 0o754); err != nil {
			t.Fatal(err)
		}
	}
	got, r := call(t, ApplyPatch(e), args{"patch": "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-echo 1\n+echo 2\n" +
		"diff --git a/mv.sh b/moved.sh\nrename from mv.sh\nrename to moved.sh\n--- a/mv.sh\n+++ b/moved.sh\n@@ -1 +1 @@\n-echo 1\n+echo 2\n" +
		"diff --git a/new.sh b/new.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new.sh\n@@ -0,0 +1 @@\n+echo 3\n"})
	if r.Error {
		t.Fatal(got)
	}
	for name, want := range map[string]os.FileMode{"run.sh": 0o754, "moved.sh": 0o754, "new.sh": 0o111} {
		info, err := os.Stat(filepath.Join(e.Root, name))
		if err != nil || info.Mode().Perm()&want != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// What git says changed makes one tree into the other.
func TestPatchOfGit(t *testing.T) {
	needUnix(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	old, now := t.TempDir(), t.TempDir()
	body := strings.Repeat("line\n", 20)
	plant(t, old, map[string]string{
		"same": "x\n", "gone": "bye\n", "moved here": body + "1\n", "crlf": "a\r\nb\r\nc", "中 文": "x\n", "empties": "x\n", "mixed": "a\r\nb\nc\r\nd\n",
		"mark": bom + "x\ny\n", "far": "1\n" + body + "2\n" + body + "3\n", "opens": "x\n", "closes": "x",
	})
	plant(t, now, map[string]string{
		"same": "x\n", "sub/moved there": body + "2\n", "crlf": "a\r\nB\r\nc\r\nd", "中 文": "y\n", "empties": "", "mixed": "a\nb\r\nc\r\nd\n",
		"mark": bom + "X\ny\n", "far": "one\n" + body + "two\n" + body + "three\n", "opens": "x", "closes": "x\n", "new/é": "n", "new/empty": "",
	})
	for _, form := range [][]string{{"-M"}, {"-M", "-U0"}, {"-U1", "--no-renames"}, {"--no-prefix"}, {"-M", "--src-prefix=i/", "--dst-prefix=w/"}} {
		work := t.TempDir()
		git := func(a ...string) []byte {
			cmd := exec.Command("git", append([]string{"-C", work, "-c", "user.name=x", "-c", "user.email=x@x", "-c", "core.autocrlf=false"}, a...)...)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(a, err)
			}
			return out
		}
		git("init", "-q")
		for _, dir := range []string{old, now} {
			for name := range tree(t, work) {
				if !strings.HasPrefix(name, ".git") && !strings.HasSuffix(name, "/") {
					_ = os.Remove(filepath.Join(work, name))
				}
			}
			plant(t, work, files(tree(t, dir)))
			git("add", "-A")
			git("commit", "-q", "--no-verify", "-m", "x")
		}
		patch := git(append([]string{"diff", "HEAD~1", "HEAD"}, form...)...)
		e := world(t)
		plant(t, e.Root, files(tree(t, old)))
		got, r := call(t, ApplyPatch(e), args{"patch": string(patch)})
		if now := files(tree(t, now)); r.Error || !reflect.DeepEqual(files(tree(t, e.Root)), now) {
			t.Errorf("%v: %s\n%q\nwant %q\n%s", form, got, tree(t, e.Root), now, patch)
		}
	}
}

// files leaves out the directories of a tree.
func files(tree map[string]string) map[string]string {
	for name := range tree {
		if strings.HasSuffix(name, "/") {
			delete(tree, name)
		}
	}
	return tree
}

func TestPatchPaths(t *testing.T) {
	e := world(t)
	patch, err := json.Marshal(args{"patch": wrap("*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: ../d\n")})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Paths(e, ApplyPatch(e), agent.Call{Args: patch})
	var given []string
	for _, p := range got {
		given = append(given, p.Given)
		if !p.Writes || p.Inside != (p.Given != "../d") {
			t.Errorf("%+v", p)
		}
	}
	if !ok || strings.Join(given, " ") != "a b c ../d" {
		t.Errorf("%v %v", given, ok)
	}
	if _, ok := Paths(e, ApplyPatch(e), agent.Call{Args: json.RawMessage(`{"patch":"x"}`)}); ok {
		t.Error("no patch has no paths")
	}
}

// A diff of two texts makes one into the other, whatever they are made of.
func TestPatchProperty(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", " \n", "a \n", "--- a\n", "+++ a\n", "@@\n", "中\n", "-- \n"}), 0, 12)
	last := rapid.SampledFrom([]string{"", "", "x", " "})
	rapid.Check(t, func(t *rapid.T) {
		old := strings.Join(lines.Draw(t, "old"), "") + last.Draw(t, "old end")
		now := strings.Join(lines.Draw(t, "new"), "") + last.Draw(t, "new end")
		if old == now || old == "" || now == "" {
			return
		}
		crlf := rapid.Bool().Draw(t, "crlf") && strings.Contains(old, "\n") // else nothing tells the line end
		mark := rapid.SampledFrom([]string{"", bom}).Draw(t, "mark")
		patch := udiff.Unified("a/f", "b/f", old, now)
		files, err := parsePatch(patch)
		if err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		ends := func(s string) []byte {
			if crlf {
				s = strings.ReplaceAll(s, "\n", "\r\n")
			}
			return []byte(mark + s)
		}
		got, _, err := applyHunks("f", ends(old), files[0].hunks)
		if err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		if !bytes.Equal(got, ends(now)) {
			t.Fatalf("%q with\n%s\ngives %q, want %q", ends(old), patch, got, ends(now))
		}
	})
}

func FuzzPatchParse(f *testing.F) {
	f.Add(wrap("*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@ h\n x\n-y\n+z\n*** End of File\n*** Delete File: d\n"))
	f.Add("diff --git a/a b/a\nindex 1..2\n--- a/a\n+++ b/a\n@@ -1,2 +1 @@ h\n x\n-y\n\\ No newline at end of file\n-- \n2\n")
	f.Add("--- a\r\n+++ a\r\n@@\r\n-x\r\n+y\r\n\r\n")
	f.Add("diff --git a/a b/b\nrename from a\nrename to b\ndiff --git \"a/\\303\" \"b/\\303\"\ndeleted file mode 100644\n")
	f.Add("--- a\n+++ a\n@@ -0,0 +1,99999999999 @@\n+x\n@@ -9223372036854775807 +1 @@\n-x\n+y\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := parsePatch(text)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a text")
			}
			return
		}
		if len(files) == 0 {
			t.Fatal("nothing, and no error")
		}
		total := strings.Count(text, "\n") + 1
		for _, x := range files {
			if x.path == "" || x.line < 1 || x.line > total {
				t.Fatalf("%+v", x)
			}
			for i, h := range x.hunks {
				if h.n != i+1 || h.line < x.line || h.line > total+1 || x.kind == updates && !h.changes() {
					t.Fatalf("%+v", h)
				}
				for _, l := range h.body {
					if strings.Contains(l.text, "\n") || l.text != "" && !strings.Contains(text, l.text) {
						t.Fatalf("line %q comes from nowhere", l.text)
					}
				}
			}
		}
	})
}

// Bytes outside the lines that a hunk takes away never change, and what it adds is what it says.
func FuzzPatchApply(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), "@@\n b\n-c\n+d\n+e\n")
	f.Add([]byte(bom+"x\n\ny \n"), "@@ x\n-y\n+z\n")
	f.Add([]byte("x\nx"), "@@\n+y\r\n+z\n*** End of File\n")
	f.Add([]byte("caf\xe9\r\nx\r\n"), "@@ -2 +2 @@\n-x\r\n+y\n")
	f.Add([]byte("p\nq\nr\ns\n"), "@@\n-p\n+1\n q\n@@\n r\n+2\n-s\n")
	f.Fuzz(func(t *testing.T, raw []byte, body string) {
		files, err := parsePatch(wrap("*** Update File: f\n" + body + "\n"))
		if err != nil || len(files) != 1 || files[0].kind != updates {
			return
		}
		hunks := files[0].hunks
		now, _, err := applyHunks("f", raw, hunks)
		if err != nil {
			return
		}
		l := newLined("f", raw)
		var edits []udiff.Edit
		for i := range hunks {
			s, err := l.locate(&hunks[i])
			if err != nil {
				t.Fatal(err)
			}
			old, _ := hunks[i].sides()
			for k, line := range old {
				if strings.TrimRight(l.text(s.first+k), blanks) != strings.TrimRight(line, blanks) {
					t.Fatalf("line %d is %q, the patch has %q", s.first+k, l.text(s.first+k), line)
				}
			}
			edits = append(edits, l.edits(&hunks[i], s.first)...)
		}
		outsideStays(t, raw, now, edits)
		for _, e := range edits {
			if e.Start < l.from[0] {
				t.Fatal("the byte order mark was touched")
			}
		}
		if utf8.Valid(raw) && utf8.ValidString(body) && !utf8.Valid(now) {
			t.Fatal("no UTF-8 any more")
		}
	})
}

// outsideStays checks that now is raw but for the edits.
func outsideStays(t *testing.T, raw, now []byte, edits []udiff.Edit) {
	t.Helper()
	edits = append([]udiff.Edit(nil), edits...)
	udiff.SortEdits(edits)
	at, rest := 0, now
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(raw) {
			t.Fatalf("edit %d..%d after %d of %d", e.Start, e.End, at, len(raw))
		}
		same := raw[at:e.Start]
		if !bytes.HasPrefix(rest, same) || !bytes.HasPrefix(rest[len(same):], []byte(e.New)) {
			t.Fatalf("%q became %q by %+v", raw, now, edits)
		}
		at, rest = e.End, rest[len(same)+len(e.New):]
	}
	if !bytes.Equal(rest, raw[at:]) {
		t.Fatalf("%q became %q by %+v", raw, now, edits)
	}
}
