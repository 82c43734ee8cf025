package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// talk is an agent with skills and a session that is kept over several runs.
type talk struct {
	t       *testing.T
	set     *Set
	a       *agent.Agent
	s       *agent.Session
	journal agenttest.Journal
	seen    []*agent.Request
}

func newTalk(t *testing.T, o Options, files map[string]string) *talk {
	o.Roots = append(o.Roots, Root{Path: write(t, files), Scope: User})
	x := &talk{t: t, set: load(t, o), s: agent.NewSession("main")}
	x.a = &agent.Agent{Tools: x.set.Tools(), Hooks: []agent.Hook{x.set.Hook()}, Journal: x.journal.Append, Parallel: 4}
	return x
}

// say plays the model's replies after what the person says, and gives the messages that were new.
func (x *talk) say(in agent.Note, replies ...agenttest.Reply) []agent.Message {
	x.t.Helper()
	model := agenttest.NewModel(append(replies, agenttest.Say("done"))...)
	x.a.Model = model
	before := x.s.Seq
	if _, err := agenttest.Collect(x.a.Run(x.t.Context(), x.s, in)); err != nil {
		x.t.Fatal(err)
	}
	x.seen = model.Requests()
	return slices.DeleteFunc(slices.Clone(x.s.Messages), func(m agent.Message) bool { return m.Seq <= before })
}

// script writes messages down, one a line.
func script(list []agent.Message) string {
	var b strings.Builder
	for _, m := range list {
		text := m.Text()
		if m.Role == agent.ToolRole {
			text = m.Result().Text()
		}
		who := string(m.Role)
		if m.From != "" {
			who += "(" + m.From + ")"
		}
		fmt.Fprintf(&b, "%s: %s\n", who, text)
	}
	return b.String()
}

func TestInline(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"greet/SKILL.md": "---\nname: greet\ndescription: d\n---\nGreet $ARGUMENTS.", "b/SKILL.md": file("b")})
	got := script(x.say(agent.Say("go"), agenttest.CallTools(toolSkill, `{"skill":"Greet","args":"Ada"}`, toolSkill, `{"skill":"b"}`)))
	want := "user: go\nassistant: \ntool: Launching skill: greet\ntool: Launching skill: b\nuser(skill): Greet Ada.\nuser(skill): Body of b.\nassistant: done\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := string(mustJSON(t, x.s.State)); strings.Contains(text, launchKey) || strings.Count(text, invokedKey) != 2 {
		t.Errorf("state %s", text)
	}
	// the same again is a short note, other arguments are not
	got = script(x.say(agent.Say("more"), agenttest.CallTool(toolSkill, `{"skill":"greet","args":"Ada"}`), agenttest.CallTool(toolSkill, `{"skill":"greet","args":"Bob"}`)))
	if !strings.Contains(got, "tool: Skill greet is already loaded and has not changed") || strings.Contains(got, "Greet Ada.") || !strings.Contains(got, "user(skill): Greet Bob.") {
		t.Errorf("%s", got)
	}
	// the log alone gives the same session
	again, err := x.journal.Load("main", -1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := string(mustJSON(t, Invoked(again))), string(mustJSON(t, Invoked(x.s))); a != b {
		t.Errorf("%s, loaded %s", b, a)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestTwoCompactions has what was invoked survive both, and come again whole when it is asked for.
func TestTwoCompactions(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"a/SKILL.md": file("a"), "b/SKILL.md": file("b")})
	x.a.Compact = agenttest.Trim(1)
	x.say(agent.Say("go"), agenttest.CallTool(toolView, `{"name":"a"}`), agenttest.CallTool(toolSkill, `{"skill":"b"}`))
	if got := script(x.say(agent.Say("again"), agenttest.CallTool(toolView, `{"name":"a"}`))); !strings.Contains(got, "already loaded") {
		t.Errorf("%s", got)
	}
	for range 2 {
		if _, err := agenttest.Collect(x.a.CompactNow(t.Context(), x.s, "")); err != nil {
			t.Fatal(err)
		}
		x.say(agent.Say("hm"))
	}
	if strings.Contains(script(x.s.Messages), "Body of a.") {
		t.Fatal("nothing was compacted")
	}
	re := Reattach(x.s)
	if a, b := strings.Index(re, "Body of a."), strings.Index(re, "Body of b."); a < 0 || b < 0 || a > b {
		t.Errorf("a was last, so it comes first: %s", re)
	}
	if got := script(x.say(agent.Say("again"), agenttest.CallTool(toolView, `{"name":"a"}`))); !strings.Contains(got, "tool: Body of a.") {
		t.Errorf("%s", got)
	}
}

