package instruct

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// nestedTree is a project in which nested files are.
func nestedTree(t *testing.T) string {
	t.Helper()
	return tree(t, map[string]string{
		"p/AGENTS.md": "top", "p/w/AGENTS.md": "work", "p/w/api/AGENTS.md": "API RULE", "p/w/api/v1/CLAUDE.md": "V1 RULE", "p/w/api/v1/a.go": "x", "p/w/web/x.ts": "x",
		"p/beside/AGENTS.md": "BESIDE RULE", "p/beside/b.txt": "x", "p/w/copy/AGENTS.md": "work", "p/w/copy/c.txt": "x", "out/AGENTS.md": "OUT RULE", "out/o.txt": "x",
		"p/w/.claude/rules/ts.md": "---\npaths: \"w/**/*.ts\"\n---\nTS RULE", "p/w/api/.claude/rules/go.md": "---\npaths: w/api/**/*.go\n---\nGO RULE",
	})
}

// touching are options with calls whose arguments are the paths that they touch.
func touching(top string) Options {
	o := options(top, "w")
	o.Touched = func(c agent.Call) (files []string) {
		var a struct{ Files []string }
		_ = json.Unmarshal(c.Args, &a)
		for _, f := range a.Files {
			files = append(files, filepath.Join(top, filepath.FromSlash(f)))
		}
		return files
	}
	return o
}

// touch runs an agent that touches files, one call a batch, and gives its session.
func touch(t *testing.T, set *Set, s *agent.Session, batches ...[]string) *agent.Session {
	t.Helper()
	var replies []agenttest.Reply
	for _, files := range batches {
		raw, err := json.Marshal(map[string][]string{"files": files})
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, agenttest.CallTool("touch", string(raw)))
	}
	replies = append(replies, agenttest.Say("done"))
	tool := agent.Tool{
		Name: "touch", Schema: json.RawMessage(`{"type":"object","properties":{"files":{"type":"array","items":{"type":"string"}}}}`), Effect: agent.Reads,
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			r := agent.TextResult("ok")
			r.Error = strings.Contains(string(c.Args), "fails")
			return r, nil
		},
	}
	a := &agent.Agent{Model: agenttest.NewModel(replies...), Tools: []agent.Tool{tool}, Hooks: []agent.Hook{set.Hook()}}
	for _, err := range a.Run(t.Context(), s, agent.Say("go")) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// entered are the texts of messages from this package.
func entered(s *agent.Session) (texts []string) {
	for i := range s.Messages {
		if s.Messages[i].From == Name {
			texts = append(texts, s.Messages[i].Text())
		}
	}
	return texts
}

func TestNestedFilesEnterWhenTheyAreNeeded(t *testing.T) {
	top := nestedTree(t)
	set := Load(touching(top))
	s := touch(t, set, agent.NewSession("s"),
		[]string{"p/w/api/v1/a.go"}, []string{"p/w/api/v1/a.go"}, []string{"p/beside/b.txt", "p/w/web/x.ts"}, []string{"p/w/copy/c.txt"}, []string{"out/o.txt"}, []string{"p/w/main.go"})
	got := entered(s)
	if len(got) != 2 {
		t.Fatalf("%d messages: %q", len(got), got)
	}
	for i, want := range [][]string{{"API RULE", "GO RULE", "V1 RULE"}, {"BESIDE RULE", "TS RULE"}} {
		last := -1
		for _, text := range want {
			at := strings.Index(got[i], text)
			if at < last || strings.Count(got[i], text) != 1 {
				t.Errorf("%q: %s", text, got[i])
			}
			last = at
		}
	}
	if !strings.Contains(got[0], "For the work in api these hold") || !strings.Contains(got[0], `<file path="api/v1/CLAUDE.md">`) || !strings.Contains(got[1], "For the work in w/**/*.ts") {
		t.Errorf("got %q", got)
	}
	if all := strings.Join(got, ""); strings.Contains(all, "OUT RULE") || strings.Contains(all, "work\n</file>") {
		t.Errorf("got %q", got)
	}
	// A restart, and a set that was loaded anew: nothing enters again.
	if again := entered(touch(t, Load(touching(top)), s, []string{"p/w/api/v1/a.go", "p/w/web/x.ts"})); len(again) != 2 {
		t.Errorf("%d messages", len(again))
	}
	// After a compaction all of it can be given again; after /clear nothing is known.
	back := Reattach(s)
	for _, text := range []string{"API RULE", "V1 RULE", "BESIDE RULE", "TS RULE"} {
		if strings.Count(back, text) != 1 {
			t.Errorf("%q: %s", text, back)
		}
	}
	for key := range Forget(s) {
		delete(s.State, key)
	}
	if Reattach(s) != "" || len(Forget(s)) != 0 {
		t.Errorf("state: %v", s.State)
	}
	if again := entered(touch(t, set, s, []string{"p/w/api/v1/a.go"})); len(again) != 3 {
		t.Errorf("%d messages", len(again))
	}
}

