package app

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/plan"
	"react-agent/kit/policy"
	"react-agent/kit/team"
)

// planner leads sessions in plan mode; k is nil for those who only look at one or change its mode.
func (p *product) planner(k *cast) *plan.Planner {
	o := plan.Options{
		ModeKey: policy.StateKey, Now: func(s *agent.Session) string { return string(policy.ModeOf(s, p.mode())) },
		After: p.afterPlan, Tell: p.tellPlan, Lang: string(p.c.Language),
	}
	if k != nil {
		o.Child, o.Waiting = k.child != nil, k.Waiting
	}
	return plan.New(o)
}

// afterPlan is the mode behind plan mode: the one that a session had before, what this command line says, or what was said
// when plan mode began.
func (p *product) afterPlan(before, usual string) string {
	switch {
	case before != "" && before != plan.Mode:
		return before
	case p.c.Origin("mode").Layer == config.LayerFlag, usual == "":
		return string(p.usual())
	}
	return usual
}

// tellPlan says how to go on with a plan that nobody is there to approve.
func (p *product) tellPlan(session string) {
	p.warn(msg.For(p.c.Language).Text(msg.PlanWaits, session))
}

// unplanned is a hook that has nothing to say while the session is in plan mode.
func (p *product) unplanned(h agent.Hook) agent.Hook {
	on := p.planner(nil).On
	if before := h.BeforeModel; before != nil {
		h.BeforeModel = func(ctx context.Context, s *agent.Session, req *agent.Request) error {
			if on(s) {
				return nil
			}
			return before(ctx, s, req)
		}
	}
	if inject := h.Inject; inject != nil {
		h.Inject = func(ctx context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
			if on(s) {
				return nil, nil
			}
			return inject(ctx, s, stopping)
		}
	}
	return h
}

const (
	// goalTime bounds one check of a goal, which is often a whole test suite; the run's own limits hold beside it.
	goalTime = 10 * time.Minute
	// goalKeep is how much of each end of its output the model reads, in bytes.
	goalKeep = 6 << 10
)

// until is the goal loop of a session; a sub-agent has none.
func (p *product) until(w *world, child *team.Spec) agent.Hook {
	if child != nil {
		return agent.Hook{}
	}
	return plan.Until(plan.GoalOptions{
		Command: p.o.Flags["until"], Off: p.planner(nil).On, Lang: string(p.c.Language),
		Check: func(ctx context.Context, command string) (plan.Checked, error) { return p.checkGoal(ctx, w, command) },
	})
}

// checkGoal runs a goal's command as the shell tool would. The person has given it for this, so nobody is asked.
func (p *product) checkGoal(ctx context.Context, w *world, command string) (plan.Checked, error) {
	agent.Progress(ctx, "$ "+command)
	limit := max(goalTime, p.c.Shell.Timeout)
	r, err := p.inner(ctx, w, innerCommand{
		text: command, allowed: true, keep: goalKeep, timeout: limit,
		output: func(text string) { agent.Progress(ctx, text) },
	})
	if err != nil {
		return plan.Checked{}, err
	}
	x := plan.Checked{Pass: !r.Failed(), Ended: plan.Ended{How: plan.EndedExit, What: strconv.Itoa(r.Code)}, Output: p.innerOutput(&r)}
	switch {
	case r.TimedOut:
		x.Ended = plan.Ended{How: plan.EndedTimeout, What: strconv.Itoa(int(limit.Seconds()))}
	case r.Human != "":
		x.Ended = plan.Ended{How: plan.EndedAsks}
		x.Output += "\n[" + r.Human + "]"
	case r.Signal != "":
		x.Ended = plan.Ended{How: plan.EndedKilled, What: r.Signal}
	}
	return x, nil
}

// change stores a change of a session's state between its runs; fn gives nil to leave it alone.
func (p *product) change(ctx context.Context, session string, fn func(s *agent.Session) map[string]json.RawMessage) error {
	return p.engine.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		state := fn(s)
		if len(state) == 0 {
			return nil
		}
		return a.Append(ctx, s, &agent.Event{Type: agent.EvState, State: state})
	})
}
