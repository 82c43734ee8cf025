package command

import (
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// compactEvent is a compaction with a head, or one that has only cleared.
func compactEvent(seq int64, head bool) agent.Event {
	e := agent.Event{Seq: seq, Type: agent.EvCompact, Trim: &agent.Trim{From: 1}}
	if head {
		e.Trim.Head = []agent.Message{agent.TextMessage(agent.User, "sum")}
	}
	return e
}

func voidEvent(seq, at int64) agent.Event {
	return agent.Event{Seq: seq, Type: agent.EvVoid, Void: &agent.Range{From: at, To: at}}
}

// The last compaction with a summary is taken back together with what was cleared after it; done again it counts again.
func TestWhatUndoAndRedoMean(t *testing.T) {
	said := func(seq int64) agent.Event { return agent.Event{Seq: seq, Type: agent.EvMessage} }
	for name, x := range map[string]struct {
		events []agent.Event
		undo   []int64
		redo   int64
	}{
		"nothing":           {[]agent.Event{said(1)}, nil, 0},
		"only cleared":      {[]agent.Event{said(1), compactEvent(2, false)}, nil, 0},
		"one":               {[]agent.Event{said(1), compactEvent(2, true), said(3)}, []int64{2}, 0},
		"the last":          {[]agent.Event{compactEvent(1, true), said(2), compactEvent(3, true)}, []int64{3}, 0},
		"with what follows": {[]agent.Event{compactEvent(1, true), compactEvent(2, false), said(3), compactEvent(4, false)}, []int64{1, 2, 4}, 0},
		"taken back":        {[]agent.Event{compactEvent(1, true), voidEvent(2, 1)}, nil, 2},
		"the one before":    {[]agent.Event{compactEvent(1, true), compactEvent(2, true), voidEvent(3, 2)}, []int64{1}, 3},
		"done again":        {[]agent.Event{compactEvent(1, true), voidEvent(2, 1), voidEvent(3, 2)}, []int64{1}, 0},
		"another since":     {[]agent.Event{compactEvent(1, true), voidEvent(2, 1), compactEvent(3, true)}, []int64{3}, 0},
		"a rewind":          {[]agent.Event{said(1), compactEvent(2, true), said(3), {Seq: 4, Type: agent.EvVoid, Void: &agent.Range{From: 1, To: 3}}}, nil, 0},
	} {
		var undo []int64
		for _, e := range lastCompactions(living(x.events)) {
			undo = append(undo, e.Seq)
		}
		if len(undo) != len(x.undo) || undone(x.events) != x.redo {
			t.Errorf("%s: undo %v, redo %d", name, undo, undone(x.events))
			continue
		}
		for i := range undo {
			if undo[i] != x.undo[i] {
				t.Errorf("%s: undo %v", name, undo)
			}
		}
	}
}

func TestCompacted(t *testing.T) {
	head := agent.TextMessage(agent.User, "sum")
	head.Parts[0].Opaque = &agent.Opaque{Origin: "compact", Data: []byte(`{"dropped":1,"fault":"no model","note":"no file"}`)}
	for want, x := range map[string]*agent.Trim{
		"": {From: 1, Clear: map[int64]string{1: "x"}},
		"compacted: 1,200 → 30 tokens, 2 old results cleared":                                           {From: 1, Clear: map[int64]string{1: "x", 2: "x"}, Before: 1200, After: 30},
		"compacted: 1,200 → 30 tokens, 1 older message taken out without a summary (no model); no file": {From: 1, Head: []agent.Message{head}, Before: 1200, After: 30},
	} {
		if got := Compacted(msg.For(msg.En), x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if Compacted(msg.For(msg.Zh), nil) != "" {
		t.Error("nothing is something")
	}
}
