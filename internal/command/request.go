package command

import (
	"context"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// requestCommand shows the next request exactly as it would be sent: with what waits, or with what the person would say and
// what is attached.
func requestCommand() Command {
	return Command{
		Name: "request", Args: "[MESSAGE]", Help: msg.HelpRequest, Slash: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			m, err := nextMessage(ctx, h, in)
			if err != nil {
				return Outcome{}, err
			}
			next, err := h.Request(ctx, in.Session, m)
			if err != nil {
				return Outcome{}, err
			}
			if err := in.printf("%s\n", text.VisibleJSON(string(next.Body))); err != nil || !next.Before {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.RequestBefore))
		},
	}
}

// nextMessage is what the person would say: what stands behind the command, with what waits on the tray; without that only
// what is in the queue, and with nothing there a line in its place.
func nextMessage(ctx context.Context, h *Host, in Input) (m agent.Message, err error) {
	said := in.Rest
	if said == "" {
		info, err := h.Engine.Info(ctx, in.Session)
		if err != nil {
			return m, err
		}
		if len(info.Queue) > 0 && len(h.Tray.List(in.Session)) == 0 {
			return m, nil
		}
		said = h.Msg.Text(msg.RequestPlaceholder)
	}
	l, err := Read(ctx, h, in.Session, said)
	if err != nil {
		return m, err
	}
	if l.Command != "" {
		return m, usage(msg.RequestCommand, l.Command)
	}
	m, _, err = Attached(ctx, h, in.Session, l.Message)
	return m, err
}
