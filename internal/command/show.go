package command

import (
	"context"

	"react-agent/internal/msg"
)

// showCommand prints a session for reading; as JSON it prints its events.
func showCommand() Command {
	return Command{
		Name: "session show", Args: "ID", Help: msg.HelpShow, Shell: true, Remote: true, Min: 1, Max: 1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			format := "md"
			if in.JSON {
				format = "jsonl"
			}
			return Outcome{}, export(ctx, h, in.Args[0], format, in.Out)
		},
	}
}
