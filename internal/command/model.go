package command

import (
	"context"

	"react-agent/internal/msg"
)

// modelCommand shows the model, or takes another one from the next run on.
func modelCommand() Command {
	return Command{
		Name: "model", Args: "[NAME]", Help: msg.HelpModel, Slash: true, Max: 1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			if len(in.Args) == 1 {
				if err := h.UseModel(ctx, in.Session, in.Args[0]); err != nil {
					return Outcome{}, err
				}
			}
			a, err := h.Agent(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			info := a.Model.Info()
			return Outcome{}, in.printf("%s (%s)\n", info.Name, info.Provider)
		},
	}
}
