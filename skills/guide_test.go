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
