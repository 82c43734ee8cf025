package cost

import (
	"bytes"
	"cmp"
	_ "embed" // the table of prices
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"react-agent/agent"
)

// builtIn is the table that comes with the program, one model a line.
//
//go:embed pricing.json
var builtIn []byte

// Price is in US dollars for a million tokens. Cached and CacheWrite are nil where the vendor has no price of its own for
// what is read from or written to its cache: that is then plain input.
type Price struct {
	Input, Output      float64
	Cached, CacheWrite *float64
}

// Tier is the price of requests whose input is larger than so many tokens.
type Tier struct {
	Above int64
	Price
}

// Model is what is known of a model. Context and MaxOutput are tokens, 0 is unknown.
type Model struct {
	Vendor                   string
	ID                       string
	Context, MaxOutput       int
	Vision, Tools, Reasoning bool
	// Price is nil when it is unknown, as for a router that passes requests on to models of different prices.
	Price *Price
	// Tiers are in ascending order of Above.
	Tiers []Tier
	// Own says that the person has set the price.
	Own bool
}

// Own is a price that the person has set: it stands before the table. What is nil is taken from the table, and if that does
// not know the model either, cache prices are those of plain input. Tiers of the table do not count any more.
type Own struct{ Input, Output, Cached, CacheWrite *float64 }

// Table is a list of models. It is safe for concurrent use.
type Table struct {
	// Known, if set, is asked first what a vendor's name stands for: the name of a preset, and whether a token costs nothing
	// there. It is set before the first question.
	Known func(vendor string) (preset string, unbilled bool)

	own map[string]Own

	once sync.Once
	raw  func() ([]byte, error)
	head header
	body []byte // one model a line, each begins with {"id":"…","provider":"…"
	err  error
}

type header struct {
	Schema string            `json:"schema"`
	AsOf   string            `json:"as_of"`
	Models []json.RawMessage `json:"models"`
}

// record is a line of the table.
type record struct {
	ID        string `json:"id"`
	Provider  string `json:"provider"`
	Context   int    `json:"context,omitempty"`
	MaxOutput int    `json:"max_output,omitempty"`
	prices
	Reasoning bool         `json:"reasoning,omitempty"`
	Vision    bool         `json:"vision,omitempty"`
	Tools     bool         `json:"tools,omitempty"`
	Tiers     []tierRecord `json:"tiers,omitempty"`
}

type tierRecord struct {
	Above int64 `json:"above_input_tokens"`
	prices
}

// prices are as they stand in the table: a cache price of 0 is none.
type prices struct {
	Input      *float64 `json:"input"`
	Output     *float64 `json:"output"`
	CacheRead  float64  `json:"cache_read,omitempty"`
	CacheWrite float64  `json:"cache_write,omitempty"`
}

func (p *prices) price() *Price {
	if p.Input == nil || p.Output == nil {
		return nil
	}
	return &Price{Input: *p.Input, Output: *p.Output, Cached: some(p.CacheRead), CacheWrite: some(p.CacheWrite)}
}

func some(usd float64) *float64 {
	if usd <= 0 {
		return nil
	}
	return &usd
}

// NewTable gives the table that comes with the program, under prices of the person's own, by model id or VENDOR/ID. Nothing
// is read before the first question.
func NewTable(own map[string]Own) *Table {
	return &Table{own: own, raw: func() ([]byte, error) { return builtIn, nil }}
}

// Parse reads a table from JSON, an object with as_of and models, in which prices are US dollars for a million tokens.
func Parse(data []byte) (*Table, error) {
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, fmt.Errorf("prices: %w", err)
	}
	var body bytes.Buffer
	body.WriteByte('\n')
	for i, raw := range h.Models {
		var r record
		err := json.Unmarshal(raw, &r)
		if err == nil && (r.ID == "" || r.Provider == "") {
			err = errors.New("id and provider are required")
		}
		if err != nil {
			return nil, fmt.Errorf("prices: model %d: %w", i+1, err)
		}
		line, err := agent.EncodeJSON(r)
		if err != nil {
			return nil, fmt.Errorf("prices: model %d: %w", i+1, err)
		}
		body.Write(line)
		body.WriteByte('\n')
	}
	t := &Table{head: h, body: body.Bytes(), raw: func() ([]byte, error) { return nil, nil }}
	t.once.Do(func() {})
	return t, nil
}

// load cuts the head off; the models stay as they are until one is asked for.
func (t *Table) load() {
	t.once.Do(func() {
		data, err := t.raw()
		before, body, ok := bytes.Cut(data, []byte(`"models":[`))
		if err == nil && !ok {
			err = errors.New("prices: the table has no models")
		}
		if err == nil {
			err = json.Unmarshal(slices.Concat(bytes.TrimRight(bytes.TrimSpace(before), ","), []byte("}")), &t.head)
		}
		t.body, t.err = body, err
	})
}

// AsOf is the day of the prices, such as 2026-11-20.
func (t *Table) AsOf() string {
	t.load()
	return t.head.AsOf
}

// All lists the models of the table, by vendor and id. Prices of the person's own are put in.
func (t *Table) All() ([]Model, error) {
	t.load()
	if t.err != nil {
		return nil, t.err
	}
	var list []Model
	for line := range bytes.Lines(t.body) {
		if m, ok := decode(line); ok {
			if own, set := t.ownOf(m.Vendor, m.ID); set {
				m = m.at(own)
			}
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b Model) int {
		return strings.Compare(a.Vendor+"\x00"+a.ID, b.Vendor+"\x00"+b.ID)
	})
	return list, nil
}

// decode reads a line; false: it is none of a model.
func decode(line []byte) (Model, bool) {
	line = bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))
	var r record
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &r) != nil {
		return Model{}, false
	}
	m := Model{
		Vendor: r.Provider, ID: r.ID, Context: r.Context, MaxOutput: r.MaxOutput,
		Vision: r.Vision, Tools: r.Tools, Reasoning: r.Reasoning, Price: r.price(),
	}
	for _, tier := range r.Tiers {
		if p := tier.price(); p != nil {
			m.Tiers = append(m.Tiers, Tier{Above: tier.Above, Price: *p})
		}
	}
	slices.SortFunc(m.Tiers, func(a, b Tier) int { return cmp.Compare(a.Above, b.Above) })
	return m, true
}

// find gives the lines with this id.
func (t *Table) find(id string) []Model {
	needle, err := agent.EncodeJSON(id)
	if err != nil {
		return nil
	}
	needle = append(append([]byte("\n{\"id\":"), needle...), ',')
	var found []Model
	for rest := t.body; ; {
		i := bytes.Index(rest, needle)
		if i < 0 {
			return found
		}
		rest = rest[i+1:]
		line, _, _ := bytes.Cut(rest, []byte{'\n'})
		if m, ok := decode(line); ok {
			found = append(found, m)
		}
	}
}

// findFold gives the lines with this id in other capitals.
func (t *Table) findFold(id string) []Model {
	needle, err := agent.EncodeJSON(id)
	if err != nil {
		return nil
	}
	needle = append(append([]byte(`{"id":`), needle...), ',')
	var found []Model
	for line := range bytes.Lines(t.body) {
		if len(line) < len(needle) || !bytes.EqualFold(line[:len(needle)], needle) {
			continue
		}
		if m, ok := decode(line); ok {
			found = append(found, m)
		}
	}
	return found
}
