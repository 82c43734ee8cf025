package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
)

// run calls a tool as the loop does.
func run(t testing.TB, s *Set, tool, key, args string) *agent.Result {
	t.Helper()
	for _, x := range s.Tools() {
		if x.Name != tool {
			continue
		}
		if err := agent.CheckArgs(x.Schema, json.RawMessage(args)); err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		res, err := x.Run(context.Background(), agent.Call{Key: key, Name: tool, Args: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		return &res
	}
	t.Fatalf("no tool %s", tool)
	return nil
}

// TestFaces holds every word of the tools in each face.
func TestFaces(t *testing.T) {
	dir := write(t, map[string]string{
		"weather/SKILL.md": file("weather"), "weather/REACT_AGENT.md": "Only here.\n", "weather/weather.js": "x", "weather/data/a.json": "{}",
		"translate.md": file("translate"), "mine/SKILL.md": "---\nname: mine\ndescription: m\ndisable-model-invocation: true\n---\nMINE",
	})
	w := filepath.Join(dir, "weather")
	type face struct{ texts, index, list, view, flat, unknown string }
	list := `[{"name":"translate","description":"About translate."},{"name":"weather","description":"About weather."}]`
	lines := "- translate: About translate.\n- weather: About weather.\n"
	files := "\n\n[Paths in this skill are relative to " + w + ". More files there: data/a.json, weather.js]"
	for _, c := range []face{
		{
			"lean", "Skills are instructions for special tasks. When a task fits one, read it with skill_view before you begin, and follow it:\n" + lines,
			list, "Body of weather.\n\nOnly here." + files, "Body of translate.", "There is no skill \"nope\". Known skills: translate, weather",
		},
		{"classic", "", list, "Body of weather.\n\nOnly here." + files, "Body of translate.", "There is no skill \"nope\". Known skills: translate, weather"},
		{"skills", "", list, "Body of weather.\n\nOnly here.", "Body of translate.", "未找到名为 \"nope\" 的 Skill"},
		{
			"server", "Skills:\n  - translate: About translate.\n  - weather: About weather.\n", list,
			"<skill name=\"weather\">\nBody of weather.\n\nOnly here.\n</skill>", "<skill name=\"translate\">\nBody of translate.\n</skill>",
			"Error: Unknown skill 'nope'. Available: translate, weather",
		},
	} {
		s := load(t, Options{Roots: []Root{{Path: dir}}, Texts: Named(c.texts)})
		for what, pair := range map[string][2]string{
			"index": {s.Index(), c.index},
			"list":  {run(t, s, toolList, "s/1.0", `{}`).Text(), c.list},
			"view":  {run(t, s, toolView, "s/1.0", `{"name":"Weather"}`).Text(), c.view},
			"flat":  {run(t, s, toolView, "s/1.0", `{"name":"/translate"}`).Text(), c.flat},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is\n%s\nwant\n%s", c.texts, what, pair[0], pair[1])
			}
		}
		plain := c.texts == "skills" || c.texts == "server"
		for _, args := range []string{`{"name":"nope"}`, `{"name":"nope","file_path":"x"}`} {
			if res := run(t, s, toolView, "s/1.0", args); res.Text() != c.unknown || res.Error == plain {
				t.Errorf("%s: unknown is %q, error %v", c.texts, res.Text(), res.Error)
			}
		}
		if res := run(t, s, toolView, "s/1.0", `{"name":"mine"}`); strings.Contains(res.Text(), "MINE") {
			t.Errorf("%s: a hidden skill is shown", c.texts)
		}
		if res := run(t, s, toolSkill, "s/1.0", `{"skill":"mine"}`); strings.Contains(res.Text(), "Launching") {
			t.Errorf("%s: a hidden skill is invoked", c.texts)
		}
	}
}

func TestNothingToShow(t *testing.T) {
	empty := load(t, Options{})
	if len(empty.Tools()) != 0 || empty.Index() != "" || empty.ListJSON() != "[]" {
		t.Error("an empty set shows something")
	}
	classic := load(t, Options{Texts: Classic()})
	if len(classic.Tools()) != 3 || classic.Index() != "" {
		t.Error("the classic face lacks its tools")
	}
	if got := load(t, Options{Texts: Server()}).Index(); got != "Skills:\n(no skills)\n" {
		t.Errorf("%q", got)
	}
	aliases := map[string]string{}
	for _, x := range classic.Tools() {
		aliases[x.Name] = strings.Join(x.Aliases, " ")
		if x.Effect != agent.Reads {
			t.Errorf("%s: effect %s", x.Name, x.Effect)
		}
	}
	if aliases[toolList] != "list_skills" || aliases[toolView] != "get_skill load_skill" {
		t.Errorf("%v", aliases)
	}
}

func TestFiles(t *testing.T) {
	dir := write(t, map[string]string{
		"x/SKILL.md": file("x"), "x/ref/a.txt": "AAA", "x/bin": "\x00\x01", "secret": "TOP", "y/SKILL.md": file("y"), "x/empty/.keep": "", "flat.md": file("flat"),
	})
	link(t, "../../secret", filepath.Join(dir, "x/ref/out"))
	link(t, filepath.Join(dir, "secret"), filepath.Join(dir, "x/REACT_AGENT.md"))
	link(t, "a.txt", filepath.Join(dir, "x/ref/in"))
	s := load(t, Options{Roots: []Root{{Path: dir, Scope: User}}})
	for path, want := range map[string]string{
		"ref/a.txt":                          "AAA",
		"./ref/../ref/a.txt":                 "AAA",
		"ref/in":                             "AAA",
		filepath.Join(dir, "x", "ref/a.txt"): "AAA",
		"ref":                                "ref/a.txt, ref/in, ref/out",
		"empty":                              "(empty folder)",
		"bin":                                "[binary file of 2 bytes: " + filepath.Join(dir, "x", "bin") + "]",
		"SKILL.md":                           file("x"),
	} {
		args, _ := json.Marshal(map[string]string{"name": "x", "file_path": path})
		if res := run(t, s, toolView, "s/1.0", string(args)); res.Text() != want || res.Error {
			t.Errorf("%s: %q", path, res.Text())
		}
	}
	for _, path := range []string{"../secret", "ref/out", "/etc/passwd", filepath.Join(dir, "secret"), "../y/SKILL.md", "none", "ref/../../secret", "a\x00b"} {
		args, _ := json.Marshal(map[string]string{"name": "x", "file_path": path})
		if res := run(t, s, toolView, "s/1.0", string(args)); !res.Error || strings.Contains(res.Text(), "TOP") || strings.Contains(res.Text(), "Body of y") {
			t.Errorf("%s: %q", path, res.Text())
		}
	}
	x, _ := s.Find("x")
	flat, _ := s.Find("flat")
	if !x.Has("ref/a.txt") || x.Has("ref") || x.Has("ref/out") || x.Has("none") || flat.Has("secret") {
		t.Error("Has is wrong")
	}
	res := run(t, s, toolView, "s/1.0", `{"name":"x"}`)
	if strings.Contains(res.Text(), "TOP") || !strings.Contains(res.Text(), "bin, ref/a.txt, ref/in, ref/out") {
		t.Errorf("%q", res.Text())
	}
	if res := run(t, s, toolView, "s/1.0", `{"name":"flat"}`); res.Text() != "Body of flat." {
		t.Errorf("%q", res.Text())
	}
}

func TestManyFilesAndLongTexts(t *testing.T) {
	files := map[string]string{"x/SKILL.md": file("x") + strings.Repeat("字", 200), "x/long.txt": strings.Repeat("a", 100)}
	for i := range maxListed + 20 {
		files["x/d/f"+strings.Repeat("0", i)] = ""
	}
	dir := write(t, files)
	s := load(t, Options{Roots: []Root{{Path: dir}}, Cut: 50})
	text := run(t, s, toolView, "s/1.0", `{"name":"x"}`).Text()
	if !strings.Contains(text, "[cut: these are the first 50 of 211 characters; the whole text is in "+filepath.Join(dir, "x", "SKILL.md")+"]") {
		t.Errorf("%q", text)
	}
	if n := strings.Count(text, "d/f"); n != maxListed || !strings.Contains(text, "…") {
		t.Errorf("%d files listed", n)
	}
	if text := run(t, s, toolView, "s/1.0", `{"name":"x","file_path":"long.txt"}`).Text(); !strings.HasPrefix(text, strings.Repeat("a", 50)+"\n[cut: ") {
		t.Errorf("%q", text)
	}
}

// TestIndexGolden holds the index within budgets to a file.
func TestIndexGolden(t *testing.T) {
	files := map[string]string{}
	for i, d := range []string{"Short.", "A description that goes on for quite some time, so that it has to be cut when room is short.", "中文描述：查询天气。用户问到天气时使用，也适用于穿衣建议、出行提醒和其他与天气有关的一切问题，总之很长很长很长。", "Two\nlines\n  of text"} {
		name := string(rune('a'+i)) + "-skill"
		files[name+"/SKILL.md"] = "---\nname: " + name + "\ndescription: |\n  " + strings.ReplaceAll(d, "\n", "\n  ") + "\nwhen_to_use: asked\n---\n"
	}
	dir := write(t, files)
	var b strings.Builder
	for _, budget := range []int{0, 450, 330, 220} {
		s := load(t, Options{Roots: []Root{{Path: dir}}, Budget: budget})
		index := s.Index()
		if budget > 0 && len(index) > budget {
			t.Errorf("%d bytes for a budget of %d", len(index), budget)
		}
		if again := load(t, Options{Roots: []Root{{Path: dir}}, Budget: budget}).Index(); again != index {
			t.Error("two starts differ")
		}
		fmt.Fprintf(&b, "== budget %d\n%s", budget, index)
	}
	golden := filepath.Join("testdata", "index.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
