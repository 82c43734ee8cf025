package skill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// asked is a router's model that gives answers in turn and remembers what it was asked.
type asked struct {
	answers  []string
	requests []*agent.Request
	notices  []string
	err      error
}

func (a *asked) router() Router {
	in := int64(7)
	return Router{
		Ask: func(_ context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
			a.requests = append(a.requests, req)
			if a.err != nil {
				return agent.Message{}, &agent.Usage{Input: &in}, a.err
			}
			answer := "none"
			if len(a.answers) > 0 {
				answer, a.answers = a.answers[0], a.answers[1:]
			}
			return agent.TextMessage(agent.Assistant, answer), &agent.Usage{Input: &in}, nil
		},
		Notice: func(err error) { a.notices = append(a.notices, err.Error()) },
	}
}

func routed(t *testing.T, o Options, files map[string]string, answers ...string) (*talk, *asked) {
	t.Helper()
	x, a := newTalk(t, o, files), &asked{answers: answers}
	x.a.Hooks = append(x.a.Hooks, x.set.Router(a.router()))
	return x, a
}

const fits = "user(skill): The skill %q fits what the person says. These are its instructions:"

func TestRouterPicksOne(t *testing.T) {
	x, a := routed(t, Options{}, map[string]string{
		"weather/SKILL.md": "---\nname: weather\ndescription: Tells the weather.\n---\nLook at the sky of $ARGUMENTS.",
		"mine/SKILL.md":    "---\nname: mine\ndescription: SECRET\ndisable-model-invocation: true\n---\nMine.",
	}, `{"skill": "weather"}`, `{"skill": null}`)
	got := script(x.say(agent.Say("rain in Oslo?")))
	want := "user: rain in Oslo?\n" + fmt.Sprintf(fits, "weather") + "Look at the sky of rain in Oslo?.\nassistant: done\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(a.requests) != 1 || len(x.seen) != 1 {
		t.Fatalf("%d and %d model calls, want one each", len(a.requests), len(x.seen))
	}
	q := a.requests[0].Messages[0].Text()
	if !strings.Contains(q, "- weather: Tells the weather.\n") || !strings.HasSuffix(q, "\nThe person now says:\nrain in Oslo?\n") || strings.Contains(q, "SECRET") {
		t.Errorf("asked\n%s", q)
	}
	if list := Invoked(x.s); len(list) != 1 || list[0].Name != "weather" {
		t.Errorf("invoked %+v", list)
	}
	if in := x.s.Usage.Input; in == nil || *in < 7 {
		t.Errorf("usage %v: that of the router is missing", in)
	}

	// the next time the person speaks it is asked again, with what the answer was
	if got := script(x.say(agent.Say("and you?"))); got != "user: and you?\nassistant: done\n" {
		t.Errorf("%s", got)
	}
	if len(a.requests) != 2 || !strings.Contains(a.requests[1].Messages[0].Text(), "last answer, for what the person may refer to:\ndone\n") {
		t.Errorf("%d requests", len(a.requests))
	}
	// the loop's own steps do not ask it
	x.say(agent.Say("go"), agenttest.CallTool(toolView, `{"name":"weather"}`), agenttest.CallTool(toolView, `{"name":"weather"}`))
	if len(a.requests) != 3 {
		t.Errorf("%d requests, want one for each thing the person says", len(a.requests))
	}
}

func TestRouterAnswers(t *testing.T) {
	s := load(t, Options{Roots: []Root{{Path: write(t, map[string]string{
		"paper_search/SKILL.md": "---\nname: paper_search\ndescription: d\n---\nx", "b/SKILL.md": file("b"),
		"mine/SKILL.md": "---\nname: mine\ndescription: d\ndisable-model-invocation: yes\n---\nx",
	})}}})
	for answer, want := range map[string]string{
		`{"skill":"b"}`: "b",
		"```json\n{\"skill\": \"Paper-Search\"}\n```": "paper_search",
		`I take {"skill": "b", "why": "{"} because`:   "b",
		`{"name":"/b"}`:        "b",
		`{oops} {"skill":"b"}`: "b",
		"b":                    "b",
		" **`b`**.\n":          "b",
		`{"skill":null}`:       "",
		`{"skill":"none"}`:     "",
		`{"skill":["b"]}`:      "",
		`{"skill":"mine"}`:     "",
		`{"skill":"nope"}`:     "",
		"none":                 "",
		"":                     "",
		"I would take b":       "",
		"{":                    "",
	} {
		got := ""
		if k := s.picked(answer); k != nil {
			got = k.Name
		}
		if got != want {
			t.Errorf("%q picks %q, want %q", answer, got, want)
		}
	}
}

