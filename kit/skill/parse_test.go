package skill

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// FuzzHeader holds the quick reader against the real one, and both against nonsense.
func FuzzHeader(f *testing.F) {
	for _, s := range []string{
		"name: a\ndescription: b c\n", "name: 'a'\nmetadata:\n  x: y\n  z: \"1\"\n", "a: b: c\n", "a:\n\tb: c\n", "- a\n", "a: >-\n  x\n\n  y\n",
		"a: &x b\nc: *x\n", "a: [b, c]\nd: {e: f}\n", "a: null\nb: ~\nc:\n", "# x\na: b # c\n", "a: b\na: c\n", "a: !!str 1\n? x\n: y\n",
		"a: \"b\\e\"\n", "a: b\n  c\n", "---\na: b\n", "a: yes\nb: 0x1F\nc: 1e3\n", "a: b\u2028c\n", "\ufeffa: b\n", "a: 'it''s'\n", "a: @b\nc: `d`\n",
		"name: a\nmetadata:\n name: b\nx: c\n", "a: b\u0085c\n", "a: b\u00a0\n", "a: x:\n", "a: -\n", "a:  b  \n", "key-with-dash: v\n",
		"a:\n- b\n- \"c d\"\ne: f\n", "a:\n  - Bash(git add *)\n  - x\nb:\n  c: d\n", "a:\n  - b\n - c\n", "a:\n- b\n  c: d\n", "a: b\n- c\n", "a:\n- ''\n-  b\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if len(header) > 4096 || !utf8.ValidString(header) {
			return
		}
		quick, ok := simple(header)
		slow, flt := readYAML(header)
		if ok && (flt != nil || !reflect.DeepEqual(quick.list, slow.list)) {
			t.Fatalf("%q: quick %+v, slow %+v %+v", header, quick.list, slow.list, flt)
		}
		for _, e := range salvage(header).list {
			if e.line < 1 || e.line > strings.Count(header, "\n")+1 {
				t.Fatalf("%q: line %d", header, e.line)
			}
		}
	})
}

// FuzzFile reads any bytes as a skill's file.
func FuzzFile(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: b\n---\nbody\n", "\xef\xbb\xbf\n\n---\r\nname: a\r\ndescription: b\r\n---\r\nx", "---\n---\n", "---", "", "\xff\xfea\x00",
		"---\nname: ../x\ndescription: |\n  a\n  b\nallowed-tools: Bash(git add *), Read\nuser-invocable: maybe\n---\n", "---\nname: a\ndescription: a: b\n---\n",
		"---\nname: \"\\e[31m\"\ndescription: caf\xe9\narguments: a b\n---\n$a", "----\nx\n----\n", "---\nname: [a]\ndescription: {a: b}\nhooks: 1\n---\n",
	} {
		f.Add([]byte(s), false)
	}
	for _, s := range []string{"---\na:\r\r\r\r\r\r\tb: x\r\r: [\n---\n", "---\na: b\u2028\u2028\u2028\u0085\u0085\u0085: [\n---\nx", "---\nname: x\rdescription: x\r\r\r\r\r\rallowed-tools: {\n---\ny", "---\rname: a\r\r\r\r\rmodel: [[]]\rdescription: 1e999\rhooks: .inf\r---\ry", "---\nname: x\ndescription: d\nx: 1e999\ny: .nan\nz: {.inf: 1, [a]: 2}\n---\n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, loose bool) {
		whole, _, binary := decode(data)
		if header, _, _ := decodeHeader(data); !binary && !reflect.DeepEqual(parse("f", whole), parse("f", header)) {
			t.Fatalf("%q is not read as %q", header, whole)
		}
		set := &Set{o: Options{Loose: loose}.withDefaults()}
		c := candidate{file: "/r/x/SKILL.md", folder: "x", root: &Root{Path: "/r"}}
		k := &Skill{Name: "x", File: c.file, Dir: "/r/x", loose: loose}
		set.understand(k, &c, data)
		for _, d := range k.notes {
			lines := strings.Count(string(data), "\n") + 1
			if d.Reason == nil || d.Fix == nil || d.File != c.file || d.Line < 0 || d.Line > lines {
				t.Fatalf("%+v of %d lines", d, lines)
			}
		}
		if k.refused() {
			return
		}
		if k.Description == "" && !loose {
			t.Fatal("loaded without a description")
		}
		if k.Name == "" || strings.ContainsAny(k.Name, "/\\\n\x1b") || k.Name == ".." || !utf8.ValidString(k.Name+k.Description) {
			t.Fatalf("name %q, description %q", k.Name, k.Description)
		}
		if _, err := json.Marshal(k.Fields); err != nil {
			t.Fatal(err)
		}
	})
}

