package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/team"
)

// agentsCommand lists the session's sub-agents and theirs, and stops one.
func agentsCommand() Command {
	return Command{
		Name: "agents", Args: "[stop NAME]", Help: msg.HelpAgents, Slash: true, Max: 2,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			switch {
			case len(in.Args) == 0:
				return Outcome{}, listAgents(ctx, h, in)
			case len(in.Args) == 2 && in.Args[0] == "stop":
				return Outcome{}, stopAgent(ctx, h, in, in.Args[1])
			}
			return Outcome{}, usage(msg.SlashArgs, "/agents [stop NAME]")
		},
	}
}

func listAgents(ctx context.Context, h *Host, in Input) error {
	list, err := h.Team.List(ctx, in.Session)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.NoAgents))
	}
	for _, i := range list {
		if err := in.printf("%s\n", agentLine(h.Msg, i)); err != nil {
			return err
		}
	}
	return nil
}

func stopAgent(ctx context.Context, h *Host, in Input, name string) error {
	ok, err := h.Team.Stop(ctx, in.Session, name)
	if err != nil {
		return err
	}
	if !ok {
		return usage(msg.AgentUnknown, name)
	}
	return in.printf("%s\n", h.Msg.Text(msg.AgentStopped, name))
}

// agentLine describes a sub-agent: where it is in the tree, how it stands, what it is about.
func agentLine(c msg.Catalogue, i team.Info) string {
	key := map[team.State]msg.Key{
		team.Waiting: msg.AgentWaiting, team.Running: msg.AgentRunning, team.Done: msg.AgentDone, team.Failed: msg.AgentFailed,
		team.Cancelled: msg.AgentCancelled, team.TimedOut: msg.AgentTimedOut, team.Orphaned: msg.AgentOrphaned,
	}[i.State]
	if i.Idle {
		key = msg.AgentIdle
	}
	state := c.Text(key)
	if i.Background {
		state += ", " + c.Text(msg.AgentBehind)
	}
	steps := c.Text(msg.AgentSteps, i.Steps)
	if i.Steps == 1 {
		steps = c.Text(msg.AgentStep)
	}
	parts := []string{i.Session, i.Path, state, steps, i.Title}
	if i.Reason != "" && i.State != team.Done {
		parts = append(parts, "("+clip(i.Reason, 120)+")")
	}
	return strings.Join(parts, "  ")
}
