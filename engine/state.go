package engine

import (
	"context"
	"encoding/json"
	"maps"

	"react-agent/agent"
)

// State is a copy of a session's state as it is stored. Nothing is loaded twice for it: who works on the session next goes on
// with what was read. free is false when somebody in this process works on it; then there is no state here.
func (l *Local) State(ctx context.Context, session string) (state map[string]json.RawMessage, free bool, err error) {
	r, err := l.enter(session)
	if err != nil {
		return nil, false, err
	}
	defer l.leave(ctx, r)
	free, err = l.view(ctx, r, func(s *agent.Session) error {
		state = maps.Clone(s.State)
		return nil
	})
	return state, free, err
}
