package offline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider/offline"
)

// face is a set of tools as some face shows them; what they were called with is noted, and results are looked up.
type face struct {
	calls   []string
	results map[string]agent.Result // by the beginning of a call's note
}

func (f *face) tool(name, shown, schema string) agent.Tool {
	return agent.Tool{
		Name: name, Alias: shown, Effect: agent.Executes, Shared: true,
		Schema: json.RawMessage(schema),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			note := c.Name + string(c.Args)
			f.calls = append(f.calls, note)
			for begin, r := range f.results {
				if strings.HasPrefix(note, begin) {
					return r, nil
				}
			}
			return agent.TextResult("ok"), nil
		},
	}
}

func (f *face) tools(names ...string) (out []agent.Tool) {
	for _, name := range names {
		switch name {
		case "skills_list":
			out = append(out, f.tool(name, "list_skills", `{"type":"object"}`))
		case "skill_view":
			out = append(out, f.tool(name, "get_skill", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`))
		case "run_script":
			out = append(out, f.tool(name, "", `{"type":"object","properties":{"path":{"type":"string"},"args":{"type":"string"}},"required":["path"]}`))
		case "bash":
			out = append(out, f.tool(name, "run", `{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}`))
		case "run_a-b_pipeline":
			out = append(out, f.tool(name, "", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`))
		}
	}
	return out
}

// talk has the model answer and gives the answer, what was called in which step, and how often the model was asked.
func talk(t *testing.T, m agent.Model, system string, tools []agent.Tool, notes []agent.Hook, question string) (answer string, steps []string) {
	t.Helper()
	a := &agent.Agent{System: system, Model: m, Tools: tools, MaxSteps: 12, Hooks: notes}
	s := agent.NewSession("s")
	evs, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say(question)))
	if err != nil || evs[len(evs)-1].Stop != agent.RunEnd {
		t.Fatalf("%s: %v", question, err)
	}
	for _, msg := range s.Messages {
		if msg.Role != agent.Assistant {
			continue
		}
		var names []string
		for _, c := range msg.Calls() {
			names = append(names, c.Name+string(c.Args))
		}
		steps = append(steps, strings.Join(names, " & "))
	}
	return s.Messages[len(s.Messages)-1].Text(), steps
}

func sky() offline.Rule {
	return offline.Rule{
		Name: "sky", Skill: "sky-skill", Match: []string{`^/sky-skill\s+(?P<city>.+)$`, `sky (over|of) (?P<city>\w+)`, `(?P<city>海边)的天`},
		Run:       []offline.Action{{Script: "/s/sky.js", Args: "{city} -x"}, {Script: "/s/sky.sh", Args: "{city}"}},
		Take:      map[string]string{"first": `^\{"(\w)`},
		Answer:    map[string]string{"en": "[{city}: {output.sky}, {first}]", "zh": "【{city}：{output.sky}】"},
		Otherwise: map[string]string{"en": "no sky: {output.error}"},
		Words:     map[string]map[string]string{"zh": {"blue": "蓝", "dark blue": "深蓝"}, "en": {"海边": "seaside"}},
	}
}

func loud() []offline.Rule {
	return []offline.Rule{
		{Name: "loud", Skill: "loud", Match: []string{"loud"}, Answer: map[string]string{"en": "{before}!"}},
		{Name: "loud alone", Skill: "loud", Match: []string{"loud"}, Answer: map[string]string{"en": "LOUD"}},
		{Name: "chinese", Skill: "zh", Match: []string{"in chinese"}, Answer: map[string]string{"en": "{before@zh}~"}},
		{Name: "greet", Skill: "greet", Match: []string{"good day", "^/greet"}, Answer: map[string]string{"en": "Good day."}},
		{Name: "pipe", Skill: "a-b", Match: []string{`(?s)^/a-b\s+(?P<q>.+)`}, Run: []offline.Action{{Tool: "run_a_b_pipeline", Input: map[string]string{"query": "{q}"}}}, Answer: map[string]string{"en": "piped {output}"}},
	}
}

func model() *offline.Model {
	return offline.New(offline.Lines{Rules: append([]offline.Rule{sky()}, loud()...)})
}

