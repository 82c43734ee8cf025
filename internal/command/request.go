package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
)

// requestCommand shows the next request exactly as it would be sent.
func requestCommand() Command {
	return Command{
		Name: "request", Args: "[MESSAGE]", Help: msg.HelpRequest, Slash: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			text := strings.Join(in.Args, " ")
			if text == "" {
				text = h.Msg.Text(msg.RequestPlaceholder)
			}
			body, err := h.Request(ctx, in.Session, text)
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s\n", body)
		},
	}
}