// TestRouterStaysOut: a fault never ends the turn, and nobody is asked where the person has decided or there is no choice.
func TestRouterStaysOut(t *testing.T) {
	x, a := routed(t, Options{}, map[string]string{"a/SKILL.md": file("a")})
	a.err = errors.New("no such model")
	if got := script(x.say(agent.Say("hi"))); got != "user: hi\nassistant: done\n" || len(a.notices) != 1 || a.notices[0] != "no such model" {
		t.Errorf("%s %q", got, a.notices)
	}
	if x.s.Usage.Input == nil {
		t.Error("what the failed call used is not counted")
	}
	a.err = nil
	x.say(x.line("/a now"))
	if len(a.requests) != 1 {
		t.Error("asked although the person has called a skill")
	}
	none, b := routed(t, Options{}, map[string]string{})
	none.say(agent.Say("hi"))
	if len(b.requests) != 0 {
		t.Error("asked without a skill to pick")
	}
	held, d := newTalk(t, Options{}, map[string]string{"a/SKILL.md": file("a")}), &asked{answers: []string{"a"}}
	r := d.router()
	r.May = func(_ context.Context, _ *agent.Session, name string) error { return errors.New("not " + name) }
	held.a.Hooks = append(held.a.Hooks, held.set.Router(r))
	if got := script(held.say(agent.Say("hi"))); got != "user: hi\nassistant: done\n" || len(d.requests) != 1 || len(d.notices) != 0 {
		t.Errorf("%s %q", got, d.notices)
	}
	gone, c := routed(t, Options{}, map[string]string{"a/SKILL.md": file("a")}, `{"skill":"a"}`)
	gone.set.list[0].File += ".gone"
	if got := script(gone.say(agent.Say("hi"))); got != "user: hi\nassistant: done\n" || len(c.notices) != 1 {
		t.Errorf("%s %q", got, c.notices)
	}
}

// TestRouterOtherWays: a skill that a sub-agent works on is only pointed at, one that is driven through phases gets its
// contract, one that is there is not given again.
func TestRouterOtherWays(t *testing.T) {
	fork := func(context.Context, Fork) (agent.Result, error) { return agent.TextResult("never"), nil }
	x, _ := routed(t, Options{Fork: fork, Pipeline: func(k *Skill) (string, Entry, bool) { return "run_idea_pipeline", "", k.Name == "idea" }}, map[string]string{
		"deep/SKILL.md": "---\nname: deep\ndescription: d\ncontext: fork\n---\nDeep.", "idea/SKILL.md": file("idea"), "a/SKILL.md": file("a"),
	}, "deep", "idea", "a", "a")
	if got := script(x.say(agent.Say("1"))); !strings.Contains(got, "sub-agent: invoke it.") || strings.Contains(got, "Deep.") {
		t.Errorf("%s", got)
	}
	if got := script(x.say(agent.Say("2"))); !strings.Contains(got, "Body of idea.") || !strings.Contains(got, "its query is: 2") {
		t.Errorf("%s", got)
	}
	x.say(agent.Say("3"))
	if got := script(x.say(agent.Say("3"))); !strings.Contains(got, "already loaded") {
		t.Errorf("%s", got)
	}
}

func TestRouterCancelled(t *testing.T) {
	x := newTalk(t, Options{}, map[string]string{"a/SKILL.md": file("a")})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x.a.Hooks = append(x.a.Hooks, x.set.Router(Router{Ask: func(ctx context.Context, _ *agent.Request) (agent.Message, *agent.Usage, error) {
		cancel()
		<-ctx.Done()
		return agent.Message{}, nil, ctx.Err()
	}, Notice: func(err error) { t.Errorf("told of %v", err) }}))
	x.a.Model = agenttest.NewModel(agenttest.Say("done"))
	events, err := agenttest.Collect(x.a.Run(ctx, x.s, agent.Say("hi")))
	if err != nil || len(x.s.State[routedKey]) != 0 || events[len(events)-1].Type != agent.EvEnd {
		t.Errorf("%v %s", err, x.s.State)
	}
}
