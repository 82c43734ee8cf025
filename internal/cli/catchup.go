package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"react-agent/agent"
	"react-agent/engine"
)

// resumer is an engine that looks after what a crash has left open when it is told to. One that does so by itself is none.
type resumer interface {
	Resume(ctx context.Context, session string) error
}

// catchUp learns what the session was doing before this front end came: the run that is open, what is asked in it, what
// waits to be taken in. It shows what the person cannot know from here on.
func (t *talk) catchUp(ctx context.Context, info engine.SessionInfo) error {
	for _, q := range info.Queue {
		t.f.wants(engine.Receipt{Pos: q.Pos})
		t.puts[q.Pos] = &put{message: q.Message, told: true}
	}
	if len(info.Queue) > 0 {
		t.waits(ctx, 0)
	}
	again, err := t.openRun(ctx, info.Seq)
	if err != nil || t.f.idle() {
		return err
	}
	for _, e := range again {
		if err := t.view.event(e, t.f); err != nil {
			return err
		}
	}
	return nil
}

// resume sees that somebody goes on with what is open.
func (t *talk) resume(ctx context.Context) error {
	if r, ok := t.host.Engine.(resumer); ok && !t.f.idle() {
		return r.Resume(ctx, t.id)
	}
	return nil
}

// openRun takes in the events of the run that is open, up to event number seq. It gives those that are to be shown
// again: questions without an answer, and a last answer whose run has no end.
func (t *talk) openRun(ctx context.Context, seq int64) ([]agent.Event, error) {
	var asks []agent.Event
	var last agent.Event
	take := func(e agent.Event) {
		t.f.event(e)
		t.asks.event(e)
		switch {
		case e.Type == agent.EvAsk:
			asks = append(asks, e)
		case e.Type == agent.EvMessage && e.Message != nil:
			last = e
		}
	}
	latest, first := t.latest(ctx, seq)
	var err error
	if len(latest) > 0 && latest[0].Seq <= first {
		for _, e := range latest[first-latest[0].Seq:] {
			take(e)
		}
	} else {
		err = t.stored(ctx, first, seq, take)
	}
	t.f.ended, t.f.res = false, result{}
	asks = slices.DeleteFunc(asks, func(e agent.Event) bool { return !t.asks.has(e.Ask.ID) })
	if t.f.open && last.Message != nil && last.Message.Answers() && !t.f.asked {
		return append(asks, last), err
	}
	return asks, err
}

// tail is how many of the last events are looked at to find the run that may be open.
const tail = 64

// latest gives the last events up to number seq, and the number of the first event to be looked at: that of the run which is
// open, of the last event when none can be, or the very first one when the last events belong to none. A long session is not
// gone over again for a run that has ended.
func (t *talk) latest(ctx context.Context, seq int64) (events []agent.Event, first int64) {
	first = 1
	_ = t.stored(ctx, max(1, seq-tail+1), seq, func(e agent.Event) { // what cannot be read is met again
		events = append(events, e)
		n, err := strconv.ParseInt(e.Run, 10, 64)
		switch {
		case e.Type == agent.EvEnd, e.Type == agent.EvVoid:
			first = e.Seq
		case err == nil:
			first = n
		}
	})
	return events, first
}

// stored goes over the stored events from one number to another.
func (t *talk) stored(ctx context.Context, from, to int64, fn func(agent.Event)) error {
	if to == 0 {
		return nil
	}
	for e, err := range t.host.Engine.Follow(ctx, t.id, from-1, false) {
		if err != nil {
			return fmt.Errorf("session %s: %w", t.id, err)
		}
		if e.Seq > to {
			return nil
		}
		fn(e)
	}
	return nil
}
