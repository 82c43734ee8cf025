package skill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/kit/memory"
)

// shippedQuestions are what people ask for that one of the skills that come with the program does, and what none does.
func shippedQuestions() (fit [][2]string, unfit []string) {
	fit = [][2]string{
		{"what's the weather in Paris", "weather"},
		{"北京今天会下雨吗", "weather"},
		{"深圳天气怎么样", "weather"},
		{"will it rain in Oslo tomorrow", "weather"},
		{"temperature in New York", "weather"},
		{"translate this into English: 你好世界", "translate"},
		{"把下面这段翻译成英文", "translate"},
		{"how do you say thank you in French", "translate"},
		{"帮我翻译一下", "translate"},
		{"summarize the file notes.md", "summarize"},
		{"总结一下这篇文章", "summarize"},
		{"give me the key points", "summarize"},
		{"tl;dr please", "summarize"},
		{"what time is it now", "now"},
		{"现在几点了？", "now"},
		{"今天星期几", "now"},
		{"which day is it today", "now"},
		{"is my machine ok?", "system_health"},
		{"为什么我的电脑这么卡", "system_health"},
		{"check the system health", "system_health"},
		{"帮我看看系统健康状况", "system_health"},
		{"find papers about diffusion models", "paper-search"},
		{"找几篇大模型推理加速的论文", "paper-search"},
		{"literature search on graph neural networks", "paper-search"},
		{"related work on speculative decoding", "paper-search"},
		{"give me a research idea about protein folding", "idea-spark"},
		{"给我一个关于多模态检索的研究想法", "idea-spark"},
		{"帮我找选题", "idea-spark"},
		{"hello", "hello"},
		{"你好", "hello"},
		{"say hello to me", "hello"},
		{"weather in Berlin please", "weather"},
		{"上海明天多少度", "weather"},
		{"translate the paragraph above into Chinese", "translate"},
		{"这句话用英语怎么说", "translate"},
		{"sum it up in three sentences", "summarize"},
		{"提炼一下要点", "summarize"},
		{"tell me the current date and time", "now"},
		{"今天是几号", "now"},
		{"why is my computer so slow", "system_health"},
		{"电脑最近很慢，检查一下", "system_health"},
		{"search for recent papers on RLHF", "paper-search"},
		{"帮我做一下文献调研：联邦学习", "paper-search"},
		{"what could one work on in robotics", "idea-spark"},
		{"强化学习方向有什么可做的", "idea-spark"},
		{"hi there", "hello"},
		{"跟我打个招呼吧", "hello"},
	}
	unfit = []string{
		"fix the bug in parser.go",
		"run the tests and tell me what fails",
		"把这个函数拆成两个",
		"why does the build fail",
		"rename the variable x to count",
		"给这个接口加一个分页参数",
		"写一个二分查找",
		"what does this regex do",
		"部署到生产环境",
		"add a column to the users table",
		"thanks",
		"继续",
		"好的",
		"yes",
		"explain the difference between a mutex and a channel",
		"这段代码是什么意思",
		"write a poem about autumn",
		"帮我写一封请假邮件",
		"the date parser fails on leap years",
		"天气服务的单元测试失败了",
		"translate the coordinates by ten pixels in the SVG code",
		"the time complexity of this loop",
		"memory leak in the server",
		"how do I search a slice in Go",
		"implement the summary endpoint",
		"内存泄漏怎么排查",
		"refactor the config loader",
		"the deadlock happens when two requests arrive",
		"把日志级别改成 debug",
		"这个报错怎么解决",
		"为什么测试在 CI 上会失败",
		"what is the time limit of a request here",
		"change the date format in the invoice",
		"the search box shows no results",
		"make the summary table sortable",
		"国际化的翻译文件少了三个键",
		"健康检查接口返回 500",
		"add a health check to the container",
		"disk quota exceeded on the build machine",
		"把天数换算成星期",
		"weather data is cached for an hour, raise that",
		"what did I say before",
		"commit this",
		"我的代码哪里错了",
		"the paper size of the PDF is wrong",
		"any idea why this is nil",
		"有什么想法",
		"good morning team, deploy starts at nine",
		"can you say that again",
		"do you have an idea how to speed this up",
		"你觉得呢",
		"now do the same for the other file",
		"first look at main.go, then at the tests",
		"what changed today in this repo",
		"generate a migration for the new column",
		"检查一下这段 SQL",
		"看看磁盘上那个日志文件",
		"用中文回答",
		"answer in English",
		"draft an RFC about retries",
		"find all usages of parseDate",
		"look up the docs of net/http",
		"查一下这个函数在哪里被调用",
	}
	return fit, unfit
}

// TestVectorsRouteShippedSkills: nearly all that fits a skill finds it, nothing finds another one, and what is about something
// else is left alone but for a question or two.
func TestVectorsRouteShippedSkills(t *testing.T) {
	s := load(t, Options{Roots: []Root{{Path: "../../skills"}}})
	v := NewVectors(memory.NewNgrams())
	find := func(said string) string {
		k, err := v.pick(t.Context(), said, s.routable())
		if err != nil {
			t.Fatal(err)
		}
		if k == nil {
			return ""
		}
		return k.Name
	}
	fit, unfit := shippedQuestions()
	missed, led := 0, 0
	for _, q := range fit {
		switch got := find(q[0]); got {
		case q[1]:
		case "":
			missed++
			t.Logf("%q finds nothing", q[0])
		default:
			t.Errorf("%q finds %s, not %s", q[0], got, q[1])
		}
	}
	for _, q := range unfit {
		if got := find(q); got != "" {
			led++
			t.Logf("%q finds %s", q, got)
		}
	}
	t.Logf("%d of %d are found, %d of %d are led astray", len(fit)-missed, len(fit), led, len(unfit))
	if missed*10 > len(fit) || led > 2 {
		t.Error("the bound is at the wrong place")
	}
}

