package offline

import (
	"slices"

	"react-agent/agent"
)

// call is a tool and what it is given.
type call struct {
	tool agent.Tool
	args map[string]string
}

// ask streams a thought and calls; the arguments come in two pieces, as models send them.
func ask(thought string, calls ...call) []agent.Chunk {
	out := []agent.Chunk{{Part: &agent.Part{Kind: agent.Thinking, Text: thought}}}
	for i, c := range calls {
		args, err := agent.EncodeJSON(c.args)
		if err != nil || len(c.args) == 0 { // strings always encode
			args = []byte("{}")
		}
		half := len(args) / 2
		out = append(out,
			agent.Chunk{Index: i + 1, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: c.tool.Shown()}, Text: string(args[:half])}},
			agent.Chunk{Index: i + 1, Part: &agent.Part{Kind: agent.CallKind, Text: string(args[half:])}})
	}
	return append(out, agent.Chunk{Stop: agent.StopCalls})
}

// say streams a text in pieces of a few characters, as models do.
func say(s string) []agent.Chunk {
	var out []agent.Chunk
	for piece := range slices.Chunk([]rune(s), 16) {
		out = append(out, agent.Chunk{Part: &agent.Part{Kind: agent.Text, Text: string(piece)}})
	}
	return append(out, agent.Chunk{Stop: agent.StopEnd})
}
