package app

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/msg"
)

// modelKey is where a session's own choice of a model is kept in [agent.Session.State]. Sub-agents take it over.
const modelKey = "model"

// choice is a model as a session's state has it; empty: the configuration's.
type choice struct {
	Provider string `json:"provider,omitempty"`
	API      string `json:"api,omitempty"`
	Model    string `json:"model,omitempty"`
}

// choiceIn finds the choice in a state; what cannot be read counts as none.
func choiceIn(state map[string]json.RawMessage) (c choice, ok bool) {
	raw, ok := state[modelKey]
	if !ok || json.Unmarshal(raw, &c) != nil {
		return choice{}, false
	}
	return c, c != choice{}
}

// state is the choice as a session keeps it.
func (c choice) state() (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(c)
	if c == (choice{}) {
		raw = json.RawMessage("null")
	}
	return map[string]json.RawMessage{modelKey: raw}, err
}

// chosen is the choice that holds for a session: of flags, until the session has taken it over; its own; its parent's.
func (p *product) chosen(ctx context.Context, s engine.Spec) (choice, error) {
	p.mu.Lock()
	next, turning := p.turning[s.Session]
	p.mu.Unlock()
	if turning {
		return next, nil
	}
	c, ok := choiceIn(s.State)
	if !ok && s.State == nil { // nobody has loaded the session: somebody looks at it
		var err error
		if c, err = p.choiceOf(ctx, s.Session); err != nil {
			return c, err
		}
	}
	parent := s.Session[:max(0, strings.LastIndexByte(s.Session, '.'))]
	switch {
	case parent != "" && c == choice{}:
		return p.choiceOf(ctx, parent)
	case parent != "", s.Session == "", !p.flagged(s.Session):
		return c, nil
	}
	return p.byFlags(c)
}

// choiceOf is the choice of a session that need not be open.
func (p *product) choiceOf(ctx context.Context, session string) (choice, error) {
	p.mu.Lock()
	c, known := p.choices[session]
	p.mu.Unlock()
	if known || session == "" {
		return c, nil
	}
	state, free, err := p.engine.State(ctx, session)
	if err == nil && !free { // it runs: what it has stored counts
		var s *agent.Session
		if s, err = p.fold(ctx, session); err == nil {
			state = s.State
		}
	}
	if err != nil {
		return c, err
	}
	c, _ = choiceIn(state)
	return c, nil
}

// modelOf names the model of a session's next run.
func (p *product) modelOf(ctx context.Context, session string) string {
	c, err := p.chosen(ctx, engine.Spec{Session: session})
	if err != nil { // what is wrong is met at the next message
		return p.modelName()
	}
	if name := or(c.Model, p.modelName()); name != "" {
		return name
	}
	name, _ := p.answering(c)
	return name
}

func (p *product) remember(session string, c choice) {
	if session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.choices[session] = c
}

// flagged reports whether flags have chosen a model that a session has not taken over yet.
func (p *product) flagged(session string) bool {
	if p.c.API == offlineAPI || !slices.ContainsFunc(modelFlags(), func(name string) bool { return p.o.Flags[name] != "" }) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.applied[session]
}

// modelFlags are those that choose a model.
func modelFlags() []string { return []string{"model", "provider", "api", "base-url"} }

// byFlags is what the flags make of a session's choice. A session without one takes what flags and configuration come to;
// an address that was named is not kept: it is the configuration's.
func (p *product) byFlags(c choice) (choice, error) {
	f := p.o.Flags
	switch {
	case f["base-url"] != "":
		return choice{}, nil
	case c == choice{}:
		return choice{p.c.Provider, p.c.API, p.c.Model}, nil
	}
	w := config.Want{Provider: or(f["provider"], c.Provider), API: f["api"], Model: f["model"]}
	if f["model"] != "" && f["provider"] == "" {
		var err error
		if w, err = p.c.Choose(f["model"], c.Provider, p.knows); err != nil {
			return c, configError{err}
		}
		w.API = f["api"]
	}
	if w.Provider == c.Provider {
		w.API, w.Model = or(w.API, c.API), or(w.Model, c.Model)
	}
	return p.settle(w)
}

// useModel takes another model from the next run of the session on. What cannot be opened changes nothing.
func (p *product) useModel(ctx context.Context, session string, w config.Want) error {
	cur, err := p.usable(ctx, session)
	if err != nil {
		return err
	}
	from := or(cur.Provider, p.c.Provider)
	if p.o.Demo || p.c.API == offlineAPI && w.Provider == "" && !strings.Contains(w.Model, "/") {
		return msg.Errorf(msg.ModelFixed)
	}
	if w.Provider == "" && w.Model != "" {
		api := w.API
		if w, err = p.c.Choose(w.Model, from, p.knows); err != nil {
			return configError{err}
		}
		w.API = api
	}
	if w.Provider = or(w.Provider, from); w.Provider == from {
		w.API, w.Model = or(w.API, cur.API), or(w.Model, cur.Model)
	}
	to, err := p.settle(w)
	if err != nil {
		return err
	}
	if _, err := p.openChoice(to); err != nil {
		return err
	}
	state, err := to.state()
	if err != nil {
		return err
	}
	p.turn(session, &to) // an agent can be made, whatever the session's model is worth
	defer p.turn(session, nil)
	err = p.engine.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		return a.Append(ctx, s, &agent.Event{Type: agent.EvState, State: state})
	})
	if err != nil {
		return err
	}
	p.apply(session)
	p.remember(session, to)
	p.engine.Refresh(session)
	return nil
}

// usable is the choice of a session as far as another one can begin from it: of what flags made of it only if that is
// something, and of no vendor that is gone.
func (p *product) usable(ctx context.Context, session string) (choice, error) {
	c, err := p.chosen(ctx, engine.Spec{Session: session})
	if err != nil {
		if c, err = p.choiceOf(ctx, session); err != nil {
			return c, err
		}
	}
	if c.Provider != "" && !p.c.HasVendor(c.Provider) {
		return choice{}, nil
	}
	if _, err := p.target(config.Want(c)); err != nil && c != (choice{}) {
		c.API = "" // it may be what is wrong
	}
	return c, nil
}

// turn notes what a session is turning to, or with nil that it has.
func (p *product) turn(session string, to *choice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if delete(p.turning, session); to != nil {
		p.turning[session] = *to
	}
}

// apply notes that flags have said all they had to say to a session.
func (p *product) apply(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied[session] = true
}
