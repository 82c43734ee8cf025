package cost

import (
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// What a reply says twice, because it was told apart late or brought into its final form, was written by the model once.
func TestSaidAgain(t *testing.T) {
	text := strings.Repeat("abcd", 100)
	thought := agent.Chunk{Part: &agent.Part{Kind: agent.Thinking, Text: text}}
	call := func(index int, text, name, args string) agent.Chunk {
		p := &agent.Part{Kind: agent.CallKind, Text: text}
		if name != "" || args != "" {
			p.Call = &agent.Call{Name: name, Args: json.RawMessage(args)}
		}
		return agent.Chunk{Index: index, Part: p}
	}
	long := `{"a":"` + strings.Repeat("b", 392) + `"}` // 400 letters
	for name, c := range map[string]struct {
		reply agenttest.Reply
		out   int64
	}{
		"relabelled":            {chunks(say(text), agent.Chunk{Reset: true}, thought, stop), 100},
		"relabelled twice":      {chunks(say(text), agent.Chunk{Reset: true}, thought, agent.Chunk{Reset: true}, thought, stop), 100},
		"arguments in pieces":   {chunks(call(0, long[:200], "bash", ""), call(0, long[200:], "", ""), stop), 105},
		"arguments cleaned":     {chunks(call(0, long[:200], "bash", ""), call(0, long[200:], "", ""), call(0, "", "", long[:360]), stop), 95},
		"arguments whole":       {chunks(call(0, "", "bash", long), stop), 105},
		"a longer name":         {chunks(call(0, "", "bas", ""), call(0, long, "bash", ""), call(0, "", "bash", ""), stop), 105},
		"two calls":             {chunks(call(0, "", "bash", long), call(1, "", "bash", long), stop), 210},
		"a call, told again":    {chunks(say("x"), call(1, long, "bash", ""), agent.Chunk{Reset: true}, call(1, long, "bash", ""), stop), 105},
		"told again, with what": {chunks(call(0, long, "bash", ""), agent.Chunk{Usage: &agent.Usage{}}, agent.Chunk{Reset: true}, call(0, long, "bash", ""), stop), 105},
	} {
		m := New(Options{Prices: NewTable(nil)})
		if _, _, err := ask(t.Context(), m.In("s", m.Attempt(vendor{agenttest.NewModel(c.reply), "openai", "gpt-5.4"})), request()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		calls, err := m.Calls(t.Context(), "s")
		if err != nil || len(calls) != 1 || *calls[0].Usage.Output != c.out {
			t.Errorf("%s: %d calls, %d tokens, want %d (%v)", name, len(calls), *calls[0].Usage.Output, c.out, err)
		}
	}
}
