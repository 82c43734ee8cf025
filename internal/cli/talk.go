package cli

import (
	"context"
	"fmt"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
)

// talk is one front end's side of a session: what it said, what it saw, what it was asked.
type talk struct {
	host *command.Host
	id   string
	view view
	f    *follower
	asks questions

	events chan seen
	stop   context.CancelFunc
}

// seen is one step of [engine.Engine.Follow].
type seen struct {
	event agent.Event
	err   error
}

// backlog lets the reader of a fast stream run ahead of a slow terminal.
const backlog = 256

// join follows a session from where it stands, and goes on with what is open in it.
func join(ctx context.Context, host *command.Host, id string, v view) (*talk, error) {
	info, err := host.Engine.Info(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	t := &talk{host: host, id: id, view: v, f: newFollower(id), events: make(chan seen, backlog)}
	following, stop := context.WithCancel(ctx)
	t.stop = stop
	go t.pump(following, info.Seq)
	if err := t.catchUp(ctx, info); err != nil {
		t.leave()
		return nil, err
	}
	return t, nil
}

func (t *talk) pump(ctx context.Context, after int64) {
	defer close(t.events)
	for e, err := range t.host.Engine.Follow(ctx, t.id, after, true) {
		select {
		case t.events <- seen{event: e, err: err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// leave stops following and waits until that is so.
func (t *talk) leave() {
	t.stop()
	for range t.events { // drained until the pump is gone
	}
}

// submit hands an input in.
func (t *talk) submit(ctx context.Context, in engine.Input) error {
	r, err := t.host.Engine.Submit(ctx, t.id, in)
	if err != nil {
		return err
	}
	if in.Message != nil && in.Edit == 0 {
		t.f.wants(r)
	}
	return nil
}

// say hands a message in: it starts a run or steers the one that goes on.
func (t *talk) say(ctx context.Context, text string) error {
	m := agent.TextMessage(agent.User, text)
	return t.submit(ctx, engine.Input{Message: &m})
}

// cancel ends the run that goes on.
func (t *talk) cancel(ctx context.Context) error { return t.submit(ctx, engine.Input{Cancel: true}) }

// show takes an event in and shows it; it reports whether a run has ended with it.
func (t *talk) show(e agent.Event) (end bool, err error) {
	end = t.f.event(e)
	t.asks.event(e)
	if err := t.view.event(e, t.f); err != nil {
		return end, err
	}
	if end {
		return true, t.view.end(t.f.res)
	}
	return false, nil
}

// patience is how long a cancelled run may take to write its end before the front end leaves without it.
const patience = 5 * time.Second
