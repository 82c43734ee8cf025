package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/team/mates"
)

const teamArgs = "[send NAME TEXT | stop NAME [force]]"

// teamSender is in whose name a person writes who gives none.
const teamSender = "user"

// teamCommands look at the team and its inboxes, and write to them: in a conversation and as a group.
func teamCommands() []Command {
	from := Flag{Name: "from", Default: teamSender, Help: msg.FlagTeamFrom}
	drain := Flag{Name: "drain", Default: "false", Help: msg.FlagTeamDrain}
	force := Flag{Name: "force", Default: "false", Help: msg.FlagTeamForce}
	list := []Command{
		{Name: "team list", Help: msg.HelpTeamList, Flags: []Flag{jsonFlag()}, Run: onTeam(listTeam)},
		{Name: "team inbox", Args: "[NAME]", Help: msg.HelpTeamInbox, Max: 1, Flags: []Flag{drain}, Run: onTeam(showInbox)},
		{Name: "team send", Args: "NAME TEXT...", Help: msg.HelpTeamSend, Min: 2, Max: -1, Flags: []Flag{from}, Run: onTeam(sendMail)},
		{Name: "team stop", Args: "NAME", Help: msg.HelpTeamStop, Min: 1, Max: 1, Flags: []Flag{force}, Run: onTeam(stopMate)},
	}
	for i := range list {
		list[i].Shell, list[i].Lenient = true, true // a faulty setting is no reason not to look
	}
	return append(
		list,
		Command{Name: "team", Args: teamArgs, Help: msg.HelpTeam, Slash: true, Max: -1, Run: onTeam(teamSlash)},
		Command{Name: "inbox", Help: msg.HelpInbox, Slash: true, Run: onTeam(drainInbox)},
	)
}

// onTeam runs a command on the team; a mistake in what was asked for is the person's.
func onTeam(fn func(ctx context.Context, h *Host, in Input) error) func(context.Context, *Host, Input) (Outcome, error) {
	return func(ctx context.Context, h *Host, in Input) (Outcome, error) {
		in.JSON = in.wantsJSON()
		err := fn(ctx, h, in)
		if _, known := AsUsage(err); !known && mates.IsMistake(err) {
			err = &UsageError{err}
		}
		return Outcome{}, err
	}
}

// teamSlash is the command in a conversation, where there are no flags.
func teamSlash(ctx context.Context, h *Host, in Input) error {
	if len(in.Args) == 0 {
		return listTeam(ctx, h, in)
	}
	what, args := in.Args[0], in.Args[1:]
	in.Args, in.Flags = args, map[string]string{"from": teamSender}
	switch {
	case what == "send" && len(args) > 1:
		return sendMail(ctx, h, in)
	case what == "stop" && len(args) == 2 && args[1] == "force":
		in.Flags["force"] = "true"
		return stopMate(ctx, h, in)
	case what == "stop" && len(args) == 1:
		return stopMate(ctx, h, in)
	}
	return usage(msg.SlashArgs, "/team "+teamArgs)
}

// Team is the team as a person reads it.
func Team(ctx context.Context, h *Host) (string, error) {
	r, err := h.Mates.Team(ctx)
	if err != nil {
		return "", err
	}
	if len(r.Members) == 0 {
		return h.Msg.Text(msg.TeamNone), nil
	}
	return r.Render(), nil
}

func listTeam(ctx context.Context, h *Host, in Input) error {
	if in.JSON {
		r, err := h.Mates.Team(ctx)
		if err != nil {
			return err
		}
		return printJSON(in, r)
	}
	text, err := Team(ctx, h)
	return said(in, text, err)
}

func showInbox(ctx context.Context, h *Host, in Input) error {
	name := mates.Lead
	if len(in.Args) > 0 {
		name = in.Args[0]
	}
	list, err := h.Mates.Inbox(ctx, name, in.isSet("drain"))
	return said(in, mates.List(list), err)
}

func drainInbox(ctx context.Context, h *Host, in Input) error {
	list, err := h.Mates.Inbox(ctx, mates.Lead, true)
	return said(in, mates.List(list), err)
}

func sendMail(ctx context.Context, h *Host, in Input) error {
	to := in.Args[0]
	from := in.Flags["from"]
	if from == "" {
		from = teamSender
	}
	err := h.Mates.Send(ctx, from, to, strings.Join(in.Args[1:], " "))
	return said(in, h.Msg.Text(msg.TeamSent, to), err)
}

func stopMate(ctx context.Context, h *Host, in Input) error {
	id, err := h.Mates.Stop(ctx, in.Args[0], in.isSet("force"))
	return said(in, h.Msg.Text(msg.TeamAsked, id, in.Args[0]), err)
}