func TestReattachBudget(t *testing.T) {
	s := agent.NewSession("main")
	s.State = map[string]json.RawMessage{"other": json.RawMessage("1"), invokedKey + "broken": json.RawMessage("1")}
	long := strings.Repeat("字", 10_000)
	for i := range 7 {
		k := &Skill{Name: fmt.Sprintf("s%d", i), File: "/x"}
		maps.Copy(s.State, k.invocation(long, spot{seq: int64(i)}).state())
	}
	re := Reattach(s)
	if n := strings.Count(re, "字"); n > togetherMost*tokenBytes/3 || n < 33_000 {
		t.Errorf("%d characters", n)
	}
	if strings.Count(re, "the rest of this skill was left out") != 5+strings.Count(re, "name=\"s1\"") || !strings.Contains(re, "load again when needed: ") {
		t.Errorf("%s", strings.ReplaceAll(re, "字", ""))
	}
	if strings.Index(re, "name=\"s6\"") > strings.Index(re, "name=\"s5\"") {
		t.Error("the last one does not come first")
	}
	if Reattach(agent.NewSession("x")) != "" {
		t.Error("something of nothing")
	}
	for key := range Forget(s) {
		delete(s.State, key)
	}
	if len(s.State) != 1 || len(Invoked(s)) != 0 {
		t.Errorf("%v", s.State)
	}
}

func TestFork(t *testing.T) {
	var forks []Fork
	var x *talk
	o := Options{Fork: func(ctx context.Context, f Fork) (agent.Result, error) {
		forks = append(forks, f)
		child := agent.NewSession("main.1")
		child.State = f.State
		x.set.views.look(child)
		inner, err := x.set.invoke(ctx, agent.Call{Key: "main.1/3.0"}, skillArgs{Skill: f.Skill.Name})
		if err != nil {
			return agent.Result{}, err
		}
		return agent.TextResult("answer of " + f.Skill.Agent + "; inside: " + inner.Text()), nil
	}}
	files := map[string]string{"f/SKILL.md": "---\nname: f\ndescription: d\ncontext: fork\nagent: Explore\n---\nLook at $0."}
	x = newTalk(t, o, files)
	got := script(x.say(agent.Say("go"), agenttest.CallTool(toolSkill, `{"skill":"f","args":"that"}`)))
	if !strings.Contains(got, "tool: answer of Explore; inside: Launching skill: f\n") || strings.Contains(got, "user(skill)") {
		t.Errorf("%s", got)
	}
	if len(forks) != 1 || forks[0].Prompt != "Look at that." || !strings.HasPrefix(forks[0].Call.Key, "main/") {
		t.Errorf("%+v", forks)
	}
	if len(Invoked(x.s)) != 0 {
		t.Error("the text of a fork did not enter this conversation")
	}
	if tools := x.set.Tools(); !tools[2].Resume {
		t.Error("a fork must be resumed")
	}
	x = newTalk(t, Options{}, files)
	if got := script(x.say(agent.Say("go"), agenttest.CallTool(toolSkill, `{"skill":"f","args":"that"}`))); !strings.Contains(got, "user(skill): Look at that.\n\n[This skill asks for a sub-agent.") {
		t.Errorf("%s", got)
	}
}

