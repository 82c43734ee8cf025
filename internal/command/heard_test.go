package command

import (
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

func TestHeard(t *testing.T) {
	for _, x := range []struct{ from, text, zh, en string }{
		{"skill", `The person has called the skill "now". Read it with the tool skill_view (name "now")`, "+ /now", "+ /now"},
		{"skill", "the text of a skill that the model has called", "", ""},
		{"skill", `The skill "x" that the person called cannot be read: gone`, "+ /x · 无法使用：gone", "+ /x · cannot be used: gone"},
		{"skill", `The skill "x" fits what the person says. These are its instructions:`, "+ x（与你说的相符）", "+ x (it fits what you said)"},
		{"team", "<background-results>\n[bg:a] done\n</background-results>", "+ 后台有结果：[bg:a] done", "+ from the background: [bg:a] done"},
		{"job", "<background-results>\n[bg:1] completed: ok\n</background-results>", "+ 后台有结果：[bg:1] completed: ok", "+ from the background: [bg:1] completed: ok"},
		{
			"instructions", "<instructions>\nFor the work in api these hold as well, and before the general ones:\nRULE\nFor the work in b/c there are more standing orders; read them first: x\n</instructions>\nmore",
			"+ 说明文件：api, b/c", "+ instructions for api, b/c",
		},
		{"guard", "You repeat yourself.", "+ 已提醒模型：它在原地打转", "+ the model was told that it goes round in circles"},
		{"hook", "be quick", "+ 钩子：be quick", "+ hook: be quick"},
		{"other", "x", "+ other: x", "+ other: x"},
	} {
		m := agent.TextMessage(agent.User, x.text)
		m.From = x.from
		if zh, en := Heard(msg.For(msg.Zh), m), Heard(msg.For(msg.En), m); zh != x.zh || en != x.en {
			t.Errorf("%s: %q is %q and %q", x.from, x.text, zh, en)
		}
	}
}
