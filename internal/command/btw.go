package command

import (
	"context"

	"react-agent/internal/msg"
)

// btwCommand asks the model a question about the conversation that leaves it as it is.
func btwCommand() Command {
	return Command{
		Name: "btw", Args: "QUESTION", Help: msg.HelpBtw, Slash: true, Beside: true, Min: 1, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			answer, used, err := h.Btw(ctx, in.Session, in.Rest)
			spent := Spent(h.Msg, used)
			if err != nil && spent == "" {
				return Outcome{}, err
			}
			if err != nil {
				return Outcome{}, msg.Errorf(msg.BtwFailed, err, spent)
			}
			if spent == "" {
				return Outcome{}, in.printf("%s\n", answer)
			}
			return Outcome{}, in.printf("%s\n%s\n", answer, h.Msg.Text(msg.BtwSpent, spent))
		},
	}
}
