package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/cost"
	"react-agent/provider"
	"react-agent/provider/local"
)

// modelList is what a session could use: what the vendors' entries, the list of prices, the settings and a local server
// in use know.
func (p *product) modelList(ctx context.Context, session string) (l command.ModelList, err error) {
	c, err := p.chosen(ctx, engine.Spec{Session: session})
	fault := err // of what flags make of it
	if err != nil {
		if c, err = p.choiceOf(ctx, session); err != nil {
			return l, err
		}
	}
	l.Own, l.Fallback = c != choice{}, p.c.Fallback
	t, err := p.target(config.Want(c))
	if err != nil && t == (config.Target{}) {
		t = config.Target{Provider: c.Provider, API: c.API, Model: c.Model}
	}
	if err == nil {
		err = fault
	}
	if l.Now.Fault = p.doubt(t.Provider, t.Model); err != nil {
		l.Now.Fault = p.host.Msg.Err(err)
	}
	l.Now = p.entry(t, l.Now.Fault)
	if l.Now.Model == "" && err == nil {
		l.Now.Model, l.Now.Context = p.answering(c)
	}
	if t.API == offlineAPI {
		l.Now.Model = p.modelName()
		return l, nil
	}
	if err == nil {
		l.Models = p.vendorModels(ctx, t)
	}
	for _, v := range p.c.Vendors() {
		if v.Name != t.Provider {
			p.sort(&l, v)
		}
	}
	return l, nil
}

// entry is a line of the list.
func (p *product) entry(t config.Target, fault string) command.Listed {
	i := p.info(t)
	e := command.Listed{
		Provider: t.Provider, API: t.API, Model: t.Model, Context: i.Context, MaxOutput: i.MaxOutput, Fault: fault,
	}
	if m, ok := p.listed(t.Provider, t.Model); ok && m.Price != nil {
		e.Price = p.host.Msg.Text(msg.ModelPrice, cost.Dollars(m.Price.Input), cost.Dollars(m.Price.Output))
	}
	return e
}

// sort puts a vendor where it belongs: among those that can be asked, or what it lacks.
func (p *product) sort(l *command.ModelList, v config.Vendor) {
	if _, known := slices.BinarySearch(provider.Wires(), or(v.API, "chat")); !known && v.API != commandAPI {
		return
	}
	t, err := p.c.Target(config.Want{Provider: v.Name})
	switch {
	case t.BaseURL == "" && t.API != commandAPI:
		l.NoBase = append(l.NoBase, v.Name)
	case t.Key == "" && len(v.KeyEnv) > 0 && err != nil:
		l.NoKey = append(l.NoKey, v.Name)
	case v.Local && err == nil && t.Model == "":
		l.Local = append(l.Local, v.Name)
	case t.API == commandAPI:
		if _, err := provider.FindProgram(p.spec(t, nil)); err != nil {
			l.NoProgram = append(l.NoProgram, v.Name)
		} else {
			l.Programs = append(l.Programs, v.Name)
		}
	default:
		l.Vendors = append(l.Vendors, p.entry(t, ""))
	}
}

// vendorModels are those that are known of a vendor. A server on one's own machine is asked.
func (p *product) vendorModels(ctx context.Context, t config.Target) (list []command.Listed) {
	add := func(name string) {
		if name == "" || slices.ContainsFunc(list, func(l command.Listed) bool { return l.Model == name }) {
			return
		}
		at := t
		at.Model = name
		list = append(list, p.entry(at, ""))
	}
	preset := p.preset(t.Provider)
	if preset.Local != "" || local.Loopback(t.BaseURL) {
		for _, m := range p.served(ctx, t) {
			add(m.Name)
			last := &list[len(list)-1]
			last.Context = or(m.Context, last.Context)
		}
	}
	add(t.Model)
	add(preset.DefaultModel)
	if priced, err := p.meter.Prices().Of(t.Provider); err == nil {
		for _, m := range priced {
			add(m.ID)
		}
	}
	return list
}

// served asks a server of this machine what it has; one that does not answer has nothing.
func (p *product) served(ctx context.Context, t config.Target) []local.Model {
	client, err := p.localClient(t.Key)
	if err != nil {
		return nil
	}
	client.Limit = doctorLimit
	s, err := client.Ask(ctx, t.BaseURL)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(s.Models, func(m local.Model) bool { return m.Embeds })
}

// modelFacts are what doctor says of stand-ins and of the person's own vendors: whether they can be asked.
func (p *product) modelFacts() (facts []command.Fact) {
	c := p.host.Msg
	for _, name := range p.c.Fallback {
		t, err := p.namedTarget(name)
		facts = append(facts, p.targetFact("fallback "+name, p.c.Origin("fallback").In(c), t, err))
	}
	for _, name := range slices.Sorted(maps.Keys(p.c.Presets)) {
		t, err := p.c.Target(config.Want{Provider: name, Model: or(p.c.Presets[name].DefaultModel, "-")})
		if t.Model == "-" {
			t.Model = ""
		}
		facts = append(facts, p.targetFact(name, p.c.Origin("presets."+name).In(c), t, err))
	}
	counted := map[string]bool{}
	if err := p.c.Ready(); err != nil {
		counted[c.Err(err)] = true
	}
	for i, f := range facts { // one fault is one problem, wherever it shows
		facts[i].Bad = f.Bad && !counted[f.Value]
		counted[f.Value] = true
	}
	return facts
}

func (p *product) targetFact(name, origin string, t config.Target, err error) command.Fact {
	f := command.Fact{Group: "models", Name: name, Origin: origin}
	if err == nil && t.API == commandAPI && t.Provider != p.c.Provider { // of the one in use it is said elsewhere
		_, err = provider.FindProgram(p.spec(t, nil))
		if me, ok := errors.AsType[*agent.ModelError](err); ok {
			err = me.Err
		}
	}
	if f.Bad = err != nil; f.Bad {
		f.Value = p.host.Msg.Err(err)
		return f
	}
	f.Fix = p.doubt(t.Provider, t.Model)
	f.Value = strings.TrimSpace(t.Provider+" "+t.API+" "+t.Model) + " " + config.Redacted(t.BaseURL)
	return f
}
