package profile_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/profile"
	"react-agent/tool"
)

func TestBuiltInFacesFitTheTools(t *testing.T) {
	for _, name := range profile.Names() {
		p, err := profile.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name || p.Prompt == "" || p.Limits.Steps == 0 || p.Limits.Parallel == 0 {
			t.Errorf("%s: %+v", name, p)
		}
		if _, err := p.Apply(tool.All(tool.Env{Root: t.TempDir()})); err != nil {
			t.Error(err)
		}
		if _, ok := tool.Named(p.Words); !ok {
			t.Errorf("%s: words %q are unknown", name, p.Words)
		}
	}
}

func TestLeanShowsFourToolsInFewBytes(t *testing.T) {
	p, err := profile.Load("")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := p.Apply(tool.All(tool.Env{Root: t.TempDir()}))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	size := len(p.Prompt)
	for _, tl := range tools {
		names = append(names, tl.Shown())
		size += len(tl.Shown()) + len(tl.Doc) + len(tl.Schema)
	}
	if want := []string{"bash", "read_file", "write_file", "edit_file"}; !slices.Equal(names, want) {
		t.Errorf("lean shows %v, want %v", names, want)
	}
	if size > 4000 {
		t.Errorf("prompt and tools are %d bytes; the first request must stay under 5,000", size)
	}
}

func TestClassicShowsTheSourcesShell(t *testing.T) {
	p, err := profile.Load("classic")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := p.Apply(tool.All(tool.Env{Root: t.TempDir()}))
	if err != nil || len(tools) != 1 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	sh := tools[0]
	if sh.Shown() != "run_shell_command" || !strings.Contains(string(sh.Schema), `"timeout_seconds"`) || strings.Contains(string(sh.Schema), `"timeout"`) {
		t.Errorf("%s %s", sh.Shown(), sh.Schema)
	}
	if f := p.Tools["bash"]; f.Timeout != 10*time.Second || p.Limits.Repeat != 3 || p.Limits.Parallel != 1 || p.Mode != "yolo" || !p.Blocklist || p.RequestTimeout != 2*time.Minute {
		t.Errorf("%+v", p)
	}
}

// TestSkillsShowsFourToolsAndNoSkill: what the source system has, in its names, and nothing of any skill in the prompt.
func TestSkillsShowsFourToolsAndNoSkill(t *testing.T) {
	p, err := profile.Load("skills")
	if err != nil {
		t.Fatal(err)
	}
	given := append(tool.All(tool.Env{Root: t.TempDir()}), agent.Tool{Name: "skills_list"}, agent.Tool{Name: "skill_view"}, agent.Tool{Name: "Skill"})
	tools, err := p.Apply(given)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tl := range tools {
		names = append(names, tl.Shown())
	}
	slices.Sort(names)
	if want := []string{"get_skill", "list_skills", "read_file", "run_script"}; !slices.Equal(names, want) {
		t.Errorf("skills shows %v, want %v", names, want)
	}
	if p.Limits.Steps != 10 || !p.Limits.Unguarded || p.Limits.Parallel < 2 || p.Look.Cut != 120 || p.Look.Steps != "（达到最大迭代次数）" {
		t.Errorf("%+v %+v", p.Limits, p.Look)
	}
}

// TestPatternsAndShown: a face may name tools that it cannot know before, and say how the model sees one.
func TestPatternsAndShown(t *testing.T) {
	p := profile.Profile{Name: "p", Only: true, Tools: map[string]profile.Face{
		"run_*_pipeline": {Optional: true}, "run_a_pipeline": {Show: "a"}, "view": {Show: "look", Optional: true}, "plain": {Optional: true},
	}}
	tools, err := p.Apply([]agent.Tool{{Name: "run_a_pipeline"}, {Name: "run_b-c_pipeline"}, {Name: "run_x"}, {Name: "plain"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tl := range tools {
		names = append(names, tl.Shown())
	}
	if want := []string{"a", "run_b-c_pipeline", "plain"}; !slices.Equal(names, want) {
		t.Errorf("shown are %v, want %v", names, want)
	}
	for name, want := range map[string]string{"view": "look", "plain": "plain", "run_b-c_pipeline": "run_b-c_pipeline", "run_x": "", "bash": ""} {
		if got := p.Shown(name); got != want {
			t.Errorf("%s is seen as %q, want %q", name, got, want)
		}
	}
	p.Only = false
	if got := p.Shown("bash"); got != "bash" {
		t.Errorf("bash is seen as %q", got)
	}
	p.Tools = map[string]profile.Face{"run_*_pipeline": {}}
	if _, err := p.Apply(nil); err == nil || !strings.Contains(err.Error(), "run_*_pipeline is unknown") {
		t.Errorf("a pattern that meets nothing: %v", err)
	}
}

type in struct {
	Path  string `json:"path" doc:"where"`
	Limit int    `json:"limit,omitempty"`
}

// run lets a model call the tool under a face and gives what the tool saw and what the model read.
func run(t *testing.T, face profile.Face, name, args string) (saw []agent.Call, read string) {
	t.Helper()
	own := agent.NewTool("read_file", "reads", agent.Reads, func(_ context.Context, a in) (agent.Result, error) {
		return agent.TextResult("read " + a.Path), nil
	})
	inner := own.Run
	own.Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
		saw = append(saw, c)
		return inner(ctx, c)
	}
	p := profile.Profile{Name: "p", Tools: map[string]profile.Face{"read_file": face}}
	tools, err := p.Apply([]agent.Tool{own})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool(name, args), agenttest.Say("done")), Tools: tools}
	s := agent.NewSession("s")
	if _, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("go"))); err != nil {
		t.Fatal(err)
	}
	return saw, s.Messages[2].Result().Text()
}

