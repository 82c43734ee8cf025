package cost

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"react-agent/agent"
)

// listedModel is an entry of a file of prices, read by the test itself.
type listedModel struct {
	ID, Provider      string
	Context           int
	MaxOutput         int `json:"max_output"`
	Vision, Reasoning bool
	linePrices
	Tiers []struct {
		Above int64 `json:"above_input_tokens"`
		linePrices
	}
}

type linePrices struct {
	Input, Output *float64
	CacheRead     *float64 `json:"cache_read"`
	CacheWrite    *float64 `json:"cache_write"`
}

// TestPricing holds the look-up and the formula against every model of the file that PRICING_FILE names, else of the one
// beside this repository.
func TestPricing(t *testing.T) {
	file := os.Getenv("PRICING_FILE")
	if file == "" {
		file = "../../../shared/cases/pricing.json"
		if _, err := os.Stat(file); err != nil {
			t.Skip("needs ../shared beside the repository, or PRICING_FILE: no prices to hold against")
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		AsOf   string `json:"as_of"`
		Models []listedModel
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	read, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if read.AsOf() != list.AsOf {
		t.Errorf("the table is of %q, the file of %q", read.AsOf(), list.AsOf)
	}
	own := NewTable(nil)
	passed, failed := 0, 0
	for _, m := range list.Models {
		faults := m.faults(read)
		if own.AsOf() == list.AsOf { // the program's own list has the facts of that day
			faults = append(faults, m.builtInFaults(own)...)
		}
		if len(faults) == 0 {
			passed++
			continue
		}
		failed++
		t.Errorf("%s %s: %s", m.Provider, m.ID, strings.Join(faults, "; "))
	}
	if passed+failed == 0 {
		t.Errorf("no model in %s", file)
	}
	t.Logf("%d passed, %d failed, 0 skipped", passed, failed)
}

func (m *listedModel) faults(table *Table) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	got, ok := table.Lookup(m.Provider, m.ID)
	if !ok || got.ID != m.ID || got.Vendor != m.Provider {
		fault("its id finds %q of %q (%t)", got.ID, got.Vendor, ok)
		return faults
	}
	if anybody, ok := table.Lookup("", m.ID); !ok || anybody.ID != m.ID {
		fault("without a vendor its id finds %q (%t)", anybody.ID, ok)
	}
	if got.Context != m.Context || got.MaxOutput != m.MaxOutput || got.Vision != m.Vision || got.Reasoning != m.Reasoning {
		fault("limits or abilities differ: %+v", got)
	}
	for _, u := range m.shapes() {
		want, have := m.cost(u), got.Cost(u.usage())
		if (want == nil) != (have == nil) || want != nil && math.Abs(*want-*have) > 1e-9*(1+*want) {
			fault("%+v costs %s, not %s", u, show(have), show(want))
		}
	}
	return faults
}

func show(usd *float64) string {
	if usd == nil {
		return "an unknown sum"
	}
	return fmt.Sprint(*usd)
}

// builtInFaults holds the table of the program against the file. Where it knows no price, the file must not know one either.
func (m *listedModel) builtInFaults(own *Table) []string {
	got, ok := own.Lookup(m.Provider, m.ID)
	if ok && got.Price == nil && (m.Input == nil || *m.Input == 0 && *m.Output == 0) {
		return nil
	}
	var faults []string
	for _, f := range m.faults(own) {
		faults = append(faults, "built in: "+f)
	}
	return faults
}

// shape is what a request may have used.
type shape struct{ input, cached, written, output int64 }

func (s shape) usage() *agent.Usage {
	return &agent.Usage{Input: &s.input, Cached: &s.cached, CacheWrite: &s.written, Output: &s.output}
}

// shapes are sizes on both sides of every bound, with and without a cache.
func (m *listedModel) shapes() (list []shape) {
	sizes := []int64{0, 1, 1000}
	for _, tier := range m.Tiers {
		sizes = append(sizes, tier.Above, tier.Above+1, 2*tier.Above)
	}
	for _, n := range sizes {
		list = append(list, shape{n, 0, 0, 1000}, shape{n, n, 0, 1}, shape{n, n / 3, n / 3, 77}, shape{n, 0, n, 0})
	}
	return list
}

// cost is the formula of the test: each token at its price.
func (m *listedModel) cost(u shape) *float64 {
	p := m.linePrices
	for _, tier := range m.Tiers {
		if u.input > tier.Above {
			p = tier.linePrices
		}
	}
	if m.Input == nil || m.Output == nil {
		return nil
	}
	read, write := *p.Input, *p.Input // without a price of its own it is input like any
	if p.CacheRead != nil && *p.CacheRead > 0 {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil && *p.CacheWrite > 0 {
		write = *p.CacheWrite
	}
	sum := (float64(u.input-u.cached-u.written)**p.Input + float64(u.cached)*read + float64(u.written)*write + float64(u.output)**p.Output) / 1e6
	return &sum
}
