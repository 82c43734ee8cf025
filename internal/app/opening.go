package app

import (
	"fmt"
	"slices"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/cost"
	"react-agent/provider"
)

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