func TestSkillsAreListedReadAndUsed(t *testing.T) {
	blue := agent.TextResult(`{"sky":"dark blue"}`)
	for _, c := range []struct {
		name, system, question string
		tools                  []string
		results                map[string]agent.Result
		steps                  []string
		answer                 string
	}{
		{
			name: "list, two in one step, script, answer", question: "loud, please: the sky over Oslo",
			tools:   []string{"skills_list", "skill_view", "run_script"},
			results: map[string]agent.Result{"run_script": blue},
			steps:   []string{`list_skills{}`, `get_skill{"name":"sky-skill"} & get_skill{"name":"loud"}`, `run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, ""},
			answer:  "[Oslo: dark blue, s]!",
		},
		{
			name: "a catalogue makes the list needless", system: "Skills:\n- sky-skill: about it\n", question: "sky over Oslo",
			tools: []string{"skills_list", "skill_view", "run_script"}, results: map[string]agent.Result{"run_script": blue},
			steps: []string{`get_skill{"name":"sky-skill"}`, `run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, ""}, answer: "[Oslo: dark blue, s]",
		},
		{
			name: "a word in the prompt is no catalogue", system: "You like a sky-skill: yes", question: "good day", tools: []string{"skills_list", "skill_view"},
			steps: []string{`list_skills{}`, `get_skill{"name":"greet"}`, ""}, answer: "Good day.",
		},
		{
			name: "without the tool for scripts the shell does", question: "sky over Oslo", tools: []string{"skill_view", "bash"},
			results: map[string]agent.Result{"bash": blue},
			steps:   []string{`get_skill{"name":"sky-skill"}`, `run{"cmd":"node '/s/sky.js' 'Oslo' -x"}`, ""}, answer: "[Oslo: dark blue, s]",
		},
		{
			name: "the next action when the first fails", question: "sky over Oslo", tools: []string{"run_script"},
			results: map[string]agent.Result{`run_script{"args":"'Oslo' -x"`: agent.ErrorResult("no node"), `run_script{"args":"'Oslo'","path":"/s/sky.sh"`: blue},
			steps:   []string{`run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, `run_script{"args":"'Oslo'","path":"/s/sky.sh"}`, ""},
			answer:  "[Oslo: dark blue, s]",
		},
		{
			name: "all fail", question: "sky over Oslo", tools: []string{"run_script"}, results: map[string]agent.Result{"run_script": agent.ErrorResult("broken")},
			steps: []string{`run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, `run_script{"args":"'Oslo'","path":"/s/sky.sh"}`, ""}, answer: "It did not succeed:\nbroken",
		},
		{
			name: "a value is missing", question: "sky over Oslo", tools: []string{"run_script"}, results: map[string]agent.Result{"run_script": agent.TextResult(`{"error":["no","data"]}`)},
			steps: []string{`run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, ""}, answer: "no sky: no, data",
		},
		{
			name: "nothing fits the output", question: "sky over Oslo", tools: []string{"run_script"}, results: map[string]agent.Result{"run_script": agent.TextResult(`odd`)},
			steps: []string{`run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, ""}, answer: "odd",
		},
		{name: "no tool at all", question: "sky over Oslo", steps: []string{""}, answer: "It did not succeed:\nThe rule “sky” needs a shell tool, and none is offered here."},
		{
			name: "in Chinese", question: "看看海边的天", tools: []string{"run_script"}, results: map[string]agent.Result{"run_script": blue},
			steps: []string{`run_script{"args":"'海边' -x","path":"/s/sky.js"}`, ""}, answer: "【海边：深蓝】",
		},
		{
			name: "what was found in the other language", question: "sky over Oslo in chinese, loud", tools: []string{"run_script"}, results: map[string]agent.Result{"run_script": blue},
			steps: []string{`run_script{"args":"'Oslo' -x","path":"/s/sky.js"}`, ""}, answer: "【Oslo：深蓝】~!",
		},
		{name: "two answers", question: "good day! loud", tools: nil, steps: []string{""}, answer: "Good day.!"},
		{name: "a follower alone", question: "be loud", steps: []string{""}, answer: "LOUD"},
		{name: "a follower of the table", question: "what is 6*7? in chinese", tools: []string{"bash"}, results: map[string]agent.Result{"bash": agent.TextResult("42")}, steps: []string{`run{"cmd":"echo $((6*7))"}`, ""}, answer: "结果是 42~"},
		{name: "a follower with nothing to follow", question: "tell me in chinese", steps: []string{""}, answer: "I am no language model"},
		{name: "called by name", question: "/sky-skill New York", tools: []string{"skills_list", "skill_view", "run_script"}, results: map[string]agent.Result{"run_script": blue}, steps: []string{`run_script{"args":"'New York' -x","path":"/s/sky.js"}`, ""}, answer: "[New York: dark blue, s]"},
		{name: "two called by name, others not meant", question: "/Sky_Skill /skill:greet good day in chinese", tools: []string{"run_script"}, results: map[string]agent.Result{"run_script": blue}, steps: []string{`run_script{"args":"'good day in chinese' -x","path":"/s/sky.js"}`, ""}, answer: "[good day in chinese: dark blue, s]\n\nGood day."},
		{name: "a path is no call", question: "/etc/passwd says good day", steps: []string{""}, answer: "Good day."},
		{
			name: "another tool, by any spelling", question: "/a-b many\nwords of 'it'", tools: []string{"run_a-b_pipeline"}, results: map[string]agent.Result{"run_a-b": agent.TextResult("through")},
			steps: []string{`run_a-b_pipeline{"query":"many\nwords of 'it'"}`, ""}, answer: "piped through",
		},
		{name: "another tool is not there", question: "/a-b x", steps: []string{""}, answer: "It did not succeed:\nThe rule “pipe” needs the tool run_a_b_pipeline, and it is not offered here."},
	} {
		f := &face{results: c.results}
		answer, steps := talk(t, model(), c.system, f.tools(c.tools...), nil, c.question)
		if strings.Join(steps, "\n") != strings.Join(c.steps, "\n") || !strings.HasPrefix(answer, c.answer) || len(answer) > len(c.answer) && !strings.HasPrefix(answer, "I am no") {
			t.Errorf("%s:\n%s\n-> %s", c.name, strings.Join(steps, "\n"), answer)
		}
	}
}

