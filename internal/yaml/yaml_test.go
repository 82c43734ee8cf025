package yaml_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"react-agent/internal/yaml"
)

// show is a tree as a line.
func show(n yaml.Node) string {
	var b strings.Builder
	if n.Marked {
		b.WriteString("!")
	}
	switch n.Kind {
	case yaml.Null:
		b.WriteString("~")
	case yaml.Scalar:
		if n.String {
			fmt.Fprintf(&b, "%q", n.Text)
		} else {
			b.WriteString(n.Text)
		}
	case yaml.List:
		b.WriteString("[")
		for _, i := range n.Items {
			b.WriteString(show(i) + " ")
		}
		b.WriteString("]")
	case yaml.Map:
		b.WriteString("{")
		for _, p := range n.Pairs {
			b.WriteString(show(p.Key) + ": " + show(p.Value) + " ")
		}
		b.WriteString("}")
	}
	fmt.Fprintf(&b, "@%d:%d", n.Line, n.Column)
	return b.String()
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "~@1:1",
		"# only\n\n":               "~@1:1",
		"---\n":                    "~@1:1",
		"x":                        `"x"@1:1`,
		"a: 1\nb: 'x'\r\n":         `{"a"@1:1: 1@1:4 "b"@2:1: "x"@2:5 }@1:1`,
		"---\na: [é, \"\\n\"]\n":   `{"a"@2:1: ["é"@2:5 "\n"@2:9 ]@2:4 }@2:1`,
		"a: |\n  x\n  y\nb:\n":     `{"a"@1:1: "x\ny\n"@1:4 "b"@4:1: ~@4:3 }@1:1`,
		"a: ~\nb: \"~\"\nc: null":  `{"a"@1:1: ~@1:4 "b"@2:1: "~"@2:5 "c"@3:1: ~@3:4 }@1:1`,
		"a: &x 1\nb: *x\n":         `{"a"@1:1: !1@1:4 "b"@2:1: !1@2:4 }@1:1`,
		"a: &x [1]\nb: *x\n":       `{"a"@1:1: ![1@1:8 ]@1:4 "b"@2:1: !~@2:4 }@1:1`,
		"a: &x [*x]\n":             `{"a"@1:1: ![!~@1:8 ]@1:4 }@1:1`,
		"a: !!str 1\nb: ! x":       `{"a"@1:1: !"1"@1:4 "b"@2:1: !"x"@2:4 }@1:1`,
		"<<: {a: b}\n":             `{!"<<"@1:1: {"a"@1:6: "b"@1:9 }@1:5 }@1:1`,
		"1: a\n? [b]\n: c\n":       `{1@1:1: "a"@1:4 ["b"@2:4 ]@2:3: "c"@3:3 }@1:1`,
		"a: x\na: y\n":             `{"a"@1:1: "x"@1:4 "a"@2:1: "y"@2:4 }@1:1`,
		"a: x\n---\n...\n":         `{"a"@1:1: "x"@1:4 }@1:1`,
		"a: yes\nb: 0x1f\nc: 1e3":  `{"a"@1:1: "yes"@1:4 "b"@2:1: 0x1f@2:4 "c"@3:1: 1e3@3:4 }@1:1`,
		"a: x\u2028y\u0085\u2029z": "{\"a\"@1:1: \"x\u2028y\u0085\u2029z\"@1:4 }@1:1",
	} {
		n, err := yaml.Parse("f.yaml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := strings.ReplaceAll(show(n), `\u2028y\u0085\u2029`, "\u2028y\u0085\u2029"); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestFaults holds that a person is led to the line that has to be changed.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nmodel: a: b\n":                         `f.yaml:2: ": " cannot stand here`,
		"a: 1\nmodel: \"open\nb: x\nc: d\n":           "f.yaml:2: a quote is opened here and never closed",
		"a: 1\nb: 'it's'\n":                           "f.yaml:2: a key is expected here",
		"a: 1\nb: [a, b\n\n":                          "f.yaml:2: a list that is opened with [",
		"a: 1\nb: {a: b\n":                            "f.yaml:2: a map that is opened with {",
		"\n\na: [\n\n\n":                              "f.yaml:3: a value is expected here",
		"a:\n\tb: 1\n":                                "f.yaml:2: a tab in the indentation",
		"a:\n  b: 1\n\tc: 2\n":                        "f.yaml:3: a tab in the indentation",
		"a:\n  b: 1\n   c: 2\n":                       `f.yaml:3: ": " cannot stand here`,
		"a:\n  b: 1\n c: 2\n":                         "f.yaml:3: a key is expected here",
		"a: 1\nb\nc: 2\n":                             `f.yaml:2: a line "key: value" is expected here`,
		"a: 1\nb: @x\n":                               "f.yaml:2: a text cannot begin with this character",
		"a: 1\nb: \"C:\\quux\"\n":                     "f.yaml:2: a backslash in double quotes",
		"a: 1\nb: **/*.go\n":                          `f.yaml:2: "*" begins a reference to an anchor`,
		"a: 1\n---\n---\nb: 2\n":                      "f.yaml:4: a second document begins here",
		"a: 1\nb: x\x01\n":                            "f.yaml:2: control characters are not allowed",
		"a: 1\nb: \xff\n":                             "f.yaml:2: ",
		"a: 1\nb: " + strings.Repeat("[", 99):         "f.yaml:2: nested too deeply",
		"a: 1\nb:\n" + strings.Repeat("- ", 99) + "x": "f.yaml:3: nested too deeply",
	} {
		_, err := yaml.Parse("f.yaml", []byte(text))
		e, ok := errors.AsType[*yaml.Error](err)
		if !ok || !strings.HasPrefix(e.Error(), want) || strings.Contains(e.Text, "\n") {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
		if tab := strings.Contains(want, "tab"); tab != errors.Is(err, yaml.ErrTab) {
			t.Errorf("%q: is it about a tab? %v", text, !tab)
		}
		if second := strings.Contains(want, "second"); second != errors.Is(err, yaml.ErrSecond) {
			t.Errorf("%q: is it about a second document? %v", text, !second)
		}
	}
	for e, want := range map[*yaml.Error]string{
		{Text: "x"}:                     "x",
		{Text: "x", Line: 2}:            "line 2: x",
		{Text: "x", File: "f"}:          "f: x",
		{Text: "x", File: "f", Line: 3}: "f:3: x",
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e, want)
		}
	}
}

