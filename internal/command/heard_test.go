package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/memory"
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
		if zh, en := strings.Join(Heard(msg.For(msg.Zh), m), "\n"), strings.Join(Heard(msg.For(msg.En), m), "\n"); zh != x.zh || en != x.en {
			t.Errorf("%s: %q is %q and %q", x.from, x.text, zh, en)
		}
	}
}

// What has entered is what the person sees of it: each memory with its id, none of the words around them.
func TestHeardMemories(t *testing.T) {
	s := memory.New(memory.Options{Project: filepath.Join(t.TempDir(), "memory.db"), NoSync: true})
	t.Cleanup(func() { _ = s.Close() })
	for _, d := range []memory.Draft{
		{Text: "the staging database (old): is on port 5433", Tags: []string{"a (b): c"}},
		{Text: "the staging database port is for a dump:\n- p1 (make): dump", Kind: memory.Command},
	} {
		if _, err := s.Save(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	x := &agent.Session{Messages: []agent.Message{agent.TextMessage(agent.User, "which port has the staging database?")}}
	note, err := s.Hook().Inject(t.Context(), x, false)
	if err != nil || note == nil || len(note.Messages) != 1 {
		t.Fatalf("%+v, %v", note, err)
	}
	lines := Heard(msg.For(msg.En), note.Messages[0])
	slices.Sort(lines)
	want := []string{"+ memory p1: the staging database (old): is on port 5433", "+ memory p2: the staging database port is for a dump:\n- p1 (make): dump"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	if zh := strings.Join(Heard(msg.For(msg.Zh), note.Messages[0]), "\n"); !strings.Contains(zh, "+ 记忆 p1：the staging database") {
		t.Errorf("%q", zh)
	}
}
