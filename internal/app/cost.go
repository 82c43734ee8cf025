package app

import (
	"sync"

	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/cost"
	"react-agent/provider"
)

// openCost makes the meter of all model calls. Prices are read when the first is asked for.
func (p *product) openCost() {
	own := map[string]cost.Own{}
	for name, m := range p.c.Models {
		if m.Price != (config.Price{}) {
			own[name] = cost.Own(m.Price)
		}
	}
	prices := cost.NewTable(own)
	var local sync.Map // by vendor: it is asked at every call, and the table is made anew for each look
	prices.Known = func(vendor string) (string, bool) {
		here, known := local.Load(vendor)
		if !known {
			here, _ = local.LoadOrStore(vendor, p.preset(vendor).Local != "")
		}
		return or(p.c.Presets[vendor].Like, vendor), here == true
	}
	p.meter = cost.New(cost.Options{
		Prices: prices, Log: p.store,
		MaxCost: p.c.MaxCost, MaxTokens: int64(p.c.MaxTotalTokens),
		RequestsPerMinute: p.c.RateLimit.RequestsPerMinute, TokensPerMinute: int64(p.c.RateLimit.TokensPerMinute),
		Paused: provider.Pause,
		Fault:  func(err error) { p.warn(msg.For(p.c.Language).Err(err)) },
		Lang:   string(p.c.Language),
	})
}

// listed is what the table of prices knows of a vendor's model: its price, and its limits and abilities where neither the
// configuration nor the preset names them.
func (p *product) listed(vendor, model string) (cost.Model, bool) {
	return p.meter.Prices().Lookup(vendor, model)
}

// costFacts are what doctor says of prices and limits.
func (p *product) costFacts() []command.Fact {
	c := p.host.Msg
	facts := []command.Fact{{Group: "cost", Name: "prices", Value: p.meter.Prices().AsOf(), Origin: c.Text(msg.CostBuiltIn)}}
	vendor, model := p.c.Provider, p.modelName()
	if p.c.API == "offline" || model == "" || p.meter.Prices().Unbilled(vendor) {
		return facts
	}
	f := command.Fact{Group: "cost", Name: model}
	m, ok := p.listed(vendor, model)
	if ok && m.Price != nil {
		f.Value = c.Text(msg.CostPrice, cost.Dollars(m.Price.Input), cost.Dollars(m.Price.Output))
		if m.Own {
			f.Origin = "models"
		}
	} else {
		f.Value = c.Text(msg.CostNoPrice)
		f.Fix = c.Text(msg.CostSetPrice, model)
	}
	return append(facts, f)
}
