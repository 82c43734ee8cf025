package tool

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

func TestMultiEdit(t *testing.T) {
	e := world(t)
	file := filepath.Join(e.Root, "f")
	type edits []map[string]any
	for _, c := range []struct {
		name, content string
		edits         edits
		want, said    string
	}{
		{
			"in order, each on the one before", "a\r\nb\nc",
			edits{{"old_text": "a", "new_text": "x\ny"}, {"old_text": "x\ny\nb", "new_text": "q"}, {"old_text": "c", "new_text": "C"}},
			"q\nC", "Edited f (3 edits, 3 places)",
		},
		{
			"all", "a a b",
			edits{{"old_text": "a", "new_text": "b", "all": true}, {"old_text": "b", "new_text": "c", "all": true}},
			"c c c", "Edited f (2 edits, 5 places)",
		},
		{
			"second fails", "a\nb\n",
			edits{{"old_text": "a", "new_text": "x"}, {"old_text": "a", "new_text": "y"}},
			"", "Error: edits[1] (edit 2 of 2) cannot be made, so none was: Text not found in f",
		},
		{
			"ambiguous after the first", "a\nb\n",
			edits{{"old_text": "a", "new_text": "b"}, {"old_text": "b", "new_text": "c"}, {"old_text": "x", "new_text": "c"}},
			"", "Error: edits[1] (edit 2 of 3) cannot be made, so none was: old_text is in f 2 times (lines 1, 2)",
		},
		{"undone", "a", edits{{"old_text": "a", "new_text": "b"}, {"old_text": "b", "new_text": "a"}}, "", "Error: the edits undo one another"},
		{"none", "a", edits{}, "", "Error: edits is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, file, c.content)
			got, r := call(t, MultiEdit(e), args{"path": "f", "edits": c.edits})
			if c.want == "" {
				c.want = c.content
			}
			if !strings.HasPrefix(got, c.said) || r.Error != strings.HasPrefix(c.said, "Error") || get(t, file) != c.want {
				t.Errorf("%q %q, want %q %q", got, get(t, file), c.said, c.want)
			}
			if !r.Error && !strings.Contains(string(r.Detail), "@@") {
				t.Errorf("detail %s", r.Detail)
			}
		})
	}
	if got, r := call(t, MultiEdit(e), args{"path": "none", "edits": edits{{"old_text": "a", "new_text": "b"}}}); !r.Error || !strings.Contains(got, "none") {
		t.Errorf("%q", got)
	}
}

// vault stands for a keeper of secrets with one value of two lines.
type vault struct{}

const (
	secretValue = "s3cr\net"
	placeholder = "[hidden:1]"
)

func (vault) Mask(text string) string { return strings.ReplaceAll(text, secretValue, placeholder) }

func (vault) Live() func(string) string { return vault{}.Mask }

func (vault) Restore(current []byte, text string) (string, error) {
	if !strings.Contains(text, placeholder) {
		return text, nil
	}
	if !bytes.Contains(current, []byte(secretValue)) {
		return "", errors.New(placeholder + " stands for nothing in the file")
	}
	return strings.ReplaceAll(text, placeholder, secretValue), nil
}

func TestSecretsAreKept(t *testing.T) {
	e := world(t)
	e.Secrets = vault{}
	file := filepath.Join(e.Root, "f")
	const before = "key = " + secretValue + "\nx = 1\n"
	for _, c := range []struct {
		name    string
		call    func() (string, bool)
		content string
		want    string
	}{
		{"write", func() (string, bool) {
			s, r := call(t, WriteFile(e), args{"path": "f", "content": "# new\nkey = " + placeholder + "\n"})
			return s + string(r.Detail), r.Error
		}, before, "# new\nkey = " + secretValue + "\n"},
		{"write where it is not", func() (string, bool) {
			s, r := call(t, WriteFile(e), args{"path": "f", "content": placeholder})
			return s, r.Error
		}, "nothing\n", ""},
		{"write a new file", func() (string, bool) {
			s, r := call(t, WriteFile(e), args{"path": "new", "content": placeholder})
			return s, r.Error
		}, before, ""},
		{"edit", func() (string, bool) {
			s, r := call(t, EditFile(e), args{"path": "f", "old_text": "key = " + placeholder + "\nx = 1", "new_text": "x = 2\nkey = " + placeholder})
			return s + string(r.Detail), r.Error
		}, before, "x = 2\nkey = " + secretValue + "\n"},
		{"edit where it is not", func() (string, bool) {
			s, r := call(t, EditFile(e), args{"path": "f", "old_text": "x", "new_text": placeholder})
			return s, r.Error
		}, "x\n", ""},
		{"edits", func() (string, bool) {
			s, r := call(t, MultiEdit(e), args{"path": "f", "edits": []args{
				{"old_text": "x = 1", "new_text": "y = " + placeholder}, {"old_text": "key = " + placeholder + "\n", "new_text": ""},
			}})
			return s + string(r.Detail), r.Error
		}, before, "y = " + secretValue + "\n"},
		{"edits, gone by then", func() (string, bool) {
			s, r := call(t, MultiEdit(e), args{"path": "f", "edits": []args{
				{"old_text": "key = " + placeholder + "\n", "new_text": ""}, {"old_text": "x = 1", "new_text": "y = " + placeholder},
			}})
			return s, r.Error
		}, before, ""},
		{"patch", func() (string, bool) {
			s, r := call(t, ApplyPatch(e), args{"patch": wrap("*** Update File: f\n key = " + placeholder + "\n-x = 1\n+y = " + placeholder + "\n")})
			return s + string(r.Detail), r.Error
		}, before, "key = " + secretValue + "\ny = " + secretValue + "\n"},
		{"patch where it is not", func() (string, bool) {
			s, r := call(t, ApplyPatch(e), args{"patch": wrap("*** Update File: f\n-x\n+" + placeholder + "\n")})
			return s, r.Error
		}, "x\n", ""},
		{"patch with a new file", func() (string, bool) {
			s, r := call(t, ApplyPatch(e), args{"patch": wrap("*** Add File: new\n+" + placeholder + "\n")})
			return s, r.Error
		}, before, ""},
		{"hint of a failed edit", func() (string, bool) {
			s, r := call(t, EditFile(e), args{"path": "f", "old_text": "x  =  1", "new_text": "y"})
			return s, r.Error
		}, "x = 1 " + secretValue + "\nx = 1\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, file, c.content)
			got, failed := c.call()
			if failed != (c.want == "") || strings.Contains(got, "s3cr") || strings.Contains(got, "et\\n") {
				t.Errorf("%q", got)
			}
			if c.want == "" {
				c.want = c.content
			}
			if now := get(t, file); now != c.want {
				t.Errorf("%q, want %q", now, c.want)
			}
			if _, err := os.Stat(filepath.Join(e.Root, "new")); err == nil {
				t.Error("a placeholder was written")
			}
		})
	}
	put(t, file, before)
	if got, _ := call(t, ReadFile(e), args{"path": "f", "limit": 1}); got != "key = "+placeholder+"\n... (1 more)" {
		t.Errorf("%q", got)
	}
}