func TestNamesAndArgumentsAreMappedBack(t *testing.T) {
	face := profile.Face{Show: "cat", Aliases: []string{"open"}, Args: map[string]string{"path": "file_path"}}
	for _, name := range []string{"cat", "open", "read_file"} {
		saw, read := run(t, face, name, `{"file_path":"a","limit":2}`)
		if len(saw) != 1 || saw[0].Name != "read_file" || string(saw[0].Args) != `{"path":"a","limit":2}` || read != "read a" {
			t.Errorf("%s: %+v, %q", name, saw, read)
		}
	}
	for args, word := range map[string]string{
		`{"limit":2}`:                      "file_path: is required",
		`{"file_path":3}`:                  "file_path: must be string",
		`{"file_path":"a","path":"b"}`:     "path: is given twice",
		`{"file_path":"a","Limit":1}`:      "limit",
		`{"File_Path":"a"}`:                "file_path",
		`{"file_path":"a","limit":"many"}`: "limit: must be integer",
	} {
		if saw, read := run(t, face, "cat", args); len(saw) != 0 || !strings.Contains(read, word) {
			t.Errorf("%s: ran %v, read %q", args, saw, read)
		}
	}
}

func TestApplyRefusesWhatDoesNotFit(t *testing.T) {
	a := agent.Tool{Name: "a", Schema: json.RawMessage(`{"type":"object","properties":{"x":{},"y":{}},"required":["x"]}`)}
	b := agent.Tool{Name: "b", Schema: a.Schema}
	for word, faces := range map[string]map[string]profile.Face{
		"tool c is unknown":          {"c": {}},
		"tool a: argument z":         {"a": {Args: map[string]string{"z": "w"}}},
		"two arguments":              {"a": {Args: map[string]string{"x": "y"}}},
		"stands for both x and y":    {"a": {Args: map[string]string{"x": "w", "y": "w"}}},
		"b stands for both":          {"a": {Show: "b"}},
		"same stands for both a and": {"a": {Show: "same"}, "b": {Aliases: []string{"same"}}},
	} {
		p := profile.Profile{Name: "p", Tools: faces}
		if _, err := p.Apply([]agent.Tool{a, b}); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("want %q, got %v", word, err)
		}
	}
}

func TestParseNamesFileAndFault(t *testing.T) {
	for text, word := range map[string]string{
		"":                                 "name is missing",
		"only: true":                       "name is missing",
		"name: x\nlimits: {stepz: 3}":      "stepz",
		"name: x\nlimits: {steps: many}":   "f.yaml:2: `many`",
		"name: [":                          "f.yaml",
		"name: x\nrequest_timeout: sooner": "sooner",
	} {
		_, err := profile.Parse("f.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v does not say %q", text, err, word)
		}
	}
	if _, err := profile.Load("leen"); err == nil || !strings.Contains(err.Error(), "lean, classic") {
		t.Errorf("%v", err)
	}
}

// TestMiniShowsTheSourcesTools: five tools under the source's names, with the source's arguments, told in Chinese.
func TestMiniShowsTheSourcesTools(t *testing.T) {
	p, err := profile.Load("mini")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := p.Apply(tool.All(tool.Env{Root: t.TempDir(), Texts: tool.Mini()}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, tl := range tools {
		got[tl.Shown()] = string(tl.Schema)
		if !strings.Contains(tl.Doc, "。") {
			t.Errorf("%s: %s", tl.Shown(), tl.Doc)
		}
	}
	for name, args := range map[string][]string{
		"read_file": {"path"}, "write_file": {"path", "content"}, "list_dir": {"path"}, "run_command": {"command"}, "http_get": {"url"},
	} {
		var s struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal([]byte(got[name]), &s); err != nil || len(s.Properties) != len(args) {
			t.Errorf("%s: %s %v", name, got[name], err)
		}
		for _, a := range args {
			if s.Properties[a].Description == "" {
				t.Errorf("%s: nothing is said of %s", name, a)
			}
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("more tools: %v", got)
	}
	if p.Limits.Steps != 15 || !p.Limits.Unguarded || p.Limits.Parallel != 1 || p.API != "command" || !p.Tags.On || p.Tags.Lang != "zh" ||
		p.Look.Prompt != "You> " || p.Look.Answer != "🤖 Assistant: " || p.Look.Steps != "达到最大迭代次数" {
		t.Errorf("%+v", p)
	}
}

func TestWordsOfAnArgumentThatIsNotThere(t *testing.T) {
	for _, c := range []struct{ face, want string }{
		{"{about: {nosuch: x}}", "argument nosuch is unknown"},
		{"{hide: [nosuch]}", "argument nosuch is unknown"},
		{"{hide: [path]}", "argument path is required"},
	} {
		p, err := profile.Parse("f.yaml", []byte("name: x\ntools: {read_file: "+c.face+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Apply(tool.All(tool.Env{Root: t.TempDir()})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.face, err)
		}
	}
	p, err := profile.Parse("f.yaml", []byte("name: x\ntools: {read_file: {doc: D, about: {path: P}, hide: [limit], args: {path: file}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := p.Apply(tool.All(tool.Env{Root: t.TempDir()}))
	if err != nil {
		t.Fatal(err)
	}
	for _, tl := range tools {
		if tl.Name == "read_file" && (tl.Doc != "D" || !strings.Contains(string(tl.Schema), `"file":{"type":"string","description":"P"}`) || strings.Contains(string(tl.Schema), "limit")) {
			t.Errorf("%s %s", tl.Doc, tl.Schema)
		}
	}
}
