package pipeline

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

const injected = `RUN    : search --queries "q1|q2|q3|q4" --named-papers "Title A|Title B" --n 3`

func firstStep() string {
	return subAgentBlock("PROMPT : prompts/queries.md", "INPUT  : the user query", "OUTPUT : the queries, for the RUN command", injected)
}

func specialRig(t *testing.T, settings string) *rig {
	g := newRig(t)
	g.settings(settings)
	g.write("skills/demo/prompts/queries.md", "# Role: search strategist")
	g.blocks(firstStep(), done())
	return g
}

func (g *rig) says(replies ...string) {
	g.ask = func(Task) (Reply, error) { return Reply{Text: replies[min(len(g.asked), len(replies))-1]}, nil }
}

const both = "supports_query_injection: true\nood_detection: true\n"

func TestInjection(t *testing.T) {
	g := specialRig(t, both)
	g.says("Sure:\n```json\n" + `{"queries": ["agents", "long \"memory\"", "it's $HOME", "a|b", "agents"], "named_papers": ["Paper One", "Two"], "venue_hints": ["x"]}` + "\n```")
	want(t, g.call("智能体"), false, "queries: agents | long memory | it's HOME | a b")
	if got := g.commands(); len(got) != 1 || got[0] != `search --queries "agents|long memory|it's HOME|a b" --named-papers 'Paper One|Two' --n 3` {
		t.Errorf("%q", got)
	}
	if len(g.asked) != 1 || g.asked[0].System != "# Role: search strategist" || !strings.Contains(g.asked[0].Text, "Question: 智能体") ||
		!strings.Contains(g.asked[0].Text, `"ood": true`) || !strings.Contains(g.asked[0].Text, "four search queries") {
		t.Errorf("%+v", g.asked)
	}
}

// Without titles their flag goes, however it is written.
func TestNoTitles(t *testing.T) {
	for _, flag := range []string{`--named-papers "Title A|Title B"`, `--named-papers='Title A|Title B'`, `--named-papers T`} {
		g := specialRig(t, "supports_query_injection: true\nquery_injection_placeholder: A|B|C\n")
		g.blocks(bashBlock(`RUN    : search '--queries=A|B|C' `+flag+` --n 3`, "         search A|B|C"), done())
		g.says(`{"queries": ["one's", "two", "three"]}`)
		want(t, g.call("q"), false)
		if got := g.commands(); len(got) != 1 || got[0] != `search '--queries=one'\''s|two|three' --n 3`+"\nsearch 'one'\\''s|two|three'" {
			t.Errorf("%s: %q", flag, got)
		}
		if strings.Contains(g.asked[0].Text, "ood") {
			t.Error("it was asked about what is switched off")
		}
	}
}

