package app

import (
	"context"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/skill"
	"react-agent/kit/team"
)

// router has one more call of the model look for a skill each time the person speaks, if that is wanted. A sub-agent was
// told what to do.
func (p *product) router(set *skill.Set, model agent.Model, child *team.Spec) agent.Hook {
	if want := p.c.Skills.Router; want == nil || !*want || child != nil {
		return agent.Hook{}
	}
	c := msg.For(p.c.Language)
	return set.Router(skill.Router{
		Ask: func(ctx context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
			return askOnce(ctx, model, req)
		},
		Notice: func(err error) { p.warn(c.Text(msg.SkillNoRoute, c.Err(err))) },
	})
}

// askOnce collects one answer of a model.
func askOnce(ctx context.Context, model agent.Model, req *agent.Request) (agent.Message, *agent.Usage, error) {
	var b agent.Builder
	var usage *agent.Usage
	for chunk, err := range model.Stream(ctx, req) {
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
		if err == nil {
			err = b.Add(chunk)
		}
		if err != nil {
			return b.Message(), usage, err
		}
	}
	return b.Message(), usage, nil
}
