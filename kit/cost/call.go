package cost

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"react-agent/agent"
)

// Call is one attempt of a model call, as it stands in the log and as [Options.OnCall] hears of it.
type Call struct {
	Time    time.Time `json:"time"`    // of its end, UTC
	Session string    `json:"session"` // whose it is; "" is nobody's
	Vendor  string    `json:"vendor"`  // the preset, or the wire where there is none
	Model   string    `json:"model"`   // as it was asked for
	// Reported is what the vendor calls the model, where that is another name.
	Reported string `json:"reported,omitempty"`
	// Usage is what was used: nil when the attempt failed before the model began. Its CostUSD is nil where the price is unknown.
	Usage *agent.Usage `json:"usage,omitempty"`
	// Failed is why the attempt came to nothing: the kind of its error, or "aborted".
	Failed string `json:"failed,omitempty"`
	TookMS int64  `json:"took_ms"`
}

// Name is the vendor and the model of a call, as lists show them.
func (c *Call) Name() string {
	if c.Vendor == "" {
		return c.Model
	}
	return c.Vendor + "/" + c.Model
}

// Sum adds calls up.
type Sum struct {
	Calls  int `json:"calls"`
	Failed int `json:"failed,omitempty"` // of them; what they used is counted all the same
	// Tokens. Input includes Cached and CacheWrite, Output includes Reasoning.
	Input      int64 `json:"input"`
	Cached     int64 `json:"cached"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
	// USD is the cost of the calls whose price is known, Priced counts them, and Unpriced the others that used something.
	USD      float64 `json:"cost_usd"`
	Priced   int     `json:"-"`
	Unpriced int     `json:"unpriced,omitempty"`
	// Estimated counts calls whose vendor has reported no tokens.
	Estimated int `json:"estimated,omitempty"`
}

// Add takes one call in.
func (s *Sum) Add(c *Call) {
	s.Calls++
	if c.Failed != "" {
		s.Failed++
	}
	u := c.Usage
	if u == nil {
		return
	}
	s.Input += count(u.Input)
	s.Cached += count(u.Cached)
	s.CacheWrite += count(u.CacheWrite)
	s.Output += count(u.Output)
	s.Reasoning += count(u.Reasoning)
	if u.Estimated {
		s.Estimated++
	}
	if u.CostUSD == nil {
		s.Unpriced++
		return
	}
	s.Priced++
	s.USD = round(s.USD + *u.CostUSD)
}

// Cost is the money, as far as it is known; false: nothing of it is.
func (s *Sum) Cost() (float64, bool) { return s.USD, s.Unpriced == 0 || s.Priced > 0 }

// Tokens are all that were read and written.
func (s *Sum) Tokens() int64 { return s.Input + s.Output }

// Line is a sum under a heading.
type Line struct {
	Key string `json:"key"`
	Sum
}

// Group adds calls up by a heading, the lines sorted by it.
func Group(calls []Call, by func(c *Call) string) []Line {
	at := map[string]int{}
	var lines []Line
	for i := range calls {
		key := by(&calls[i])
		n, ok := at[key]
		if !ok {
			n = len(lines)
			at[key] = n
			lines = append(lines, Line{Key: key})
		}
		lines[n].Add(&calls[i])
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Key, b.Key) })
	return lines
}

// Total adds all calls up.
func Total(calls []Call) Sum {
	var s Sum
	for i := range calls {
		s.Add(&calls[i])
	}
	return s
}

func encodeCall(c *Call) ([]byte, error) { return agent.EncodeJSON(c) }

func decodeCall(line []byte) (c Call, err error) {
	err = json.Unmarshal(line, &c)
	return c, err
}
