package policy

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func tools(ran *[]string) []agent.Tool {
	var out []agent.Tool
	for name, e := range map[string]agent.Effect{"read_file": agent.Reads, "write_file": agent.Writes, "bash": agent.Executes, "other": agent.Unknown} {
		out = append(out, agent.Tool{
			Name: name, Effect: e, Schema: json.RawMessage(`{"type":"object"}`),
			Run: func(context.Context, agent.Call) (agent.Result, error) {
				*ran = append(*ran, name)
				return agent.TextResult("ok"), nil
			},
		})
	}
	return out
}

func judge(t *testing.T, h agent.Hook, s *agent.Session, e agent.Effect, name, args string) agent.Decision {
	t.Helper()
	d, err := h.BeforeTool(t.Context(), s, agent.Tool{Name: name, Effect: e}, agent.Call{Name: name, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestModes(t *testing.T) {
	const a, d, p = agent.AskFirst, agent.Deny, agent.Pass
	for mode, want := range map[Mode][4]agent.Verdict{
		"":       {p, a, a, a},
		Ask:      {p, a, a, a},
		Auto:     {p, p, a, a},
		ReadOnly: {p, d, d, d},
		Plan:     {p, d, d, d},
		Yolo:     {p, p, p, p},
	} {
		for i, e := range []agent.Effect{agent.Reads, agent.Writes, agent.Executes, agent.Unknown} {
			byOption := judge(t, New(Options{Mode: mode}), agent.NewSession("s"), e, "x", `{}`)
			if byOption.Verdict != want[i] {
				t.Errorf("mode %q, %s: verdict %d, want %d", mode, e, byOption.Verdict, want[i])
			}
			if byOption.Verdict != p && byOption.Reason == "" {
				t.Errorf("mode %q, %s: no reason", mode, e)
			}
			if mode == "" {
				continue
			}
			s := agent.NewSession("s")
			s.State = map[string]json.RawMessage{StateKey: json.RawMessage(`"` + string(mode) + `"`)}
			if byState := judge(t, New(Options{Mode: ReadOnly}), s, e, "x", `{}`); byState.Verdict != want[i] {
				t.Errorf("state %q, %s: verdict %d, want %d", mode, e, byState.Verdict, want[i])
			}
		}
	}
}

func TestModeOf(t *testing.T) {
	for raw, want := range map[string]Mode{`"yolo"`: Yolo, `"Yolo"`: Ask, `7`: Ask, `null`: Auto, ``: Auto} {
		s := agent.NewSession("s")
		if raw != "" {
			s.State = map[string]json.RawMessage{StateKey: json.RawMessage(raw)}
		}
		if got := ModeOf(s, Auto); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
	if _, err := ParseMode("all"); err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Error(err)
	}
}

func TestQuestions(t *testing.T) {
	s := agent.NewSession("s")
	en, zh := New(Options{}), New(Options{Lang: "zh"})
	for _, c := range []struct{ name, args, en, zh, rule string }{
		{"bash", `{"command":"rm x"}`, "Run this command?\nrm x\n- no rule allows `rm x`", "要运行这条命令吗？\nrm x\n- 没有规则允许 `rm x`", "bash(=rm x)"},
		{"bash", `{"command":"ls \u001b[8m; rm x\u202e"}`, "Run this command?\nls \\u001b[8m; rm x\\u202e\n- no rule allows `ls \\u001b[8m; rm x\\u202e`: it holds the character \\u001b, which programs read differently", "要运行这条命令吗？\nls \\u001b[8m; rm x\\u202e\n- 没有规则允许 `ls \\u001b[8m; rm x\\u202e`：其中有字符 \\u001b，不同程序对它的理解不同", ""},
		{"fetch", `{"url":"http://x"}`, "Allow a call of fetch?\n{\"url\":\"http://x\"}", "允许调用 fetch 吗？\n{\"url\":\"http://x\"}", `fetch(={"url":"http://x"})`},
		{"run", `{"command":["a"]}`, "Allow a call of run?\n{\"command\":[\"a\"]}", "允许调用 run 吗？\n{\"command\":[\"a\"]}", ""},
	} {
		if d := judge(t, en, s, agent.Executes, c.name, c.args); d.Reason != c.en || c.rule != "" && d.Rules[0] != c.rule {
			t.Errorf("%q %q", d.Reason, d.Rules)
		}
		if d := judge(t, zh, s, agent.Executes, c.name, c.args); d.Reason != c.zh {
			t.Errorf("%q", d.Reason)
		}
	}
	if d := judge(t, New(Options{Root: t.TempDir()}), s, agent.Writes, "write_file", `{"path":"a/b","content":"x"}`); d.Reason != "Let write_file change a/b?" || !slices.Equal(d.Rules, []string{"Edit(./a/b)"}) {
		t.Errorf("%q %q", d.Reason, d.Rules)
	}
	whole := New(Options{Whole: []string{"save"}})
	if d := judge(t, whole, s, agent.Writes, "save", `{"text":"one\nkind: two","kind":"fact","tags":["a"]}`); d.Reason != "Allow a call of save?\n  kind: fact\n  tags: [\"a\"]\n  text: one\n    kind: two" || !slices.Equal(d.Rules, []string{"save"}) {
		t.Errorf("%q %q", d.Reason, d.Rules)
	}
	if d := judge(t, whole, s, agent.Writes, "save", `[1]`); d.Reason != "Allow a call of save?\n[1]" {
		t.Errorf("%q", d.Reason)
	}
	long := `{"command":"` + strings.Repeat("x", 10_000) + `; rm -rf ."}`
	if d := judge(t, en, s, agent.Executes, "bash", long); len(d.Reason) > 5000 || !strings.Contains(d.Reason, "left out") || !strings.Contains(d.Reason, "rm -rf .\n") {
		t.Errorf("%d characters", len(d.Reason))
	}
}

func TestBlocklist(t *testing.T) {
	for _, mode := range []Mode{Ask, Auto, ReadOnly, Plan, Yolo} {
		h := New(Options{Mode: mode, Blocklist: SourceBlocklist()})
		for _, command := range []string{"rm -rf /", "echo x; sudo ls", "echo x > /dev/null"} {
			args, err := json.Marshal(map[string]string{"command": command})
			if err != nil {
				t.Fatal(err)
			}
			d := judge(t, h, agent.NewSession("s"), agent.Executes, "bash", string(args))
			if d.Verdict != agent.Answered || !d.Result.Error || d.Result.Text() != "Error: Dangerous command blocked" {
				t.Errorf("%s: %s: %+v", mode, command, d)
			}
		}
		if d := judge(t, h, agent.NewSession("s"), agent.Reads, "read_file", `{"path":"sudo"}`); d.Verdict != agent.Pass {
			t.Errorf("%s: reading: %+v", mode, d)
		}
	}
	if d := judge(t, New(Options{Mode: Yolo, Blocklist: []string{"sudo", ""}}), agent.NewSession("s"), agent.Executes, "bash", `{"command":"ls"}`); d.Verdict != agent.Pass {
		t.Errorf("%+v", d)
	}
}

// run plays one script and gives how it ended.
func run(t *testing.T, s *agent.Session, h agent.Hook, ask func(context.Context, agent.Ask) (agent.Answer, error), ran *[]string, calls ...string) agent.RunStop {
	t.Helper()
	var script []agenttest.Reply
	for i := 0; i < len(calls); i += 2 {
		script = append(script, agenttest.CallTool(calls[i], calls[i+1]))
	}
	script = append(script, agenttest.Say("done"))
	a := &agent.Agent{Model: agenttest.NewModel(script...), Tools: tools(ran), Hooks: []agent.Hook{h}, Ask: ask}
	events, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("go")))
	if err != nil {
		t.Fatal(err)
	}
	return events[len(events)-1].Stop
}

func TestAlways(t *testing.T) {
	h := New(Options{})
	asked := 0
	ask := func(context.Context, agent.Ask) (agent.Answer, error) {
		asked++
		return agent.Answer{Allow: true, Always: true}, nil
	}
	var ran []string
	ls, rm := `{"command":"ls"}`, `{"command":"ls; rm x"}`
	if stop := run(t, agent.NewSession("s"), h, ask, &ran, "bash", ls, "bash", ls, "bash", rm, "write_file", `{"path":"a"}`); stop != agent.RunEnd || asked != 3 || len(ran) != 4 {
		t.Errorf("stop %s, asked %d, ran %v", stop, asked, ran)
	}
	if run(t, agent.NewSession("s.1"), h, ask, &ran, "bash", ls); asked != 3 {
		t.Error("the sub-agent asked again")
	}
	if run(t, agent.NewSession("s2"), h, ask, &ran, "bash", ls); asked != 3 {
		t.Error("another session of the project asked again")
	}
}

func TestNobodyToAsk(t *testing.T) {
	var ran []string
	if stop := run(t, agent.NewSession("s"), New(Options{}), nil, &ran, "bash", `{"command":"ls"}`, "read_file", `{"path":"x"}`); stop != agent.RunDenied || len(ran) != 1 {
		t.Errorf("stop %s, ran %v", stop, ran)
	}
	ran = nil
	if stop := run(t, agent.NewSession("s"), New(Options{Mode: ReadOnly}), nil, &ran, "bash", `{"command":"ls"}`); stop != agent.RunEnd || len(ran) != 0 {
		t.Errorf("readonly: stop %s, ran %v", stop, ran)
	}
}