func codes(list []Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s/%s:%d", d.Code, d.Severity, d.Line))
	}
	return strings.Join(out, " ")
}

// TestFields reads what headers say.
func TestFields(t *testing.T) {
	_, k := one(t, Options{}, `when_to_use: "also when: asked"
argument-hint: [issue, number]
arguments: from to
allowed-tools: Bash(git add *), Read Write
disallowed-tools:
  - Bash
  - Edit
model: inherit
effort: high
context: Fork
agent: Explore
background: "yes"
paths: "src/**/*.{ts,tsx}, *.md"
shell: Bash
license: MIT
compatibility: 7
metadata: {author: me, version: 1.0, deep: {a: 1}}
disable-model-invocation: ON
user-invocable: 0
own-field: [1, 2]
`, "b")
	want := Header{
		Description: "d", WhenToUse: "also when: asked", ArgumentHint: "issue, number", Arguments: []string{"from", "to"},
		AllowedTools: []string{"Bash(git add *)", "Read", "Write"}, DisallowedTools: []string{"Bash", "Edit"},
		Effort: "high", Fork: true, Agent: "Explore", Background: true, Paths: []string{"src/**/*.{ts,tsx}", "*.md"},
		Shell: "bash", License: "MIT", Compat: "7", Metadata: map[string]string{"author": "me", "version": "1.0"},
	}
	got := k.Header
	if got.Fields["own-field"] != "1, 2" {
		t.Errorf("fields %v", got.Fields)
	}
	got.Fields = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if k.ByModel || k.ByUser || len(k.notes) > 0 {
		t.Errorf("by model %v, by user %v, %s", k.ByModel, k.ByUser, codes(k.notes))
	}
	if got, want := k.Title(), "d also when: asked (for files: src/**/*.{ts,tsx}, *.md)"; got != want {
		t.Errorf("%q", got)
	}
}