type settings struct {
	Name  string            `yaml:"name"`
	Steps int               `yaml:"steps"`
	Wait  time.Duration     `yaml:"wait"`
	On    bool              `yaml:"on"`
	Rate  float64           `yaml:"rate"`
	Words []string          `yaml:"words"`
	Texts map[string]string `yaml:"texts"`
	Deep  struct {
		N *int `yaml:"n"`
	} `yaml:"deep"`
}

func TestDecode(t *testing.T) {
	var s settings
	err := yaml.Decode("f.yaml", []byte("name: \"a\u2028\"\nsteps: 3\nwait: 90s\non: true\nrate: 1.5\nwords: [a, b]\ntexts: {x: y}\ndeep: {n: 4}\n"), &s)
	four := 4
	want := settings{Name: "a\u2028", Steps: 3, Wait: 90 * time.Second, On: true, Rate: 1.5, Words: []string{"a", "b"}, Texts: map[string]string{"x": "y"}}
	want.Deep.N = &four
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, %v", s, err)
	}
	s = settings{Name: "kept"}
	if err := yaml.Decode("f.yaml", []byte("# nothing\n"), &s); err != nil || s.Name != "kept" {
		t.Errorf("%+v, %v", s, err)
	}
	err = yaml.Decode("f.yaml", []byte(`nam: x
steps: many
wait: sooner
on: 7
rate: [1]
words: {a: b}
texts: x
deep:
  n: 1.5
  m: 2
name: [a]
`), &settings{})
	wants := strings.Split("f.yaml:1: unknown key \"nam\"\n"+
		"f.yaml:2: `many` stands here, but it must be a whole number\n"+
		"f.yaml:3: `sooner` stands here, but it must be a duration such as 90s\n"+
		"f.yaml:4: `7` stands here, but it must be true or false\n"+
		"f.yaml:5: a list stands here, but it must be a number\n"+
		"f.yaml:6: a map stands here, but it must be a list\n"+
		"f.yaml:7: `x` stands here, but it must be a map of keys\n"+
		"f.yaml:9: `1.5` stands here, but it must be a whole number\n"+
		"f.yaml:10: unknown key \"m\"\n"+
		"f.yaml:11: a list stands here, but it must be a text", "\n")
	if got := strings.Split(fmt.Sprint(err), "\n"); !reflect.DeepEqual(got, wants) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if err := yaml.Decode("f.yaml", []byte("name: a\nname: b\n"), &settings{}); err == nil || !strings.HasPrefix(err.Error(), "f.yaml:2: ") {
		t.Errorf("a key that is there twice: %v", err)
	}
	if err := yaml.Decode("f.yaml", []byte("name: [\n"), &settings{}); err == nil {
		t.Error("no error")
	}
	if err := yaml.Decode("", []byte("a: 1"), nil); err == nil {
		t.Error("nothing to fill, and no error")
	}
}

