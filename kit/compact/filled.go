package compact

import (
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Size is about how many tokens something takes of the window. Name is in the person's language.
type Size struct {
	Name   string
	Tokens int
}

// Fills says what fills the window of a session's next request, the largest first: what a compaction cannot take out, and
// what it can.
func (c *Compact) Fills(s *agent.Session) []Size { return c.look(s).fills() }

func (h *history) fills() []Size {
	c, a := h.c, h.c.o.Agent
	var list []Size
	add := func(name string, tokens int) {
		if tokens > 0 {
			list = append(list, Size{name, tokens})
		}
	}
	rest := text.Tokens(a.System)
	if c.o.System != nil {
		for _, part := range c.o.System() {
			if part.Text == "" || !strings.Contains(a.System, part.Text) {
				continue
			}
			n := text.Tokens(part.Text)
			add(part.Name, n)
			rest -= n
		}
	}
	const joints = 8 // tokens of what stands between the parts
	if rest > joints {
		add(c.text(msg.CompactSystem), rest)
	}
	add(c.text(msg.CompactTools, len(a.Tools)), toolTokens(a.Tools))
	add(c.text(msg.CompactHead), sumTokens(h.list[:h.head]))
	add(c.text(msg.CompactNewest), sumTokens(h.list[h.unseen:]))
	add(c.text(msg.CompactOlder), sumTokens(h.list[h.head:h.unseen]))
	slices.SortStableFunc(list, func(x, y Size) int { return y.Tokens - x.Tokens })
	return list
}

// named is how many parts are named to the person.
const named = 4

// filled says in one line what fills the window.
func (c *Compact) filled(h *history) string {
	var words []string
	for i, x := range h.fills() {
		if i == named {
			break
		}
		words = append(words, c.text(msg.CompactSize, x.Name, x.Tokens))
	}
	return strings.Join(words, c.text(msg.CompactAnd))
}