// A diff shows what changed also when the text is large, or no UTF-8.
func TestDiff(t *testing.T) {
	e := world(t).withDefaults()
	long := strings.Repeat("some line\n", 200_000)
	for _, c := range []struct{ name, old, now, want string }{
		{"large", long + "a\n" + long, long + "b\n" + long, "@@ -199998,7 +199998,7 @@"},
		{"other encoding", "caf\xe9\nx\n", "caf\xe9\ny\n", "caf\ufffd"},
		{"new", "", "x\n", "@@ -0,0 +1 @@"},
		{"gone", "x", "", "\\\\ No newline"},
		{"equal ends", "a\nb\na\n", "a\nb\na\nb\na\n", "@@ -1,3 +1,5 @@"},
		{"binary before", "a\x00b", "x\n", "(binary)"},
	} {
		if got := string(e.diff("f", []byte(c.old), []byte(c.now))); !strings.Contains(got, c.want) || len(got) > 1000 {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	if got := e.diff("f", []byte("x"), []byte("x")); got != nil {
		t.Errorf("%s", got)
	}
}

// An edit touches no byte outside the places where the text stands, and makes of the text what it says.
func FuzzEdit(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), "b", "x\ny", false)
	f.Add([]byte(bom+"\r\n\r\r\n"), "\r", "\n", true)
	f.Add([]byte("\xd6\xd0a"), "a", "b", false)
	f.Add([]byte("a\nb\r\na\nb\r\n"), "a\nb\n", "b\r\na\r\n", true)
	f.Fuzz(func(t *testing.T, raw []byte, old, now string, all bool) {
		e := Env{EditFirst: true}.withDefaults()
		c := &content{now: raw}
		edits, err := e.step(c, editArgs{Path: "f", Old: old, New: now, All: all})
		if err != nil {
			if !bytes.Equal(c.now, raw) {
				t.Fatal("changed, but refused")
			}
			return
		}
		matches(t, raw, old, edits, all)
		outsideStays(t, raw, c.now, edits)
		lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		if before := lf(string(raw)); !strings.Contains(before+lf(old)+lf(now), "\r") { // a lone CR may join an LF
			n := 1
			if all {
				n = -1
			}
			if want := strings.Replace(before, lf(old), lf(now), n); lf(string(c.now)) != want {
				t.Fatalf("%q became %q, want %q but for line ends", raw, c.now, want)
			}
		}
		if bytes.HasPrefix(raw, []byte(bom)) && !strings.Contains(old, bom) && edits[0].Start < len(bom) && edits[0].End > edits[0].Start {
			t.Fatal("the byte order mark was touched")
		}
	})
}

// Each of several edits touches nothing outside the places where its text stands at that time.
func FuzzMultiEdit(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), "b", "x\ny", "y\nc", "z", true)
	f.Add([]byte("\xd6\xd0a\r\na"), "\na", "b", "ab", "", false)
	f.Fuzz(func(t *testing.T, raw []byte, old1, new1, old2, new2 string, all bool) {
		e := Env{EditFirst: true}.withDefaults()
		c := &content{now: raw}
		for _, a := range []editArgs{{"f", old1, new1, all}, {"f", old2, new2, all}} {
			before := c.now
			edits, err := e.step(c, a)
			if err != nil {
				if !bytes.Equal(c.now, before) {
					t.Fatal("changed, but refused")
				}
				return
			}
			matches(t, before, a.Old, edits, all)
			outsideStays(t, before, c.now, edits)
		}
	})
}

// matches checks that every edit lies in a place of its own where old stands.
func matches(t *testing.T, raw []byte, old string, edits []udiff.Edit, all bool) {
	t.Helper()
	want := strings.ReplaceAll(old, "\r\n", "\n")
	if len(edits) == 0 || !all && len(edits) > 1 {
		t.Fatalf("%d edits", len(edits))
	}
	end := 0
	for _, e := range edits {
		found := false
		for from := end; from <= e.Start && !found; from++ {
			for to := e.End; to <= len(raw) && to-from <= 2*len(want) && !found; to++ {
				if strings.ReplaceAll(string(raw[from:to]), "\r\n", "\n") == want {
					found, end = true, to
				}
			}
		}
		if !found {
			t.Fatalf("the edit %+v of %q is at no place of %q", e, raw, old)
		}
	}
}
