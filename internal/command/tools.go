package command

import (
	"context"
	"encoding/json"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/internal/weigh"
)

// toolsCommand lists the tools the model would see, with what they cost.
func toolsCommand() Command {
	return Command{
		Name: "tools", Prose: true, Help: msg.HelpTools, Slash: true, Shell: true,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			a, err := h.Agent(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			rows := toolRows(a.Tools)
			if in.JSON {
				return Outcome{}, printJSON(in, map[string]any{"profile": h.Profile, "prompt_bytes": len(a.System), "tools": rows})
			}
			return Outcome{}, printTools(h, in, a, rows)
		},
	}
}

// toolRow is one tool as the model sees it.
type toolRow struct {
	Name   string          `json:"name"`
	Ours   string          `json:"ours,omitempty"`
	Effect string          `json:"effect"`
	Bytes  int             `json:"bytes"`
	Tokens int             `json:"tokens"`
	Doc    string          `json:"doc"`
	Schema json.RawMessage `json:"schema"`
}

func toolRows(tools []agent.Tool) (rows []toolRow) {
	for i := range tools {
		t := &tools[i]
		row := toolRow{Name: t.Shown(), Effect: t.Effect.String(), Doc: t.Doc, Schema: t.Schema}
		row.Bytes, row.Tokens = weigh.Tool(t)
		if row.Name != t.Name {
			row.Ours = t.Name
		}
		rows = append(rows, row)
	}
	return rows
}

func printTools(h *Host, in Input, a *agent.Agent, rows []toolRow) error {
	sum, about := len(a.System), text.Tokens(a.System)
	for _, r := range rows {
		name := r.Name
		if r.Ours != "" {
			name += " (" + r.Ours + ")"
		}
		if err := in.printf("%-20s %-9s %6d B %5d tok  %s\n", name, r.Effect, r.Bytes, r.Tokens, firstLine(r.Doc)); err != nil {
			return err
		}
		sum += r.Bytes
		about += r.Tokens
	}
	return in.printf("%s\n", h.Msg.Text(msg.ToolsTotal, h.Profile, len(rows), len(a.System), sum, about))
}
