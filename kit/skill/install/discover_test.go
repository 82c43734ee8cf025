package install

import (
	"slices"
	"strings"
	"testing"
)

// arrangements are sources in which somebody has put skills here and there.
func arrangements(a, b, c string) map[string]map[string]string {
	lock := `{"version":1,"skills":{"b":{"source":"x/y","sourceType":"github","computedHash":"0"}}}`
	return map[string]map[string]string{
		"the source itself":        {"SKILL.md": a, "skills/b/SKILL.md": b},
		"skills":                   {"skills/a/SKILL.md": a, "skills/deep/er/SKILL.md": b, "skills/too/deep/for/it/SKILL.md": c},
		"folders at the top":       {"x/SKILL.md": a, "y/z/SKILL.md": b},
		"only deep":                {"one/two/three/SKILL.md": a, "node_modules/x/SKILL.md": b, "dist/x/SKILL.md": c},
		"too deep":                 {"1/2/3/4/5/SKILL.md": a, "1/2/3/4/5/6/SKILL.md": b},
		"agents' folders":          {".claude/skills/a/SKILL.md": a, ".agents/skills/b/SKILL.md": b, ".posit/assistant/skills/c/SKILL.md": c},
		"curated":                  {"skills/.curated/a/SKILL.md": a, "skills/.system/b/SKILL.md": b, "skills/.other/c/SKILL.md": c},
		"a skill ends the way":     {"skills/a/SKILL.md": a, "skills/a/inner/SKILL.md": b},
		"same name twice":          {"skills/a/SKILL.md": a, ".claude/skills/other/SKILL.md": a, "skills/b/SKILL.md": b},
		"from elsewhere":           {"skills/a/SKILL.md": a, ".agents/skills/b/SKILL.md": b, "skills-lock.json": lock},
		"without name":             {"skills/a/SKILL.md": "---\ndescription: x\n---\n", "skills/b/SKILL.md": b},
		"without description":      {"skills/a/SKILL.md": "---\nname: a\n---\n", "skills/b/SKILL.md": b},
		"internal":                 {"skills/a/SKILL.md": "---\nname: a\ndescription: x\nmetadata:\n  internal: true\n---\n", "skills/b/SKILL.md": b},
		"lower case":               {"skills/a/skill.md": a, "skills/b/SKILL.md": b},
		"plugin":                   {".claude-plugin/plugin.json": `{"name":"p","skills":["./extra/a"]}`, "extra/a/SKILL.md": a, "extra/b/SKILL.md": b, "other/c/SKILL.md": c},
		"market":                   {".claude-plugin/marketplace.json": `{"plugins":[{"name":"p","source":"./plugins/p"},{"name":"q","source":"../out"},{"name":"r","source":{"source":"github"}}]}`, "plugins/p/skills/a/SKILL.md": a, "x/y/SKILL.md": b},
		"market with a root":       {".claude-plugin/marketplace.json": `{"metadata":{"pluginRoot":"./plugins"},"plugins":[{"name":"p","source":"./p","skills":["./s/a"]}]}`, "plugins/p/s/a/SKILL.md": a},
		"market with another root": {".claude-plugin/marketplace.json": `{"metadata":{"pluginRoot":"../x"},"plugins":[{"name":"p","source":"./p"}]}`, "p/skills/a/SKILL.md": a, "skills/b/SKILL.md": b},
		"broken manifest":          {".claude-plugin/marketplace.json": `{"plugins":`, "skills/a/SKILL.md": a},
	}
}

func TestDiscovery(t *testing.T) {
	want := map[string]string{
		"the source itself": "a", "skills": "a b", "folders at the top": "a", "only deep": "a", "too deep": "a", "agents' folders": "a b c",
		"curated": "a b c", "a skill ends the way": "a", "same name twice": "a b", "from elsewhere": "a", "without name": "b", "without description": "b",
		"internal": "b", "lower case": "b", "plugin": "a b", "market": "a", "market with a root": "a", "market with another root": "b", "broken manifest": "a",
	}
	for name, files := range arrangements(md("a", "does a", "x"), md("b", "does b", "x"), md("c", "does c", "x")) {
		w := newWorld(t)
		b := fetch(t, w.source(files))
		got := names(b)
		slices.Sort(got)
		if strings.Join(got, " ") != want[name] {
			t.Errorf("%s: %v %v, want %s", name, got, b.Skipped, want[name])
		}
		for _, f := range b.Found {
			if (f.Plugin != "") != (f.Name == "a" && (name == "plugin" || name == "market with a root")) {
				t.Errorf("%s: %s belongs to %q", name, f.Name, f.Plugin)
			}
		}
	}
}

// What was skipped says why; what is internal is found by those who ask for it.
func TestSkippedAndInternal(t *testing.T) {
	w := newWorld(t)
	src := w.source(map[string]string{"skills/a/SKILL.md": "---\nname: a\n---\n", "skills/b/SKILL.md": "---\nname: b\n---\n"})
	_, err := w.tryPlan(src, Ask{}, "a")
	if err == nil || !strings.Contains(err.Error(), "skills/a/SKILL.md") || !strings.Contains(err.Error(), "no description") {
		t.Error(err)
	}
	src = w.source(map[string]string{"SKILL.md": "---\nname: a\ndescription: x\nmetadata: {internal: true}\n---\n"})
	s := parsed(t, src)
	if _, err := w.tryPlan(src, Ask{}); err == nil || !strings.Contains(err.Error(), "no skills in") {
		t.Error(err)
	}
	s.Skill = "a"
	b, err := w.fetcher.Fetch(t.Context(), s, false)
	if err != nil || len(b.Found) != 1 {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{"/nowhere/at/all": "there is no", src + "/SKILL.md": "is a file"} {
		if got := fails(t, fetcherFor(t), text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
