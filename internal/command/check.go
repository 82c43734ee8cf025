package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
)

// FailedCheckError says what is wrong with a session.
type FailedCheckError struct {
	Session string
	Faults  []string
}

// Error lists the faults, one a line.
func (e *FailedCheckError) Error() string {
	return "session " + e.Session + " is not sound:\n  " + strings.Join(e.Faults, "\n  ")
}

// checkSession reads a session in several ways and holds its promises: numbers without gaps, one result per call, ends and
// compactions that report the sum of what was spent, and a history that any model takes behind each compaction and whatever
// was taken back.
func checkSession(ctx context.Context, h *Host, in Input, id string) error {
	var lines [][]byte
	for rec, err := range h.Store.Read(ctx, "session/"+id, 0, false) {
		if err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
		lines = append(lines, rec.Data)
	}
	c := checker{id: id, lines: lines}
	lost := map[string]bool{}
	c.blob = engine.Bodies(ctx, h.Store, func(sha string) {
		if !lost[sha] {
			lost[sha] = true
			c.fault("blob %s is missing or damaged", sha)
		}
	})
	whole, err := agent.Load(id, each(lines), c.blob)
	if err != nil {
		return err
	}
	step, err := c.fold()
	if err != nil {
		return err
	}
	c.same(whole, step, "the log")
	if len(c.faults) > 0 {
		return &FailedCheckError{Session: id, Faults: c.faults}
	}
	if in.JSON {
		return printJSON(in, map[string]any{"session": id, "events": len(lines), "calls": len(c.results), "runs": c.runs, "ok": true})
	}
	return in.printf("%s\n", h.Msg.Text(msg.CheckPassed, id, len(lines), len(c.results), c.runs))
}

