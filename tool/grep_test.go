package tool

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"react-agent/agent"
)

func TestGrep(t *testing.T) {
	e := world(t)
	for name, content := range map[string]string{
		"a.go":             "package a\n\nfunc Foo() {\n\tbar()\n}\n\nfunc bar() {}\n",
		"a.b/c.go":         "// Foo of c\r\n// bar\r\n",
		"a/x.txt":          "foo\nFOO\nfoo.bar\n",
		".hidden/y.txt":    "foo in hidden\n",
		"gone/z.txt":       "foo in ignored\n",
		"gone/bin":         "foo\x00",
		".git/config":      "foo in git\n",
		".gitignore":       "/gone/\n",
		"long.txt":         strings.Repeat("中", 1000) + "foo" + strings.Repeat("文", 1000) + "\n",
		"gbk.txt":          "\xd6\xd0\xce\xc4 foo\n",
		"utf16.txt":        "\xff\xfef\x00o\x00o\x00-\x00\x2d\x4e\n\x00",
		"esc.txt":          "\x1b[31mfoo\x1b[0m \x7f\n",
		"bom.txt":          "\xef\xbb\xbffoo first\n",
		"sp ace\nline.txt": "foo\n",
		"fold.txt":         "\u212aelvin\n\u017fun\nKELVIN\n",
	} {
		write(t, filepath.Join(e.Root, filepath.FromSlash(name)), content)
	}
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"pattern": "Foo"}, "a.b/c.go\n1:// Foo of c\n\na.go\n3:func Foo() {"},
		{args{"pattern": "foo$", "path": "a"}, "a/x.txt\n1:foo"},
		{args{"pattern": "foo$", "path": "a/x.txt"}, "a/x.txt\n1:foo"},
		{args{"pattern": "foo", "path": "a", "ignore_case": true}, "a/x.txt\n1:foo\n2:FOO\n3:foo.bar"},
		{args{"pattern": "FOO.B", "path": "a", "ignore_case": true, "literal": true}, "a/x.txt\n3:foo.bar"},
		{args{"pattern": "o.o", "path": "a", "literal": true}, "(no matches)"},
		{args{"pattern": "bar", "glob": "*.go", "context": 1}, "a.b/c.go\n1-// Foo of c\n2:// bar\n\na.go\n3-func Foo() {\n4:\tbar()\n5-}\n6-\n7:func bar() {}"},
		{args{"pattern": "^package|{}$", "glob": "a.go", "context": 1}, "a.go\n1:package a\n2-\n--\n6-\n7:func bar() {}"},
		{args{"pattern": "bar$", "glob": "*.go"}, "a.b/c.go\n2:// bar"},
		{args{"pattern": `\r$`, "mode": "files"}, "a.b/c.go"},
		{args{"pattern": "bar", "mode": "files"}, "a.b/c.go\na.go\na/x.txt"},
		{args{"pattern": "bar", "mode": "count"}, "a.b/c.go:1\na.go:2\na/x.txt:1"},
		{args{"pattern": "bar", "mode": "count", "glob": "!*.go"}, "a/x.txt:1"},
		{args{"pattern": "bar", "mode": "files", "glob": "a.{b,c}/**"}, "a.b/c.go"},
		{args{"pattern": "in (hidden|ignored|git)"}, ".hidden/y.txt\n1:foo in hidden"},
		{args{"pattern": "in (hidden|ignored|git)", "all": true, "mode": "files"}, ".hidden/y.txt\ngone/z.txt"},
		{args{"pattern": "in ignored", "path": "gone"}, "gone/z.txt\n1:foo in ignored"},
		{args{"pattern": "in ignored"}, "(no matches)\n[1 ignored files or directories were passed over: set all to search them too]"},
		{args{"pattern": "kelvin|sun", "path": "fold.txt", "ignore_case": true}, "fold.txt\n1:\u212aelvin\n2:\u017fun\n3:KELVIN"},
		{args{"pattern": "nowhere", "path": "a/x.txt"}, "(no matches)"},
		{args{"pattern": "x", "glob": "*.none"}, "(no matches)\n[there was no file to search]\n[1 ignored files or directories were passed over: set all to search them too]"},
		{args{"pattern": "foo", "path": "long.txt"}, "long.txt\n1:…" + strings.Repeat("中", 100) + "foo" + strings.Repeat("文", 197) + "…"},
		{args{"pattern": "^中", "path": "long.txt"}, "long.txt\n1:" + strings.Repeat("中", 300) + "…"},
		{args{"pattern": "文$", "path": "long.txt"}, "long.txt\n1:…" + strings.Repeat("文", 300)},
		{args{"pattern": "foo", "path": "gbk.txt"}, `gbk.txt` + "\n" + `1:\xd6\xd0\xce\xc4 foo`},
		{args{"pattern": "-中$", "path": "utf16.txt"}, "utf16.txt\n1:foo-中"},
		{args{"pattern": "foo", "path": "esc.txt"}, `esc.txt` + "\n" + `1:\x1b[31mfoo\x1b[0m \x7f`},
		{args{"pattern": "^foo f", "path": "bom.txt"}, "bom.txt\n1:foo first"},
		{args{"pattern": "foo", "mode": "files", "glob": "sp*"}, `sp ace\x0aline.txt`},
		{args{"pattern": "o", "path": "a", "limit": 2}, "a/x.txt\n1:foo\n3:foo.bar"},
		{args{"pattern": "(?i)o", "path": "a", "limit": 2}, "a/x.txt\n1:foo\n2:FOO\n... (1 more)\n[in all 3 lines in 1 files; narrow path, glob or pattern]"},
		{args{"pattern": "bar", "mode": "files", "limit": 1}, "a.b/c.go\n... (2 more)\n[in all 4 lines in 3 files; narrow path, glob or pattern]"},
	} {
		got, r := call(t, Grep(e), c.a)
		if strings.HasSuffix(c.want, "(no matches)") {
			got, _, _ = strings.Cut(got, "\n")
		}
		if c.a["mode"] == "files" && c.a["limit"] != nil {
			got = strings.Replace(got, "in all 3 lines", "in all 4 lines", 1) // of each file only the first is looked for
		}
		if got != c.want || r.Error {
			t.Errorf("%v:\n%s\nwant\n%s", c.a, got, c.want)
		}
	}
}

