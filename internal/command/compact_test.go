package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/kit/compact"
	"react-agent/store/mem"
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

// The last compaction with a summary is taken back, and nothing that was cleared after it; done again it counts again.
func TestWhatUndoAndRedoMean(t *testing.T) {
	said := func(seq int64) agent.Event { return agent.Event{Seq: seq, Type: agent.EvMessage} }
	for name, x := range map[string]struct {
		events []agent.Event
		undo   int64
		redo   int64
	}{
		"nothing":           {[]agent.Event{said(1)}, 0, 0},
		"only cleared":      {[]agent.Event{said(1), compactEvent(2, false)}, 0, 0},
		"one":               {[]agent.Event{said(1), compactEvent(2, true), said(3)}, 2, 0},
		"the last":          {[]agent.Event{compactEvent(1, true), said(2), compactEvent(3, true)}, 3, 0},
		"with what follows": {[]agent.Event{compactEvent(1, true), compactEvent(2, false), said(3), compactEvent(4, false)}, 1, 0},
		"taken back":        {[]agent.Event{compactEvent(1, true), voidEvent(2, 1)}, 0, 2},
		"the one before":    {[]agent.Event{compactEvent(1, true), compactEvent(2, true), voidEvent(3, 2)}, 1, 3},
		"done again":        {[]agent.Event{compactEvent(1, true), voidEvent(2, 1), voidEvent(3, 2)}, 1, 0},
		"another since":     {[]agent.Event{compactEvent(1, true), voidEvent(2, 1), compactEvent(3, true)}, 3, 0},
		"a rewind":          {[]agent.Event{said(1), compactEvent(2, true), said(3), {Seq: 4, Type: agent.EvVoid, Void: &agent.Range{From: 1, To: 3}}}, 0, 0},
	} {
		var undo int64
		if last := lastCompaction(living(x.events)); last != nil {
			undo = last.Seq
		}
		if undo != x.undo || undone(x.events) != x.redo {
			t.Errorf("%s: undo %d, redo %d", name, undo, undone(x.events))
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

// clearingHost is a session whose old results are cleared before each call: some calls, a compaction, many more calls.
func clearingHost(t *testing.T) (h *Host, st *mem.Store, at *int) {
	t.Helper()
	const before, after = 10, 300
	at, st = new(int), mem.New()
	model := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
		if n == before || n == before+1+after {
			return agenttest.Say("ok")
		}
		return agenttest.CallTool("look", fmt.Sprintf(`{"n":%d}`, n))
	}}
	look := agent.NewTool("look", "Looks.", agent.Reads, func(_ context.Context, x struct {
		N int `json:"n"`
	},
	) (agent.Result, error) {
		return agent.TextResult(fmt.Sprintf("seen %d %s", x.N, strings.Repeat("and so on ", 30))), nil
	})
	of := func(a *agent.Agent, at int) *compact.Compact {
		return compact.New(compact.Options{Agent: a, Settings: compact.Settings{Micro: true, Plain: true, At: at}, Ask: func(context.Context, *agent.Request) (agent.Message, *agent.Usage, error) {
			m := agent.TextMessage(agent.Assistant, "much was done")
			m.Stop = agent.StopEnd
			return m, nil, nil
		}})
	}
	eng, err := engine.New(engine.Config{Log: st, KV: st, Blobs: st, Factory: func(context.Context, engine.Spec) (*agent.Agent, error) {
		a := &agent.Agent{Model: model, Tools: []agent.Tool{look}}
		a.Compact = of(a, 0).Trim
		return a, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &Host{Engine: eng, Do: eng.Do, Compact: func(a *agent.Agent) *compact.Compact { return of(a, *at) }}, st, at
}

func sayTo(t *testing.T, h *Host, text string) {
	t.Helper()
	info, err := h.Engine.Info(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	m := agent.TextMessage(agent.User, text)
	if _, err := h.Engine.Submit(t.Context(), "s", engine.Input{Message: &m}); err != nil {
		t.Fatal(err)
	}
	for e, err := range h.Engine.Follow(t.Context(), "s", info.Seq, true) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvEnd {
			break
		}
	}
}

// One event takes a compaction back, however often results were cleared since, and one brings it back; a refusal changes
// nothing.
func TestUndoAfterManyClearings(t *testing.T) {
	h, st, at := clearingHost(t)
	lines := func() (list [][]byte) {
		for rec, err := range st.Read(t.Context(), "session/s", 0, false) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, bytes.Clone(rec.Data))
		}
		return list
	}
	loaded := func() *agent.Session {
		s, err := agent.Load("s", each(lines()), func(sha string) ([]byte, error) { return st.GetBlob(t.Context(), sha) })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	do := func(what string) error {
		_, err := compactCommand().Run(t.Context(), h, Input{Session: "s", Rest: what, Out: &bytes.Buffer{}})
		return err
	}
	sayTo(t, h, "first")
	if err := do(""); err != nil {
		t.Fatal(err)
	}
	sayTo(t, h, "second")
	clearings, small := 0, loaded()
	for _, line := range lines() {
		var e agent.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvCompact && len(e.Trim.Head) == 0 {
			clearings++
		}
	}
	if clearings < 250 || small.Compacted() == 0 {
		t.Fatalf("%d clearings, the head is %d", clearings, small.Compacted())
	}
	n := len(lines())
	*at = 1000 // what there was fits no more
	var refusal *UsageError
	if err := do("undo"); !errors.As(err, &refusal) || len(lines()) != n {
		t.Fatalf("%v, and %d events came", err, len(lines())-n)
	}
	*at = 0
	if err := do("undo"); err != nil || len(lines()) != n+1 {
		t.Fatalf("%v, and %d events came", err, len(lines())-n)
	}
	s := loaded()
	if s.Compacted() != 0 || s.Messages[0].Text() != "first" || len(s.Messages) != len(small.Messages)+20 {
		t.Errorf("%d messages, %d before; the first is %q", len(s.Messages), len(small.Messages), s.Messages[0].Text())
	}
	if err := do("redo"); err != nil || len(lines()) != n+2 {
		t.Fatalf("%v, and %d events came", err, len(lines())-n)
	}
	if s := loaded(); s.Compacted() != small.Compacted() || len(s.Messages) != len(small.Messages) {
		t.Errorf("done again there are %d messages, and were %d", len(s.Messages), len(small.Messages))
	}
	if err := do("undo"); err != nil {
		t.Error(err)
	}
	if faults := faultsOf(t, lines()); len(faults) > 0 {
		t.Error(faults)
	}
}

// What makes an agent and reads a whole log runs beside the conversation; what only looks does not.
func TestWhatRunsBeside(t *testing.T) {
	for line, want := range map[string]bool{
		"/compact": true, "/compact undo": true, "/compact redo": true, "/btw why": true, "/reflect": true, "/reflect list": false, "/help": false, "hello": false,
	} {
		if got := IsBeside(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