func each(lines [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

// checker folds a session event by event and keeps its own accounts.
type checker struct {
	id      string
	blob    func(sha string) ([]byte, error)
	lines   [][]byte
	faults  []string
	results map[string]int // by call key, how many results
	called  map[string]int64
	run     string
	spent   agent.Usage
	steps   int
	runs    int
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) fold() (*agent.Session, error) {
	c.results, c.called = map[string]int{}, map[string]int64{}
	s := agent.NewSession(c.id)
	for i, line := range c.lines {
		e, err := engine.Decode(line, c.blob)
		if err != nil {
			return nil, fmt.Errorf("session %s: line %d: %w", c.id, i+1, err)
		}
		if e.Seq != int64(i)+1 {
			c.fault("line %d has number %d", i+1, e.Seq)
		}
		c.event(e)
		if e.Type == agent.EvCompact {
			c.compaction(s, e)
		}
		if s, err = c.apply(s, e, i+1); err != nil {
			return nil, fmt.Errorf("session %s: line %d: %w", c.id, i+1, err)
		}
	}
	c.unanswered(s)
	return s, nil
}

// apply folds the event of a line. Where loading may begin, at a compaction with a head, the session is loaded as well.
func (c *checker) apply(s *agent.Session, e agent.Event, lines int) (*agent.Session, error) {
	err := s.Apply(e)
	void := errors.Is(err, agent.ErrVoid)
	if err != nil && !void {
		return nil, err
	}
	if void || e.Type == agent.EvCompact && e.Trim != nil && len(e.Trim.Head) > 0 {
		loaded, err := agent.Load(c.id, each(c.lines[:lines]), c.blob)
		if err != nil {
			return nil, err
		}
		if !void {
			c.same(loaded, s, fmt.Sprintf("the first %d lines", lines))
		}
		s = loaded
	}
	if void || e.Type == agent.EvCompact {
		c.window(s, e)
	}
	return s, nil
}

// compaction holds what a compact event repeats against the session before it.
func (c *checker) compaction(s *agent.Session, e agent.Event) {
	if e.Trim == nil || e.Carry == nil {
		return // the fold says so
	}
	total, got := agent.Usage{}, agent.Usage{}
	total.Add(&s.Total)
	total.Add(e.Trim.Usage)
	got.Add(e.Carry.Total)
	c.sum(e.Seq, "compaction", "in all", got, total)
	if e.Run == "" {
		return
	}
	c.spent.Add(e.Trim.Usage)
	got = agent.Usage{}
	got.Add(e.Usage)
	c.sum(e.Seq, "compaction", "for the run", got, c.spent)
	if e.Steps != c.steps {
		c.fault("event %d: the compaction reports %d steps, there were %d", e.Seq, e.Steps, c.steps)
	}
}

// window looks whether each call in the history has its result right behind it, and no result is alone.
func (c *checker) window(s *agent.Session, e agent.Event) {
	var due []string
	for _, m := range s.Messages {
		r := m.Result()
		switch {
		case r != nil && (len(due) == 0 || due[0] != r.Key):
			c.fault("event %d (%s) leaves the result of %s without its call", e.Seq, e.Type, r.Key)
		case r != nil:
			due = due[1:]
			continue
		case len(due) > 0:
			c.fault("event %d (%s) leaves %s without its result", e.Seq, e.Type, due[0])
		}
		due = nil
		for _, call := range m.Calls() {
			due = append(due, call.Key)
		}
	}
}

func (c *checker) event(e agent.Event) {
	if e.Run != "" && e.Run != c.run {
		c.run, c.spent, c.steps = e.Run, agent.Usage{}, 0
	}
	switch e.Type {
	case agent.EvEnd:
		c.end(e)
		return
	case agent.EvCompact:
		return
	case agent.EvMessage:
		if e.Message != nil {
			c.message(e)
		}
	default:
	}
	c.spent.Add(e.Usage)
	c.steps += e.Steps
}

func (c *checker) message(e agent.Event) {
	m := e.Message
	c.spent.Add(m.Usage)
	if m.Answers() && e.Run != "" {
		c.steps++
	}
	for _, p := range m.Parts {
		if p.Kind == agent.CallKind && p.Call != nil {
			c.called[p.Call.Key] = e.Seq
		}
		if p.Kind != agent.ResultOf || p.Result == nil {
			continue
		}
		c.spent.Add(p.Result.Usage)
		c.steps += p.Result.Steps
		key := p.Result.Key
		if _, ok := c.called[key]; !ok {
			c.fault("event %d: result of %s, which was never called", e.Seq, key)
		}
		if c.results[key]++; c.results[key] == 2 {
			c.fault("event %d: a second result of %s", e.Seq, key)
		}
	}
}

func (c *checker) end(e agent.Event) {
	c.runs++
	got := agent.Usage{}
	got.Add(e.Usage)
	c.sum(e.Seq, "end", "for the run", got, c.spent)
	if e.Steps != c.steps {
		c.fault("event %d: the end reports %d steps, there were %d", e.Seq, e.Steps, c.steps)
	}
}

// sum compares what an event reports with what was added up.
func (c *checker) sum(seq int64, what, of string, got, want agent.Usage) {
	if equal, err := sameJSON(got, want); err != nil || !equal {
		c.fault("event %d: the %s reports %s %s, the sum is %s", seq, what, show(got), of, show(want))
	}
}

// unanswered finds calls without a result; those of a run that is still open may wait for theirs.
func (c *checker) unanswered(s *agent.Session) {
	open := map[string]bool{}
	if s.Open {
		for _, call := range s.OpenCalls() {
			open[call.Key] = true
		}
	}
	for key, seq := range c.called {
		if c.results[key] == 0 && !open[key] && !c.voided(seq) {
			c.fault("event %d: no result of %s", seq, key)
		}
	}
}

// voided reports whether an event lies in the range of any void.
func (c *checker) voided(seq int64) bool {
	for _, line := range c.lines {
		if !bytes.Contains(line, []byte(`"type":"void"`)) {
			continue
		}
		e, err := engine.Decode(line, c.blob)
		if err == nil && e.Void != nil && seq >= e.Void.From && seq <= e.Void.To {
			return true
		}
	}
	return false
}

// same compares the two foldings of what.
func (c *checker) same(whole, step *agent.Session, what string) {
	equal, err := sameJSON(folded(whole), folded(step))
	if err != nil {
		c.fault("the foldings cannot be compared: %v", err)
	} else if !equal {
		c.fault("folding %s as a whole and event by event gives different sessions", what)
	}
}

// folded is everything a session says, the numbers of its messages included, with empty and absent being the same.
func folded(s *agent.Session) map[string]any {
	var seqs []int64
	for _, m := range s.Messages {
		seqs = append(seqs, m.Seq)
	}
	started := []string{}
	for key := range s.Started {
		started = append(started, key)
	}
	return map[string]any{
		"seq": s.Seq, "messages": s.Messages, "seqs": seqs, "usage": s.Usage, "steps": s.Steps, "total": s.Total, "open": s.Open,
		"started": len(started), "asks": len(s.Asks), "answers": len(s.Answers), "refused": s.Refused, "setup": s.Setup,
		"state": len(s.State),
	}
}

func sameJSON(a, b any) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return bytes.Equal(x, y), err
}

func show(u agent.Usage) string {
	data, err := json.Marshal(u)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
