package toolname

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name, nearest string
		all           []string
	}{
		{"Bash", "bash", []string{"bash", "background_run"}},
		{"bash", "bash", []string{"bash", "background_run"}},
		{"Edit", "edit_file", Writers()},
		{"edit", "edit_file", Writers()},
		{"MultiEdit", "multi_edit", []string{"multi_edit", "edit_file", "write_file", "apply_patch"}},
		{"Read", "read_file", Readers()},
		{"Write", "write_file", []string{"write_file"}},
		{"str_replace", "edit_file", []string{"edit_file"}},
		{"patch", "apply_patch", []string{"apply_patch"}},
		{"LS", "list_dir", []string{"list_dir"}},
		{"Grep", "grep", []string{"grep"}},
		{"Glob", "glob", []string{"glob"}},
		{"WebFetch", "web_fetch", []string{"web_fetch"}},
		{"http_get", "http_request", []string{"http_request"}},
		{"WebSearch", "web_search", []string{"web_search"}},
		{"Task", "task", []string{"task", "spawn_subagent"}},
		{"Agent", "task", []string{"task", "spawn_subagent"}},
		{"task", "", []string{"task"}}, // our own, and no more than it
		{"Skill", "skill_view", []string{"skill_view", "Skill", "load_skill", "get_skill"}},
		{"BashOutput", "check_background", []string{"check_background"}},
		{"KillShell", "job", []string{"job"}},
		{"TodoWrite", "TodoWrite", []string{"TodoWrite"}},
		{"write_file", "", []string{"write_file"}},
		{"mcp__files", "", []string{"mcp__files", "mcp__files__*"}},
		{"mcp__files__read", "", []string{"mcp__files__read"}},
		{"NotebookEdit", "", []string{"NotebookEdit"}},
		{"", "", []string{""}},
	} {
		if got := Nearest(c.name); got != c.nearest {
			t.Errorf("Nearest(%q) = %q, not %q", c.name, got, c.nearest)
		}
		if got := All(c.name); !slices.Equal(got, c.all) {
			t.Errorf("All(%q) = %q, not %q", c.name, got, c.all)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, c := range []struct {
		rule  string
		names []string
		want  bool
	}{
		{"Edit", []string{"write_file", ""}, true},
		{"mcp__files", []string{"mcp__files__read"}, true},
		{"mcp__files", []string{"mcp__filesystem__read"}, false},
		{"*", []string{"x"}, true},
		{"*", []string{""}, false},
		{"web_*", []string{"x", "web_fetch"}, true},
		{"task", []string{"spawn_subagent"}, false},
		{"Task", []string{"spawn_subagent"}, true},
	} {
		if got := Means(All(c.rule), c.names...); got != c.want {
			t.Errorf("%q means %q: %v", c.rule, c.names, got)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"a", "a", true},
		{"a", "ab", false},
		{"a*", "a", true},
		{"*b*d", "abcd", true},
		{"*b*d", "acbd", true},
		{"*b*d", "adcb", false},
		{"a*a", "a", false},
	} {
		if Match(c.pattern, c.s) != c.want {
			t.Errorf("%q, %q: not %v", c.pattern, c.s, c.want)
		}
	}
}