// TestTurn has `disallowed-tools` and `effort` hold until the person speaks again.
func TestTurn(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{
		"a/SKILL.md": "---\nname: a\ndescription: d\ndisallowed-tools: [Bash, skills_list]\nallowed-tools: Read\neffort: high\nmodel: big\n---\nA",
	})
	bash := agent.Tool{Name: "bash", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Executes, Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ran"), nil }}
	x.a.Tools = append(x.a.Tools, bash)
	got := script(x.say(agent.Say("go"), agenttest.CallTool("bash", `{}`), agenttest.CallTool(toolSkill, `{"skill":"a"}`), agenttest.CallTool("bash", `{}`)))
	if strings.Count(got, "tool: ran") != 1 || !strings.Contains(got, "the skill a takes the tool bash away") {
		t.Errorf("%s", got)
	}
	shown := func(i int) string {
		var out []string
		for _, tool := range x.seen[i].Tools {
			out = append(out, tool.Name)
		}
		return strings.Join(out, " ") + " " + x.seen[i].Effort
	}
	if a, b := shown(0), shown(2); a != "skills_list skill_view Skill bash " || b != "skill_view Skill high" {
		t.Errorf("%q, %q", a, b)
	}
	if act := Active(x.s); len(act) != 1 || act[0].Allowed[0] != "Read" || act[0].Model != "big" {
		t.Errorf("%+v", act)
	}
	x.say(agent.Say("next"), agenttest.CallTool("bash", `{}`))
	if got := shown(0); got != "skills_list skill_view Skill bash " || len(Active(x.s)) != 0 {
		t.Errorf("%q", got)
	}
}

// TestInvoke is a person's call; what was invoked so may then be read by the model, hidden or not.
func TestInvoke(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{
		"h/SKILL.md": "---\nname: h\ndescription: d\ndisable-model-invocation: true\n---\nDo $ARGUMENTS in ${SESSION_ID}.", "h/more.txt": "MORE",
		"m/SKILL.md": "---\nname: m\ndescription: d\nuser-invocable: no\n---\nM",
	})
	if _, err := x.set.Invoke(t.Context(), x.s, "nope", ""); err == nil || !strings.Contains(err.Error(), `"nope"; there are: h`) || strings.Contains(err.Error(), "m") && strings.Contains(err.Error(), ", m") {
		t.Errorf("%v", err)
	}
	if res := run(t, x.set, toolView, "main/1.0", `{"name":"h","file_path":"more.txt"}`); strings.Contains(res.Text(), "MORE") {
		t.Error("a hidden skill can be read")
	}
	note, err := x.set.Invoke(t.Context(), x.s, "/H", "it all")
	if err != nil {
		t.Fatal(err)
	}
	got := script(x.say(note, agenttest.CallTool(toolView, `{"name":"h","file_path":"more.txt"}`)))
	if !strings.Contains(got, "user(skill): Do it all in main.") || !strings.Contains(got, "tool: MORE") {
		t.Errorf("%s", got)
	}
	if act := Active(x.s); len(act) != 1 || act[0].Name != "h" {
		t.Errorf("%+v", act)
	}
	if res := run(t, x.set, toolSkill, "main/9.0", `{"skill":"h","args":"again"}`); !res.Error {
		t.Errorf("the model invokes what only a person may: %q", res.Text())
	}
	note, err = x.set.Invoke(t.Context(), x.s, "h", "it all")
	if err != nil || note.Messages[0].Text() != "Skill h is already loaded and has not changed; its text stands above." {
		t.Errorf("%q, %v", note.Messages[0].Text(), err)
	}
	if _, err := x.set.Invoke(t.Context(), x.s, "m", ""); err != nil {
		t.Errorf("one that the menu hides is out of reach: %v", err)
	}
}

