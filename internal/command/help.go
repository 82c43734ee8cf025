package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
)

// helpColumn is how wide the column of what can be typed is.
const helpColumn = 20

// helpCommand lists what can be typed in a conversation.
func helpCommand() Command {
	return Command{
		Name: "help", Help: msg.HelpHelp, Slash: true,
		Run: func(_ context.Context, h *Host, in Input) (Outcome, error) {
			for _, c := range All() {
				if !c.Slash {
					continue
				}
				typed := strings.TrimSpace("/" + c.Name + " " + c.Args)
				if len(typed) > helpColumn {
					typed += "\n" + strings.Repeat(" ", helpColumn+2) // a long form has a line of its own
				}
				if err := in.printf("  %-*s %s\n", helpColumn, typed, h.Msg.Text(c.Help)); err != nil {
					return Outcome{}, err
				}
			}
			return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.HelpKeys))
		},
	}
}
