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
		Name: "session rm", Args: "ID...", Help: msg.HelpRm, Shell: true, Remote: true, Min: 1, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			for _, arg := range in.Args {
				id, err := Existing(ctx, h, arg)
				if err != nil {
					return Outcome{}, err
				}
				err = Remove(ctx, h, id)
				if busy, ok := errors.AsType[*engine.BusyError](err); ok {
					err = usage(msg.SessionHeld, busy.Session, busy.PID)
				}
				if err != nil {
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

// Remove takes a session away, with its children and all that is kept of them beside their logs. What another process works
// on stays: the error is an [engine.BusyError]. What cannot be taken away keeps nothing else from it; of a session that is gone
// it takes away what such an attempt has left.
func Remove(ctx context.Context, h *Host, id string) error {
	if err := h.Engine.Delete(ctx, id); err != nil {
		return err
	}
	var errs []error
	if h.Forget != nil {
		errs = append(errs, h.Forget(id))
	}
	if h.Team != nil {
		errs = append(errs, h.Team.Forget(ctx, id))
	}
	if h.Meter != nil {
		errs = append(errs, h.Meter.Forget(ctx, id))
	}
	return errors.Join(errs...)
}
