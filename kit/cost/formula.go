package cost

import (
	"math"

	"react-agent/agent"
)

// million is what prices are for.
const million = 1e6

// hourFactor is what input costs that the vendor's cache keeps for an hour: so many times as much as plain input.
const hourFactor = 2

// Cost is what a request with this usage costs in US dollars; nil when the price or the usage is unknown. A side of the
// usage that is unknown counts as nothing.
func (m *Model) Cost(u *agent.Usage) *float64 {
	if m.Price == nil || u == nil || u.Input == nil && u.Output == nil {
		return nil
	}
	input := count(u.Input)
	cached := min(count(u.Cached), input)
	written := min(count(u.CacheWrite), input-cached)
	p := m.tier(input)
	sum := float64(input-cached-written)*p.Input + float64(cached)*or(p.Cached, p.Input) +
		float64(written)*or(p.CacheWrite, p.Input) + float64(count(u.Output))*p.Output
	if p.CacheWrite != nil {
		sum += float64(min(count(u.HourWrite), written)) * (hourFactor*p.Input - *p.CacheWrite)
	}
	sum = round(sum / million)
	return &sum
}

// tier is the price of a request with so much input, what its cache gave and took included.
func (m *Model) tier(input int64) Price {
	p := *m.Price
	for _, t := range m.Tiers {
		if input > t.Above {
			p = t.Price
		}
	}
	return p
}

func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return max(0, *n)
}

func or(price *float64, otherwise float64) float64 {
	if price != nil {
		return *price
	}
	return otherwise
}

// round leaves a ten-thousandth of a millionth of a dollar, so that sums of such amounts look like amounts.
func round(usd float64) float64 { return math.Round(usd*1e10) / 1e10 }
