//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/provider/providertest"
)

// skillsAt starts the face skills on a terminal, in a work directory with two skills.
func skillsAt(t *testing.T, script string, args ...string) (*terminal, *providertest.Server) {
	t.Helper()
	srv := providertest.New(t.Context(), providertest.MustParse(script))
	t.Cleanup(srv.Close)
	work := filepath.Join(t.TempDir(), "work")
	for name, text := range map[string]string{
		"weather":   "---\nname: weather\ndescription: Weather.\n---\nBegin with 【天气播报】. Run skills/weather.sh with the city.\n",
		"translate": "---\nname: translate\ndescription: Translates.\n---\nEnd with (translated by Skill).\n",
	} {
		put(t, filepath.Join(work, "skills", name+".md"), text)
	}
	put(t, filepath.Join(work, "skills", "weather.sh"), "printf '{\"city\":\"%s\",\"temp\":26}' \"$1\"\n")
	return startAt(t, work, srv.Env(), append([]string{"--profile", "skills", "--trust"}, args...)...), srv
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSkillsConversation is the compound task of the source system at its own terminal: two skills, four model calls.
func TestSkillsConversation(t *testing.T) {
	c, srv := skillsAt(t, `
		CALL list_skills {}
		CALL get_skill {"name":"weather"}
		+ CALL get_skill {"name":"translate"}
		CALL run_script {"path":"skills/weather.sh","args":"深圳"}
		SAY "【天气播报】Sunny, 26. (translated by Skill)"
		SAY "one more"
	`)
	c.until("You: ")
	c.keys("查一下深圳天气，然后翻译成英文\n")
	c.until("\r\n  [Step 1] Tool: list_skills({})\r\n           Result: [{\"name\":")
	c.until("\r\n  [Step 2] Tool: get_skill({\"name\":\"weather\"})\r\n           Result: Begin with 【天气播报】. Run skills/weather.sh with the city.\r\n" +
		"  [Step 2] Tool: get_skill({\"name\":\"translate\"})\r\n           Result: End with (translated by Skill).\r\n" +
		"  [Step 3] Tool: run_script({\"path\":\"skills/weather.sh\",\"args\":\"深圳\"})\r\n           Result: {\"city\":\"深圳\",\"temp\":26}\r\n" +
		"Agent: 【天气播报】Sunny, 26. (translated by Skill)\r\nYou: ")
	if n := len(srv.Requests()); n != 4 {
		t.Errorf("%d model calls, wanted 4", n)
	}
	c.keys("/skills\n")
	c.until("/translate")
	c.until("You: ")
	c.keys("/nosuch\n")
	c.until("there is no command /nosuch")
	c.until("You: ")
	c.keys("and\n")
	c.until("Agent: one more\r\nYou: ") // steps begin at one again, and nothing is shown of the last run
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
	if n := len(srv.Requests()); n != 5 {
		t.Errorf("%d model calls, wanted 5", n)
	}
}

// TestSkillsAnswerIsTakenBack: an answer that breaks off is erased with what stands before it.
func TestSkillsAnswerIsTakenBack(t *testing.T) {
	c, srv := skillsAt(t, `
		SAY half an ans
		+ BREAK
		SAY "whole"
	`)
	c.until("You: ")
	c.keys("hi\n")
	c.until("Agent: half an ans")
	c.until("\r\x1b[J")
	c.until("Agent: whole\r\n")
	c.until("You: ")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
}

func TestSkillsStepLimitOnATerminal(t *testing.T) {
	c, srv := skillsAt(t, `* CALL list_skills {}`, "--lang", "zh")
	c.until("You: ")
	c.keys("go\n")
	c.until("[Step 10] Tool: list_skills({})")
	c.until("\r\nAgent: （达到最大迭代次数）\r\nYou: ")
	c.keys("q\n")
	c.ends(0)
	c.sound(srv)
	if all := c.all(); strings.Contains(all, "[Step 11]") || len(srv.Requests()) != 10 {
		t.Errorf("%d model calls", len(srv.Requests()))
	}
}
