package app

import (
	"context"
	"errors"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/server/chat"
)

// chat is what POST /chat and its neighbours are made of.
func (p *product) chat() chat.Options {
	return chat.Options{
		Engine: p.engine, Frames: p.engine.Frames, Compact: p.compactNow,
		Rounds: p.face.Look.Steps, Limit: p.maxSteps(), Tasks: p.tasks.Render, Team: p.teamText, Inbox: p.drainInbox, Msg: msg.For(p.c.Language), Logger: p.log.logger,
	}
}

// compactNow makes a session's history smaller as soon as its run has ended; false: there was nothing to do.
func (p *product) compactNow(ctx context.Context, session string) (done bool, err error) {
	var fault error
	err = p.engine.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error {
		if len(s.Messages) == 0 {
			return nil
		}
		for e, err := range a.CompactNow(ctx, s, "") {
			switch {
			case err != nil:
				return err
			case e.Type == agent.EvNotice: // the request was right, and it stays as it is
				fault = errors.New(e.Text)
			case e.Type == agent.EvCompact:
				done = true
			}
			emit(e)
		}
		if done {
			return nil
		}
		return fault
	})
	return done, err
}
