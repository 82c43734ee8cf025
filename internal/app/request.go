package app

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/shellhook"
)

// request gives the body of what the next run would send first, after all that waits and m were said; m without parts is
// nothing. The session is loaded and the run is begun in memory, with the agent that it will have, and ends where the
// request would leave: nothing is stored, and no command runs.
func (p *product) request(ctx context.Context, session string, m agent.Message) (command.Next, error) {
	s, err := p.fold(ctx, session)
	if err != nil {
		return command.Next{}, err
	}
	if n := len(s.OpenCalls()); n > 0 {
		return command.Next{}, msg.Errorf(msg.RequestOpen, n)
	}
	info, err := p.engine.Info(ctx, session)
	if err != nil {
		return command.Next{}, err
	}
	ctx, look := withLook(ctx)
	defer look.cancel(nil)
	nobody := func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{}, nil }
	a, err := p.agent(ctx, engine.Spec{Session: session, State: s.State, Ask: nobody}) // as for a run
	if err != nil {
		return command.Next{}, err
	}
	once := &firstRequest{Model: a.Model, look: look}
	first, steered := p.ahead(ctx, s, info.Queue, m)
	a.Model, a.Journal, a.Ask, a.Hooks = once, nil, nil, append([]agent.Hook{steered}, unseen(a.Hooks)...)
	end, step, err := endOf(a.Run(ctx, s, first...))
	switch body := look.taken(); {
	case err != nil:
		return command.Next{}, err
	case body != nil:
		return command.Next{Body: p.shown(body), Before: step != "model"}, nil
	case once.req == nil || step != "model":
		return command.Next{}, msg.Errorf(msg.RequestNone, end)
	}
	body, err := agent.EncodeJSON(map[string]any{ // a model without a wire: the neutral request
		"model": once.Info().Name, "system": once.req.System, "messages": once.req.Messages, "tools": toolNames(once.req.Tools),
	})
	return command.Next{Body: p.shown(body)}, err
}

// shown is a body without keys, should somebody have put one into what the configuration adds.
func (p *product) shown(body []byte) []byte {
	return []byte(p.secrets.MaskKnown(string(bytes.TrimSpace(body))))
}

// endOf gives the text of a run's end, and what it had come to: a call of the model, a compaction, or neither.
func endOf(events iter.Seq2[agent.Event, error]) (text, step string, err error) {
	for e, err := range events {
		if err != nil {
			return "", "", err
		}
		if e.Type == agent.EvStep {
			step = e.Text
		}
		if e.Type == agent.EvEnd {
			text = or(e.Text, string(e.Stop))
			if e.Error != nil {
				text = e.Error.Message
			}
		}
	}
	return text, step, nil
}

// ahead is how a run begins with what waits in the queue and with m behind it: its first notes, and a hook that brings what
// is steered into it, as the engine's does.
func (p *product) ahead(ctx context.Context, s *agent.Session, queue []engine.Queued, m agent.Message) ([]agent.Note, agent.Hook) {
	if len(m.Parts) > 0 {
		in := engine.Input{Message: &m}
		p.receive(&in)
		queue = append(slices.Clone(queue), engine.Queued{Message: *in.Message})
	}
	first, steered := engine.Ahead(queue, s.Open)
	for _, n := range first {
		p.engine.FetchBlobs(ctx, n.Messages)
	}
	for n := steered; n != nil; n = n.Next {
		p.engine.FetchBlobs(ctx, n.Messages)
	}
	return first, agent.Hook{Name: "engine", Inject: func(context.Context, *agent.Session, bool) (n *agent.Note, err error) {
		n, steered = steered, nil
		return n, nil
	}}
}

// fold is the session as it is stored.
func (p *product) fold(ctx context.Context, session string) (*agent.Session, error) {
	lines := func(yield func([]byte, error) bool) {
		for rec, err := range p.store.Read(ctx, "session/"+session, 0, false) {
			if !yield(rec.Data, err) {
				return
			}
		}
	}
	return agent.Load(session, lines, engine.Bodies(ctx, p.store, nil))
}

// unseen leaves out the hooks that others would notice: the log, the person's own commands, and what keeps a choice.
func unseen(hooks []agent.Hook) []agent.Hook {
	return slices.DeleteFunc(slices.Clone(hooks), func(h agent.Hook) bool {
		return slices.Contains([]string{"log", shellhook.Name, modelKey}, h.Name)
	})
}

func toolNames(tools []agent.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Shown())
	}
	return names
}