// TestSessionsApart has two agents with one set: neither knows of the other's skills.
func TestSessionsApart(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"a/SKILL.md": file("a")})
	x.say(agent.Say("go"), agenttest.CallTool(toolView, `{"name":"a"}`))
	first := x.s
	x.s = agent.NewSession("main.1")
	x.journal = agenttest.Journal{}
	if got := script(x.say(agent.Say("go"), agenttest.CallTool(toolView, `{"name":"a"}`))); !strings.Contains(got, "tool: Body of a.") {
		t.Errorf("%s", got)
	}
	for _, s := range []*agent.Session{first, x.s} {
		x.set.Hook().OnSession(t.Context(), s, false)
	}
	if len(x.set.views.of) != 0 {
		t.Errorf("%v", x.set.views.of)
	}
}

// TestBrokenLaunch has a state that nobody of us wrote.
func TestBrokenLaunch(t *testing.T) {
	s := agent.NewSession("main")
	s.State = map[string]json.RawMessage{launchKey + "main/3.1": json.RawMessage(`"two"`), launchKey + "main/3.0": json.RawMessage(`"one"`), launchKey + "main/2.7": json.RawMessage(`7`)}
	var all []agent.Message
	for n := launches(s); n != nil; n = n.Next {
		if all = append(all, n.Messages...); len(n.State) != 1 {
			t.Errorf("%v", n.State)
		}
	}
	if got := script(all); got != "user(skill): one\nuser(skill): two\n" {
		t.Error(got)
	}
}

// TestLaunchesOverACrash: a crash between the texts of two skills leaves the second to whoever goes on.
func TestLaunchesOverACrash(t *testing.T) {
	s := agent.NewSession("main")
	s.State = map[string]json.RawMessage{launchKey + "main/3.1": json.RawMessage(`"two"`), launchKey + "main/3.0": json.RawMessage(`"one"`)}
	first := both(launches(s), &agent.Note{Later: &agent.Later{}})
	if first.Later != nil || first.Next.Later == nil {
		t.Fatal("what comes later comes behind all of them")
	}
	for key := range first.State {
		delete(s.State, key)
	}
	if again := launches(s); again == nil || script(again.Messages) != "user(skill): two\n" || again.Next != nil {
		t.Errorf("%+v", again)
	}
}

// TestLimitsOfOthersNames: what other agents call a tool takes ours away, wherever it is offered and called; a pattern takes
// only the calls that it means.
func TestLimitsOfOthersNames(t *testing.T) {
	meets := func(rule string, tool agent.Tool, c agent.Call) (sure, maybe bool) {
		bad := rule == "Bash(rm *)" && tool.Name == "bash"
		return bad && strings.Contains(string(c.Args), `"rm x"`), bad && strings.Contains(string(c.Args), `$(x)`)
	}
	for _, c := range []struct {
		field, tool, args string
		meets             func(string, agent.Tool, agent.Call) (bool, bool)
		offered, refused  bool
	}{
		{"Write, Edit, Bash(rm *), Task", "write_file", `{}`, meets, false, true},
		{"Write, Edit, Bash(rm *), Task", "apply_patch", `{}`, meets, false, true},
		{"Write, Edit, Bash(rm *), Task", "task", `{}`, meets, false, true},
		{"Write, Edit, Bash(rm *), Task", "bash", `{"a":"rm x"}`, meets, true, true},
		{"Write, Edit, Bash(rm *), Task", "bash", `{"a":"$(x)"}`, meets, true, true}, // nobody is there to ask
		{"Write, Edit, Bash(rm *), Task", "bash", `{"a":"ls"}`, meets, true, false},
		{"Write, Edit, Bash(rm *), Task", "read_file", `{}`, meets, true, false},
		{"Bash(rm *)", "bash", `{"a":"ls"}`, nil, false, true}, // nobody can tell
		{"Bash(*)", "bash", `{"a":"ls"}`, meets, false, true},
		{"BASH", "bash", `{}`, meets, false, true},
		{"Bash", "background_run", `{}`, meets, false, true},
		{"mcp__files", "mcp__files__get", `{}`, meets, false, true},
	} {
		ran := false
		x := newTalk(t, Options{Meets: c.meets}, map[string]string{"no/SKILL.md": "---\nname: no\ndescription: d\ndisallowed-tools: " + c.field + "\n---\nText."})
		tool := agent.NewCallTool(c.tool, "d", agent.Reads, func(context.Context, agent.Call, struct {
			A string `json:"a,omitempty"`
		},
		) (agent.Result, error) {
			ran = true
			return agent.TextResult("ran"), nil
		})
		x.a.Tools = append(x.a.Tools, tool)
		x.say(agent.Say("go"), agenttest.CallTool(toolSkill, `{"skill":"no"}`), agenttest.CallTool(c.tool, c.args))
		if got := slices.ContainsFunc(x.seen[1].Tools, func(u agent.Tool) bool { return u.Name == c.tool }); got != c.offered {
			t.Errorf("%s: %s offered: %v", c.field, c.tool, got)
		}
		if ran == c.refused {
			t.Errorf("%s: %s %s ran: %v", c.field, c.tool, c.args, ran)
		}
	}
}

