package skill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
)

// commandSet loads what is in a project and a home as the product does.
func commandSet(t testing.TB, o Options, files map[string]string) (*Set, string) {
	t.Helper()
	dir := write(t, files)
	p, home := filepath.Join(dir, "p"), filepath.Join(dir, "home")
	o.Roots = append(append(Places(p, p, home, ""), CommandPlaces(p, p, home, "")...), Root{Path: filepath.Join(dir, "shipped"), Scope: System})
	return load(t, o), dir
}

func TestCommandFiles(t *testing.T) {
	s, _ := commandSet(t, Options{}, map[string]string{
		"p/.claude/commands/fix.md":                       "---\ndescription: Fix an issue\nargument-hint: [issue-number]\nallowed-tools: Bash(git:*), Read\nmodel: inherit\n---\nFix #$0 of $ARGUMENTS.",
		"p/.claude/commands/git/commit.md":                "Commit: $ARGUMENTS",
		"p/.claude/commands/git/deep/er.md":               "# Title\n\nFirst words.\n\nMore.",
		"p/.claude/commands/README.md":                    "not a command",
		"p/.claude/commands/notes.txt":                    "not a command",
		"p/.claude/commands/.hidden.md":                   "no",
		"p/.claude/commands/node_modules/x.md":            "no",
		"p/.claude/commands/rule.md":                      "---\nA text that begins with a rule.",
		"p/.claude/commands/auto.md":                      "---\ndescription: for both\ndisable-model-invocation: false\nname: other\n---\nAuto.",
		"p/.claude/commands/quiet.md":                     "---\nuser-invocable: false\n---\nQuiet.",
		"p/.claude/commands/broken.md":                    "---\na: [\n\t\"x\n---\nBody",
		"p/.opencode/commands/op.md":                      "---\ndescription: o\nagent: build\nsubtask: true\n---\nOne $1, rest $2",
		"p/.opencode/command/old.md":                      "Old $1",
		"p/.gemini/commands/git/fix.toml":                 "description = \"Fix it\"\nprompt = '''Fix {{args}} now'''",
		"p/.gemini/commands/none.toml":                    "prompt = 'No places.'",
		"p/.gemini/commands/bad.toml":                     "description = \"x\"\nprompt = open\n",
		"p/.gemini/commands/empty.toml":                   "description = \"x\"\n",
		"p/.gemini/commands/bin.toml":                     "prompt = \"a\x00\"",
		"p/.react-agent/commands/own.md":                  "Own.",
		"home/.claude/commands/mine.md":                   "Mine.",
		"home/.claude/commands/fix.md":                    "Another fix.",
		"home/.config/react-agent/commands/settings.md":   "Settings.",
		"home/.config/opencode/commands/oc.md":            "OC $1",
		"home/.gemini/commands/gem.toml":                  "prompt = \"Gem.\"",
		"p/skills/own/SKILL.md":                           file("own"),
		"shipped/mine/SKILL.md":                           file("mine"),
		"shipped/extra/SKILL.md":                          file("extra"),
		"p/.claude/commands/\u6211\u7684/\u547d\u4ee4.md": "\u4e2d\u6587",
	})
	var menu []string
	for _, k := range s.ForUser() {
		menu = append(menu, k.Name)
	}
	if got, want := strings.Join(menu, " "), "auto broken extra fix gem git:commit git:deep:er git:fix mine none oc old op own rule settings 我的:命令"; got != want {
		t.Errorf("a person may call %s\nwant %s", got, want)
	}
	if got := names(s.ForModel()); got != "auto, extra, own" {
		t.Errorf("the model may call %s", got)
	}
	for line, want := range map[string]string{
		"fix|12 urgent":    "Fix #12 of 12 urgent.",
		"git:commit|a 'b'": "Commit: a 'b'",
		"GIT:Commit|x":     "Commit: x",
		"op|a b c":         "One a, rest b c",
		"old|a b":          "Old a b",
		"git:fix|the $1":   "Fix the $1 now",
		"none|x":           "No places.\n\nARGUMENTS: x",
		"own|":             "Body of own.",
		"mine|":            "Mine.",
		"oc|z":             "OC z",
		"rule|":            "---\nA text that begins with a rule.",
		"git:deep:er|":     "# Title\n\nFirst words.\n\nMore.",
		"我的:命令|":           "中文",
		"settings|":        "Settings.",
		"auto|":            "Auto.",
		"gem|":             "Gem.",
	} {
		name, args, _ := strings.Cut(line, "|")
		note, err := s.Invoke(t.Context(), agent.NewSession("s"), name, args)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := note.Messages[0].Text(); got != want {
			t.Errorf("%s %s gives %q, want %q", name, args, got, want)
		}
	}
	for name, want := range map[string]string{"fix": "Fix an issue", "git:commit": "Commit: $ARGUMENTS", "git:deep:er": "First words.", "git:fix": "Fix it", "none": "No places."} {
		if k, _ := s.Find(name); k == nil || k.Description != want || !k.Command() {
			t.Errorf("%s: %+v", name, k)
		}
	}
	if k, _ := s.Find("fix"); k.ArgumentHint != "issue-number" && k.ArgumentHint != "[issue-number]" || strings.Join(k.AllowedTools, " ") != "Bash(git:*) Read" {
		t.Errorf("%+v", k.Header)
	}
	if k, _ := s.Find("op"); !k.Fork || k.Agent != "build" {
		t.Errorf("%+v", k.Header)
	}
	found := map[string]string{}
	for _, f := range s.Doctor() {
		if len(f.Diagnostics) > 0 {
			found[f.Name+" "+string(f.Status)] += codes(f.Diagnostics)
		}
	}
	want := map[string]string{
		"broken loaded": "yaml_repaired/warn:3", "bad skipped": "toml_invalid/error:2", "empty skipped": "field_invalid/error:1", "bin skipped": "not_utf8/error:1",
		"fix shadowed": "duplicate_shadowed/warn:0", "own shadowed": "duplicate_shadowed/warn:0", "mine shadowed": "duplicate_shadowed/warn:0",
		"rule loaded": "unclosed_frontmatter/warn:1",
	}
	for k, v := range want {
		if found[k] != v {
			t.Errorf("%s: %q, want %q", k, found[k], v)
		}
		delete(found, k)
	}
	if len(found) > 0 {
		t.Errorf("also told: %v", found)
	}
}

