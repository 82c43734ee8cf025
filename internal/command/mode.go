package command

import (
	"context"
	"slices"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/policy"
)

// modeCommand shows the session's mode, or sets it for the runs from now on.
func modeCommand() Command {
	return Command{
		Name: "mode", Args: "[MODE]", Help: msg.HelpMode, Slash: true, Max: 1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			var want policy.Mode
			if len(in.Args) == 1 {
				var err error
				if want, err = policy.ParseMode(in.Args[0]); err != nil {
					return Outcome{}, usage(msg.ModeUnknown, in.Args[0])
				}
			}
			if err := idle(ctx, h, in.Session); err != nil {
				return Outcome{}, err
			}
			now, err := h.Mode(ctx, in.Session, want)
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.ModeIs, now))
		},
	}
}

// idle refuses what would have to wait for the end of a run: who types it would see nothing happen. A run whose end, or a
// command whose event, is the last that is stored only tidies up.
func idle(ctx context.Context, h *Host, session string) error {
	info, err := h.Engine.Info(ctx, session)
	if err != nil || !info.Running || info.Seq == 0 {
		return err
	}
	var last agent.EventType
	for e, err := range h.Engine.Follow(ctx, session, info.Seq-1, false) {
		if err != nil {
			return err
		}
		last = e.Type
	}
	if !slices.Contains([]agent.EventType{agent.EvEnd, agent.EvState, agent.EvVoid, agent.EvCompact}, last) {
		return usage(msg.ModeBusy)
	}
	return nil
}
