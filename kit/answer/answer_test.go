package answer_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/msg"
	"react-agent/kit/answer"
)

const form = `{"type":"object","properties":{"city":{"type":"string"},"degrees":{"type":"integer","minimum":-90}},"required":["city","degrees"],"additionalProperties":false}`

func parsed(t *testing.T, text string) *answer.Schema {
	t.Helper()
	s, err := answer.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want msg.Key // "" = it is one
	}{
		"good":       {form, ""},
		"mark":       {"\ufeff\n" + form + "\n", ""},
		"empty":      {"", msg.SchemaNotJSON},
		"broken":     {"{\n\"type\": \"object\",\n}", msg.SchemaNotJSON},
		"two":        {form + form, msg.SchemaNotJSON},
		"array":      {`[]`, msg.SchemaNotObject},
		"true":       {`true`, msg.SchemaNotObject},
		"null":       {`null`, msg.SchemaNotObject},
		"text":       {`"object"`, msg.SchemaNotObject},
		"list":       {`{"type":"array"}`, msg.SchemaTop},
		"no type":    {`{"properties":{}}`, msg.SchemaTop},
		"many types": {`{"type":["object","null"]}`, msg.SchemaTop},
	} {
		_, err := answer.Parse([]byte(c.in))
		var got *msg.Error
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &got) || got.Key != c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := answer.Parse([]byte("{\n\"type\": \"object\",\n}")); !strings.Contains(err.Error(), "line 3 ") {
		t.Errorf("the line is not named: %v", err)
	}
}

