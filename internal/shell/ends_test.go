package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Whatever the sizes, both ends are what they are and add up, and pages joined are the file.
func TestReadEndsAndPages(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out")
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringOfN(rapid.RuneFrom([]rune("a中😀\n")), 0, 200, -1).Draw(t, "output")
		keep := rapid.IntRange(4, 100).Draw(t, "keep")
		if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadEnds(file, keep)
		if err != nil || c.Total != int64(len(whole)) || c.Log != file {
			t.Fatalf("%+v %v", c, err)
		}
		if !strings.HasPrefix(whole, string(c.Head)) || !strings.HasSuffix(whole, string(c.Tail)) || !utf8.Valid(c.Head) || !utf8.Valid(c.Tail) {
			t.Fatalf("%q … %q of %q", c.Head, c.Tail, whole)
		}
		if int64(len(c.Head)+len(c.Tail))+c.Lost != c.Total || c.Lost == 0 && string(c.Head) != whole {
			t.Fatalf("%d + %d + %d of %d", len(c.Head), c.Lost, len(c.Tail), c.Total)
		}
		var joined strings.Builder
		for at := int64(0); at < c.Total; {
			piece, from, total, err := ReadPage(file, at, keep)
			if err != nil || len(piece) == 0 || from != at || total != c.Total || !utf8.Valid(piece) {
				t.Fatalf("page at %d: %q %d %d %v", at, piece, from, total, err)
			}
			joined.Write(piece)
			at += int64(len(piece))
		}
		if joined.String() != whole {
			t.Fatalf("%q, want %q", joined.String(), whole)
		}
		back := rapid.Int64Range(1, 300).Draw(t, "back")
		if piece, from, _, err := ReadPage(file, -back, 1000); err != nil || string(piece) != whole[max(0, len(whole)-int(back)):] || from != max(0, c.Total-back) {
			t.Fatalf("the last %d: %q %v", back, piece, err)
		}
	})
	if c, err := ReadEnds(file+"x", 10); err != nil || c.Total != 0 {
		t.Errorf("absent: %+v %v", c, err)
	}
	for _, bad := range []string{filepath.Dir(file), file + "/x"} {
		if _, err := ReadEnds(bad, 10); err == nil {
			t.Errorf("%s: no error", bad)
		}
		if _, _, _, err := ReadPage(bad, 1, 10); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
