package command

import (
	"context"

	"react-agent/internal/msg"
)

// exitCommand leaves the conversation.
func exitCommand() Command {
	return Command{
		Name: "exit", Help: msg.HelpExit, Slash: true, Front: true,
		Run: func(context.Context, *Host, Input) (Outcome, error) { return Outcome{Leave: true}, nil },
	}
}
