package cost

import (
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/text"
	"react-agent/internal/weigh"
)

// What a reply says twice, because it was told apart late or brought into its final form, was written by the model once.
func TestSaidAgain(t *testing.T) {
	said := strings.Repeat("word ", 100)
	thought := agent.Chunk{Part: &agent.Part{Kind: agent.Thinking, Text: said}}
	call := func(index int, text, name, args string) agent.Chunk {
		p := &agent.Part{Kind: agent.CallKind, Text: text}
		if name != "" || args != "" {
			p.Call = &agent.Call{Name: name, Args: json.RawMessage(args)}
		}
		return agent.Chunk{Index: index, Part: p}
	}
	long := `{"a":"` + strings.Repeat("word ", 78) + `"}`
	once := int64(weigh.Frame + text.Tokens("bash") + text.Tokens(long))
	cleaned := once - int64(text.Tokens(long)-text.Tokens(long[:360]))
	for name, c := range map[string]struct {
		reply agenttest.Reply
		out   int64
	}{
		"relabelled":            {chunks(say(said), agent.Chunk{Reset: true}, thought, stop), int64(text.Tokens(said))},
		"relabelled twice":      {chunks(say(said), agent.Chunk{Reset: true}, thought, agent.Chunk{Reset: true}, thought, stop), int64(text.Tokens(said))},
		"arguments in pieces":   {chunks(call(0, long[:200], "bash", ""), call(0, long[200:], "", ""), stop), once},
		"arguments cleaned":     {chunks(call(0, long[:200], "bash", ""), call(0, long[200:], "", ""), call(0, "", "", long[:360]), stop), cleaned},
		"arguments whole":       {chunks(call(0, "", "bash", long), stop), once},
		"a longer name":         {chunks(call(0, "", "bas", ""), call(0, long, "bash", ""), call(0, "", "bash", ""), stop), once},
		"two calls":             {chunks(call(0, "", "bash", long), call(1, "", "bash", long), stop), 2 * once},
		"a call, told again":    {chunks(say("x"), call(1, long, "bash", ""), agent.Chunk{Reset: true}, call(1, long, "bash", ""), stop), once},
		"told again, with what": {chunks(call(0, long, "bash", ""), agent.Chunk{Usage: &agent.Usage{}}, agent.Chunk{Reset: true}, call(0, long, "bash", ""), stop), once},
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
