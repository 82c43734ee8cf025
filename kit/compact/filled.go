package compact

import (
	"context"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// Size is about how many tokens something takes of the window. Name is in the person's language.
type Size struct {
	Name   string
	Tokens int
}

// named is how many parts are named to the person.
const named = 4

// filled says in one line what fills the window, the largest first.
func (c *Compact) filled(ctx context.Context, h *history) string {
	var list []Size
	if c.o.Fills != nil {
		list = slices.DeleteFunc(c.o.Fills(ctx, h.s), func(x Size) bool { return x.Tokens <= 0 })
	}
	if len(list) == 0 {
		list = []Size{{c.text(msg.CompactAll), h.tokens}}
	}
	slices.SortStableFunc(list, func(x, y Size) int { return y.Tokens - x.Tokens })
	var words []string
	for _, x := range list[:min(named, len(list))] {
		words = append(words, c.text(msg.CompactSize, x.Name, x.Tokens))
	}
	return strings.Join(words, c.text(msg.CompactAnd))
}
