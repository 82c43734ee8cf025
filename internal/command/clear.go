package command

import (
	"context"

	"react-agent/internal/msg"
)

// clearCommand begins a new session; the old one stays listed.
func clearCommand() Command {
	return Command{
		Name: "clear", Help: msg.HelpClear, Slash: true, Front: true,
		Run: func(context.Context, *Host, Input) (Outcome, error) { return Outcome{Fresh: true}, nil },
	}
}
