package command

import (
	"slices"
	"sync"

	"react-agent/engine"
)

// Numbers give what waits in a session's queue numbers for the person: small ones, which stay with a message as long as
// it waits, so that one taken in meanwhile makes no other the wrong one. The zero value is ready; it may be used by many
// at once.
type Numbers struct {
	mu sync.Mutex
	of map[string][]int64 // by session: positions, at their number - 1; 0: gone
}

// Of gives the numbers of a queue, in its order.
func (n *Numbers) Of(session string, queue []engine.Queued) []int {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.of[session]
	waits := func(pos int64) bool {
		return slices.ContainsFunc(queue, func(q engine.Queued) bool { return q.Pos == pos })
	}
	left := false
	for i, pos := range list {
		if !waits(pos) {
			list[i] = 0
		}
		left = left || list[i] != 0
	}
	if !left {
		list = nil // it begins with 1 again
	}
	out := make([]int, len(queue))
	for i, q := range queue {
		at := slices.Index(list, q.Pos)
		if at < 0 {
			at, list = len(list), append(list, q.Pos)
		}
		out[i] = at + 1
	}
	if n.of == nil {
		n.of = map[string][]int64{}
	}
	n.of[session] = list
	return out
}
