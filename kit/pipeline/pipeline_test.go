package pipeline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTools(t *testing.T) {
	g := newRig(t)
	g.o.Skills = nil
	for _, name := range []string{"idea-spark", "idea_spark", "天气 旅行", "a/b", strings.Repeat("long", 30), "plain"} {
		dir := filepath.Join(g.work, "skills", Slug(name)+strings.Repeat("_", strings.Count(name, "_")))
		if err := os.MkdirAll(filepath.Join(dir, "scripts"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scripts", "run.py"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		g.o.Skills = append(g.o.Skills, Skill{Name: name, Dir: dir})
	}
	p, err := New(g.o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	taken := map[string]bool{}
	for _, tool := range p.Tools() {
		names = append(names, tool.Name)
		if !tool.Resume || tool.Shared || tool.Effect != agent.Executes || !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(tool.Name) {
			t.Errorf("%+v", tool)
		}
		for _, n := range append(tool.Aliases, tool.Name) {
			if taken[n] {
				t.Errorf("%s stands for two", n)
			}
			taken[n] = true
		}
		var schema struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil || len(schema.Properties) != 2 || len(schema.Required) != 1 || schema.Required[0] != "query" {
			t.Errorf("%s %v", tool.Schema, err)
		}
	}
	if s := strings.Join(names, " "); !strings.HasPrefix(s, "run_idea-spark_pipeline run_tian-qi-lv-xing_pipeline run_a-b_pipeline run_longlong") || !taken["run_idea_spark_pipeline"] || !taken["run_plain_pipeline"] {
		t.Error(s)
	}
	if problems := p.Problems(); len(problems) != 1 || problems[0].Skill != "idea_spark" { // its name is another's alias
		t.Errorf("%+v", problems)
	}
	if p.SlashMode("plain") != "inline" || p.SlashMode("none") != "" {
		t.Error("slash mode")
	}
}

func TestNewRefuses(t *testing.T) {
	g := newRig(t)
	for name, o := range map[string]Options{
		"nothing":            {},
		"a relative place":   {WorkDir: "x", KV: g.kv, Run: g.command, Ask: g.subAgent},
		"no store":           {WorkDir: g.work, Run: g.command, Ask: g.subAgent},
		"no commands":        {WorkDir: g.work, KV: mem.New(), Ask: g.subAgent},
		"a place that isn't": {WorkDir: filepath.Join(g.work, "gone"), KV: g.kv, Run: g.command, Ask: g.subAgent},
	} {
		if _, err := New(o); err == nil {
			t.Error(name)
		}
	}
}

// A program that is not there is told at the start, and there is no tool that could not run.
func TestProgramMissing(t *testing.T) {
	g := newRig(t)
	g.settings("entry: scripts/other.py\nfoo: 1\n")
	p, err := New(g.o)
	if err != nil {
		t.Fatal(err)
	}
	if problems := p.Problems(); len(p.Tools()) != 0 || len(problems) != 2 || problems[1].Field != "entry" || problems[0].Field != "foo" {
		t.Errorf("%d tools, %+v", len(p.Tools()), problems)
	}
}

// The whole pipeline is one step of the model; a person sees each of its steps begin and end.
func TestProgress(t *testing.T) {
	g := newRig(t)
	g.o.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }
	g.blocks(bashBlock("RUN    : make hunter2"), subAgentBlock("OUTPUT : a.md"), bashBlock("RUN    : fail"))
	g.run = func(c Command) (Outcome, error) {
		if strings.Contains(c.Text, "fail") {
			return Outcome{Code: 4, Status: "exit status 4", Output: []byte("the reason: hunter2")}, nil
		}
		return printed(""), nil
	}
	var shown []string
	var end agent.Event
	var result *agent.Result
	for _, e := range g.progress("q") {
		switch e.Type { //nolint:exhaustive // the others are of no interest
		case agent.EvProgress:
			shown = append(shown, e.Text)
		case agent.EvEnd:
			end = e
		case agent.EvMessage:
			if r := e.Message.Result(); r != nil {
				result = r
			}
		}
	}
	all := strings.Join(shown, "\n")
	for _, w := range []string{"[1] phase 1 · work · make [secret] …", "[1] work · done (", "[2] phase 1 · think · sub-agent …", "a.md, 8 bytes", "[3] work · failed ("} {
		if !strings.Contains(all, w) {
			t.Errorf("%q is missing in\n%s", w, all)
		}
	}
	if result == nil || string(result.Detail) != `{"line":"pipeline demo stopped at step 3, work: fail failed (exit 4). What is done is in skill_run/demo/q; ask the same again to go on"}` {
		t.Errorf("%+v", result)
	}
	if len(shown) != 6 || end.Steps != 2 || end.Stop != agent.RunEnd {
		t.Errorf("%d lines, %d steps, %s", len(shown), end.Steps, end.Stop)
	}
	if result == nil || !result.Error || strings.Contains(textOf(*result)+all, "hunter2") || !strings.Contains(textOf(*result), "the reason: [secret]") {
		t.Errorf("%+v", result)
	}
}
