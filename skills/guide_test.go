package skills_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"react-agent/kit/pipeline"
	"react-agent/kit/skill"
)

// The guide's examples are read by the readers that it speaks of, in both languages, and its table has every setting.
func TestTheGuideHolds(t *testing.T) {
	for _, name := range []string{"AGENTS.md", "AGENTS.zh.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "weather")
		files := map[string]string{"weather.js": "", "SKILL.md": fence(t, string(text), "markdown"), "offline.yaml": fence(t, string(text), "yaml")}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, content := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		set, err := skill.Load(t.Context(), skill.Options{Roots: []skill.Root{{Path: filepath.Dir(dir), Scope: skill.User}}, Strict: true})
		if err != nil || len(set.Diagnostics()) > 0 || len(set.All()) != 1 {
			t.Fatalf("%s: %v %v", name, err, set.Diagnostics())
		}
		o, notes := set.All()[0].Offline()
		if len(notes) > 0 || len(o.Rules) != 1 || len(o.Agents) != 1 {
			t.Errorf("%s: %+v %v", name, o, notes)
		}
		for _, field := range settingsFields(t) {
			if !strings.Contains(string(text), "`"+field+"`") {
				t.Errorf("%s does not name %s", name, field)
			}
		}
		for _, no := range []string{"run_shell_command", "skill_run/", "API key", "run_NAME_pipeline"} {
			if !strings.Contains(string(text), no) {
				t.Errorf("%s does not warn of %s", name, no)
			}
		}
	}
}

// The guide says how to decide, what to do in which order, and what not to do.
func TestTheGuideIsWhole(t *testing.T) {
	for name, parts := range map[string][]string{
		"AGENTS.md": {
			"## Decide: single call or pipeline", "is there a `scripts/run.py`?", "## Checklist", "1. Decide the mode", "2. Single call: write `SKILL.md`",
			"3. Pipeline: `SKILL.md` and `scripts/run.py`; `pipeline.yaml` only", "4. If something is true of this program only, put it into `REACT_AGENT.md`",
			"5. Restart", "6. Verify: `/skills` lists it, `/your-skill", "## Do not", "`run_shell_command`", "Do not commit `skill_run/`",
			"Do not put an API key", "`run_NAME_pipeline`) in a description", "### pipeline.yaml", "## offline.yaml", "## Verify",
		},
		"AGENTS.zh.md": {
			"## 先决定：单次调用还是 pipeline", "有没有 `scripts/run.py`", "## 检查清单", "1. 决定模式", "2. 单次调用：写 `SKILL.md`", "3. pipeline：`SKILL.md` 加 `scripts/run.py`",
			"4. 只对本程序成立的内容放进 `REACT_AGENT.md`", "5. 重新启动", "6. 验证：`/skills`", "## 不要", "`run_shell_command`", "不要把 `skill_run/` 提交", "不要在 skill 里写 API key",
			"description 里写 pipeline 的工具名", "### pipeline.yaml", "## offline.yaml", "## 验证",
		},
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, part := range parts {
			i := strings.Index(string(text)[at:], part)
			if i < 0 {
				t.Errorf("%s: %q is missing, or in another order", name, part)
				continue
			}
			at += i
		}
	}
}

// settingsFields are those that the reader of pipeline.yaml knows: it names them when it meets another one.
func settingsFields(t *testing.T) []string {
	t.Helper()
	_, problems := pipeline.ParseSettings("pipeline.yaml", []byte("no_such_field: 1\n"))
	if len(problems) != 1 {
		t.Fatal(problems)
	}
	var fields []string
	for _, word := range regexp.MustCompile(`[a-z_]{3,}`).FindAllString(problems[0].Reason.Error(), -1) {
		if strings.Contains(word, "_") || word == "entry" || word == "interpreter" || word == "env" || word == "placeholders" {
			fields = append(fields, word)
		}
	}
	if len(fields) < 14 {
		t.Fatalf("%q in %v", fields, problems[0].Reason)
	}
	return fields
}

func fence(t *testing.T, text, lang string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + lang + "\n(.*?)\n```").FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("there is no example in %s", lang)
	}
	return m[1] + "\n"
}

// Results of runs stay out of git.
func TestRunsAreIgnored(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", ".gitignore"))
	if err != nil || !regexp.MustCompile(`(?m)^/?skill_run/$`).Match(text) {
		t.Errorf("%s %v", text, err)
	}
}
