package compact

import (
	"react-agent/agent"
	"react-agent/internal/text"
)

// What stands around a message or a call, and what a picture of usual size or a page or two of a document takes, in tokens.
const (
	frameTokens = 4
	blobTokens  = 1000
)

// The room that is left for an answer where nobody has said how long one may be, in tokens.
const (
	usualAnswer = 8192
	mostAnswer  = 32_000
)

const usualShare = 0.9

// Threshold is the size of a request, in tokens, over which it is made smaller.
func (c *Compact) Threshold() int {
	window := c.window()
	if window <= 0 {
		return or(c.o.At, DefaultAt)
	}
	limit := int(float64(window-c.room(window)) * or(c.o.Share, usualShare))
	if c.o.At > 0 {
		limit = min(limit, c.o.At)
	}
	return max(limit, 1)
}

func (c *Compact) window() int {
	if c.o.Agent.Model == nil {
		return 0
	}
	return c.o.Agent.Model.Info().Context
}

// room is what an answer needs of the window.
func (c *Compact) room(window int) int {
	room := c.o.Agent.MaxOut
	if room == 0 {
		room = min(or(c.o.Agent.Model.Info().MaxOutput, usualAnswer), mostAnswer)
	}
	return min(room, window/3)
}

// Tokens is how large the next request is about: what the vendor reported last with an estimate of what came after it, or
// an estimate of everything. A report that cannot be true counts for nothing.
func (c *Compact) Tokens(s *agent.Session) int {
	for i := len(s.Messages) - 1; i >= 0; i-- {
		m := &s.Messages[i]
		if m.Seq <= s.Compacted() { // what was reported before a compaction is over
			break
		}
		if m.Role != agent.Assistant || m.Usage == nil || m.Usage.Input == nil || m.Usage.Estimated {
			continue
		}
		if int(*m.Usage.Input) < c.least(s.Messages[:i]) {
			break
		}
		return int(*m.Usage.Input) + written(m) + sumTokens(s.Messages[i+1:])
	}
	return c.estimate(s)
}

// written is what an answer adds to the next request: what was thought goes back with few vendors.
func written(m *agent.Message) int {
	if u := m.Usage; u.Output != nil {
		n := int(*u.Output)
		if u.Reasoning != nil {
			n -= int(*u.Reasoning)
		}
		return max(n, 0)
	}
	return messageTokens(m)
}

// least is what a request with these messages has at the very least: no vocabulary has a token for eight bytes of what
// people and tools write. Results that were cleared since only make it less.
func (c *Compact) least(messages []agent.Message) int {
	bytes := len(c.o.Agent.System)
	for i := range messages {
		bytes += partsBytes(messages[i].Parts)
	}
	return bytes / 8
}

func (c *Compact) estimate(s *agent.Session) int {
	return c.fixed() + sumTokens(s.Messages)
}

// fixed is what every request of this agent has: system prompt and tools.
func (c *Compact) fixed() int { return text.Tokens(c.o.Agent.System) + toolTokens(c.o.Agent.Tools) }

func toolTokens(tools []agent.Tool) int {
	sum := 0
	for i := range tools {
		t := &tools[i]
		sum += frameTokens + text.Tokens(t.Shown()) + text.Tokens(t.Doc) + text.Tokens(string(t.Schema))
	}
	return sum
}

func sumTokens(messages []agent.Message) int {
	sum := 0
	for i := range messages {
		sum += messageTokens(&messages[i])
	}
	return sum
}

func messageTokens(m *agent.Message) int { return frameTokens + partsTokens(m.Parts) }

func partsTokens(parts []agent.Part) (sum int) {
	for i := range parts {
		p := &parts[i]
		sum += text.Tokens(p.Text)
		if p.Blob != nil {
			sum += blobTokens
		}
		if p.Call != nil {
			sum += frameTokens + text.Tokens(p.Call.Name) + text.Tokens(string(p.Call.Args))
		}
		if p.Result != nil {
			sum += partsTokens(p.Result.Parts)
		}
	}
	return sum
}

func partsBytes(parts []agent.Part) (sum int) {
	for i := range parts {
		p := &parts[i]
		if p.Kind != agent.Thinking {
			sum += len(p.Text)
		}
		if p.Call != nil {
			sum += len(p.Call.Args)
		}
		if p.Result != nil {
			sum += partsBytes(p.Result.Parts)
		}
	}
	return sum
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
