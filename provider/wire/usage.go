package wire

import (
	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// Counts collects what vendors report in their several ways, under the names of Chat Completions and of Responses. The last
// value that is not zero wins: some repeat zeros, some report while they go. The zero value is ready.
type Counts struct {
	// ThoughtsInTotal says that the total counts thoughts which the output leaves out.
	ThoughtsInTotal bool
	// CacheApart says that the input leaves out what was read from the cache and written to it.
	CacheApart bool

	seen                                           bool
	input, output, total, cached, write, reasoning *int64
	hour                                           *int64
	cost                                           *float64
}

// Take reads one usage object.
func (c *Counts) Take(u gjson.Result) {
	if !u.IsObject() {
		return
	}
	zero := true
	u.ForEach(func(_, v gjson.Result) bool {
		zero = zero && v.Num == 0
		return zero
	})
	if zero { // nothing was counted yet
		return
	}
	c.seen = true
	set(&c.input, u, "prompt_tokens", "input_tokens")
	set(&c.output, u, "completion_tokens", "output_tokens")
	set(&c.total, u, "total_tokens")
	set(&c.cached, u, "prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens", "cache_read_tokens")
	set(&c.write, u, "prompt_tokens_details.cache_write_tokens", "input_tokens_details.cache_write_tokens", "input_tokens_details.cache_creation_tokens", "prompt_tokens_details.cache_creation_tokens", "cache_creation_input_tokens", "cache_write_tokens")
	set(&c.reasoning, u, "completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens", "output_tokens_details.thinking_tokens", "reasoning_tokens")
	set(&c.hour, u, "cache_creation.ephemeral_1h_input_tokens")
	for _, key := range [...]string{"cost", "total_cost"} {
		if v := u.Get(key); v.Type == gjson.Number && v.Num >= 0 && (v.Num != 0 || c.cost == nil) {
			cost := v.Num
			c.cost = &cost
		}
	}
}

// TakeTimings reads the counts of llama.cpp, which leaves what was cached out of the prompt.
func (c *Counts) TakeTimings(t gjson.Result) {
	prompt, output := t.Get("prompt_n"), t.Get("predicted_n")
	if c.seen || !prompt.Exists() || !output.Exists() || prompt.Int() < 0 || output.Int() < 0 {
		return
	}
	cached := max(0, t.Get("cache_n").Int())
	in, out := prompt.Int()+cached, output.Int()
	c.input, c.output, c.cached = &in, &out, &cached
}

// set keeps the first of the fields that has a number. A negative one says nothing.
func set(to **int64, u gjson.Result, paths ...string) {
	var zero *int64
	for _, p := range paths {
		v := u.Get(p)
		if v.Type != gjson.Number && v.Type != gjson.String {
			continue
		}
		n := v.Int()
		if n < 0 || v.Num < 0 {
			continue
		}
		if n > 0 {
			*to = &n
			return
		}
		zero = new(int64)
	}
	if *to == nil {
		*to = zero
	}
}

// Usage makes the counts mean the same for all vendors: input includes what was cached, output what was thought. nil:
// nothing was counted.
func (c *Counts) Usage() *agent.Usage {
	if c.input == nil && c.output == nil && c.cost == nil {
		return nil
	}
	in, out := value(c.input), value(c.output)
	cached, write, reasoning := value(c.cached), value(c.write), value(c.reasoning)
	if c.CacheApart {
		in += cached + write
	}
	excess := value(c.total) - in - out // counted by the vendor, but in neither
	if c.output != nil && excess > 0 {
		reasoning = c.apart(excess, reasoning)
		if excess == reasoning || cached > 0 && excess == reasoning+cached {
			out += reasoning
		}
	}
	if apart := cached + write; apart > 0 && !c.CacheApart && (cached > in || excess == apart) { // the vendor leaves them out of the prompt
		in += apart
	}
	u := &agent.Usage{CostUSD: c.cost, HourWrite: c.hour}
	u.Input, u.Output = keep(c.input, in), keep(c.output, out)
	u.Cached, u.CacheWrite = keep(c.cached, cached), keep(c.write, write)
	if c.output != nil {
		reasoning = min(reasoning, out)
	}
	u.Reasoning = keep(c.reasoning, reasoning)
	return u
}

// apart gives the thoughts, which some vendors report only as what the total has more.
func (c *Counts) apart(excess, reasoning int64) int64 {
	if c.ThoughtsInTotal && reasoning == 0 {
		reasoning = excess
		c.reasoning = &reasoning
	}
	return reasoning
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// keep leaves unknown what was unknown.
func keep(known *int64, n int64) *int64 {
	if known == nil {
		return nil
	}
	return &n
}