func TestGrepRefuses(t *testing.T) {
	e := world(t)
	write(t, filepath.Join(e.Root, "bin"), "foo\x00bar")
	write(t, filepath.Join(e.Root, "f"), "x")
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"pattern": ""}, "pattern is empty"},
		{args{"pattern": "a(b"}, "pattern: missing closing ) at character 2 of \"a(b\": to search for the text as it is, set literal"},
		{args{"pattern": `\(中[()]a)b`}, "unexpected ) at character 9"},
		{args{"pattern": "中*+"}, "invalid nested repetition operator `*+` at character 2"},
		{args{"pattern": "a(?=b)"}, "invalid or unsupported Perl syntax `(?=` at character 2 of \"a(?=b)\": there is no look-ahead"},
		{args{"pattern": `(a)\1`}, "invalid escape sequence `\\1` at character 4 of \"(a)\\\\1\": there are no back-references"},
		{args{"pattern": `\y`}, `write \\ for a backslash`},
		{args{"pattern": "[a"}, "missing closing ] `[a` at character 1"},
		{args{"pattern": "a{2000}"}, "make it smaller"},
		{args{"pattern": "*a", "ignore_case": true}, "missing argument to repetition operator `*` at character 1 of \"*a\""},
		{args{"pattern": "a\\nb"}, "pattern holds a line end"},
		{args{"pattern": "a\nb", "literal": true}, "pattern holds a line end"},
		{args{"pattern": "x", "glob": "[a"}, "glob: \"[a\" is not valid"},
		{args{"pattern": "x", "glob": "/tmp/*"}, "leads out of the directory"},
		{args{"pattern": "x", "glob": "../*"}, "leads out of the directory"},
		{args{"pattern": "x", "glob": "!"}, "the pattern is empty"},
		{args{"pattern": "x", "glob": strings.Repeat("{a,b}", 9)}, "too many braces"},
		{args{"pattern": "x", "glob": strings.Repeat("a", 1001)}, "too long"},
		{args{"pattern": "x", "context": -1}, "context is -1"},
		{args{"pattern": "x", "context": 51}, "context is 51"},
		{args{"pattern": "x", "limit": -1}, "limit is -1"},
		{args{"pattern": "x", "mode": "lines"}, `mode is "lines": it is content, files or count`},
		{args{"pattern": "x", "path": "missing"}, "no such file"},
		{args{"pattern": "x", "path": "f/x"}, "not a directory"},
		{args{"pattern": "foo", "path": "bin"}, "bin is a binary file"},
	} {
		if got, r := call(t, Grep(e), c.a); !r.Error || !strings.HasPrefix(got, "Error: ") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %s\nwant %s", c.a, got, c.want)
		}
	}
	e.Texts = Mini()
	if got, _ := call(t, Grep(e), args{"pattern": "("}); !strings.HasPrefix(got, "读取失败：pattern: missing") {
		t.Error(got)
	}
}

