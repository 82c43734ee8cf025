package command

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// told is a log with two turns, a compaction that is taken back and done again, and a compaction inside a run.
func told(t *testing.T) [][]byte {
	t.Helper()
	j := &agenttest.Journal{}
	in, out := int64(10), int64(2)
	used := &agent.Usage{Input: &in, Output: &out}
	call := agenttest.CallTools("none", `{"n":1}`, "none", `{"n":2}`)
	call.Usage = used
	say := agenttest.Say("ok")
	say.Usage = used
	model := &agenttest.Model{Next: func(n int, _ *agent.Request) agenttest.Reply {
		switch n % 3 {
		case 0:
			return call
		case 1:
			if n == 4 {
				return agenttest.Fail(&agent.ModelError{Kind: agent.ErrContextLength, Err: errors.New("too long")})
			}
		}
		return say
	}}
	trim := agenttest.Trim(2)
	a := &agent.Agent{Model: model, Journal: j.Append, Compact: func(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
		x, err := trim(ctx, s, n)
		if x != nil {
			x.Usage = used
		}
		return x, err
	}}
	s := agent.NewSession("s")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(text string) {
		_, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say(text)))
		must(err)
	}
	void := func(from, to int64) {
		must(a.Append(t.Context(), s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: from, To: to}}))
		var err error
		s, err = j.Load("s", -1)
		must(err)
	}
	run("first")
	_, err := agenttest.Collect(a.CompactNow(t.Context(), s, ""))
	must(err)
	at := s.Seq
	void(at, at)         // undo
	void(at+1, at+1)     // redo
	run("second")        // overflows, and is compacted within
	void(s.Seq, s.Seq)   // its end is taken back
	void(s.Seq-1, s.Seq) // and what has taken it back
	run("third")
	return j.Lines()
}

func faultsOf(t *testing.T, lines [][]byte) []string {
	t.Helper()
	whole, err := agent.Load("s", each(lines), nil)
	if err != nil {
		return []string{err.Error()}
	}
	c := checker{id: "s", lines: lines}
	step, err := c.fold()
	if err != nil {
		return []string{err.Error()}
	}
	c.same(whole, step, "the log")
	return c.faults
}

func TestCheckOfCompactions(t *testing.T) {
	lines := told(t)
	if faults := faultsOf(t, lines); len(faults) > 0 {
		t.Fatalf("a sound log has faults: %q\n%s", faults, bytes.Join(lines, []byte("\n")))
	}
	compacts, changed := 0, 0
	for i, line := range lines {
		if !bytes.Contains(line, []byte(`"type":"compact"`)) {
			continue
		}
		compacts++
		for name, change := range map[string][2]string{
			"in all":             {`"carry":{"total":{"input":`, `"carry":{"total":{"input":9`},
			"for the run":        {`},"usage":{"input":`, `},"usage":{"input":9`},
			"steps":              {`"steps":`, `"steps":9`},
			"without its call":   {`"from":`, `"from":` + cutThrough(t, lines[:i]) + `,"x":`},
			"without its result": {`"head":[`, `"head":[{"role":"assistant","parts":[{"kind":"call","call":{"id":"c","key":"s/9.9","name":"none","args":{}}}]},`},
		} {
			inRun := bytes.Contains(line, []byte(`"run":"`))
			if !inRun && (name == "for the run" || name == "steps") || !bytes.Contains(line, []byte(change[0])) {
				continue
			}
			changed++
			bad := append([][]byte{}, lines...)
			k := strings.LastIndex(string(line), change[0])
			bad[i] = []byte(string(line[:k]) + change[1] + string(line[k+len(change[0]):]))
			if faults := strings.Join(faultsOf(t, bad), "\n"); !strings.Contains(faults, name) {
				t.Errorf("compaction %d, %s: found %q in\n%s", i+1, name, faults, bad[i])
			}
		}
	}
	if compacts < 2 || changed < 8 {
		t.Errorf("%d compactions, %d changes", compacts, changed)
	}
}

// cutThrough is the number of the last result of these lines.
func cutThrough(t *testing.T, lines [][]byte) string {
	t.Helper()
	for _, line := range slices.Backward(lines) {
		if bytes.Contains(line, []byte(`"kind":"result"`)) {
			num, _, _ := strings.Cut(strings.TrimPrefix(string(line), `{"seq":`), ",")
			return num
		}
	}
	t.Fatal("there is no result")
	return ""
}
