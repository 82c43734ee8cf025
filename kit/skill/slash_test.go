package skill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func none(string) bool { return false }

func calledNames(c Called) string {
	var out []string
	for _, k := range c.Skills {
		out = append(out, k.Name)
	}
	return strings.Join(out, ",") + "|" + c.Args
}

func TestCalled(t *testing.T) {
	files := map[string]string{"help/SKILL.md": file("help"), "paper_search/SKILL.md": "---\nname: paper_search\ndescription: d\n---\nx", "cjk/SKILL.md": "---\nname: 天气\ndescription: d\n---\nx"}
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		files[n+"/SKILL.md"] = file(n)
	}
	files["ghost/SKILL.md"] = "---\nname: ghost\ndescription: d\nuser-invocable: no\n---\nx"
	s := load(t, Options{Roots: []Root{{Path: write(t, files)}}})
	for line, want := range map[string]string{
		"/a":                               "a|",
		"/a x  y":                          "a|x  y",
		"  /a\nx\n\ny ":                    "a|x\n\ny",
		"/A /B rest /c":                    "a,b|rest /c",
		"/a /a x":                          "a|x",
		"/paper-search q":                  "paper_search|q",
		"/Paper_Search q":                  "paper_search|q",
		"/天气 深圳":                           "天气|深圳",
		"/a\u3000深圳":                       "a|深圳",
		"/a /b /c /d /e /f /g x":           "a,b,c,d,e,f|/g x",
		"/a /nope x":                       "a|/nope x",
		"/a /tmp/x":                        "a|/tmp/x",
		"/help me":                         "|/help me",
		"/skill:help me":                   "help|me",
		"/skill:Help /a x":                 "help,a|x",
		"/a /help x":                       "a|/help x",
		"/a /skill:help x":                 "a,help|x",
		"/ghost":                           "|/ghost",
		"/skill:ghost":                     "|/skill:ghost",
		"/nope":                            "|/nope",
		"a":                                "|a",
		"":                                 "|",
		"/":                                "|/",
		"//a":                              "|//a",
		"/a/b":                             "|/a/b",
		"/skill:":                          "|/skill:",
		"/a \"x y\" 'z'":                   "a|\"x y\" 'z'",
		strings.Repeat("/a ", 3) + "/b  z": "a,b|z",
	} {
		if got := calledNames(s.Called(line, func(n string) bool { return n == "help" })); got != want {
			t.Errorf("%q calls %q, want %q", line, got, want)
		}
	}
}

// TestLeftOutAndNeeds: what is there and cannot be called is found by its name, with the reason; what the face has no tool for
// is offered to nobody.
func TestLeftOutAndNeeds(t *testing.T) {
	project, own := write(t, map[string]string{"my_note/SKILL.md": file("my_note"), "torn/SKILL.md": "---\nname: torn\n"}), write(t, map[string]string{
		"good/SKILL.md": file("good"), "spark/SKILL.md": file("spark"), "bad-one/SKILL.md": "---\nname: bad-one\n---\nx",
	})
	commands := write(t, map[string]string{"git/commit.md": "Commit.", "broken.toml": "prompt = 1"})
	s := load(t, Options{
		Untrusted: true,
		Roots: []Root{
			{Path: project, Scope: Project},
			{Path: own, Scope: User},
			{Path: commands, Scope: Project, Commands: markdown},
			{Path: commands, Scope: User, Commands: toml},
		},
		Needs: func(k *Skill) string {
			if k.Name == "spark" {
				return "run_spark_pipeline"
			}
			return ""
		},
	})
	for name, want := range map[string]Code{
		"my_note": Untrusted, "/My-Note": Untrusted, "git:commit": Untrusted, "commit": Untrusted,
		"torn": UnclosedFrontmatter, "bad_one": DescriptionMissing, "broken": TOMLInvalid,
		"good": "", "spark": "", "nothing": "", "": "", ":": "",
	} {
		f, why, ok := s.LeftOut(name)
		if ok != (want != "") || why.Code != want || ok && (f.Status != Skipped || why.File == "" || why.Fix == nil) {
			t.Errorf("%q: %v %q of %+v, want %q", name, ok, why.Code, f, want)
		}
	}
	if got := names(s.ForUser()) + "|" + names(s.ForModel()); got != "good|good" {
		t.Errorf("offered are %q", got)
	}
	if c := s.Called("/spark x", none); len(c.Skills) > 0 {
		t.Errorf("/spark was called")
	}
	if k, ok := s.Find("spark"); !ok || s.Needs(k) != "run_spark_pipeline" || strings.Contains(s.Index()+s.ListJSON(), "spark") {
		t.Errorf("spark: found %v, index %q", ok, s.Index())
	}
}

