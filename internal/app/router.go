package app

import (
	"context"
	"errors"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/memory"
	"react-agent/kit/skill"
	"react-agent/kit/team"
)

// router looks for a skill each time the person speaks, if that is wanted: by vectors, or by one more call of the model. A
// sub-agent was told what to do.
func (p *product) router(w *world, set *skill.Set, model agent.Model, child *team.Spec) agent.Hook {
	if child != nil {
		return agent.Hook{}
	}
	c := msg.For(p.c.Language)
	r := skill.Router{
		May:    w.mayUse,
		Notice: func(err error) { p.warn(c.Text(msg.SkillNoRoute, c.Err(err))) },
		Other: func(err error) {
			if !errors.Is(err, errNoVectors) { // that was said when it began
				p.warn(c.Text(msg.SkillOtherRoute, c.Err(err)))
			}
		},
	}
	switch p.c.Skills.Router {
	case "model":
		r.Ask = func(ctx context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
			return askOnce(ctx, model, req)
		}
	case "vectors":
		r.Vectors = p.routes.all(p)
	default:
		return agent.Hook{}
	}
	return set.Router(r)
}

// routes are the ways to find a skill by vectors, the best first. They are kept, so that the vectors of descriptions are made
// once. The zero value is ready.
type routes struct {
	once sync.Once
	list []*skill.Vectors
}

func (r *routes) all(p *product) []*skill.Vectors {
	r.once.Do(func() {
		if e := p.embedder(); e != nil {
			r.list = append(r.list, skill.NewVectors(hurried{e}))
		}
		r.list = append(r.list, skill.NewVectors(memory.NewNgrams()))
	})
	return r.list
}

// mayUse says why the rules hold a skill back that nobody has called. One that they ask about waits for the model's wish.
func (w *world) mayUse(ctx context.Context, s *agent.Session, name string) error {
	raw, err := agent.EncodeJSON(map[string]string{"skill": name})
	if err != nil {
		return err
	}
	d, err := w.policy.Hook().BeforeTool(ctx, s, agent.Tool{Name: "Skill", Effect: agent.Reads}, agent.Call{Key: "route", Name: "Skill", Args: raw})
	if err != nil || d.Verdict == agent.Pass {
		return err
	}
	return errors.New(strings.Join(strings.Fields(d.Reason), " "))
}

// skillName is how rules compare the names of skills.
func skillName(name string) string {
	return skill.NormalizeSkillName(strings.TrimPrefix(strings.TrimSpace(name), "/"))
}

// askOnce collects one answer of a model, and what it has used: withdrawn attempts too, and what a failure had used.
func askOnce(ctx context.Context, model agent.Model, req *agent.Request) (agent.Message, *agent.Usage, error) {
	var b agent.Builder
	var failed error
	for chunk, err := range model.Stream(ctx, req) {
		if failed = err; err == nil {
			failed = b.Add(chunk)
		}
		if failed != nil {
			break
		}
	}
	m, used := b.Message(), &agent.Usage{}
	used.Add(b.Withdrawn)
	used.Add(m.Usage)
	if used.IsZero() {
		used = nil
	}
	return m, used, failed
}
