package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// requestCommand shows the next request exactly as it would be sent.
func requestCommand() Command {
	return Command{
		Name: "request", Args: "[MESSAGE]", Help: msg.HelpRequest, Slash: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			said := strings.Join(in.Args, " ")
			if said == "" {
				said = h.Msg.Text(msg.RequestPlaceholder)
			}
			body, err := h.Request(ctx, in.Session, said)
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s\n", text.VisibleJSON(string(body)))
		},
	}
}
