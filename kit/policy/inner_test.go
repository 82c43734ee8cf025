package policy

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// driver is a tool that runs the commands of its argument through the policy.
func driver(p *Policy, ran *[]string, failed *[]error) agent.Tool {
	return agent.Tool{
		Name: "drive", Schema: json.RawMessage(`{"type":"object","properties":{"steps":{"type":"array","items":{"type":"string"}}}}`), Effect: agent.Reads,
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			var in struct{ Steps []string }
			if err := json.Unmarshal(c.Args, &in); err != nil {
				return agent.Result{}, err
			}
			for _, s := range in.Steps {
				if err := p.Permit(ctx, Inner{Call: c.Key, Command: s}, agent.AskUser); err != nil {
					*failed = append(*failed, err)
					continue
				}
				*ran = append(*ran, s)
			}
			return agent.TextResult("done"), nil
		},
	}
}

func TestPermit(t *testing.T) {
	denyRule, err := ParseRule("bash(curl *)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, steps string
		mode        Mode
		answer      agent.Answer
		ran, asked  int
		says        string
	}{
		{"asked each", `["ls","rm x"]`, Ask, agent.Answer{Allow: true}, 2, 2, ""},
		{"always", `["ls","rm x","ls","rm x"]`, Ask, agent.Answer{Allow: true, Always: true}, 4, 2, ""},
		{"refused", `["ls"]`, Ask, agent.Answer{Text: "not now"}, 0, 1, "not now"},
		{"refused without a word", `["ls"]`, Ask, agent.Answer{}, 0, 1, `"ls" was not allowed`},
		{"nobody there", `["ls"]`, Ask, agent.Answer{Text: agent.Nobody}, 0, 1, `"ls" was not allowed`},
		{"a deny rule", `["ls; curl x"]`, Yolo, agent.Answer{Allow: true}, 0, 0, "bash(curl *)"},
		{"blocked", `["sudo ls"]`, Yolo, agent.Answer{Allow: true}, 0, 0, "blocked"},
		{"plan", `["ls"]`, Plan, agent.Answer{Allow: true}, 0, 0, "plan"},
		{"yolo", `["rm x"]`, Yolo, agent.Answer{}, 1, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewPolicy(Options{Rules: Rules{Deny: []Rule{denyRule}}, Blocklist: []string{"sudo"}})
			asked := 0
			var ran []string
			var failed []error
			raw, _ := json.Marshal(c.mode)
			s := agent.NewSession("s")
			s.State = map[string]json.RawMessage{StateKey: raw}
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTool("drive", `{"steps":`+c.steps+`}`), agenttest.Say("done")),
				Tools: []agent.Tool{driver(p, &ran, &failed)}, Hooks: []agent.Hook{p.Hook()},
				Ask: func(_ context.Context, q agent.Ask) (agent.Answer, error) {
					asked++
					if q.Text == "" {
						t.Error("a question without a text")
					}
					return c.answer, nil
				},
			}
			for _, err := range a.Run(t.Context(), s, agent.Say("go")) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if len(ran) != c.ran || asked != c.asked {
				t.Errorf("ran %v, asked %d: %v", ran, asked, failed)
			}
			if c.says != "" && (len(failed) == 0 || !strings.Contains(failed[0].Error(), c.says)) {
				t.Errorf("says %v, want %q", failed, c.says)
			}
			if len(p.modes) != 0 || len(p.offered) != 0 || len(p.beside) != 0 {
				t.Errorf("kept %v %v %v", p.modes, p.offered, p.beside)
			}
		})
	}
}

// A command that a person's own skill brings is judged in the mode that the caller names.
func TestPermitOutsideOfACall(t *testing.T) {
	p := NewPolicy(Options{})
	nobody := func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{}, nil }
	if err := p.Permit(t.Context(), Inner{Command: "ls"}, nobody); err == nil {
		t.Error("ran unasked")
	}
	if err := p.Permit(t.Context(), Inner{Command: "ls", Mode: Yolo}, nobody); err != nil {
		t.Error(err)
	}
}

// The program of a skill runs unasked, with whatever arguments; everything beside it is judged as ever.
func TestOwnProgram(t *testing.T) {
	own, err := ParseRule(`bash(python3 /s/scripts/run.py *)`)
	if err != nil {
		t.Fatal(err)
	}
	deny, err := ParseRule("bash(* --danger)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, command string
		mode          Mode
		own           []Rule
		runs          bool
		asked         int
		says          string
	}{
		{"its own", `python3 "/s/scripts/run.py" mark --dir "/w/how sudo works"`, Ask, []Rule{own}, true, 0, ""},
		{"two of it", "python3 /s/scripts/run.py a\npython3 /s/scripts/run.py b", Ask, []Rule{own}, true, 0, ""},
		{"not without being its own", `python3 "/s/scripts/run.py" mark`, Ask, nil, false, 1, "not allowed"},
		{"and more", "python3 /s/scripts/run.py a && rm x", Ask, []Rule{own}, false, 1, "rm x"},
		{"a substitution", `python3 /s/scripts/run.py "$(rm x)"`, Ask, []Rule{own}, false, 1, ""},
		{"a variable in front", `PYTHONPATH=/x python3 /s/scripts/run.py a`, Ask, []Rule{own}, false, 1, ""},
		{"blocked beside it", "python3 /s/scripts/run.py a; sudo ls", Yolo, []Rule{own}, false, 0, "blocked"},
		{"a deny rule", "python3 /s/scripts/run.py --danger", Yolo, []Rule{own}, false, 0, "--danger"},
		{"readonly", "python3 /s/scripts/run.py a", ReadOnly, []Rule{own}, false, 0, "readonly"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewPolicy(Options{Mode: c.mode, Rules: Rules{Deny: []Rule{deny}}, Blocklist: []string{"sudo"}})
			asked := 0
			err := p.Permit(t.Context(), Inner{Command: c.command, Own: c.own}, func(context.Context, agent.Ask) (agent.Answer, error) {
				asked++
				return agent.Answer{}, nil
			})
			if (err == nil) != c.runs || asked != c.asked || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, asked %d times", err, asked)
			}
		})
	}
}

// A call that goes on after a restart is not judged again; what it runs is judged in its session's own mode.
func TestModeAfterRestart(t *testing.T) {
	p := NewPolicy(Options{Mode: Yolo})
	s := &agent.Session{ID: "s", Started: map[string]bool{"s/3.0": true}, State: map[string]json.RawMessage{StateKey: json.RawMessage(`"plan"`)}}
	h := p.Hook()
	h.OnSession(t.Context(), s, true)
	h.OnSession(t.Context(), s, false)
	if err := p.Permit(t.Context(), Inner{Call: "s/3.0", Command: "rm x"}, nil); err == nil || !strings.Contains(err.Error(), "plan") {
		t.Error(err)
	}
	if err := p.Permit(t.Context(), Inner{Call: "s/4.0", Command: "rm x"}, nil); err != nil {
		t.Error(err)
	}
}
