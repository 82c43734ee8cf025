package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/team"
)

// agentsCommand lists the session's sub-agents and theirs.
func agentsCommand() Command {
	return Command{
		Name: "agents", Help: msg.HelpAgents, Slash: true,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			list, err := h.Team.List(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			if len(list) == 0 {
				return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.NoAgents))
			}
			for _, i := range list {
				if err := in.printf("%s\n", agentLine(h.Msg, i)); err != nil {
					return Outcome{}, err
				}
			}
			return Outcome{}, nil
		},
	}
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
	parts := []string{i.Session, i.Path, state, c.Text(msg.AgentSteps, i.Steps), i.Title}
	if i.Reason != "" && i.State != team.Done {
		parts = append(parts, "("+clip(i.Reason, 120)+")")
	}
	return strings.Join(parts, "  ")
}
