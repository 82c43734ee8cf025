package app

import (
	"context"
	"iter"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
)

// switched is the model of a session: what was chosen last, by a command, by flags, or by the parent of a sub-agent.
type switched struct {
	p       *product
	session string

	mu   sync.Mutex
	now  choice
	open opened
}

// opened is a model with those that stand in for it; first is the one that was chosen.
type opened struct{ model, first agent.Model }

// Info is that of the model in use.
func (s *switched) Info() agent.ModelInfo { return s.current().model.Info() }

// Stream asks the model in use.
func (s *switched) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return s.current().model.Stream(ctx, req)
}

func (s *switched) current() opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// turn takes another model if the choice is another one. One that cannot be opened says so when it is asked.
func (s *switched) turn(to choice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to == s.now {
		return
	}
	o, err := s.p.openChoice(to)
	if err != nil {
		o = opened{model: noModel{err}, first: noModel{err}}
	}
	s.now, s.open = to, o
	s.p.remember(s.session, to)
	s.p.engine.Refresh(s.session) // what is made of the model's abilities is made anew for the next run
}

// modelFor is the model of a session's agent.
func (p *product) modelFor(ctx context.Context, s engine.Spec) (*switched, error) {
	c, err := p.chosen(ctx, s)
	if err != nil {
		return nil, err
	}
	o, err := p.openChoice(c)
	if err != nil && c != (choice{}) {
		err = configError{msg.Errorf(msg.ModelKept, c.Provider+"/"+c.Model, err)}
	}
	if err != nil {
		return nil, err
	}
	p.remember(s.Session, c)
	return &switched{p: p, session: s.Session, now: c, open: o}, nil
}

// choosing is the hook that keeps what flags have chosen, and follows the session's state.
func (p *product) choosing(m agent.Model, session string) agent.Hook {
	s, ok := m.(*switched)
	if !ok {
		return agent.Hook{}
	}
	return agent.Hook{
		Name: modelKey,
		Inject: func(_ context.Context, x *agent.Session, _ bool) (*agent.Note, error) {
			if strings.Contains(session, ".") || !p.flagged(session) {
				return nil, nil
			}
			s.mu.Lock()
			now := s.now
			s.mu.Unlock()
			p.apply(session)
			if old, _ := choiceIn(x.State); old == now {
				return nil, nil
			}
			state, err := now.state()
			return &agent.Note{State: state}, err
		},
		BeforeModel: func(_ context.Context, x *agent.Session, req *agent.Request) error {
			c, ok := choiceIn(x.State)
			if !ok && strings.Contains(session, ".") {
				return nil
			}
			before := p.said(s.Info())
			s.turn(c)
			after := p.said(s.Info())
			if req.Effort == before.Effort {
				req.Effort = after.Effort
			}
			if req.MaxOut == before.MaxOutput {
				req.MaxOut = after.MaxOutput
			}
			return nil
		},
	}
}