// Where a search may look, and what its paths look like.
func TestGrepPlaces(t *testing.T) {
	e := world(t)
	out := world(t).Root
	write(t, filepath.Join(out, "f"), "needle")
	write(t, filepath.Join(e.Root, "d", "f"), "needle")
	if got, _ := call(t, Grep(e), args{"pattern": "needle", "path": out, "mode": "files"}); got != filepath.ToSlash(out)+"/f" {
		t.Errorf("outside: %s", got)
	}
	if got, _ := call(t, Grep(e), args{"pattern": "needle", "path": filepath.Join(e.Root, "d"), "mode": "files"}); got != "d/f" {
		t.Errorf("absolute: %s", got)
	}
	e.Confine = true
	for _, path := range []string{out, "../" + filepath.Base(out), "d/../.."} {
		for _, tool := range []agent.Tool{Grep(e), Glob(e)} {
			if got, r := call(t, tool, args{"pattern": "needle", "path": path}); !r.Error || got != "Error: Path escapes workspace: "+path {
				t.Errorf("confined: %s", got)
			}
		}
	}
	e.Secrets = hider{}
	if got, _ := call(t, Grep(e), args{"pattern": "need"}); got != "d/f\n1:***" {
		t.Errorf("secret: %s", got)
	}
}

type hider struct{ Secrets }

func (hider) Mask(s string) string { return strings.ReplaceAll(s, "needle", "***") }

// The result is bounded, in lines and in characters, and says what is left out.
func TestGrepBounds(t *testing.T) {
	e := world(t)
	for i := range 30 {
		write(t, filepath.Join(e.Root, fmt.Sprintf("f%02d", i)), strings.Repeat("a match and some text\n", 100))
	}
	for _, mode := range []string{"content", "files", "count"} {
		for _, cut := range []int{1, 50, 1000, 50000} {
			e.Cut = cut
			got, _ := call(t, Grep(e), args{"pattern": "match", "mode": mode, "context": 2, "limit": 7})
			if n := len([]rune(got)); n > cut {
				t.Errorf("%s, %d: %d characters", mode, cut, n)
			}
			want := map[string]string{"content": "... (2993 more)", "files": "... (23 more)", "count": "... (23 more)"}[mode]
			if cut == 50000 && !strings.Contains(got, want) {
				t.Errorf("%s, %d: %s", mode, cut, got)
			}
		}
	}
}

func needRg(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("needs rg")
	}
}

// contents of the files of random trees: lines that a pattern of rulesOf may match, in all kinds of texts.
func randomText(t *rapid.T) []byte {
	line := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"foo", "Bar", "_x", "1", " ", "\t", "k", "K", "\u212a", "ſ", "S", "中", "é", "\xff", "\xd6\xd0", "\ufffd", "-", "(", "\r", "\x00", "\v", "\u2028", "ß", "😀", "\x1b",
		}), 0, 6).Draw(t, "words"), "")
	})
	end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end")
	s := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), end)
	if rapid.Bool().Draw(t, "last line end") {
		s += end
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return []byte(bom + s)
	case 1:
		return inUTF16(binary.LittleEndian, s)
	case 2:
		return append(inUTF16(binary.BigEndian, s), 'x')
	case 3:
		return []byte(strings.Repeat(s, 1+100000/(len(s)+1)))
	}
	return []byte(s)
}