func TestCallableByTail(t *testing.T) {
	s, _ := commandSet(t, Options{}, map[string]string{
		"p/.claude/commands/git/commit.md": "g", "p/.claude/commands/a/same.md": "a", "p/.claude/commands/b/same.md": "b",
		"p/.claude/commands/x/top.md": "x", "p/.claude/commands/top.md": "t", "p/.claude/commands/n/no.md": "---\nuser-invocable: no\n---\nx",
	})
	for name, want := range map[string]string{"commit": "git:commit", "Git:Commit": "git:commit", "same": "", "top": "top", "x:top": "x:top", "no": "", "it": "", "": ""} {
		got := ""
		if k, ok := s.Callable(name); ok {
			got = k.Name
		}
		if got != want {
			t.Errorf("%q calls %q, want %q", name, got, want)
		}
	}
}

// TestOnlyCommands: a person's commands alone give the model no tool and no index.
func TestOnlyCommands(t *testing.T) {
	s, _ := commandSet(t, Options{}, map[string]string{"p/.claude/commands/a.md": "A"})
	if len(s.Tools()) != 0 || s.Index() != "" {
		t.Errorf("%d tools, index %q", len(s.Tools()), s.Index())
	}
	s, _ = commandSet(t, Options{}, map[string]string{"p/.claude/commands/a.md": "---\ndisable-model-invocation: no\n---\nA"})
	if len(s.Tools()) == 0 || !strings.Contains(s.Index(), "- a: A") {
		t.Errorf("%d tools, index %q", len(s.Tools()), s.Index())
	}
}

func TestCommandLinks(t *testing.T) {
	dir := write(t, map[string]string{
		"p/.claude/commands/a/one.md": "1", "p/docs/two.md": "2", "else/three.md": "3", "else/sub/four.md": "4", "home/x": "",
	})
	c := filepath.Join(dir, "p/.claude/commands")
	link(t, "..", filepath.Join(c, "a/up"))
	link(t, "../../docs/two.md", filepath.Join(c, "two.md"))
	link(t, "../../../else/three.md", filepath.Join(c, "three.md"))
	link(t, "../../../else/sub", filepath.Join(c, "sub"))
	link(t, "../../else", filepath.Join(dir, "home/.claude/commands"))
	p := filepath.Join(dir, "p")
	s := load(t, Options{Roots: CommandPlaces(p, p, filepath.Join(dir, "home"), "")})
	if got := namesOf(s); got != "a:one, sub:four, three, two" {
		t.Errorf("%s", got) // a person's own links lead anywhere
	}
	escapes := 0
	for _, d := range s.Diagnostics() {
		if d.Code == LinkEscapes {
			escapes++
		}
	}
	if escapes != 2 {
		t.Errorf("%d links lead out: %v", escapes, s.Diagnostics())
	}
}

