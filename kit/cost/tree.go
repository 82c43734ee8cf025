package cost

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// tree is what one tree of sessions has spent, as this process knows it.
type tree struct {
	m    *Meter
	root string

	reading sync.Mutex // one reads the log at a time

	mu  sync.Mutex
	pos int64
	sum Sum
	// What one call has cost and used at the most: those under way are expected to do the same.
	dearest float64
	largest int64
	own     bool          // sum has what no log has
	kept    []Call        // where there is no log
	flying  int           // attempts under way here
	bell    chan struct{} // closed when one of them has ended
}

func (m *Meter) limited() bool { return m.o.MaxCost > 0 || m.o.MaxTokens > 0 }

// check gives the end of a run whose tree has reached a limit.
func (m *Meter) check(ctx context.Context, session string) error {
	if !m.limited() {
		return nil
	}
	t := m.tree(session)
	if err := t.catchUp(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over()
}

// over says which limit is reached, if any.
func (t *tree) over() error {
	o := &t.m.o
	var text string
	switch {
	case o.MaxCost > 0 && t.sum.USD >= o.MaxCost:
		text = t.m.msg.Text(msg.CostOver, Dollars(t.sum.USD), Dollars(o.MaxCost))
	case o.MaxTokens > 0 && t.sum.Tokens() >= o.MaxTokens:
		text = t.m.msg.Text(msg.CostOverTokens, t.sum.Tokens(), o.MaxTokens, Dollars(t.sum.USD))
	default:
		return nil
	}
	return &agent.StopError{Stop: agent.RunBudget, Text: text}
}

// catchUp takes in what anybody has written since the last look.
func (t *tree) catchUp(ctx context.Context) error {
	log := t.m.o.Log
	if log == nil || t.root == "" {
		return nil
	}
	t.reading.Lock()
	defer t.reading.Unlock()
	for rec, err := range log.Read(ctx, logName(t.root), t.pos, false) {
		if err != nil {
			return fmt.Errorf("what %s has spent: %w", t.root, err)
		}
		c, err := decodeCall(rec.Data)
		t.mu.Lock()
		if t.pos = rec.Pos; err == nil {
			t.add(&c)
		}
		t.mu.Unlock()
	}
	return nil
}

// enter waits until an attempt may start, and counts it as under way. Near a limit those that are under way come first: each
// is expected to take what the largest call of this tree has taken.
func (t *tree) enter(ctx context.Context, waits func()) error {
	if !t.m.limited() {
		t.mu.Lock()
		t.flying++
		t.mu.Unlock()
		return nil
	}
	for {
		if err := t.catchUp(ctx); err != nil {
			return &agent.ModelError{Kind: agent.ErrInternal, Err: err}
		}
		t.mu.Lock()
		err, room, bell := t.over(), t.room(), t.bell
		if err == nil && room {
			t.flying++
		}
		t.mu.Unlock()
		if err != nil {
			return &agent.ModelError{Kind: agent.ErrInternal, Err: err}
		}
		if room {
			return nil
		}
		waits()
		select {
		case <-bell:
		case <-ctx.Done():
			return ended(ctx)
		}
	}
}

// room reports whether an attempt more is not expected to reach a limit before it begins.
func (t *tree) room() bool {
	if t.flying == 0 {
		return true
	}
	o, ahead := &t.m.o, int64(t.flying)
	return (o.MaxCost <= 0 || t.sum.USD+float64(ahead)*t.dearest < o.MaxCost) &&
		(o.MaxTokens <= 0 || t.sum.Tokens()+ahead*t.largest < o.MaxTokens)
}

// add takes a call in; the caller holds mu.
func (t *tree) add(c *Call) {
	t.sum.Add(c)
	if u := c.Usage; u != nil {
		t.largest = max(t.largest, count(u.Input)+count(u.Output))
		if u.CostUSD != nil {
			t.dearest = max(t.dearest, *u.CostUSD)
		}
	}
}

// idle reports whether nothing is lost when the tree is forgotten here.
func (t *tree) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flying == 0 && !t.own
}

// drop counts an attempt as no longer under way.
func (t *tree) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying--
	close(t.bell)
	t.bell = make(chan struct{})
}

// leave writes an attempt down and counts it as ended.
func (t *tree) leave(ctx context.Context, c *Call) {
	t.count(ctx, c)
	t.drop()
}

// count writes a call down and adds it up.
func (t *tree) count(ctx context.Context, c *Call) {
	err := t.write(context.WithoutCancel(ctx), c)
	t.mu.Lock()
	if t.root == "" || t.m.o.Log == nil || err != nil { // else it is read from the log
		t.add(c)
		t.own = true
	}
	if t.m.o.Log == nil {
		t.kept = append(t.kept, *c)
	}
	t.mu.Unlock()
	if err != nil && t.m.o.Fault != nil {
		t.m.o.Fault(err)
	}
}

func (t *tree) write(ctx context.Context, c *Call) error {
	if t.m.o.Log == nil || t.root == "" {
		return nil
	}
	line, err := encodeCall(c)
	if err == nil {
		_, err = t.m.o.Log.Append(ctx, logName(t.root), -1, line)
	}
	if err != nil {
		return fmt.Errorf("a model call of %s was not written down: %w", t.root, err)
	}
	return nil
}

// ended is the error of an attempt that was cancelled before it began.
func ended(ctx context.Context) error {
	kind := agent.ErrNetwork
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = agent.ErrTimeout
	}
	return &agent.ModelError{Kind: kind, Err: context.Cause(ctx)}
}
