package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// asked runs the tool with answers that come one after the other, and gives the questions.
func asked(t *testing.T, args, lang string, answers ...agent.Answer) (agent.Result, []agent.Ask) {
	t.Helper()
	var list []agent.Ask
	e := Env{Lang: lang, ask: func(_ context.Context, q agent.Ask) (agent.Answer, error) {
		list = append(list, q)
		if len(list) > len(answers) {
			t.Fatalf("one question too many: %+v", q)
		}
		return answers[len(list)-1], nil
	}}
	r, err := AskUser(e).Run(t.Context(), agent.Call{Name: AskUserName, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return r, list
}

const twoWays = `{"question":"Which store?","choices":[{"label":"SQLite","description":"one file"},{"label":"Postgres"}]`

func TestAskUser(t *testing.T) {
	for name, c := range map[string]struct {
		args    string
		answers []agent.Answer
		want    string
		line    string
	}{
		"a word":                 {`{"question":" Which store? "}`, []agent.Answer{{Allow: true, Text: " sqlite \n"}}, "The person answered: sqlite", "answered: sqlite"},
		"a word like a yes":      {`{"question":"Which key?"}`, []agent.Answer{{Allow: true, Text: "n"}}, "The person answered: n", "answered: n"},
		"without allow":          {twoWays + "}", []agent.Answer{{Text: "postgres"}}, "The person chose: Postgres", "chosen: Postgres"},
		"choices that are texts": {`{"question":"Which?","choices":["red",{"label":"blue","description":"calm"}]}`, []agent.Answer{{Text: "1"}}, "The person chose: red", "chosen: red"},
		"a number":               {twoWays + "}", []agent.Answer{{Allow: true, Text: "2"}}, "The person chose: Postgres", "chosen: Postgres"},
		"the whole line":         {twoWays + "}", []agent.Answer{{Allow: true, Text: "SQLite — one file"}}, "The person chose: SQLite", "chosen: SQLite"},
		"own words":              {twoWays + "}", []agent.Answer{{Allow: true, Text: "a text file"}}, "The person answered: a text file", "answered: a text file"},
		"labels before places":   {`{"question":"How many?","choices":[{"label":"2"},{"label":"1"}]}`, []agent.Answer{{Allow: true, Text: "1"}}, "The person chose: 1", "chosen: 1"},
		"only choices":           {twoWays + `,"free_text":false}`, []agent.Answer{{Allow: true, Text: "3"}, {Allow: true, Text: "sqlite"}}, "The person chose: SQLite", "chosen: SQLite"},
		"never a choice": {
			twoWays + `,"free_text":false}`,
			[]agent.Answer{{Allow: true, Text: "a"}, {Allow: true, Text: "b"}, {Allow: true, Text: "c"}},
			"The person answered with none of the choices: c", "",
		},
		"a nod":                 {`{"question":"Go on?"}`, []agent.Answer{{Allow: true}}, "The person answered: yes", "answered: yes"},
		"nothing":               {`{"question":"Go on?"}`, []agent.Answer{{}}, "The person gave no answer. Go on", ""},
		"nobody":                {`{"question":"Go on?"}`, []agent.Answer{{Text: agent.Nobody}}, "Nobody is there to answer. Go on", ""},
		"nobody, said by one":   {`{"question":"Who reviews?"}`, []agent.Answer{{Allow: true, Text: agent.Nobody}}, "The person answered: nobody", "answered: nobody"},
		"nothing of the choice": {twoWays + `,"free_text":false}`, []agent.Answer{{}}, "The person gave no answer. Go on", ""},
	} {
		r, list := asked(t, c.args, "", c.answers...)
		if r.Error || !strings.HasPrefix(r.Text(), c.want) || len(list) != len(c.answers) {
			t.Errorf("%s: %q after %d questions", name, r.Text(), len(list))
		}
		if want := `{"line":"` + c.line + `"}`; c.line != "" && string(r.Detail) != want {
			t.Errorf("%s: shown as %s", name, r.Detail)
		}
	}
}

// What front ends are told: the kind of the question, choices in one line each, and why it is put again.
func TestAskUserQuestions(t *testing.T) {
	_, list := asked(t, twoWays+`,"free_text":false}`, "zh", agent.Answer{Allow: true, Text: "x"}, agent.Answer{Allow: true, Text: "1"})
	for i, want := range []string{"Which store?", "“x” 不是其中的选项，请选一个编号。\nWhich store?"} {
		if q := list[i]; q.Text != want || q.Kind != agent.Selection || strings.Join(q.Choices, "|") != "SQLite — one file|Postgres" {
			t.Errorf("question %d is %+v", i, q)
		}
	}
	if _, list = asked(t, `{"question":"Name?"}`, "", agent.Answer{Text: "x"}); list[0].Kind != agent.Question || list[0].Choices != nil {
		t.Errorf("an open question is %+v", list[0])
	}
	e := Env{ask: func(context.Context, agent.Ask) (agent.Answer, error) {
		return agent.Answer{}, errors.New("the run is ending")
	}}
	if _, err := AskUser(e).Run(t.Context(), agent.Call{Args: json.RawMessage(`{"question":"x"}`)}); err == nil {
		t.Error("a question that was cut off has an answer")
	}
}

func TestAskUserRefuses(t *testing.T) {
	for args, want := range map[string]string{
		`{"question":"  "}`: "question: it is empty",
		`{"question":"` + strings.Repeat("问", maxQuestion+1) + `"}`:               "question: it has 16001 characters, a person reads 16000 at most: say the rest before you ask",
		`{"question":"x","choices":[{"label":" "},{"label":"A"},{"label":"a "}]}`: "choices[0].label: it is empty\nchoices[2].label: it is the same as that of choices[1]",
		`{"question":"x","choices":["` + strings.Repeat("问", maxChoice+1) + `"]}`: "choices[0]: it has 2001 characters, a person reads 2000 at most: say the rest before you ask",
		`{"question":"x","choices":["a","A"]}`:                                    "choices[1].label: it is the same as that of choices[0]",
		`{"question":"x","free_text":false}`:                                      "free_text: without choices it cannot be false",
		`{"question":1}`:                                                          "cannot unmarshal",
		`{"question":"x","choices":[{"label":"a"}],"free_text":false}`:            "",
	} {
		err := AskUser(Env{}).Check(json.RawMessage(args))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// A kill while the question waits, and one between the answer and the result: asked once, under one id.
func TestAskUserOverACrash(t *testing.T) {
	tools := []agent.Tool{AskUser(Env{})}
	call := agenttest.CallTool(AskUserName, `{"question":"Which?"}`)
	for dies := range 10 {
		var j agenttest.Journal
		stored, answers := 0, 0
		a := &agent.Agent{
			Model: agenttest.NewModel(call, agenttest.Say("end")), Tools: tools,
			Journal: func(ctx context.Context, e *agent.Event) error {
				if stored++; stored > dies {
					return errors.New("the power is gone")
				}
				return j.Append(ctx, e)
			},
			Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
				answers++
				return agent.Answer{Allow: true, Text: "left"}, nil
			},
		}
		for range a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")) { // it ends where the power does
		}
		s := replayed(t, &j)
		a.Journal = j.Append
		calls := 0
		for _, m := range s.Messages {
			if m.Role == agent.Assistant {
				calls++
			}
		}
		a.Model = agenttest.NewModel([]agenttest.Reply{call, agenttest.Say("end")}[min(calls, 1):]...)
		var in []agent.Note
		if s.Seq == 0 {
			in = append(in, agent.Say("go"))
		}
		for _, err := range a.Run(t.Context(), s, in...) {
			if err != nil {
				t.Fatal(err)
			}
		}
		var asks []string
		results := 0
		for _, line := range j.Lines() {
			var e agent.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if e.Type == agent.EvAsk {
				asks = append(asks, e.Ask.ID)
			}
			if e.Message != nil && e.Message.Result() != nil {
				results++
				if got := e.Message.Result().Text(); got != "The person answered: left" {
					t.Errorf("dead behind event %d: %s", dies, got)
				}
			}
		}
		if len(asks) != 1 || !strings.HasSuffix(asks[0], ".1/1") || results != 1 || answers > 2 {
			t.Errorf("dead behind event %d: asked %v, %d results, the person answered %d times", dies, asks, results, answers)
		}
	}
}

func replayed(t *testing.T, j *agenttest.Journal) *agent.Session {
	t.Helper()
	s, err := agent.Load("s", func(yield func([]byte, error) bool) {
		for _, l := range j.Lines() {
			if !yield(l, nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