func TestRead(t *testing.T) {
	s := parsed(t, form)
	for in, want := range map[string]string{
		`{"city":"Ulm","degrees":3}`:                       "",
		"```json\n{\"city\":\"Ulm\",\"degrees\":3}\n```\n": "",
		"```\n{\"city\":\"Ulm\",\"degrees\":3}```":         "",
		"":                                 "there is no answer",
		"It is cold.":                      "the answer is no JSON: ",
		"```json\n{\"city\":\"Ulm\"":       "the answer is no JSON: ",
		`[1]`:                              "the answer is no JSON object",
		`null`:                             "the answer is no JSON object",
		`{"city":7}`:                       "city: must be string, not integer\ndegrees: is required",
		`{"city":"a","degrees":-91}`:       "degrees: ",
		`{"city":"a","degrees":1,"zzz":2}`: "zzz: is unknown",
		`{"city":"a","degrees":1} {}`:      "the answer is no JSON: ",
	} {
		raw, err := s.Read(in)
		if want == "" {
			if err != nil || string(raw) != `{"city":"Ulm","degrees":3}` {
				t.Errorf("%q: %s, %v", in, raw, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, wanted %q", in, err, want)
		}
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	s := parsed(t, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}`)
	_, err := s.Read(`{"l":[` + strings.Repeat("1,", 99) + `1]}`)
	if err == nil || strings.Count(err.Error(), "\n") != 20 || !strings.HasSuffix(err.Error(), "and 80 more") {
		t.Errorf("%v", err)
	}
}

// ask runs a session once more with a model that says these texts, and gives what came.
func ask(t *testing.T, session *agent.Session, hooks []agent.Hook, texts ...string) (m *agenttest.Model, end agent.Event) {
	t.Helper()
	replies := make([]agenttest.Reply, len(texts))
	for i, text := range texts {
		replies[i] = agenttest.Say(text)
	}
	m = agenttest.NewModel(replies...)
	a := &agent.Agent{Model: m, Hooks: hooks}
	for e, err := range a.Run(t.Context(), session, agent.Say("how is it")) {
		if err != nil {
			t.Fatal(err)
		}
		end = e
	}
	if got := len(m.Requests()); got != len(texts) {
		t.Fatalf("%d requests, wanted %d", got, len(texts))
	}
	return m, end
}

func TestTheModelMendsItsAnswer(t *testing.T) {
	hooks := []agent.Hook{parsed(t, "{ \"type\":\n \"object\",\"required\":[\"city\"]}").Hook(msg.For(msg.En))}
	s := agent.NewSession("s")
	m, end := ask(t, s, hooks, "no", `{"town":1}`, `{"city":1}`)
	if end.Stop != agent.RunEnd || end.Error != nil {
		t.Fatalf("%+v", end)
	}
	for i, req := range m.Requests() {
		if string(req.Schema) != `{"type":"object","required":["city"]}` {
			t.Errorf("request %d: %s", i, req.Schema)
		}
	}
	told := m.Requests()[2].Messages
	last := told[len(told)-1]
	if last.From != answer.Name || !strings.Contains(last.Parts[0].Text, "\ncity: is required\n") {
		t.Errorf("told %+v", last)
	}
	if got := answer.Faults(last.Parts[0].Text); got != "city: is required" {
		t.Errorf("faults %q", got)
	}
	// the next turn has its own tries
	if _, end := ask(t, s, hooks, "no", "no", `{"city":2}`); end.Stop != agent.RunEnd {
		t.Errorf("%+v", end)
	}
}

func TestThreeWrongAnswersEndTheRun(t *testing.T) {
	hooks := []agent.Hook{parsed(t, form).Hook(msg.For(msg.En))}
	s := agent.NewSession("s")
	_, end := ask(t, s, hooks, "no", "no", `{"city":7}`)
	if end.Stop != agent.RunError || end.Error == nil || end.Error.Kind != agent.ErrInvalidResponse {
		t.Fatalf("%+v", end)
	}
	if want := "city: must be string, not integer; degrees: is required"; !strings.HasSuffix(end.Error.Message, want) {
		t.Errorf("%q", end.Error.Message)
	}
	if _, end := ask(t, s, nil, "free again"); end.Stop != agent.RunEnd {
		t.Errorf("without a schema: %+v", end)
	}
}

func TestSomebodyElseGoesOn(t *testing.T) {
	said := false
	other := agent.Hook{Name: "other"}
	other.Inject = func(_ context.Context, _ *agent.Session, stopping bool) (*agent.Note, error) {
		if !stopping || said {
			return nil, nil
		}
		said = true
		m := agent.TextMessage(agent.User, "news")
		m.From = "other"
		return &agent.Note{Messages: []agent.Message{m}}, nil
	}
	m, end := ask(t, agent.NewSession("s"), []agent.Hook{other, parsed(t, form).Hook(msg.For(msg.En))}, "working", `{"city":"a","degrees":1}`)
	if end.Stop != agent.RunEnd || len(m.Requests()[1].Messages) != 3 {
		t.Errorf("%+v, %d messages", end, len(m.Requests()[1].Messages))
	}
}

func TestAToolThatEndsTheTurnIsNoAnswer(t *testing.T) {
	tool := agent.Tool{Name: "stop", Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Result{EndTurn: true}, nil }}
	m := agenttest.NewModel(agenttest.CallTool("stop", `{}`), agenttest.Say(`{"city":"a","degrees":1}`))
	a := &agent.Agent{Model: m, Tools: []agent.Tool{tool}, Hooks: []agent.Hook{parsed(t, form).Hook(msg.For(msg.En))}}
	var end agent.Event
	for e, err := range a.Run(t.Context(), agent.NewSession("s"), agent.Say("x")) {
		if err != nil {
			t.Fatal(err)
		}
		end = e
	}
	if end.Stop != agent.RunEnd || len(m.Requests()) != 2 {
		t.Errorf("%+v after %d requests", end, len(m.Requests()))
	}
}

func FuzzRead(f *testing.F) {
	s, err := answer.Parse([]byte(form))
	if err != nil {
		f.Fatal(err)
	}
	for _, in := range []string{`{"city":"a","degrees":1}`, "```json\n{}\n```", "```", "``````", "{", "nul\x00", `{"city":"a","City":null,"degrees":1}`, `{"city":"a","degrees":1,"city":null}`, `{"city":"a","degrees":1e999}`, `{"city":"a","degrees":1e2}`, "{\"city\":\"\xff\",\"degrees\":1.0}"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		raw, err := s.Read(in)
		if err != nil {
			return
		}
		var v struct {
			City    *string      `json:"city"`
			Degrees *json.Number `json:"degrees"`
		}
		if json.Unmarshal(raw, &v) != nil || v.City == nil || v.Degrees == nil {
			t.Errorf("%q was taken: %s", in, raw)
		}
	})
}