func TestACallThatFailedTouchesNothing(t *testing.T) {
	top := nestedTree(t)
	s := touch(t, Load(touching(top)), agent.NewSession("s"), []string{"p/w/api/v1/fails"})
	if got := entered(s); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	o := touching(top)
	o.Touched = nil
	if got := entered(touch(t, Load(o), agent.NewSession("s"), []string{"p/w/api/v1/a.go"})); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestNestedFilesOfAProjectWithoutTrust(t *testing.T) {
	top := nestedTree(t)
	o := touching(top)
	o.Project = false
	var told []string
	o.Skipped = func(path string, _ error) { told = append(told, path) }
	set := Load(o)
	s := touch(t, set, agent.NewSession("s"), []string{"p/w/api/v1/a.go"}, []string{"p/w/api/v1/a.go"})
	if got := entered(s); len(got) != 0 || len(s.State) != 0 {
		t.Errorf("got %q, state %v", got, s.State)
	}
	if len(told) != 2 || !strings.HasSuffix(told[0], filepath.Join("api", "AGENTS.md")) {
		t.Errorf("told %q", told)
	}
	o.Skipped = nil
	touch(t, Load(o), agent.NewSession("s"), []string{"p/w/api/v1/a.go"})
}

// What is due when a run ends stays due, and does not make the run go on.
func TestWhatIsDueWaitsForTheNextModelCall(t *testing.T) {
	hook := Load(touching(nestedTree(t))).Hook()
	s := agent.NewSession("s")
	s.State = map[string]json.RawMessage{dueKey + "api": json.RawMessage(`{"below":"api","text":"RULE","files":"api/AGENTS.md"}`)}
	if n, err := hook.Inject(t.Context(), s, true); n != nil || err != nil {
		t.Errorf("note %v, error %v", n, err)
	}
	n, err := hook.Inject(t.Context(), s, false)
	if err != nil || len(n.Messages) != 1 || string(n.State[dueKey+"api"]) != "null" || n.State[seenKey+"api"] == nil {
		t.Errorf("note %v, error %v", n, err)
	}
}

func TestMuchOfItIsOnlyNamed(t *testing.T) {
	files := map[string]string{}
	var touched []string
	for _, dir := range []string{"a", "b", "c", "d", "e", "f"} {
		files["p/w/"+dir+"/AGENTS.md"] = strings.ToUpper(dir) + strings.Repeat(" long text\n", 3000)
		files["p/w/"+dir+"/x"] = "x"
		touched = append(touched, "p/w/"+dir+"/x")
	}
	top := tree(t, files)
	s := agent.NewSession("s")
	set := Load(touching(top))
	for _, f := range touched {
		touch(t, set, s, []string{f})
	}
	got := entered(s)
	if len(got) != 6 || !strings.Contains(got[0], "long text") || strings.Contains(got[5], "long text") || !strings.Contains(got[5], "read them first: f/AGENTS.md") {
		t.Errorf("%d messages, the last: %.200s", len(got), got[len(got)-1])
	}
	if n := kept(s); n > maxNested+4096 {
		t.Errorf("%d bytes in the state", n)
	}
	back := Reattach(s)
	if len(back) > maxNested/2+4096 || !strings.Contains(back, "read them first: a/AGENTS.md") || !strings.Contains(back, "C long text") {
		t.Errorf("%d bytes: %.300s", len(back), back)
	}
	// What State holds survives its way through JSON.
	raw, err := agent.EncodeJSON(s.State)
	if err != nil {
		t.Fatal(err)
	}
	other := agent.NewSession("s")
	if err := json.Unmarshal(raw, &other.State); err != nil || !maps.EqualFunc(other.State, s.State, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		t.Errorf("state: %v", err)
	}
	if Reattach(other) != back {
		t.Error("given again it is something else")
	}
}

func TestAPipeIsNeverWaitedFor(t *testing.T) {
	top := tree(t, map[string]string{"p/CLAUDE.md": "x"})
	if err := mkfifo(filepath.Join(top, "p", "AGENTS.md")); err != nil {
		t.Skip("not here: pipes with names")
	}
	s := Load(options(top, "."))
	if got := fates(top, s); got != "p/AGENTS.md: skipped: it is not an ordinary file\np/CLAUDE.md: taken" {
		t.Errorf("got %s", got)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(top, "p", "CLAUDE.local.md")); err != nil {
		t.Skip("not here: symbolic links")
	}
	if got := fates(top, Load(options(top, "."))); !strings.Contains(got, "CLAUDE.local.md: skipped") {
		t.Errorf("got %s", got)
	}
}
