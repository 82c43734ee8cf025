package app

import (
	"context"
	"slices"

	"react-agent/agent"
	"react-agent/tool"
)

// asking adds the tool that asks the person, or takes it away, where the configuration says so.
func (p *product) asking(k *cast, tools []agent.Tool) []agent.Tool {
	want := p.c.AskUser
	isIt := func(t agent.Tool) bool { return t.Name == tool.AskUserName }
	switch {
	case want == nil:
		return tools
	case !*want:
		return slices.DeleteFunc(slices.Clone(tools), isIt)
	case slices.ContainsFunc(tools, isIt):
		return tools
	}
	return append(slices.Clip(tools), tool.AskUser(k.env))
}

// unattended answers questions where nobody is: what was said to one before, while somebody was or by the command line that
// goes on, still counts.
func unattended(answered func(id string) (agent.Answer, bool)) func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
	return func(_ context.Context, q agent.Ask) (agent.Answer, error) {
		if a, ok := answered(q.ID); ok {
			return a, nil
		}
		return agent.Answer{Text: agent.Nobody}, nil
	}
}
