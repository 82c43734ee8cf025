package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
)

// helpCommand lists what can be typed in a conversation.
func helpCommand() Command {
	return Command{
		Name: "help", Help: msg.HelpHelp, Slash: true,
		Run: func(_ context.Context, h *Host, in Input) (Outcome, error) {
			for _, c := range All() {
				if !c.Slash {
					continue
				}
				if err := in.printf("  %-20s %s\n", strings.TrimSpace("/"+c.Name+" "+c.Args), h.Msg.Text(c.Help)); err != nil {
					return Outcome{}, err
				}
			}
			return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.HelpKeys))
		},
	}
}