// TestNothingMultiplies reads a text that stands for 4^300 values.
func TestNothingMultiplies(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x]\n")
	for i := 1; i < 300; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	n, err := yaml.Parse("", []byte(b.String()))
	if err != nil || len(n.Pairs) != 300 || n.Pairs[9].Value.Items[0].Kind != yaml.Null {
		t.Errorf("%d, %v", len(n.Pairs), err)
	}
	var out map[string]any
	if err := yaml.Decode("", []byte(b.String()), &out); err == nil {
		t.Error("all of it was built")
	}
}

// nasty are texts that make parsers slow: each is a piece that is repeated, or grows by the line.
func nasty() map[string]func(n int) string {
	rep := func(s string) func(int) string {
		return func(n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	}
	stairs := func(s string) func(int) string {
		return func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				b.WriteString(strings.Repeat(" ", i) + s)
			}
			return b.String()
		}
	}
	return map[string]func(n int) string{
		"indented maps": stairs("a:\n"), "indented lists": stairs("-\n"), "brackets": rep("["), "braces": rep("{a: "), "dashes": rep("- "),
		"questions": rep("? "), "questions, lines": rep("?\n"), "anchors": rep("&a "), "tags": rep("!t "), "aliases": rep("*a "),
		"colons": rep(":"), "blank colons": rep(": "), "long key": rep("k"), "keys": rep("a:\n"), "quotes": rep("\"\" "), "documents": rep("---\n"),
		"flow keys": func(n int) string { return "{" + rep("a, ")(n) }, "flow pairs": func(n int) string { return "[" + rep("a: b, ")(n) },
		"comments": rep("- # c\n"), "mixed": rep("- ? : "), "mixed flow": rep("[{\"a\":"), "fold": func(n int) string { return "a: >\n" + rep("  x\n\n")(n) },
		"deep, then long": func(n int) string { return strings.Repeat("[", yaml.MaxDepth) + rep("a: b, ")(n) },
		"merge":           func(n int) string { return "a: &a {x: 1}\n" + rep("<<: *a\n")(n) },
	}
}

// BenchmarkNasty shows the time for a byte of such texts; with what is linear, it is the same for every length.
func BenchmarkNasty(b *testing.B) {
	for name, text := range nasty() {
		for _, n := range []int{4 << 10, 64 << 10, 1 << 20} {
			data := []byte(text(n))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					_, _ = yaml.Parse("", data)
				}
			})
		}
	}
}

// TestLinear counts what is allocated instead of the time, which a test cannot judge: sixteen times the text takes about
// sixteen times the memory.
func TestLinear(t *testing.T) {
	for name, text := range nasty() {
		small, large := []byte(text(2<<10)), []byte(text(32<<10))
		cost := func(data []byte) float64 {
			return testing.AllocsPerRun(1, func() { _, _ = yaml.Parse("", data) })
		}
		if a, b := cost(small), cost(large); b > 40*a+1000 {
			t.Errorf("%s: %.0f allocations for 2 KiB, %.0f for 32", name, a, b)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a: 1\nb: [c, {d: e}]\n", "? a\n: |\n  b\n", "&a x: *a\n", "%YAML 1.2\n---\n!!map {a: !b c}\n", "a: \"\\u2028\"\n", "a: 'b\n\n  c'\n", "\ufeffa: b\r\n",
		"- - -\n", "a:\n\tb\n", "a: \u0085\u2028", "<<: *x", "\ufdd0: \u2029", "a: 2001-01-01T00:00:00Z\nb: .nan\n", "a: !!binary x\n", "a: >2-\n   x\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := yaml.Parse("f", data)
		if err != nil {
			e, ok := errors.AsType[*yaml.Error](err)
			if lines := strings.Count(strings.ReplaceAll(string(data), "\r", "\n"), "\n") + 1; !ok || e.Line < 0 || e.Line > lines || e.Text == "" {
				t.Fatalf("%q: %+v", data, err)
			}
		}
		if depth(n) > 4*yaml.MaxDepth {
			t.Fatalf("%q: %d deep", data, depth(n))
		}
		var out any
		_ = yaml.Decode("f", data, &out)
		_ = yaml.Decode("f", data, &settings{})
	})
}

func depth(n yaml.Node) int {
	deepest := 0
	for _, i := range n.Items {
		deepest = max(deepest, depth(i))
	}
	for _, p := range n.Pairs {
		deepest = max(deepest, depth(p.Key), depth(p.Value))
	}
	return deepest + 1
}