// TestMarkedArguments: what a session reads out of a message is what was seen when it was typed, also when some of its text
// was masked in between.
func TestMarkedArguments(t *testing.T) {
	files := map[string]string{}
	for _, n := range []string{"a", "b", "c"} {
		files[n+"/SKILL.md"] = file(n)
	}
	s := load(t, Options{Roots: []Root{{Path: write(t, files)}}})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"/a", "/B", "/skill:c", "x", "/nope", "深圳", "\"q r\""}), 1, 9).Draw(t, "words")
		line := strings.Join(words, rapid.SampledFrom([]string{" ", "  ", "\n", "\t "}).Draw(t, "gap"))
		c := s.Called(line, none)
		m := c.Message(line)
		k, args, ok := markOf(&m)
		if ok != (len(c.Skills) > 0) {
			t.Fatalf("%q: marked %v", line, ok)
		}
		if m.Text() != line {
			t.Fatalf("%q became %q", line, m.Text())
		}
		if ok && (args != c.Args || len(k.Skills) != len(c.Skills)) {
			t.Fatalf("%q: %v %q, typed %v %q", line, k, args, c.Skills, c.Args)
		}
	})
}

// said is what a person typed, as it reaches a session.
func (x *talk) line(text string) agent.Note {
	return agent.Note{Messages: []agent.Message{x.set.Called(text, none).Message(text)}}
}

const (
	carryOut = "The person has called the skill %q. These are its instructions. Carry them out now, in full and in their order:"
	fetch    = "The person has called the skill %q. Read it with the tool get_skill (name %q) before anything else, then carry out what it says, in full and in its order."
)