// letters is an embedder whose vectors count letters; it can fail, or give what nobody asked for.
type letters struct {
	err   error
	odd   func(v [][]float32) [][]float32
	asked []string
}

func (l *letters) Embed(_ context.Context, texts []string) (out [][]float32, err error) {
	l.asked = append(l.asked, texts...)
	for _, s := range texts {
		v := make([]float32, 26)
		for _, r := range strings.ToLower(s) {
			if r >= 'a' && r <= 'z' {
				v[r-'a']++
			}
		}
		out = append(out, v)
	}
	if l.odd != nil {
		out = l.odd(out)
	}
	return out, l.err
}

func routedBy(t *testing.T, r Router, files map[string]string) *talk {
	t.Helper()
	x := newTalk(t, Options{}, files)
	x.a.Hooks = append(x.a.Hooks, x.set.Router(r))
	return x
}

// TestVectorsTakeNoCall: the skill is there before the model is asked, and it is asked once.
func TestVectorsTakeNoCall(t *testing.T) {
	e := &letters{}
	never := func(context.Context, *agent.Request) (agent.Message, *agent.Usage, error) {
		t.Error("the model was asked")
		return agent.Message{}, nil, nil
	}
	x := routedBy(t, Router{Vectors: []*Vectors{NewVectors(e)}, Ask: never}, map[string]string{
		"weather/SKILL.md": "---\nname: weather\ndescription: Tells the weather. Use for \"zzz qqq zzz\".\n---\nLook at $ARGUMENTS.",
	})
	if got, want := script(x.say(agent.Say("zzz qqq zzz"))), "user: zzz qqq zzz\n"+fmt.Sprintf(fits, "weather")+"Look at zzz qqq zzz.\nassistant: done\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	first := len(e.asked)
	if got := script(x.say(agent.Say("the old harbour"))); got != "user: the old harbour\nassistant: done\n" {
		t.Error(got)
	}
	if len(e.asked) != first+1 {
		t.Errorf("%q: descriptions are asked for once", e.asked[first:])
	}
}

// TestVectorsThatFail: the next ones are asked; when none is left the turn goes on without.
func TestVectorsThatFail(t *testing.T) {
	for _, bad := range []*letters{
		{err: errors.New("nobody there")},
		{odd: func(v [][]float32) [][]float32 { return v[1:] }},
		{odd: func(v [][]float32) [][]float32 { v[0] = v[0][1:]; return v }},
		{odd: func([][]float32) [][]float32 { return nil }},
	} {
		var others, notices []string
		r := Router{
			Vectors: []*Vectors{NewVectors(bad), NewVectors(&letters{})},
			Other:   func(err error) { others = append(others, err.Error()) }, Notice: func(err error) { notices = append(notices, err.Error()) },
		}
		files := map[string]string{"a/SKILL.md": "---\nname: a\ndescription: Says \"zzz qqq zzz\".\n---\nText of a."}
		if got := script(routedBy(t, r, files).say(agent.Say("zzz qqq zzz"))); !strings.Contains(got, "Text of a.") || len(others) != 1 || len(notices) != 0 {
			t.Errorf("%s %q %q", got, others, notices)
		}
		r.Vectors = r.Vectors[:1]
		if got := script(routedBy(t, r, files).say(agent.Say("zzz qqq zzz"))); got != "user: zzz qqq zzz\nassistant: done\n" || len(others) != 1 || len(notices) != 1 {
			t.Errorf("%s %q %q", got, others, notices)
		}
	}
}

// TestVectorsForget: what is kept of descriptions is bounded.
func TestVectorsForget(t *testing.T) {
	v := NewVectors(&letters{})
	for i := range maxKnown + 10 {
		v.known[fmt.Sprint(i)] = make([]float32, 26)
	}
	if _, err := v.pick(t.Context(), "zzz", []*Skill{{Name: "a", Header: Header{Description: "zzz"}}}); err != nil || len(v.known) > 100 {
		t.Error(err, len(v.known))
	}
}

func TestTriggers(t *testing.T) {
	for _, c := range []struct {
		k    Skill
		want string
	}{
		{Skill{Name: "now"}, "now"},
		{Skill{Name: "my-skill", Header: Header{Description: `Does things, and more things. Use for "a b", "into it".`}}, "my skill|Does things, and more things. Use for \"a b\", \"into it\"|a b|into it|Does things, and more things|Does things|and more things|Use for"},
		{Skill{Name: "x", Header: Header{Description: "查论文、搜论文，用于“找论文”「检索」"}}, "x|查论文、搜论文，用于“找论文”「检索」|找论文|检索|查论文、搜论文，用于"},
		{Skill{Name: "x", Header: Header{Description: `an open "quote`}}, `x|an open "quote|an open`},
	} {
		if got := strings.Join(triggers(&c.k), "|"); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if got := saidPieces(strings.Repeat("long text ", 100)); len(got) != 2 || len([]rune(got[0])) != maxSaid {
		t.Error(got)
	}
	if got := saidPieces(" \n"); got != nil {
		t.Error(got)
	}
}

func FuzzTriggers(f *testing.F) {
	for _, s := range []string{"", `"`, "“”", `a "b" “c”`, "“\xff”", strings.Repeat("a, ", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k := Skill{Name: "n", Header: Header{Description: s}}
		if list := triggers(&k); len(list) > maxPieces {
			t.Fatal(len(list))
		}
		saidPieces(s)
	})
}
