package compact

import (
	"slices"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/text"
	"react-agent/internal/weigh"
)

const (
	usualResults = 3
	usualCleared = "[cleared]"
	smallResult  = 100 // characters; what is shorter is not worth clearing
	mostKeep     = 20_000
	keepOf       = 5 // Keep is this part of the threshold, where nobody sets it
)

// history is a session's messages as a compaction looks at them.
type history struct {
	c    *Compact
	s    *agent.Session
	list []agent.Message
	measured

	// head is where the messages begin that are not the head of an earlier compaction, unseen where those begin that the
	// model has not answered yet. A call whose result it has not seen counts as unseen itself.
	head, unseen int
	names        map[string]string // our names of tools, by the key of a call
}

func (c *Compact) look(s *agent.Session, size measured) *history {
	h := &history{c: c, s: s, list: s.Messages, measured: size, names: map[string]string{}}
	known := c.toolNames()
	for i := range h.list {
		for _, call := range h.list[i].Calls() {
			h.names[call.Key] = or(known[call.Name], call.Name)
		}
	}
	for h.head < len(h.list) && s.Compacted() > 0 && h.list[h.head].Seq == s.Compacted() {
		h.head++
	}
	h.unseen = h.head
	for i := len(h.list) - 1; i >= h.head; i-- {
		if !h.list[i].Answers() {
			continue
		}
		h.unseen = i + 1
		if i+1 < len(h.list) && h.list[i+1].Role == agent.ToolRole {
			h.unseen = i
		}
		break
	}
	return h
}

// toolNames are our names of tools by those that the model may use.
func (c *Compact) toolNames() map[string]string {
	known := map[string]string{}
	for i := range c.o.Agent.Tools {
		t := &c.o.Agent.Tools[i]
		for _, name := range append([]string{t.Shown(), t.Name}, t.Aliases...) {
			known[name] = t.Name
		}
	}
	return known
}

// clearable are the results that may be cleared, by their numbers, with the text that stands for each: those that the model
// has seen, but for the last few of all, those that are short, and those that hold.
func (h *history) clearable() map[int64]string {
	keep, cleared := or(h.c.o.Results, usualResults), map[int64]string{}
	for i := len(h.list) - 1; i >= h.head; i-- {
		r := h.list[i].Result()
		if h.list[i].Role != agent.ToolRole || r == nil {
			continue
		}
		if keep--; keep >= 0 || i >= h.unseen || !large(r) || h.holds(r) {
			continue
		}
		cleared[h.list[i].Seq] = h.c.clearedText(h.names[r.Key])
	}
	return cleared
}

func large(r *agent.Result) bool {
	for i := range r.Parts {
		if r.Parts[i].Kind == agent.BlobKind {
			return true
		}
	}
	return utf8.RuneCountInString(r.Text()) > smallResult
}

// holds reports whether a result is never cleared: a skill stays in force.
func (h *history) holds(r *agent.Result) bool {
	switch h.names[r.Key] {
	case "skill_view", "get_skill", "load_skill", "Skill":
		return true
	case "read_file":
		return h.c.o.KeepReads
	}
	return false
}

// clearedText is what stands for a result of a tool.
func (c *Compact) clearedText(tool string) string {
	return strings.ReplaceAll(or(c.o.Cleared, usualCleared), "%s", tool)
}

// size is what a message takes when these results are cleared.
func size(m *agent.Message, cleared map[int64]string) int {
	if t, ok := cleared[m.Seq]; ok && m.Role == agent.ToolRole {
		return 2*weigh.Frame + text.Tokens(t)
	}
	return weigh.Message(m)
}

// cut finds where what stays begins: the newest messages within keep tokens, and all that is unseen. It never stands
// between a call and its result.
func (h *history) cut(keep int, cleared map[int64]string) int {
	at, sum := len(h.list), 0
	for i := len(h.list) - 1; i >= h.head; i-- {
		sum += size(&h.list[i], cleared)
		if i < h.unseen && sum > keep {
			break
		}
		if h.list[i].Role != agent.ToolRole {
			at = i
		}
	}
	return at
}

// from is the number from which on messages stay.
func (h *history) from(cut int) int64 {
	if cut == len(h.list) {
		return h.s.Seq + 1
	}
	return h.list[cut].Seq
}

// after is what stays from cut on.
func (h *history) after(cut int, cleared map[int64]string) int {
	sum := 0
	for i := cut; i < len(h.list); i++ {
		sum += size(&h.list[i], cleared)
	}
	return sum
}

// micro clears old results and does nothing else; nil: there is none to clear. It is silent: its Trim has no sizes. It takes
// nothing out, so it counts whether a compaction before it is taken back or not. freed is what it frees, as it is estimated.
func (h *history) micro() (t *agent.Trim, freed int) {
	cleared := h.clearable()
	if len(cleared) == 0 {
		return nil, 0
	}
	for i := range h.list {
		freed += weigh.Message(&h.list[i]) - size(&h.list[i], cleared)
	}
	return &agent.Trim{Clear: cleared}, freed
}

// tooLarge clears results that the model has not seen and that do not fit beside the rest: the largest first, until what
// stays is within limit. The texts say what happened.
func (h *history) tooLarge(cut, limit int, cleared map[int64]string) {
	type result struct{ at, size int }
	var list []result
	for i := max(cut, h.unseen); i < len(h.list); i++ {
		if h.list[i].Role == agent.ToolRole && !h.holds(h.list[i].Result()) {
			list = append(list, result{i, size(&h.list[i], cleared)})
		}
	}
	slices.SortStableFunc(list, func(a, b result) int { return b.size - a.size })
	sum := h.after(cut, cleared)
	for _, r := range list {
		if sum <= limit || r.size < 10*weigh.Frame {
			return
		}
		cleared[h.list[r.at].Seq] = tooLargeText
		sum -= r.size - size(&h.list[r.at], cleared)
	}
}

const tooLargeText = "[This result did not fit into the context window and was left out before you could see it. Ask for less of it: fewer lines, a narrower search, one thing at a time.]"