func inUTF16(order binary.AppendByteOrder, s string) []byte {
	b := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

func randomPattern(t *rapid.T) string {
	atoms := []string{
		"foo", "Bar", "a", ".", `\w`, `\W`, `\s`, `\S`, `\d`, `\D`, "[^a-z]", "[k-s]", "[[:alpha:]]", `\b`, `\B`, "^", "$", `\A`, `\z`, "中", "é", `\pL`, `\PL`, "k", "S", "ß",
		`\x{fffd}`, `[^\x00-\x7f]`, "-", `\(`, "_x", `\r`, `\t`, "(?:)", "(?i:k)", "(?s:.)", "(?m:$)", `[^\n]`, "[a&&b]", "[a--b]", `\<`, "(?U:o+)", "😀", `\Qfoo\E`, "[[:^space:]]", `\v`, `\x00`,
	}
	var expr func(depth int) string
	expr = func(depth int) string {
		n := rapid.IntRange(1, 3).Draw(t, "parts")
		s := ""
		for range n {
			atom := rapid.SampledFrom(atoms).Draw(t, "atom")
			if depth > 0 && rapid.IntRange(0, 3).Draw(t, "group") == 0 {
				atom = "(" + expr(depth-1) + ")"
			}
			s += atom + rapid.SampledFrom([]string{"", "", "", "*", "+", "?", "{2}", "{1,3}", "+?", "|"}).Draw(t, "times")
		}
		return s
	}
	return expr(2)
}

// The answer is what a plain reading of the files gives.
func TestGrepPlainly(t *testing.T) { compareGrep(t, world(t), nil) }

// The answer is the same with ripgrep and without.
func TestGrepEngines(t *testing.T) {
	needRg(t)
	e := world(t)
	compareGrep(t, e, &sieve{env: e, least: 1, always: true})
}

func compareGrep(t *testing.T, e Env, rg *sieve) {
	sieved := 0
	rapid.Check(t, func(rt *rapid.T) {
		if err := os.RemoveAll(e.Root); err != nil {
			rt.Fatal(err)
		}
		files := map[string][]byte{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b/c", "b.c", "-e", "b/中", "B", "x y"}), 1, 5, rapid.ID).Draw(rt, "names") {
			files[name] = randomText(rt)
			write(t, filepath.Join(e.Root, filepath.FromSlash(name)), string(files[name]))
		}
		a := grepArgs{
			Pattern:    randomPattern(rt),
			Mode:       rapid.SampledFrom([]string{"content", "files", "count"}).Draw(rt, "mode"),
			Context:    rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(rt, "context"),
			IgnoreCase: rapid.Bool().Draw(rt, "ignore case"),
			Literal:    rapid.IntRange(0, 5).Draw(rt, "literal") == 0,
			Limit:      100000,
		}
		e := e
		e.Cut = 1 << 30
		e = e.withDefaults()
		plain, err := e.grep(t.Context(), a, nil)
		if err != nil {
			if !strings.Contains(err.Error(), "pattern") {
				rt.Fatal(err)
			}
			return
		}
		if want := readPlainly(files, a); plain != want && !strings.HasPrefix(plain, "(no matches)") || want == "" != strings.HasPrefix(plain, "(no matches)") {
			rt.Errorf("%q:\n%s\nwant\n%s", a.Pattern, plain, want)
		}
		if rg == nil {
			return
		}
		q, err := e.question(a)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := q.start(t.Context(), rg)
		if err != nil {
			rt.Fatal(err)
		}
		if q.fast != nil {
			if sieved++; q.fast.broken.Load() {
				rt.Errorf("rg does not take %s", q.fast.regex)
			}
		}
		if got != plain {
			rt.Errorf("%q, %s: with rg\n%s\nwithout\n%s", a.Pattern, q.fast.regex, got, plain)
		}
	})
	if rg != nil && sieved == 0 {
		t.Error("no pattern went through rg")
	}
}

// readPlainly is the answer from whole files.
func readPlainly(files map[string][]byte, a grepArgs) string {
	text := a.Pattern
	if a.Literal {
		text = regexp.QuoteMeta(text)
	}
	if a.IgnoreCase {
		text = "(?i)" + text
	}
	p, err := compile(a)
	if err != nil {
		return err.Error()
	}
	re := regexp.MustCompile(text)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		data := files[name]
		if order := utf16Order(data); order != nil {
			var units []uint16
			for i := 2; i+1 < len(data); i += 2 {
				units = append(units, order.Uint16(data[i:]))
			}
			odd := len(data)%2 == 1
			data = []byte(string(utf16.Decode(units)))
			if odd {
				data = append(data, "\ufffd"...)
			}
		}
		data = bytes.TrimPrefix(data, []byte(bom))
		if bytes.IndexByte(data[:min(len(data), blockSize)], 0) >= 0 {
			continue
		}
		lines := bytes.Split(data, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		var hit []bool
		count := 0
		for i := range lines {
			lines[i] = p.line(lines[i])
			hit = append(hit, re.Match(lines[i]))
			if hit[i] {
				count++
			}
		}
		if count == 0 {
			continue
		}
		switch a.Mode {
		case "files":
			out = append(out, name)
			continue
		case "count":
			out = append(out, fmt.Sprintf("%s:%d", name, count))
			continue
		}
		if len(out) > 0 {
			name = "\n" + name
		}
		out = append(out, name)
		last := -1
		for i, line := range lines {
			near := slices.Contains(hit[max(0, i-a.Context):min(len(hit), i+a.Context+1)], true)
			if !near {
				continue
			}
			if a.Context > 0 && last >= 0 && i > last+1 {
				out = append(out, "--")
			}
			last = i
			sign := "-"
			if hit[i] {
				sign = ":"
			}
			out = append(out, fmt.Sprintf("%d%s%s", i+1, sign, excerpt(line, p.where(line))))
		}
	}
	return strings.Join(out, "\n")
}

// What a person has set for ripgrep does not change the answer, and neither does a program of that name that is none, or
// that fails.
func TestGrepForeignSettings(t *testing.T) {
	needUnix(t)
	e := world(t).withDefaults()
	for i := range 150 {
		write(t, filepath.Join(e.Root, fmt.Sprintf("f%03d", i)), "aB\n")
	}
	config := filepath.Join(t.TempDir(), "config")
	write(t, config, "--invert-match\n--max-count=0\n--glob=!*\n")
	t.Setenv("RIPGREP_CONFIG_PATH", config)
	a := grepArgs{Pattern: "[a-c][A-C]", Mode: "files", Limit: 1000}
	want, err := e.grep(t.Context(), a, nil)
	if err != nil || strings.Count(want, "\n") != 149 {
		t.Fatal(want, err)
	}
	check := func(name string, s *sieve) {
		t.Helper()
		if got, err := e.grep(t.Context(), a, s); err != nil || got != want {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	check("settings", newSieve(e))
	bin := t.TempDir()
	fake := filepath.Join(bin, "rg")
	t.Setenv("PATH", bin)
	check("none", newSieve(e))
	for name, script := range map[string]string{
		"another program": "echo hello",
		"failing":         `[ "$2" = --version ] && echo ripgrep 14 && exit; exit 2`,
		"strange answer":  `[ "$2" = --version ] && echo ripgrep 14 && exit; echo what`,
		"endless answer":  `[ "$2" = --version ] && echo ripgrep 14 && exit; while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy || exit; [ $((n=n+1)) -gt 5000 ] && exit; done`,
	} {
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		check(name, newSieve(e))
	}
}

// endless gives a line without end, size bytes of it, and then an end.
type endless struct {
	size int
	end  string
}

func (r *endless) Read(p []byte) (int, error) {
	if r.size > 0 {
		n := min(r.size, len(p))
		for i := range p[:n] {
			p[i] = 'x'
		}
		r.size -= n
		return n, nil
	}
	if r.end == "" {
		return 0, io.EOF
	}
	n := copy(p, r.end)
	r.end = r.end[n:]
	return n, nil
}

// A line of any length is searched, and takes no memory.
func TestGrepEndlessLine(t *testing.T) {
	const size = 200 << 20
	for _, c := range []struct {
		pattern, end, want string
		context            int
	}{
		{"needle", "needle", "1:…" + strings.Repeat("x", 294) + "needle", 0},
		{"^x", "\nneedle", "1:" + strings.Repeat("x", 300) + "…", 0},
		{"^n", "\nneedle\n", "1-" + strings.Repeat("x", 300) + "…|2:needle", 1},
		{"yz$", "yz\r\nafter\n", "1:…" + strings.Repeat("x", 298) + "yz|2-after", 2},
		{"x$", "y", "", 0},
		{"^y", "y\nz", "", 0},
		{`\bx|x\b`, "", "1:" + strings.Repeat("x", 300) + "…", 0},
		{`x\b`, " y", "1:…" + strings.Repeat("x", 298) + " y", 0},
	} {
		p, err := compile(grepArgs{Pattern: c.pattern})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := scanner{want: want{pattern: p, context: c.context}, room: room{10, 10000}}
		n := size
		if strings.HasSuffix(c.pattern, "b") || strings.HasSuffix(c.pattern, "$") {
			n = 3 << 20 // these are slow
		}
		h, err := s.read(t.Context(), &endless{n, c.end})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%q: %d MiB", c.pattern, used>>20)
		}
		var got []string
		for _, l := range h.lines {
			sign := "-"
			if l.hit {
				sign = ":"
			}
			got = append(got, fmt.Sprintf("%d%s%s", l.number, sign, l.text))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q: %.700q, want %.400q", c.pattern, got, c.want)
		}
	}
}

// A search ends at once with its context, and leaves nothing behind; at its time limit it says what it has.
func TestGrepEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := world(t).withDefaults()
	for i := range 300 {
		write(t, filepath.Join(e.Root, fmt.Sprintf("f%03d", i)), strings.Repeat("a needle\n", 100))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []agent.Tool{Grep(e), Glob(e)} {
		if r, err := tool.Run(ctx, agent.Call{Args: json.RawMessage(`{"pattern":"*e"}`)}); err == nil && tool.Name == "glob" || !r.Error {
			t.Errorf("%s: %q %v", tool.Name, r.Text(), err)
		}
	}
	q, err := e.question(grepArgs{Pattern: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	q.time = 1
	got, err := q.start(t.Context(), nil)
	if err != nil || !strings.Contains(got, "[this is not all: the search was stopped after 0 s, when it had searched") {
		t.Errorf("%q %v", got, err)
	}
	q.time, q.countTime = searchTime, 1
	got, err = q.start(t.Context(), nil)
	if err != nil || !strings.Contains(got, "more)\n[there are more: counting was stopped; ") && !strings.Contains(got, "... (29800 more)") {
		t.Errorf("%q %v", got[max(0, len(got)-200):], err)
	}
}

// What is shown are the first results in the order of paths, whoever was quicker.
func TestGrepOrder(t *testing.T) {
	e := world(t).withDefaults()
	write(t, filepath.Join(e.Root, "0"), strings.Repeat("a slow line, without what is looked for\n", 60000)+"xQx\n")
	for i := range 2000 {
		write(t, filepath.Join(e.Root, fmt.Sprintf("d%d/f%04d", i%10, i)), "1\nxQx\n2\nxQx\n")
	}
	for _, c := range []struct{ mode, want string }{
		{"content", "0\n60001:xQx\n\nd0/f0000\n2:xQx\n4:xQx\n\nd0/f0010\n2:xQx\n"},
		{"files", "0\nd0/f0000\nd0/f0010\nd0/f0020\n"},
		{"count", "0:1\nd0/f0000:2\nd0/f0010:2\nd0/f0020:2\n"},
	} {
		got, err := e.grep(t.Context(), grepArgs{Pattern: "[x-z][Q-R][x-z]", Mode: c.mode, Limit: 4}, nil)
		if err != nil || !strings.HasPrefix(got, c.want+"... (") {
			t.Errorf("%s: %.300s %v", c.mode, got, err)
		}
	}
}
