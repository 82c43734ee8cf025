package skills_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider/offline"
)

// everything is the offline model with the rules of all shipped skills.
func everything(t *testing.T) *offline.Model {
	t.Helper()
	var lines offline.Lines
	for _, k := range loaded(t) {
		o := rulesOf(t, k.Name)
		for _, r := range o.Rules {
			rule := offline.Rule{Name: r.Name, Skill: k.Name, Match: r.Match, Take: r.Take, Answer: r.Answer, Otherwise: r.Otherwise, Words: r.Words, Example: r.Example}
			for _, a := range r.Run {
				rule.Run = append(rule.Run, offline.Action(a))
			}
			lines.Rules = append(lines.Rules, rule)
		}
	}
	return offline.New(lines)
}

// Skills that are called together work on each other's answers.
func TestSkillsCalledTogether(t *testing.T) {
	m := everything(t)
	script := agent.Tool{
		Name: "run_script", Effect: agent.Executes, Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"args":{"type":"string"}},"required":["path"]}`),
		Run: func(context.Context, agent.Call) (agent.Result, error) {
			return agent.TextResult(`{"city":"纽约","temp":"16°C","condition":"晴","humidity":"52%","wind":"西风4级"}`), nil
		},
	}
	for question, want := range map[string]string{
		"/translate /weather 纽约":             "【天气播报】Weather in New York now: sunny, 16°C, humidity 52%, west wind, force 4. (sample data)\n\n(translated by Skill)",
		"/weather /summarize 纽约":             "【天气播报】纽约现在晴，气温 16°C，湿度 52%，西风4级。（示例数据）\n\n摘要：以上就是要点。",
		"/summarize 今天很好。我们出去了。":             "摘要：今天很好。\n（离线规则表只取第一句；接上真正的模型才能真正概括。）",
		"/translate good morning in chinese": "早上好\n\n(translated by Skill)",
	} {
		s := agent.NewSession("s")
		if _, err := agenttest.Collect((&agent.Agent{Model: m, Tools: []agent.Tool{script}, MaxSteps: 5}).Run(t.Context(), s, agent.Say(question))); err != nil {
			t.Fatal(err)
		}
		if got := s.Messages[len(s.Messages)-1].Text(); got != want {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// What people ask, and which skills that takes; what only sounds like it takes none.
func TestQuestionsFindTheirSkills(t *testing.T) {
	m := everything(t)
	for question, want := range map[string]string{
		"跟我打个招呼": "hello", "你好": "hello", "嗨～": "hello", "hello!": "hello", "Hi there 😀": "hello", "greet me": "hello", "/hello Ada": "",
		"老师说你好不好": "",
		"现在几点了？":  "now", "今天星期几": "now", "请问现在是几号": "now", "What time is it?": "now", "what's the date today?": "now",
		"东京的时间管理": "", "what's the time complexity of quicksort?": "", "写一个时间轴": "",
		"帮我看看系统健康": "system_health", "电脑为什么这么卡": "system_health", "is my computer ok?": "system_health",
		"查一下深圳天气": "weather", "深圳今天会下雨吗": "weather", "How is the weather in New York?": "weather", "今天天气怎么样？": "weather", "火星的天气": "weather",
		"查一下深圳天气，然后翻译成英文":                                        "weather translate",
		"把深圳的天气用英文告诉我":                                           "weather translate",
		"How is the weather in Paris? Translate it into Chinese": "weather translate",
		"帮我看看系统健康，总结一下":                                          "system_health summarize",
		"现在几点了，再看看深圳天气，最后翻译成英文并总结":                               "now weather translate summarize",
		"“谢谢”用英语怎么说？":                                            "translate", "翻译：床前明月光": "translate", "Translate “good morning” into Chinese": "translate",
		"总结：天气很好。我们去玩。": "summarize", "Summarize: It rained. We stayed.": "summarize",
		"给我一个智能体方向的研究想法": "idea-spark", "Give me a research idea about agent memory": "idea-spark",
		"写一首诗": "", "Write me a poem": "", "什么是 ReAct？": "", "算一下 (123+456)*7": "",
	} {
		var read []string
		view := agent.Tool{
			Name: "skill_view", Effect: agent.Reads, Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
			Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
				var a struct{ Name string }
				if err := json.Unmarshal(c.Args, &a); err != nil {
					return agent.Result{}, err
				}
				read = append(read, a.Name)
				return agent.TextResult("ok"), nil
			},
		}
		evs, err := agenttest.Collect((&agent.Agent{Model: m, Tools: []agent.Tool{view}, MaxSteps: 5, Parallel: 1}).Run(t.Context(), agent.NewSession("s"), agent.Say(question)))
		if err != nil || evs[len(evs)-1].Stop != agent.RunEnd {
			t.Errorf("%s: %v", question, err)
		}
		if got := strings.Join(read, " "); got != want {
			t.Errorf("%s: read %q, want %q", question, got, want)
		}
	}
}
