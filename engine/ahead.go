package engine

import "react-agent/agent"

// Ahead says how a run would take in what waits: what it begins with, and what is steered into it before its first model
// call. open says that a run goes on already. It is for a look: nothing is used up.
func Ahead(queue []Queued, open bool) (first []agent.Note, steered *agent.Note) {
	b := newInbox("", 0)
	for _, q := range queue {
		b.items = append(b.items, &item{took: []agent.Took{{Pos: q.Pos}}, msg: q.Message, queue: q.Queue})
	}
	first, _, _ = b.next(open)
	return first, b.steer()
}
