package offline_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider/offline"
)

// shell is a tool that really runs its command, under a name and an argument name of the test's choice.
func shell(t *testing.T, dir, name, arg string, ran *[]string) agent.Tool {
	t.Helper()
	return agent.Tool{
		Name: "bash", Alias: name, Effect: agent.Executes,
		Schema: json.RawMessage(`{"type":"object","properties":{"` + arg + `":{"type":"string"}},"required":["` + arg + `"]}`),
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			var args map[string]string
			if err := json.Unmarshal(c.Args, &args); err != nil {
				return agent.Result{}, err
			}
			*ran = append(*ran, args[arg])
			cmd := exec.CommandContext(ctx, "sh", "-c", args[arg])
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				return agent.ErrorResult(string(out) + "\n[exit]"), nil //nolint:nilerr // the model reads it
			}
			return agent.TextResult(string(out)), nil
		},
	}
}

// ask puts one question to a fresh session.
func ask(t *testing.T, m agent.Model, tools []agent.Tool, question string) string {
	t.Helper()
	a := &agent.Agent{Model: m, Tools: tools, MaxSteps: 5}
	s := agent.NewSession("s")
	evs, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say(question)))
	if err != nil {
		t.Fatal(err)
	}
	if end := evs[len(evs)-1]; end.Stop != agent.RunEnd {
		t.Fatalf("%s: ended %s %s", question, end.Stop, end.Text)
	}
	return s.Messages[len(s.Messages)-1].Text()
}

func TestTheSevenQuestionsInBothLanguages(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"a.go", "sub/b.go", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		question string
		shell    bool
		want     string
	}{
		{"跟我打个招呼", false, `你好.*不是大模型`},
		{"现在几点了？", true, `^现在是 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d`},
		{"帮我看看系统健康", true, `系统状态.*\n.*load average`},
		{"算一下 (123+456)*7", true, `^结果是 4053$`},
		{"我电脑内存还剩多少？", true, `内存.*\nMemTotal: [0-9.]+ GiB\nMemAvailable: [0-9.]+ GiB`},
		{"列出当前目录所有 .go 文件", true, `\./a\.go\n\./sub/b\.go\n2 in all`},
		{"什么是 ReAct？", false, `推理`},
		{"Hello there", false, `no language model`},
		{"What time is it?", true, `^It is \d{4}-`},
		{"Check the system's health, please", true, `load, disk, memory`},
		{"What is (123+456)*7?", true, `^The result is 4053$`},
		{"How much memory is left?", true, `MemAvailable`},
		{"List all .go files", true, `sub/b\.go\n2 in all`},
		{"What is ReAct?", false, `reasoning and acting`},
		{"7/2=", true, `3\.5$`},
		{"010+1", true, `11$`},
		{"123456789*987654321", true, `121932631112635269$`},
		{"2×（3＋4）等于多少", true, `14$`},
	} {
		var ran []string
		got := ask(t, offline.New(offline.Lines{}), []agent.Tool{shell(t, dir, "run_shell_command", "cmd", &ran)}, c.question)
		if !regexp.MustCompile(`(?s)`+c.want).MatchString(got) || (len(ran) > 0) != c.shell || len(ran) > 1 {
			t.Errorf("%s\n ran %q\n answered %s", c.question, ran, got)
		}
	}
}

func TestWhatIsNotInTheTableIsSaidSo(t *testing.T) {
	var ran []string
	tools := []agent.Tool{shell(t, t.TempDir(), "bash", "command", &ran)}
	for q, want := range map[string]string{
		"Write me a poem":                 "no language model",
		"写一首诗":                            "不是大模型",
		"what happened on 2026-11-30?":    "no language model",
		"compute 1+1; rm -rf /":           "The result is 2", // only the expression goes to the shell
		"what is $(touch x) + `touch y`?": "no language model",
		"the versions 1.2.3-4 and 5":      "no language model",
	} {
		if got := ask(t, offline.New(offline.Lines{}), tools, q); !strings.Contains(got, want) {
			t.Errorf("%s: %s", q, got)
		}
	}
	for _, c := range ran {
		if c != "echo $((1+1))" {
			t.Errorf("ran %q", c)
		}
	}
}

func TestFailuresAreTold(t *testing.T) {
	var ran []string
	tools := []agent.Tool{shell(t, filepath.Join(t.TempDir(), "absent"), "bash", "command", &ran)}
	if got := ask(t, offline.New(offline.Lines{}), tools, "What time is it?"); !strings.Contains(got, "did not succeed") {
		t.Error(got)
	}
	if got := ask(t, offline.New(offline.Lines{}), nil, "What time is it?"); !strings.Contains(got, "needs a shell tool") {
		t.Error(got)
	}
}

