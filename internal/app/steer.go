package app

import (
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