// What was put beside the question says whether a skill that was called is to be read.
func TestACalledSkillIsReadWhereThatIsAskedFor(t *testing.T) {
	for note, want := range map[string]string{
		"These are its instructions: …":   `run_script{"args":"'x' -x","path":"/s/sky.js"}`,
		"Read it with the tool get_skill": `get_skill{"name":"sky-skill"}`,
	} {
		f := &face{}
		m := model()
		said := agent.TextMessage(agent.User, note)
		said.From = "skill"
		req := &agent.Request{Tools: f.tools("skills_list", "skill_view", "run_script"), Messages: []agent.Message{agent.TextMessage(agent.User, "/sky-skill x"), said}}
		got := ""
		for c, err := range m.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Part != nil && c.Part.Kind == agent.CallKind {
				if c.Part.Call != nil {
					got += c.Part.Call.Name
				}
				got += c.Part.Text
			}
		}
		if got != want {
			t.Errorf("%s: %s", note, got)
		}
	}
}

func TestSubAgents(t *testing.T) {
	m := offline.New(offline.Lines{Agents: []offline.Agent{
		{System: "^# Judge (?P<what>\\w+)", Message: "(?m)^Topic: (?P<topic>.+)$", Replies: []offline.Reply{{JSON: `{"t":"{topic}","w":["{what}"]}`}}},
		{System: "^# Judge", Replies: []offline.Reply{{Text: "first {none}"}, {Text: "second"}}},
		{System: "(", Replies: []offline.Reply{{Text: "never"}}},
		{System: "", Replies: []offline.Reply{{Text: "never"}}},
	}})
	ask := func(system string, said ...string) string {
		req := &agent.Request{System: system}
		for i, s := range said {
			role := agent.User
			if i%2 == 1 {
				role = agent.Assistant
			}
			req.Messages = append(req.Messages, agent.TextMessage(role, s))
		}
		out := ""
		for c, err := range m.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Part != nil {
				out += c.Part.Text
			}
		}
		return out
	}
	got := ask("# Judge one", `Topic: a "quoted" \ thing`)
	var read struct {
		T string
		W []string
	}
	if err := json.Unmarshal([]byte(got), &read); err != nil || read.T != `a "quoted" \ thing` || len(read.W) != 1 || read.W[0] != "one" {
		t.Errorf("%s, %v", got, err)
	}
	for want, said := range map[string][]string{"first {none}": {"go"}, "second": {"go", "x", "more"}} {
		for range 2 { // the same conversation, the same reply
			if got := ask("# Judge", said...); got != want {
				t.Errorf("%q: %s", said, got)
			}
		}
	}
	if got := ask("# Judge", "go", "x", "more", "y", "still more"); got != "second" {
		t.Error(got)
	}
	if got := ask("something else", "hi there, what now"); strings.Contains(got, "never") {
		t.Error(got)
	}
}

func TestAnEmptyConversation(t *testing.T) {
	for _, msgs := range [][]agent.Message{nil, {{Role: agent.User, From: "memory"}}, {{Role: agent.Assistant}}} {
		for _, err := range model().Stream(t.Context(), &agent.Request{Messages: msgs}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Whatever is asked, the model says something whole: calls have arguments that are JSON, and every value that reaches a shell
// is one word of it.
func FuzzQuestions(f *testing.F) {
	for _, q := range []string{"sky over Oslo", "/sky-skill 'x'; rm -rf / $(y)", "loud sky of a\\b", "/a-b \x00\n'", "/sky-skill /greet {city} {output.sky}", "海边的天 in chinese", "{before}"} {
		f.Add(q)
	}
	m := model()
	f.Fuzz(func(t *testing.T, question string) {
		face := &face{results: map[string]agent.Result{"bash": agent.TextResult(`{"sky":"blue {city}"}`)}}
		_, steps := talk(t, m, "", face.tools("skills_list", "skill_view", "bash", "run_a-b_pipeline"), nil, question)
		for _, note := range face.calls {
			raw := note[strings.IndexByte(note, '{'):]
			var args map[string]string
			if err := json.Unmarshal([]byte(raw), &args); err != nil {
				t.Fatalf("%s: %v", note, err)
			}
			if !strings.HasPrefix(args["cmd"], "node ") {
				continue
			}
			if outside := unquoted(args["cmd"]); strings.Trim(outside, "node sh-x") != "" {
				t.Fatalf("%q stands outside of quotes in %q", outside, args["cmd"])
			}
		}
		if len(steps) == 0 {
			t.Error("nothing was said")
		}
	})
}

// unquoted is what of a command stands outside of single quotes, without quotes that are escaped.
func unquoted(command string) string {
	out, inside := "", false
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			inside = !inside
		case inside:
		case c == '\\':
			i++
		default:
			out += string(c)
		}
	}
	return out
}