func TestSlashInlineAndReference(t *testing.T) {
	files := map[string]string{
		"greet/SKILL.md": "---\nname: greet\ndescription: d\n---\nGreet $ARGUMENTS.",
		"now/SKILL.md":   "---\nname: now\ndescription: d\nmetadata: {slash-mode: reference}\n---\nRun date.",
		"top/SKILL.md":   "---\nname: top\ndescription: d\nslash_mode: Reference\n---\nTop.",
		"mine/SKILL.md":  "---\nname: mine\ndescription: d\nslash_mode: reference\ndisable-model-invocation: true\n---\nMine.",
		"odd/SKILL.md":   "---\nname: odd\ndescription: d\nslash_mode: sideways\n---\nOdd.",
	}
	x := newTalk(t, Options{View: "get_skill"}, files)
	inline := func(name, text string) string {
		return "user(skill): " + fmt.Sprintf(carryOut, name) + text + "\n"
	}
	ref := func(name, more string) string {
		return "user(skill): " + fmt.Sprintf(fetch, name, name) + more + "\n"
	}
	for _, c := range [][2]string{
		{"/greet Ada", inline("greet", "Greet Ada.")},
		{"/NOW", ref("now", "")},
		{"/now Tokyo", ref("now", "\nIts arguments: Tokyo")},
		{"/top", ref("top", "")},
		{"/mine", inline("mine", "Mine.")},
		{"/odd", inline("odd", "Odd.")},
		{"/greet /now Bob", inline("greet", "Greet Bob.") + ref("now", "\nIts arguments: Bob")},
		{"/greet Bob", inline("greet", "Skill greet is already loaded and has not changed; its text stands above.")},
	} {
		got := script(x.say(x.line(c[0])))
		if want := "user: " + c[0] + "\n" + c[1] + "assistant: done\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	var names []string
	for _, v := range Invoked(x.s) {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "greet mine odd" {
		t.Errorf("invoked are %s: a skill that is only named has not entered", got)
	}
	// no tool to read with: all enters
	y := newTalk(t, Options{}, files)
	if got := script(y.say(y.line("/now"))); !strings.Contains(got, "Run date.") {
		t.Errorf("without the tool: %s", got)
	}
	if got := script(y.say(agent.Say("/now"))); strings.Contains(got, "user(skill)") {
		t.Errorf("a message that nobody has read as a line: %s", got)
	}
}

// TestSlashOrder: several skills are ordered as they were called, in the conversation and in what is remembered, and the
// header's wishes hold.
func TestSlashOrder(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{
		"z/SKILL.md": "---\nname: z\ndescription: d\neffort: high\n---\nZ $0", "a/SKILL.md": "---\nname: a\ndescription: d\neffort: low\n---\nA $1",
	})
	x.say(x.line("/z /a one two"))
	if list := Invoked(x.s); len(list) != 2 || list[0].Name != "a" || list[1].Name != "z" || len(Active(x.s)) != 2 {
		t.Fatalf("%+v", list)
	}
	if got := script(x.s.Messages); !strings.Contains(got, "Z one\n") || !strings.Contains(got, "A two\n") || strings.Index(got, "Z one") > strings.Index(got, "A two") {
		t.Errorf("%s", got)
	}
	if e := x.seen[0].Effort; e != "low" {
		t.Errorf("effort %q: the last called skill decides", e)
	}
	x.say(agent.Say("more"))
	if e := x.seen[0].Effort; e != "" || len(Active(x.s)) != 0 {
		t.Errorf("effort %q still holds", e)
	}
}

// TestSlashOnce: a skill enters once, over a crash before and after it has, and over a run that was cancelled in between.
func TestSlashOnce(t *testing.T) {
	files := map[string]string{"a/SKILL.md": file("a")}
	x := newTalk(t, Options{}, files)
	stop := errors.New("power cut")
	for cut := 1; cut <= 3; cut++ { // the message is stored, then the skill's text, then the setup
		s := agent.NewSession("main")
		var journal agenttest.Journal
		n := 0
		a := &agent.Agent{Hooks: []agent.Hook{x.set.Hook()}, Model: agenttest.NewModel(agenttest.Say("never")), Journal: func(ctx context.Context, e *agent.Event) error {
			if n++; n > cut {
				return stop
			}
			return journal.Append(ctx, e)
		}}
		if _, err := agenttest.Collect(a.Run(t.Context(), s, x.line("/a 1"))); !errors.Is(err, stop) {
			t.Fatal(err)
		}
		again, err := journal.Load("main", -1)
		if err != nil {
			t.Fatal(err)
		}
		a.Model, a.Journal = agenttest.NewModel(agenttest.Say("done"), agenttest.Say("done")), journal.Append
		for range 2 {
			if _, err := agenttest.Collect(a.Run(t.Context(), again)); err != nil {
				t.Fatal(err)
			}
		}
		if got := script(again.Messages); strings.Count(got, "user(skill)") != 1 || !strings.HasSuffix(got, "assistant: done\n") {
			t.Errorf("cut after %d events:\n%s", cut, got)
		}
	}
}

// TestSlashWhileBusy: what comes in during a run enters at its next step, with what the model's own calls bring.
func TestSlashWhileBusy(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"a/SKILL.md": file("a"), "b/SKILL.md": file("b")})
	var pending []agent.Note
	x.a.Hooks = append([]agent.Hook{{Name: "steer", Inject: func(context.Context, *agent.Session, bool) (*agent.Note, error) {
		if len(x.s.Messages) < 3 || len(pending) == 0 { // after the tool's result
			return nil, nil
		}
		n := pending[0]
		pending = nil
		return &n, nil
	}}}, x.a.Hooks...)
	pending = []agent.Note{x.line("/a now")}
	got := script(x.say(agent.Say("go"), agenttest.CallTool(toolSkill, `{"skill":"b"}`)))
	want := "user: go\nassistant: \ntool: Launching skill: b\nuser: /a now\nuser(skill): Body of b.\nuser(skill): " +
		fmt.Sprintf(carryOut, "a") + "Body of a.\n\nARGUMENTS: now\nassistant: done\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSlashContract(t *testing.T) {
	files := map[string]string{"idea/SKILL.md": "---\nname: idea\ndescription: d\n---\nIdeas about $ARGUMENTS.", "b/SKILL.md": file("b")}
	var entry Entry
	x := newTalk(t, Options{View: "skill_view", Pipeline: func(k *Skill) (string, Entry, bool) { return "run_idea_pipeline", entry, k.Name == "idea" }}, files)
	got := script(x.say(x.line("/idea 智能体方向")))
	for _, want := range []string{"Ideas about 智能体方向.", "run_idea_pipeline", "its query is: 智能体方向", "Until the last phase has ended", "Ask the person nothing", "vague direction", "infer"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := len(x.seen[0].Messages); n != 2 {
		t.Errorf("%d messages", n)
	}
	entry = Reference
	got = script(x.say(x.line("/idea")))
	if strings.Contains(got, "Ideas about") || !strings.Contains(got, "tool skill_view (name \"idea\")") || !strings.Contains(got, "take its query from what the person has said") || !strings.Contains(got, "Ask the person nothing") {
		t.Errorf("by reference: %s", got)
	}
	if got = script(x.say(x.line("/b"))); strings.Contains(got, "phase") {
		t.Errorf("a plain skill: %s", got)
	}
}

