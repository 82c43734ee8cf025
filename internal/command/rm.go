package command

import (
	"context"
	"errors"

	"react-agent/engine"
	"react-agent/internal/msg"
)

// rmCommand removes sessions.
func rmCommand() Command {
	return Command{
		Name: "session rm", Args: "ID...", Help: msg.HelpRm, Shell: true, Min: 1, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			for _, arg := range in.Args {
				id, err := Existing(ctx, h, arg)
				if err != nil {
					return Outcome{}, err
				}
				err = h.Engine.Delete(ctx, id)
				if busy, ok := errors.AsType[*engine.BusyError](err); ok {
					err = usage(msg.SessionHeld, busy.Session, busy.PID)
				}
				if err != nil {
					return Outcome{}, err
				}
				if h.Forget != nil {
					if err := h.Forget(id); err != nil {
						return Outcome{}, err
					}
				}
				if h.Team != nil {
					if err := h.Team.Forget(ctx, id); err != nil {
						return Outcome{}, err
					}
				}
				if err := h.Meter.Forget(ctx, id); err != nil {
					return Outcome{}, err
				}
				if in.JSON {
					err = printJSON(in, map[string]string{"removed": id})
				} else {
					err = in.printf("%s\n", h.Msg.Text(msg.SessionRemoved, id))
				}
				if err != nil {
					return Outcome{}, err
				}
			}
			return Outcome{}, nil
		},
	}
}