// TestLimitsOfChildren: a sub-agent's session has the limits of its parent's and of its own skill from its beginning, and
// hands them on; they do not end when somebody speaks to it.
func TestLimitsOfChildren(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"no/SKILL.md": "---\nname: no\ndescription: d\ndisallowed-tools: Bash\n---\nText."})
	if Limits(x.s) != nil {
		t.Error("limits of nobody")
	}
	x.say(agent.Say("go"), agenttest.CallTool(toolSkill, `{"skill":"no"}`))
	k, _ := x.set.Find("no")
	for what, state := range map[string]map[string]json.RawMessage{
		"of the parent": Limits(x.s), "of the skill": forkOf(agent.Call{}, k, "").State, "of its parent's": Limits(&agent.Session{State: Limits(x.s)}),
	} {
		child := agent.NewSession("main.1")
		child.State = state
		child.Messages = []agent.Message{agent.TextMessage(agent.User, "speak")}
		child.Messages[0].Seq = 9
		d := x.set.judge(child, agent.Tool{Name: "bash"}, agent.Call{})
		if d.Verdict != agent.Deny || strings.Contains(d.Reason, "speaks again") {
			t.Errorf("%s: %+v", what, d)
		}
		if d := x.set.judge(child, agent.Tool{Name: "read_file"}, agent.Call{}); d.Verdict != agent.Pass {
			t.Errorf("%s: %+v", what, d)
		}
	}
	x.say(agent.Say("more"))
	if Limits(x.s) != nil {
		t.Error("limits of a turn that is over")
	}
}

// TestLimitsAreChecked: a rule that takes nothing away is noted with its line.
func TestLimitsAreChecked(t *testing.T) {
	o := Options{
		KnownTool: func(name string) bool { return slices.Contains([]string{"bash", "write_file", "task"}, name) },
		CheckRule: func(rule string) error {
			if !strings.HasSuffix(rule, ")") {
				return fmt.Errorf("not closed")
			}
			return nil
		},
	}
	o.Roots = []Root{{Path: write(t, map[string]string{
		"a/SKILL.md": "---\nname: a\ndescription: d\ndisallowed-tools: Write, Teleport, BASH, Bash(rm *), mcp__*, Task\n---\nx",
		"b/SKILL.md": "---\nname: b\ndescription: d\ndisallowed-tools: [\"Bash(rm\", bash]\n---\nx",
	}), Scope: User}}
	var got []string
	for _, d := range load(t, o).Diagnostics() {
		got = append(got, fmt.Sprintf("%s %d %v", d.Code, d.Line, d.Reason))
	}
	want := []string{
		"field_invalid 4 Teleport in disallowed-tools is no tool here; it takes nothing away",
		"field_invalid 4 Bash(rm in disallowed-tools is not understood and ignored: not closed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
