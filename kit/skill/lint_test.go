package skill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

// good is a skill that nothing can be said against; body follows.
func good(name, body string) string {
	return "---\nname: " + name + "\ndescription: Does what it is for, in words that people say. Use it for things. 适用于各种事情。\n---\n" + body
}

// key is something that looks like a key of a service, put together so that no file holds it.
func key(prefix string) string { return prefix + strings.Repeat("a1B2", 6) }

// lintAll gives all findings as "file:line code severity", files relative to the root.
func lintAll(t *testing.T, o LintOptions, files map[string]string) []string {
	t.Helper()
	return lintIn(t, o, write(t, files))
}

func lintIn(t *testing.T, o LintOptions, dir string) []string {
	t.Helper()
	list, err := load(t, Options{Roots: []Root{{Path: dir, Scope: Project}}}).Lint(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, l := range list {
		for _, d := range l.Diagnostics {
			if strings.TrimSpace(d.Reason.Error()) == "" || strings.TrimSpace(d.Fix.Error()) == "" {
				t.Errorf("%s: no reason or no fix", d.String())
			}
			rel, err := filepath.Rel(dir, d.File)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%s:%d %s %s", filepath.ToSlash(rel), d.Line, d.Code, d.Severity))
		}
	}
	return out
}

func TestLint(t *testing.T) {
	tools := []string{"run_shell_command", "spawn_subagent", "TodoWrite", "bash", "task", "Skill"}
	long := strings.Repeat("A line.\n", longLines+1)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing wrong", map[string]string{
			"a/SKILL.md":    good("a", "Read [more](ref/more.md#part), ![x](ref/pic%201.png), [web](https://example.org/x.md), [top](#top), [title](link).\n"),
			"a/ref/more.md": "[back](../SKILL.md)\n", "a/ref/pic 1.png": "\x00", "flat.md": good("flat", "Use bash, then the task.\n"),
		}, nil},
		{"tools in the text", map[string]string{
			"a/SKILL.md": good("a", "First.\nCall `run_shell_command`, or TodoWrite.\n\n```\nspawn_subagent()\n```\nThen run_idea-spark_pipeline or run_…_pipeline.\n"),
		}, []string{
			"a/SKILL.md:6 framework_word error", "a/SKILL.md:6 framework_word error", "a/SKILL.md:9 framework_word error",
			"a/SKILL.md:11 framework_word error", "a/SKILL.md:11 framework_word error",
		}},
		{"words that only look like tools", map[string]string{
			"a/SKILL.md": good("a", "scripts/run_shell_command.py, my_run_shell_command, spawn_subagent.js, x/TodoWrite/y, bash and task and Skill.\n"),
		}, nil},
		{"tools for this program alone", map[string]string{
			"a/SKILL.md": good("a", "Text.\n"), "a/REACT_AGENT.md": "Use run_shell_command.\n",
		}, nil},
		{"a pipeline in the description", map[string]string{
			"a/SKILL.md": "---\nname: a\ndescription: >-\n  Finds ideas by itself, 找想法。\n  Call run_a_pipeline.\nallowed-tools: run_shell_command\nwhen_to_use: never spawn_subagent\n---\nText.\n",
		}, []string{"a/SKILL.md:5 pipeline_in_description error", "a/SKILL.md:6 field_idle hint", "a/SKILL.md:7 framework_word error"}},
		{"the loader's findings", map[string]string{
			"a/SKILL.md": "---\nname: a\n---\nText.\n", "b/SKILL.md": "no header\n", "C/SKILL.md": good("C", "Text.\n"),
		}, []string{"C/SKILL.md:2 name_invalid warn", "a/SKILL.md:1 description_missing error", "b/SKILL.md:1 no_frontmatter error"}},
		{"descriptions", map[string]string{
			"a/SKILL.md": "---\nname: a\ndescription: 很短 abc\n---\nText.\n",
			"b/SKILL.md": "---\nname: b\ndescription: Says what it does and when to use it, at length.\n---\nText.\n",
			"c/SKILL.md": "---\nname: c\ndescription: 用中文写明这个技能能做什么、什么时候应该使用它。\n---\nText.\n",
		}, []string{"a/SKILL.md:3 description_short hint", "b/SKILL.md:3 one_language hint", "c/SKILL.md:3 one_language hint"}},
		{"bodies", map[string]string{
			"a/SKILL.md": good("a", " \n"), "b/SKILL.md": good("b", long), "c/SKILL.md": good("c", strings.Repeat("字", longTokens+1)),
			"d/SKILL.md": good("d", strings.Repeat("abcd", longTokens)),
		}, []string{"a/SKILL.md:0 body_empty warn", "b/SKILL.md:5 body_long hint", "c/SKILL.md:5 body_long hint"}},
		{"links", map[string]string{
			"a/SKILL.md": good("a", "[a](gone.md) `[b](gone.md)`\n```\n[c](gone.md)\n```\n~~~~\n[d](gone.md)\n~~~\n[d](gone.md)\n~~~~\n[e](<gone/x.md>) [f](../b/SKILL.md) [g]({x}/y.md)\n"),
			"a/ref/r.md": "\n[up](../../x.md) [no](no.md \"title\")\n",
		}, []string{
			"a/SKILL.md:5 link_broken error", "a/SKILL.md:14 link_broken error", "a/SKILL.md:14 link_leaves warn",
			"a/ref/r.md:2 link_leaves warn", "a/ref/r.md:2 link_broken error",
		}},
		{"line ends of scripts", map[string]string{
			"a/SKILL.md": good("a", "Text.\r\n"), "a/x.sh": "echo\necho\r\n", "a/y.py": "print()\r\n",
		}, []string{"a/x.sh:2 script_crlf error"}},
		{"keys", map[string]string{
			"a/SKILL.md":  good("a", "Use "+key("sk-")+" or sk-your-key-here.\n"),
			"a/.env":      "\nAPI_KEY=" + key("k") + "\n",
			"a/conf.json": `{"password": "hunter2hunter2", "token": "$TOKEN", "secret": "see below"}`,
			"a/bin":       "\x00" + key("ghp_"), "a/node_modules/x.js": key("ghp_"),
			"flat.md": good("flat", key("ghp_")+"\n"),
		}, []string{"a/.env:2 secret error", "a/SKILL.md:5 secret error", "a/conf.json:1 secret error", "flat.md:5 secret error"}},
		{"rules for the offline model", map[string]string{
			"a/SKILL.md": good("a", "Text.\n"), "a/offline.yaml": "rules:\n  - match: '('\n    answer: x\n",
		}, []string{"a/offline.yaml:2 field_invalid error"}},
		{"too large a file", map[string]string{
			"a/SKILL.md": good("a", "Text.\n"), "a/data.txt": strings.Repeat("x", maxLintSize+1),
		}, []string{"a/data.txt:0 not_checked hint"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lintAll(t, LintOptions{Tools: tools}, c.files); !slices.Equal(got, append([]string{}, c.want...)) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

func TestLintScriptsAndLinksOfTheSystem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not here: files have no permission to be executed")
	}
	dir := write(t, map[string]string{
		"a/SKILL.md": good("a", "Text.\n"), "a/no": "#!/bin/sh\n", "a/yes": "#!/bin/sh\n", "a/crlf.sh": "#!/bin/sh\r\n", "a/plain.sh": "echo\n",
		"outside.txt": "x",
	})
	for _, name := range []string{"a/yes", "a/crlf.sh"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "../outside.txt", filepath.Join(dir, "a/out"))
	link(t, "SKILL.md", filepath.Join(dir, "a/in"))
	link(t, "nowhere", filepath.Join(dir, "a/torn"))
	got := lintIn(t, LintOptions{}, dir)
	want := []string{"a/crlf.sh:1 script_crlf error", "a/no:1 not_executable warn", "a/out:0 link_escapes error", "a/torn:0 link_escapes error"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLintTakesWhatOthersKnow(t *testing.T) {
	dir := write(t, map[string]string{
		"a/SKILL.md": good("a", "Text.\nThe word.\n"), "a/scripts/run.py": "pass\n", "a/pipeline.yaml": "x: y\n", "b/SKILL.md": good("b", "Text.\n"),
	})
	asked := []string{}
	o := LintOptions{
		Secrets: func(text string) []Secret {
			if strings.Contains(text, "The word") {
				return []Secret{{Line: 6, Kind: "word"}}
			}
			return nil
		},
		Pipeline: func(dir string) []Diagnostic {
			if filepath.Base(dir) != "a" {
				return nil
			}
			return []Diagnostic{{Code: SettingsInvalid, Severity: Warn, File: filepath.Join(dir, "pipeline.yaml"), Line: 1, Reason: msg.Errorf(msg.LintNoRun, "x"), Fix: msg.Errorf(msg.LintFixSettings)}}
		},
		Tracked: func(_ context.Context, dir string) ([]string, error) {
			asked = append(asked, dir)
			return []string{filepath.Join(dir, "skill_run")}, nil
		},
	}
	got := lintIn(t, o, dir)
	want := []string{"a/SKILL.md:6 secret error", "a/pipeline.yaml:1 pipeline_settings warn", "skill_run:0 product_tracked error"}
	if !slices.Equal(got, want) || !slices.Equal(asked, []string{dir}) {
		t.Errorf("got %q, asked %q", got, asked)
	}
	set := load(t, Options{Roots: []Root{{Path: dir, Scope: Project}}})
	only, err := set.Lint(t.Context(), LintOptions{}, func(f Finding) bool { return f.Name == "b" })
	if err != nil || len(only) != 1 || only[0].Name != "b" {
		t.Errorf("one skill: %v, %v", only, err)
	}
	errGit := errors.New("no git")
	o.Tracked = func(context.Context, string) ([]string, error) { return nil, errGit }
	if _, err := set.Lint(t.Context(), o, nil); !errors.Is(err, errGit) {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.Lint(ended, o, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestLintKnowsWhatWasInstalled(t *testing.T) {
	dir := write(t, map[string]string{"a/SKILL.md": good("a", "Text.\n"), "b/SKILL.md": good("b", "Text.\n")})
	set := load(t, Options{Roots: []Root{{Path: dir}}, Installed: func(path string) bool { return filepath.Base(path) == "b" }})
	list, err := set.Lint(t.Context(), LintOptions{}, nil)
	if err != nil || len(list) != 2 || list[0].Installed || !list[1].Installed {
		t.Errorf("%v, %v", list, err)
	}
}

func TestKeyLike(t *testing.T) {
	keyLike := newPatterns(nil).keyLike
	for _, line := range []string{
		"x = '" + key("sk-") + "'", key("sk-proj-"), "token: " + key("hf_"), "-----BEGIN RSA " + "PRIVATE KEY-----", "AKIA" + "ABCDEFGHIJKLMNOP",
		`api_key = "abc` + `12345"`, "OPENAI_API_KEY=" + key("x"), `"password": "hunter2` + `hunter2"`, "sk-" + "abcdefghijklmnopqrstuvwxyz123456",
		`client_secret := "0123456789` + `abcdef"`, "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "c2lnbmF0dXJl",
	} {
		if keyLike(line) == "" {
			t.Errorf("%q is not seen", line)
		}
	}
	for _, line := range []string{
		"", "Set OPENAI_API_KEY first.", `api_key = os.environ["API_KEY"]`, "token: $TOKEN", `token = "<your token>"`, "sk-your-key-here", "sk-xxxxxxxxxxxxxxxxxxxxxxx",
		"class sk-fading-circle-container", "sha256:0123456789abcdef0123456789abcdef", `password = "correct horse"`, `token = "access_token"`, "task-management-in-many-words1",
		`secret = config.get("a1")`, "ghp_ is the prefix", `"token": "{{ token1234 }}"`,
	} {
		if kind := keyLike(line); kind != "" {
			t.Errorf("%q is taken for a key (%s)", line, kind)
		}
	}
}

// Whatever stands in a skill's folder, lint ends and says where.
func FuzzLint(f *testing.F) {
	f.Add(good("a", "[x](y.md)\n"), "#!/bin/sh\r\n")
	f.Add("---\ndescription: run_x_pipeline\n---\n", "")
	f.Add("---\n", "](((.)")
	f.Add("\ufeff---\r\nname: a\r\ndescription: b\r\n---\r\n```\n[a](b.c)", "api_key = \"x1234567\"\n")
	f.Add("---\nname: a\rdescription: run_x_pipeline\r\r\r\r\rallowed-tools: [1]\r---\r\r\r\r[a](b.c)\r", "a\rb\r\rapi_key = \"x1234567\"")
	f.Add("---\na: b\u2028\u2028\u2028\u0085\u0085\u0085: [\n---\nx", "")
	f.Add("", "")
	f.Add("\x00", "\x00")
	f.Fuzz(func(t *testing.T, text, script string) {
		dir := write(t, map[string]string{"a/SKILL.md": text, "a/x.md": script})
		set := load(t, Options{Roots: []Root{{Path: dir, Scope: Project}}})
		list, err := set.Lint(t.Context(), LintOptions{Tools: []string{"run_shell_command"}}, nil)
		if err != nil || len(list) != 1 {
			t.Fatal(len(list), err)
		}
		for _, d := range list[0].Diagnostics {
			data, err := os.ReadFile(d.File)
			if err != nil || d.Line < 0 || d.Line > strings.Count(string(data), "\n")+1 {
				t.Errorf("%s is nowhere (%v)", d.String(), err)
			}
		}
	})
}
