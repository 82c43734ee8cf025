package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in      string
		columns int
		want    string
	}{
		{"one two three", 8, "one two\nthree"},
		{"one two", 7, "one two"},
		{"one two", 0, "one two"},
		{"one two ", 7, "one two "},
		{"a unbreakable b", 5, "a\nunbreakable\nb"},
		{"  /mode [MODE]  show or change it", 24, "  /mode [MODE]  show or\n  change it"}, // no room in the second column
		{"    /mode  show or change", 22, "    /mode  show or\n           change"},
		{"  /plan [on | off | TASK]", 20, "  /plan [on | off |\n  TASK]"},
		{"    /mode  show averylongword on", 22, "    /mode  show\n    averylongword on"},
		{"  a  b muchtoolongword c", 12, "  a  b\nmuchtoolongword\n     c"},
		{"查看命令，取消 exit 离开", 10, "查看命令，\n取消 exit\n离开"},
		{"查看命令，取消", 9, "查看命\n令，取消"},
		{"一（二）三四", 6, "一\n（二）\n三四"},
		{"see 查看 now\nand on", 8, "see 查看\nnow\nand on"},
	} {
		if got := Wrap(c.in, c.columns); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.in, c.columns, got, c.want)
		}
	}
}

// Nothing is lost but blanks, and a line is too wide only where one word is.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab ,.，。（）“”字目 \n"))).Draw(t, "s")
		columns := rapid.IntRange(1, 30).Draw(t, "columns")
		got := Wrap(s, columns)
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if bare(got) != bare(s) {
			t.Fatalf("%q became %q", s, got)
		}
		for line := range strings.SplitSeq(got, "\n") {
			rest := strings.TrimSpace(line)
			if Columns(strings.TrimRight(line, " ")) > columns && breakAt(rest, 1) < len(rest) {
				t.Fatalf("%q is wider than %d and can be broken", line, columns)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "目录/a": 6, "e\u0301": 1, "👍🏽": 2, "，": 2, "…": 1} {
		if got := Columns(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
