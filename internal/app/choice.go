package app

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/cost"
	"react-agent/provider"
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
	parent, _, child := cutLast(s.Session, ".")
	switch {
	case child && c == choice{}:
		return p.choiceOf(ctx, parent)
	case child, s.Session == "", !p.flagged(s.Session):
		return c, nil
	}
	return p.byFlags(c)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
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

// settle makes a choice of what somebody wants: all of it is named, so that it stays what it is when settings change.
func (p *product) settle(w config.Want) (choice, error) {
	t, err := p.target(w)
	if err != nil {
		return choice{}, configError{err}
	}
	return choice{t.Provider, t.API, t.Model}, nil
}

// target is where a model is asked. Where nobody named a wire the face may prefer one, if the vendor speaks it.
func (p *product) target(w config.Want) (config.Target, error) {
	if api := p.face.API; api != "" && w.API == "" && !p.c.IsSet("api") {
		preferred := w
		preferred.API = api
		if t, err := p.c.Target(preferred); err == nil && slices.Contains(provider.Wires(), api) {
			return t, nil
		}
	}
	return p.c.Target(w)
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

// said is what the configuration says of a model: under its id, or under VENDOR/ID, which is more exact.
func (p *product) said(i agent.ModelInfo) config.Model { return p.settings(i.Preset, i.Name) }

func (p *product) settings(vendor, id string) config.Model {
	if m, ok := p.c.Models[vendor+"/"+id]; ok {
		return m
	}
	return p.c.Models[id]
}

// knows reports whether an id is surely one of a vendor's models.
func (p *product) knows(vendor, id string) bool {
	if _, ok := p.c.Models[vendor+"/"+id]; ok {
		return true
	}
	if preset := p.preset(vendor); preset.DefaultModel == id && id != "" {
		return true
	}
	list, err := p.meter.Prices().Of(vendor)
	return err == nil && slices.ContainsFunc(list, func(m cost.Model) bool { return m.ID == id })
}

// openChoice opens a model with those that stand in for it, once: sessions share it.
func (p *product) openChoice(c choice) (opened, error) {
	p.mu.Lock()
	o, ok := p.models[c]
	p.mu.Unlock()
	if ok {
		return o, nil
	}
	o, err := p.openNew(c)
	if err != nil {
		return o, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, ok := p.models[c]; ok { // somebody was faster
		return other, nil
	}
	p.models[c] = o
	return o, nil
}

func (p *product) openNew(c choice) (opened, error) {
	if c == (choice{}) {
		if err := p.c.Ready(); err != nil {
			return opened{}, configError{err}
		}
		if p.c.API == offlineAPI {
			m, err := provider.Open(provider.Spec{API: offlineAPI})
			m = taught{m, p}
			return opened{m, m}, err
		}
	}
	t, err := p.target(config.Want(c))
	if err != nil {
		return opened{}, configError{err}
	}
	first, err := p.openTarget(t)
	if err != nil {
		return opened{}, err
	}
	others, err := p.standIns(t)
	if err != nil {
		return opened{}, err
	}
	cat := msg.For(p.c.Language)
	model := provider.FallbackWith(func(err *agent.ModelError, next agent.ModelInfo) string {
		return cat.Text(msg.ModelStandIn, p.failure(err), next.Name, next.Preset)
	}, first, others...)
	return opened{model, first}, nil
}

// standIns are the models of the setting fallback, but for the one they would stand in for.
func (p *product) standIns(first config.Target) (others []agent.Model, err error) {
	for _, name := range p.c.Fallback {
		t, err := p.namedTarget(name)
		if err != nil {
			return nil, configError{fmt.Errorf("%s: fallback %q: %w", p.c.Origin("fallback").In(msg.For(p.c.Language)), name, err)}
		}
		if t == first {
			continue
		}
		m, err := p.openTarget(t)
		if err != nil {
			return nil, err
		}
		others = append(others, m)
	}
	return others, nil
}

// namedTarget is a model that the configuration or an agent's file names: MODEL, VENDOR/MODEL or VENDOR//MODEL.
func (p *product) namedTarget(name string) (config.Target, error) {
	w, err := p.c.Choose(name, p.c.Provider, p.knows)
	if err != nil {
		return config.Target{}, err
	}
	return p.target(w)
}
