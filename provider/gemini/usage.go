package gemini

import (
	"github.com/tidwall/gjson"

	"react-agent/agent"
)

// count is a number that may be unknown.
type count struct {
	n     int64
	known bool
}

// take keeps the last value that says something; a negative one says nothing.
func (c *count) take(v gjson.Result) {
	if v.Type != gjson.Number && v.Type != gjson.String {
		return
	}
	n := v.Int()
	if n < 0 {
		return
	}
	if n > 0 {
		c.n = n
	}
	c.known = true
}

func (c count) pointer(n int64) *int64 {
	if !c.known {
		return nil
	}
	return &n
}

// counts are the totals so far; each chunk may repeat them.
type counts struct{ prompt, tools, answer, thoughts, cached, total count }

func (c *counts) take(u gjson.Result) {
	if !u.IsObject() {
		return
	}
	u.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "promptTokenCount":
			c.prompt.take(v)
		case "toolUsePromptTokenCount":
			c.tools.take(v)
		case "candidatesTokenCount":
			c.answer.take(v)
		case "thoughtsTokenCount":
			c.thoughts.take(v)
		case "cachedContentTokenCount":
			c.cached.take(v)
		case "totalTokenCount":
			c.total.take(v)
		}
		return true
	})
}

// usage makes the counts mean what they mean everywhere: input includes what was cached and what tools at the vendor's
// gave back, output what was thought. The total says which of them the others leave out. nil: nothing was counted.
func (c *counts) usage() *agent.Usage {
	if !c.prompt.known && !c.answer.known && !c.thoughts.known {
		return nil
	}
	in := c.prompt.n + c.tools.n
	if c.cached.n > in {
		in += c.cached.n
	}
	out, thoughts := c.answer, c.thoughts
	switch rest := c.total.n - c.prompt.n - c.tools.n - out.n; {
	case thoughts.n > 0 && c.total.known && rest == 0 && out.n >= thoughts.n: // counted in the answer already
	case thoughts.known:
		out = count{out.n + thoughts.n, true}
	case c.total.known && c.prompt.known && rest >= 0:
		out = count{out.n + rest, true}
		if rest > 0 && c.answer.known {
			thoughts = count{rest, true}
		}
	}
	return &agent.Usage{
		Input: c.prompt.pointer(in), Output: out.pointer(out.n), Cached: c.cached.pointer(c.cached.n), Reasoning: thoughts.pointer(thoughts.n),
	}
}
