package cli

import (
	"context"

	"react-agent/agent"
	"react-agent/internal/command"
)

// planFirst has an old session go on in plan mode when --plan says so; a new one begins in it. A run that is open goes on as
// it is.
func (a *program) planFirst(ctx context.Context, t *talk) error {
	if a.flags.given["plan"] != "true" || !t.f.idle() {
		return nil
	}
	info, err := t.host.Engine.Info(ctx, t.id)
	if err != nil || info.Seq == 0 {
		return err
	}
	_, err = t.host.Mode(ctx, t.id, "plan")
	return err
}

// changed shows what has changed of a session's todos and goal.
func (v *textView) changed(e agent.Event) {
	if e.Type == agent.EvMessage || e.Type == agent.EvState {
		v.activity(command.Changed(v.msg, e.State))
	}
}

// answered shows the answer that a question is about, where it would only be printed at the end of the run.
func (s *oneShot) answered(q agent.Ask) {
	v, text := s.talk.view, s.talk.f.last
	if t, ok := v.(*textView); ok && !t.live && q.Kind != agent.Approval && !s.talk.f.asked && text != "" {
		v.say(text)
	}
}
