package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// helpColumn is how wide the column of what can be typed is.
const helpColumn = 20

// helpCommand lists what can be typed in a conversation.
func helpCommand() Command {
	return Command{
		Name: "help", Help: msg.HelpHelp, Slash: true, Prose: true,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			var b strings.Builder
			for _, c := range All() {
				if c.Slash {
					b.WriteString(helpLine(strings.TrimSpace("/"+c.Name+" "+c.Args), h.Msg.Text(c.Help)))
				}
			}
			skills, err := helpSkillLines(ctx, h, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s%s%s\n", b.String(), skills, h.Msg.Text(msg.HelpKeys))
		},
	}
}

// helpLine is what can be typed, and what it does; a long form has a line of its own.
func helpLine(typed, does string) string {
	if text.Columns(typed) > helpColumn {
		typed += "\n" + strings.Repeat(" ", helpColumn+2)
	}
	return "  " + pad(typed, helpColumn) + " " + does + "\n"
}
