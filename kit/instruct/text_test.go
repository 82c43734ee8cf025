package instruct

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCommentsAndMentions(t *testing.T) {
	for _, c := range []struct {
		in, want string
		mentions []string // path:line
		bare     bool
	}{
		{in: "", want: ""},
		{in: "plain", want: "plain"},
		{in: "a <!-- b --> c", want: "a  c"},
		{in: "a\n<!-- b -->\nc", want: "a\nc"},
		{in: "a\n<!-- b\n@x.md\n--> \nc <!--d--><!-- e --> f", want: "a\nc  f"},
		{in: "`<!-- kept -->` <!-- not -->", want: "`<!-- kept -->` "},
		{in: "```\n<!-- kept -->\n@x.md\n```\n@y.md", want: "```\n<!-- kept -->\n@x.md\n```\n@y.md", mentions: []string{"y.md:5"}},
		{in: "~~~ text\n```\n@x.md\n~~~~\n@y.md", want: "~~~ text\n```\n@x.md\n~~~~\n@y.md", mentions: []string{"y.md:5"}},
		{in: "<!-- never closed\n@x.md", want: "<!-- never closed\n@x.md", mentions: []string{"x.md:2"}},
		{in: "<!-- a --> <!-- never closed @x.md", want: " <!-- never closed @x.md", mentions: []string{"x.md:1"}},
		{in: "<!-- ` --> `@a.md` @b.md", want: " `@a.md` @b.md", mentions: []string{"b.md:1"}},
		{in: "@a.md", want: "@a.md", mentions: []string{"a.md:1"}, bare: true},
		{in: "\n- @a.md\n- @b/c.md.\n", want: "- @a.md\n- @b/c.md.", mentions: []string{"a.md:2", "b/c.md:3"}, bare: true},
		{in: "me@example.org, foo.@bar, (@a.md), \"@b.md\", **@c.md**", want: "me@example.org, foo.@bar, (@a.md), \"@b.md\", **@c.md**", mentions: []string{"a.md:1", "b.md:1", "c.md:1"}},
		{in: "见 @~/a.md。还有@b.md", want: "见 @~/a.md。还有@b.md", mentions: []string{"~/a.md:1"}},
		{in: "``a ` @x.md`` ` @y.md", want: "``a ` @x.md`` ` @y.md", mentions: []string{"y.md:1"}},
	} {
		p := parse(c.in)
		var got []string
		for _, m := range p.mentions {
			got = append(got, fmt.Sprint(m.path, ":", m.line))
		}
		if p.text != c.want || !slices.Equal(got, c.mentions) || p.bare != c.bare {
			t.Errorf("%q: got %q %q %v", c.in, p.text, got, p.bare)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a <!-- b -->", "```\n@x\n```", "<!--\n`-->`<!--", "`` ` ``@a `@b", "~~~\n<!--\n~~~\n-->", strings.Repeat("<!-- `", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		p := parse(s)
		if !utf8.ValidString(p.text) || len(p.text) > len(s) {
			t.Fatalf("%q became %q", s, p.text)
		}
		lines := strings.Count(s, "\n") + 1
		for _, m := range p.mentions {
			if m.path == "" || m.line < 1 || m.line > lines || !strings.Contains(strings.Split(s, "\n")[m.line-1], "@") {
				t.Fatalf("%q: mention %+v", s, m)
			}
		}
		if !strings.Contains(s, "<!--") && p.text != strings.Trim(s, "\n") {
			t.Fatalf("%q became %q", s, p.text)
		}
	})
}

// What somebody else wrote must not cost more than its size.
func TestParseIsLinear(t *testing.T) {
	cost := func(s string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parse(s)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, piece := range []string{"<!-- ", "`", "`` ` ", "@a ", "<!-- -->", "```\n", "--> <!--"} {
		small, large := cost(strings.Repeat(piece, 2000)), cost(strings.Repeat(piece, 20_000))
		if large > 30*small+1<<20 {
			t.Errorf("%q: %d bytes for 2,000, %d for 20,000", piece, small, large)
		}
	}
}

func TestHeaderOfARule(t *testing.T) {
	for in, want := range map[string]string{
		"no header":                                       "no header | ",
		"---\npaths: a.go, b/*.go\n---\nbody":             "body | a.go b/*.go",
		"---\npaths: [\"a.go\", 'b.{go,mod}']\n---\nbody": "body | a.go b.{go,mod}",
		"---\nx: 1\npaths:\n  - a.go\n  # c\n  - \"b\"\ny:\n  - z\n---\nbody": "body | a.go b",
		"---\ndescription: x\n---\nbody":                                      "body | ",
		"---\npaths: a\n---":                                                  " | a",
		"---\nnever closed\npaths: a":                                         "---\nnever closed\npaths: a | ",
	} {
		body, paths := header(in)
		if got := body + " | " + strings.Join(paths, " "); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "a/b.go", false},
		{"**/*.go", "a.go", true},
		{"**/*.go", "a/b/c.go", true},
		{"src/**", "src/a/b", true},
		{"src/**", "src", true},
		{"src/**/x?.ts", "src/x1.ts", true},
		{"src/**/x?.ts", "src/a/b/xy.ts", true},
		{"src/**/x?.ts", "lib/xy.ts", false},
		{"./a/*.{ts,tsx}", "a/b.tsx", true},
		{"a/*.{ts,tsx}", "a/b.js", false},
		{"{a,b}/{c,d}", "b/c", true},
		{"{a,b", "{a,b", true},
		{"[x].md", "[x].md", true},
		{"[x].md", "x.md", false},
	} {
		if fits([]string{"none", c.pattern}, c.path) != c.want {
			t.Errorf("%s on %s: not %v", c.pattern, c.path, c.want)
		}
	}
	many := strings.Repeat("{a,b,c,d}", 12)
	if n := len(braces(many)); n > maxBraces+4 {
		t.Errorf("%d patterns", n)
	}
	if fits([]string{strings.Repeat("**/", 200) + "x"}, strings.Repeat("a/", 200)+"y") {
		t.Error("fits")
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s     string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"a\nbc", 3, "a"},
		{"中文", 4, "中"},
		{"中文", 2, ""},
		{"abc", -1, ""},
		{"\nabc", 2, "\na"},
	} {
		if got := shorten(c.s, c.limit); got != c.want {
			t.Errorf("%q to %d: got %q", c.s, c.limit, got)
		}
	}
}