func TestSlashFork(t *testing.T) {
	one := int64(1)
	var forks []Fork
	fail := error(nil)
	o := Options{Fork: func(_ context.Context, f Fork) (agent.Result, error) {
		forks = append(forks, f)
		if string(f.State[forkKey]) != `"dig"` {
			t.Error("the sub-agent does not know that it works on the skill")
		}
		r := agent.TextResult("found it")
		r.Usage = &agent.Usage{Input: &one}
		return r, fail
	}}
	x := newTalk(t, o, map[string]string{"dig/SKILL.md": "---\nname: dig\ndescription: d\ncontext: fork\n---\nDig for $ARGUMENTS."})
	got := script(x.say(x.line("/dig gold")))
	if !strings.Contains(got, "user(skill): The person has called the skill \"dig\". A sub-agent has carried it out") || !strings.Contains(got, "found it\n") || strings.Contains(got, "Dig for") {
		t.Errorf("%s", got)
	}
	if len(forks) != 1 || forks[0].Prompt != "Dig for gold." || forks[0].Call.Key != "main/1.0" || forks[0].Call.Name != toolSkill || string(forks[0].Call.Args) != `{"skill":"dig","args":"gold"}` {
		t.Errorf("%+v", forks)
	}
	if x.s.Total.Input == nil || *x.s.Total.Input != 1 {
		t.Errorf("what it cost is lost: %+v", x.s.Total)
	}
	fail = errors.New("no room")
	if got := script(x.say(x.line("/dig /dig gold"))); !strings.Contains(got, "failed:no room") {
		t.Errorf("%s", got)
	}
}

// TestSlashGone: a skill that is no longer there is told, not passed over.
func TestSlashGone(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"a/SKILL.md": file("a")})
	line := x.line("/a")
	other := newTalk(t, Options{}, map[string]string{"b/SKILL.md": file("b")})
	if got := script(other.say(line)); !strings.Contains(got, "\"a\" that the person called is not there any more. Known skills: b") {
		t.Errorf("%s", got)
	}
	for _, data := range []string{`{`, `{}`, `{"skills":[]}`, `{"skills":["a","a","a","a","a","a","a"]}`, `[]`} {
		m := agent.TextMessage(agent.User, "/a")
		m.Parts[0].Opaque = &agent.Opaque{Origin: Name, Data: []byte(data)}
		if _, _, ok := markOf(&m); ok {
			t.Errorf("%s is taken for a mark", data)
		}
	}
}

// TestSlashAttaches: files are looked for in what a command's author has written, not in arguments, and not for skills.
func TestSlashAttaches(t *testing.T) {
	var looked []string
	dir := write(t, map[string]string{"c/see.md": "---\ndescription: d @no\n---\nSee @a.go and $ARGUMENTS.", "s/sk/SKILL.md": "---\nname: sk\ndescription: d\n---\nSee @b.go."})
	x := newTalk(t, Options{
		Roots: []Root{{Path: dir + "/c", Scope: User, Commands: markdown}, {Path: dir + "/s", Scope: User}},
		Attach: func(_ context.Context, _ *agent.Session, text string) []agent.Part {
			looked = append(looked, text)
			return []agent.Part{agent.TextPart("[A]")}
		},
	}, map[string]string{"other.txt": ""})
	got := script(x.say(x.line("/see @c.go")))
	if !strings.Contains(got, "See @a.go and @c.go.[A]\n") || strings.Join(looked, ";") != "See @a.go and $ARGUMENTS." {
		t.Errorf("%q\n%s", looked, got)
	}
	if x.say(x.line("/sk")); len(looked) != 1 {
		t.Errorf("%q", looked)
	}
}