// TestDiagnostics gives a bad skill of each kind, and looks at code, line, what loads, and both languages.
func TestDiagnostics(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		want   string
		loads  string // its description; empty: it does not load
		strict bool
	}{
		"fine":                  {"---\nname: x\ndescription: d\n---\n", "", "d", true},
		"colon":                 {"---\nname: x\ndescription: use when: a, b: c\n---\n", "yaml_repaired/warn:3", "use when: a, b: c", true},
		"colon over two lines":  {"---\nname: x\ndescription: use when: a\n  and b\n---\n", "yaml_repaired/warn:3", "use when: a and b", false},
		"list kept":             {"---\nname: x\ndescription: a: b\nallowed-tools:\n- Read\n- Write\n---\n", "yaml_repaired/warn:3", "a: b", false},
		"special first letter":  {"---\nname: x\ndescription: @mention things\n---\n", "yaml_repaired/warn:3", "@mention things", false},
		"backtick":              {"---\nname: x\ndescription: `code` helper\n---\n", "yaml_repaired/warn:3", "`code` helper", false},
		"open quote":            {"---\nname: x\ndescription: \"open\n---\n", "yaml_repaired/warn:3", "\"open", false},
		"no name":               {"---\ndescription: d\n---\n", "name_missing/warn:0", "d", false},
		"no name, strict":       {"---\ndescription: d\n---\n", "name_missing/error:0", "", true},
		"other name":            {"---\n\nname: y\ndescription: d\n---\n", "name_dir_mismatch/warn:3", "d", false},
		"other name, strict":    {"---\nname: y\ndescription: d\n---\n", "name_dir_mismatch/error:2", "", true},
		"case is no difference": {"---\nname: X\ndescription: d\n---\n", "name_invalid/warn:2", "d", true},
		"no description":        {"---\nname: x\n---\n", "description_missing/error:1", "", false},
		"blank description":     {"---\nname: x\ndescription: \"  \"\n---\n", "description_missing/error:3", "", false},
		"long description":      {"---\nname: x\ndescription: " + strings.Repeat("长", 1025) + "\n---\n", "description_too_long/warn:3", strings.Repeat("长", 1025), true},
		"no header":             {"# x\n", "no_frontmatter/error:1", "", false},
		"open header":           {"\n---\nname: x\n", "unclosed_frontmatter/error:2", "", false},
		"endless header":        {"---\n" + strings.Repeat("a: b\n", 20_000), "yaml_invalid/error:2", "", false},
		"deep":                  {"---\ndescription: d\na: " + strings.Repeat("[", 5000) + "\n---\n", "yaml_repaired/warn:3 name_missing/warn:0", "d", false},
		"scalar":                {"---\njust text\n---\n", "yaml_invalid/error:2", "", false},
		"utf16":                 {"\xff\xfe-\x00", "not_utf8/error:1", "", false},
		"latin1":                {"---\nname: x\ndescription: caf\xe9\n---\n", "not_utf8/warn:0", "caf\uFFFD", false},
		"odd switch":            {"---\nname: x\ndescription: d\nuser-invocable: perhaps\n---\n", "field_invalid/warn:4", "d", false},
		"odd context":           {"---\nname: x\ndescription: d\ncontext: elsewhere\n---\n", "field_invalid/warn:4", "d", false},
		"hooks":                 {"---\nname: x\ndescription: d\nhooks: {a: b}\n---\n", "field_invalid/warn:4", "d", false},
		"endless name":          {"---\nname: " + strings.Repeat("n", 300) + "\ndescription: d\n---\n", "name_dir_mismatch/warn:2 name_too_long/warn:2", "d", false},
		"path as name":          {"---\nname: a/b\ndescription: d\n---\n", "name_invalid/warn:2", "d", false},
		"dots as name":          {"---\nname: ..\ndescription: d\n---\n", "name_invalid/warn:2", "d", false},
	} {
		dir := write(t, map[string]string{"x/SKILL.md": c.text, "good/SKILL.md": "---\nname: good\ndescription: d\n---\n"})
		s := load(t, Options{Roots: []Root{{Path: dir}}, Strict: c.strict})
		if got := codes(s.Diagnostics()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if _, ok := s.Find("good"); !ok {
			t.Errorf("%s: keeps the others away", name)
		}
		i := slices.IndexFunc(s.list, func(k *Skill) bool { return k.key != "good" })
		switch {
		case (i >= 0) != (c.loads != ""):
			t.Errorf("%s: loaded: %v", name, i >= 0)
		case i >= 0 && s.list[i].Description != c.loads:
			t.Errorf("%s: description %q", name, s.list[i].Description)
		}
		for _, d := range s.Diagnostics() {
			zh, en := d.In(msg.For(msg.Zh)), d.String()
			if zh == en || strings.Contains(zh+en, "%!") || !strings.HasPrefix(en, dir) {
				t.Errorf("%s: %s | %s", name, zh, en)
			}
		}
	}
}

func TestLoose(t *testing.T) {
	dir := write(t, map[string]string{
		"a/SKILL.md": "# Title\n\nFirst words\nof it.\n\nMore.\n", "b/SKILL.md": "---\nname: b\n---\n", "c.md": "Flat text.\n", "README.md": "x",
	})
	s := load(t, Options{Roots: []Root{{Path: dir}}, Loose: true, Texts: Server()})
	if got, want := s.Index(), "Skills:\n  - a: First words of it.\n  - b: -\n  - c: Flat text.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(s.Diagnostics()) > 0 {
		t.Error(s.Diagnostics())
	}
}