// An answer that makes no sense is asked for once more, with the reason; then the run stops and can go on.
func TestBadQueries(t *testing.T) {
	for name, c := range map[string]struct{ reply, says string }{
		"no JSON":      {"I would search for agents.", "no JSON object"},
		"another one":  {`["agents"]`, "another shape"},
		"too few":      {`{"queries": ["one", "two", "  ", "one"]}`, "2 queries, at least 3"},
		"none":         {`{"queries": []}`, "0 queries"},
		"wrong words":  {`{"queries": "agents"}`, "another shape"},
		"odd trigger":  {`{"ood": true, "trigger_id": 7}`, "trigger_id must be 1 or 2"},
		"ood in words": {`The rule "ood": true does not hold here.`, "no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			g := specialRig(t, both)
			g.says(c.reply)
			want(t, g.call("q"), true, "no search queries, twice", c.says, c.reply)
			if len(g.asked) != 2 || !strings.Contains(g.asked[1].Text, c.says) || len(g.ran) > 0 || g.asked[0].ID == g.asked[1].ID {
				t.Errorf("%+v", g.asked)
			}
			g.blocks(firstStep(), done())
			g.nexts = 0
			g.says(`{"queries": ["a", "b", "c", "d", "e", "f"]}`)
			want(t, g.callAs("s/2.0", "q", "run_dir", "q"), false, "queries: a | b | c | d | e")
			if got := g.commands(); len(got) != 1 || strings.Contains(got[0], "f") || strings.Contains(got[0], "named") {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestOutOfScope(t *testing.T) {
	for id, words := range map[int][3]string{1: {"too broad", "Narrow it", "收窄"}, 2: {"no anchor", "baseline", "落点"}} {
		g := specialRig(t, both)
		reply, _ := json.Marshal(map[string]any{"ood": true, "trigger_id": id, "trigger_quote": "AI", "match_evidence": "a whole field"})
		g.says(string(reply))
		res := g.call("AI")
		want(t, res, false, "pipeline demo: do_not_generate\n", "=== do_not_generate.md", words[0], words[1], "> AI", "a whole field")
		if len(g.ran) > 0 || g.nexts != 1 {
			t.Errorf("ran %q, %d calls", g.commands(), g.nexts)
		}
		var out struct {
			State    string
			Reasons  []map[string]any `json:"ood_reasons"`
			Remedies []string         `json:"remedial_steps"`
		}
		if err := json.Unmarshal([]byte(g.read("skill_run/demo/ai/phase1/phase1_output.json")), &out); err != nil {
			t.Fatal(err)
		}
		if out.State != "do_not_generate" || len(out.Reasons) != 1 || out.Reasons[0]["trigger_id"] != float64(id) || out.Reasons[0]["trigger_quote"] != "AI" || len(out.Remedies) != 1 {
			t.Errorf("%+v", out)
		}
		if r := g.record("s/1.0"); r.Ended != "do_not_generate" {
			t.Errorf("%+v", r)
		}
		g.o.Lang, g.nexts = "zh", 0
		if s := textOf(g.callAs("s/2.0", "AI")); id == 1 && !strings.Contains(s, "收窄") || id == 2 && !strings.Contains(s, words[2]) {
			t.Error(s)
		}
	}
}

// With one switch alone only its half is done.
func TestOneSwitch(t *testing.T) {
	ood := `{"ood": true, "trigger_id": 1, "trigger_quote": "AI"}`
	g := specialRig(t, "supports_query_injection: true\n")
	g.says(ood)
	want(t, g.call("q"), true, "0 queries")

	g = specialRig(t, "ood_detection: true\n")
	g.says(ood)
	want(t, g.call("q"), false, "do_not_generate")

	g = specialRig(t, "ood_detection: true\n")
	g.says(`{"ood": false}`)
	want(t, g.call("q"), false, "DONE")
	if got := g.commands(); len(got) != 1 || !strings.Contains(got[0], `"q1|q2|q3|q4"`) {
		t.Errorf("%q", got)
	}
}

// With both switches off the step is one like all others, and no line of special.go is reached: there is no value that its
// methods could be called on.
func TestSwitchedOff(t *testing.T) {
	s := Defaults()
	if newSpecial(&s) != nil {
		t.Fatal("a special is made although nothing asks for one")
	}
	g := specialRig(t, "")
	g.says(`{"ood": true, "trigger_id": 1, "queries": ["a", "b", "c"]}`)
	want(t, g.call("q"), false, "DONE")
	if got := g.commands(); len(got) != 1 || "RUN    : "+got[0] != injected {
		t.Errorf("%q", got)
	}
	if len(g.asked) != 1 || strings.Contains(g.asked[0].Text, "ood") {
		t.Errorf("%+v", g.asked)
	}
	source, err := os.ReadFile("special.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(source)) {
		name, ok := strings.CutPrefix(line, "func ")
		if ok && !strings.HasPrefix(name, "(x *special) ") && !strings.HasPrefix(name, "newSpecial(") && !strings.HasPrefix(name, "one(") {
			t.Errorf("a function that can be entered without a special: %s", line)
		}
	}
}

func TestSubAgentOfInjectionFails(t *testing.T) {
	g := specialRig(t, both)
	g.ask = func(Task) (Reply, error) { return Reply{}, errors.New("no model") }
	want(t, g.call("q"), true, "no model")
	g.nexts = 0
	if err := os.Remove(g.skill.Dir + "/prompts/queries.md"); err != nil {
		t.Fatal(err)
	}
	want(t, g.callAs("s/2.0", "q"), true, "PROMPT prompts/queries.md")
}