func TestALaterTurnLooksAtItsOwnResults(t *testing.T) {
	var ran []string
	a := &agent.Agent{Model: offline.New(offline.Lines{}), Tools: []agent.Tool{shell(t, t.TempDir(), "bash", "command", &ran)}}
	s := agent.NewSession("s")
	for _, q := range []string{"算一下 1+1", "算一下 2+3"} {
		if _, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say(q))); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Messages[len(s.Messages)-1].Text(); got != "结果是 5" || len(ran) != 2 {
		t.Errorf("%s, ran %q", got, ran)
	}
}

func TestAddedRulesComeFirstAndQuoteWhatTheyFound(t *testing.T) {
	rules := []offline.Rule{{
		Name: "echo", Match: []string{"^repeat (?P<what>.+)$"},
		Run: []offline.Action{{Shell: map[string]string{"any": "printf %s {what}"}}}, Answer: map[string]string{"en": "[{output}]"},
	}}
	dir := t.TempDir()
	var ran []string
	got := ask(t, offline.New(offline.Lines{Rules: rules}), []agent.Tool{shell(t, dir, "bash", "command", &ran)}, "repeat 'hello'; touch x")
	if got != "['hello'; touch x]" {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("the question reached the shell as a command")
	}
}

func TestTheStreamEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range offline.New(offline.Lines{}).Stream(ctx, &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}}) {
		if err == nil {
			t.Error("went on")
		}
	}
}

func TestNoNumberIsNoAnswer(t *testing.T) {
	for _, question := range []string{"compute 10/0", "算一下 1/(2-2)"} {
		var ran []string
		got := ask(t, offline.New(offline.Lines{}), []agent.Tool{shell(t, t.TempDir(), "bash", "command", &ran)}, question)
		if len(ran) != 1 || strings.Contains(got, "The result is") || strings.Contains(got, "结果是") {
			t.Errorf("%s: ran %v, answered %q", question, ran, got)
		}
	}
}

func TestTimeIsNotEveryQuestionWithTheWord(t *testing.T) {
	var ran []string
	tools := []agent.Tool{shell(t, t.TempDir(), "bash", "command", &ran)}
	for _, question := range []string{"What time is it?", "what's the date today?", "do you know what time it is", "what is the current time please"} {
		ran = nil
		if ask(t, offline.New(offline.Lines{}), tools, question); len(ran) != 1 {
			t.Errorf("%s: ran %v", question, ran)
		}
	}
	ran = nil
	if got := ask(t, offline.New(offline.Lines{}), tools, "what's the time complexity of quicksort?"); len(ran) != 0 {
		t.Errorf("ran %v, answered %q", ran, got)
	}
}

// Only what can be answered here is offered.
func TestHelpFitsTheTools(t *testing.T) {
	m := offline.New(offline.Lines{})
	var ran []string
	with := ask(t, m, []agent.Tool{shell(t, t.TempDir(), "bash", "command", &ran)}, "Write me a poem")
	without := ask(t, m, nil, "Write me a poem")
	for _, example := range []string{"What time is it?", "How much memory is left?"} {
		if !strings.Contains(with, example) || strings.Contains(without, example) {
			t.Errorf("with a shell: %s\nwithout: %s", with, without)
		}
	}
	if !strings.Contains(without, "What is ReAct?") || len(ran) > 0 {
		t.Error(without)
	}
}

// TestLanguageOfTheQuestion: the words decide, and where there are none, what was set.
func TestLanguageOfTheQuestion(t *testing.T) {
	greet := offline.Rule{
		Name: "greet", Skill: "greet", Match: []string{`^/greet\b`}, Answer: map[string]string{"zh": "你好", "en": "hello"},
	}
	for question, want := range map[string]string{
		"/greet": "set", "  /greet ": "set", "/greet 12": "set", "/greet /skill:greet ?!": "set", "1+1": "set",
		"/greet you": "en", "/greet 你": "zh", "/greet you 你": "zh",
		"/nothing": "set", "?": "set", "nothing": "en", "没有": "zh",
	} {
		for _, set := range []string{"zh", "en", ""} {
			lang := want
			if want == "set" {
				lang = set
			}
			m := offline.New(offline.Lines{Rules: []offline.Rule{greet}, Lang: set})
			var ran []string
			got := ask(t, m, []agent.Tool{shell(t, t.TempDir(), "bash", "command", &ran)}, question)
			if zh := strings.ContainsAny(got, "你是我"); zh != (lang == "zh") {
				t.Errorf("%q where %q is set: %s", question, set, got)
			}
		}
	}
}