func TestCommandBounds(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", maxLevels+1))
	for i := range maxDirs + 5 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("e%04d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{filepath.Join(deep, "lost.md"), filepath.Join(filepath.Dir(filepath.Clean(deep)), "kept.md")} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := load(t, Options{Roots: []Root{{Path: dir, Scope: User, Commands: markdown}}})
	if got := namesOf(s); got != "d:d:d:d:d:d:kept" {
		t.Errorf("%s", got)
	}
	if !strings.Contains(codes(s.Diagnostics()), "too_many/warn:0") {
		t.Errorf("%v", s.Diagnostics())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, Options{Roots: []Root{{Path: dir, Commands: markdown}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// gemini renders a prompt.
func gemini(t testing.TB, o Options, prompt, args string) string {
	t.Helper()
	dir := write(t, map[string]string{"c.toml": "prompt = '''\n" + prompt + "'''"})
	o.Roots = []Root{{Path: dir, Scope: User, Commands: toml}}
	s := load(t, o)
	note, err := s.Invoke(t.Context(), agent.NewSession("s"), "c", args)
	if err != nil {
		t.Fatal(err)
	}
	return note.Messages[0].Text()
}

func TestGeminiPlaces(t *testing.T) {
	var ran, read []string
	o := Options{
		Run: func(_ context.Context, c Command) (string, error) {
			ran = append(ran, c.Text)
			return "OUT {{args}} !{x} @{y}\n", nil
		},
		File: func(_ context.Context, _ *agent.Session, p string) (string, error) {
			if read = append(read, p); p == "gone" {
				return "", errors.New("no such file")
			}
			return "TEXT {{args}} !{x}\n", nil
		},
	}
	for _, c := range [][3]string{
		{"Do {{args}}.", "a $1 {{args}} !{rm} @{z}", "Do a $1 {{args}} !{rm} @{z}."},
		{"Do {{args}}.", "", "Do ."},
		{"See !{git log} end", "", "See OUT {{args}} !{x} @{y} end"},
		{"See @{a b.txt} end", "", "See TEXT {{args}} !{x} end"},
		{"See @{gone} end", "", "See [gone cannot be read: no such file] end"},
		{"!{awk '{print $1}' f}", "", "OUT {{args}} !{x} @{y}"},
		{"no places", "x y", "no places\n\nARGUMENTS: x y"},
		{"odd !{ and @{} and !{}", "", "odd !{ and @{} and !{}"},
		{"mail a@b.c $ARGUMENTS $1 !`x`", "", "mail a@b.c $ARGUMENTS $1 !`x`"},
		{"{{ args }} {args}", "q", "{{ args }} {args}\n\nARGUMENTS: q"},
	} {
		if got := gemini(t, o, c[0], c[1]); got != c[2] {
			t.Errorf("%q with %q gives %q, want %q", c[0], c[1], got, c[2])
		}
	}
	if got := strings.Join(ran, ";"); got != "git log;awk '{print $1}' f" {
		t.Errorf("ran %s", got)
	}
	if got := strings.Join(read, ";"); got != "a b.txt;gone" {
		t.Errorf("read %s", got)
	}
	if got := gemini(t, Options{}, "a !{x} @{y}", ""); got != "a !{x} @{y}\n\n[Commands marked with ! in this text were not run.]" {
		t.Errorf("nothing is allowed: %q", got)
	}
}

// TestGeminiQuoting: whatever the arguments are, the shell sees them as one word, in any quotes.
func TestGeminiQuoting(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	o := Options{Run: func(ctx context.Context, c Command) (string, error) {
		out, err := exec.CommandContext(ctx, sh, "-c", c.Text).Output()
		return string(out), err
	}}
	for _, args := range []string{"plain", "two words", "a'b", `a"b`, "$(echo no) `echo no` $HOME", `back\slash`, "*", "; echo no", "-n", "中 文", "a  b"} {
		for _, place := range []string{`{{args}}`, `"{{args}}"`, `'{{args}}'`} {
			prompt := "<!{printf '[%s]' " + place + "}>"
			if got := gemini(t, o, prompt, args); got != "<["+args+"]>" {
				t.Errorf("%s with %q prints %s", place, args, got)
			}
		}
	}
}
