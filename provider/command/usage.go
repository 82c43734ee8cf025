package command

import (
	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// usageOf reads what a run has used, from the item that says how it ended, or else from a message.
func usageOf(result, message gjson.Result) *agent.Usage {
	u := &agent.Usage{}
	counts := result.Get("usage")
	if !counts.IsObject() {
		counts = message
	}
	tokens(u, counts)
	stats(u, result.Get("stats"))
	for _, key := range []string{"total_cost_usd", "cost_usd"} {
		if c := result.Get(key); c.Type == gjson.Number && u.CostUSD == nil {
			cost := c.Num
			u.CostUSD = &cost
		}
	}
	if u.IsZero() {
		return nil
	}
	return u
}

// tokens reads counts as most programs write them. Whether the input includes what came from the cache shows in the total,
// or in the name of the field.
func tokens(u *agent.Usage, v gjson.Result) {
	if !v.IsObject() {
		return
	}
	in, out := number(v, "input_tokens", "prompt_tokens"), number(v, "output_tokens", "completion_tokens")
	read, written := number(v, "cache_read_input_tokens"), number(v, "cache_creation_input_tokens")
	total := number(v, "total_tokens")
	within := number(v, "cached_input_tokens", "cached")
	switch {
	case within != nil:
		read = within
	case in != nil && out != nil && total != nil && *total == *in+*out:
	case in != nil:
		sum := *in + or0(read) + or0(written)
		in = &sum
	}
	u.Input, u.Output, u.Cached, u.CacheWrite = in, out, read, written
}

// stats reads the totals of Gemini's form: flat, or by model.
func stats(u *agent.Usage, v gjson.Result) {
	if !v.IsObject() {
		return
	}
	v.Get("models").ForEach(func(_, m gjson.Result) bool {
		t := m.Get("tokens")
		if !t.IsObject() {
			return true
		}
		one := &agent.Usage{Input: number(t, "prompt", "input"), Cached: number(t, "cached"), Reasoning: number(t, "thoughts")}
		if said := number(t, "candidates", "output"); said != nil {
			out := *said + or0(one.Reasoning)
			one.Output = &out
		}
		u.Add(one)
		return true
	})
	if u.Input == nil && u.Output == nil {
		tokens(u, v)
	}
}

// number is the first of the fields that holds a count.
func number(v gjson.Result, keys ...string) *int64 {
	for _, key := range keys {
		if n := v.Get(key); n.Type == gjson.Number && n.Num >= 0 {
			count := n.Int()
			return &count
		}
	}
	return nil
}

func or0(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
