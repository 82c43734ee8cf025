package property_test

import (
	"context"
	"errors"
	"slices"

	"react-agent/agent"
)

// wild compacts whenever and wherever it may: no use for anybody, but whatever a real one does the kernel and the wires
// have seen here. It keeps what a compaction has to keep: calls with their results, and what waits for an answer.
type wild struct{ w *world }

func (x *wild) hooks() []agent.Hook { return nil }

func (x *wild) carries(*world, string, string) error { return nil }

func (x *wild) compact(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
	w := x.w
	if n.Why == agent.Check && !w.rare("compact", 6) {
		return nil, nil
	}
	if w.rare("compact fails", 6) {
		return nil, errors.New("the summary did not come")
	}
	cuts := []int64{0} // numbers from which messages may stay
	var waits int64    // what has to stay
	for _, m := range slices.Backward(s.Messages) {
		if waits = m.Seq; m.Role != agent.ToolRole {
			break
		}
	}
	for i, m := range s.Messages {
		if m.Role != agent.ToolRole && m.Seq <= waits && (i == 0 || m.Seq > s.Messages[i-1].Seq) {
			cuts = append(cuts, m.Seq)
		}
	}
	if n.Why == agent.Asked && !s.Open {
		cuts = append(cuts, s.Seq+1)
	}
	t := &agent.Trim{From: cuts[w.pick("from", len(cuts))]}
	for _, m := range s.Messages {
		if m.Role == agent.ToolRole && w.rare("clear", 3) {
			if t.Clear == nil {
				t.Clear = map[int64]string{}
			}
			t.Clear[m.Seq] = []string{"[cleared]", ""}[w.pick("cleared", 2)]
		}
	}
	for i := range w.pick("head", 3) {
		role := agent.User // there is always somebody to answer
		if i > 0 && w.pick("role", 2) == 0 {
			role = agent.System
		}
		m := agent.TextMessage(role, "earlier: much was done")
		m.From = "compact"
		t.Head = append(t.Head, m)
	}
	if w.rare("carried", 3) { // an answer that stays word for word
		if i := slices.IndexFunc(s.Messages, func(m agent.Message) bool { return m.Role == agent.Assistant && len(m.Calls()) == 0 }); i >= 0 {
			t.Head = append(t.Head, s.Messages[i])
		}
	}
	if len(t.Head) == 0 && t.From > s.Seq { // nothing at all would be left
		return nil, nil
	}
	return t, nil
}
