package cli

import (
	"context"
	"fmt"
	"strings"
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
	t.f.data = host.Data
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
	if r.Pos > 0 && (in.Message != nil || in.Command != "") && in.Edit == 0 {
		t.f.wants(r)
	}
	if r.Text != "" {
		return t.view.reply(r.Text)
	}
	return nil
}

// say hands a message in, with what is attached to it: it starts a run or steers the one that goes on.
func (t *talk) say(ctx context.Context, m agent.Message) error {
	return t.send(ctx, engine.Input{Message: &m})
}

// send hands in what a person says, with what is attached. That stays attached when it cannot be handed in.
func (t *talk) send(ctx context.Context, in engine.Input) error {
	m, sent, err := command.Attached(ctx, t.host, t.id, *in.Message)
	if err != nil {
		return err
	}
	in.Message = &m
	if err := t.submit(ctx, in); err != nil {
		return err
	}
	t.host.Tray.Sent(t.id, sent)
	return nil
}

// attach puts the files that the command line names on the tray.
func (t *talk) attach(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if err := command.AttachFile(ctx, t.host, t.id, path); err != nil {
			return err
		}
	}
	return nil
}

// line hands in what a person wrote in one go, and answers a command of ours in it. A mistake is an error that
// [command.AsUsage] knows.
func (t *talk) line(ctx context.Context, in engine.Input) error {
	if in.Message == nil || in.Edit != 0 {
		return t.submit(ctx, in)
	}
	l, err := command.ReadMessage(ctx, t.host, t.id, *in.Message)
	if err != nil {
		return err
	}
	if l.Command == "" {
		in.Message = &l.Message
		return t.send(ctx, in)
	}
	var out strings.Builder
	if _, err := command.Slash(ctx, t.host, t.id, l.Command, &out); err != nil {
		return err
	}
	return t.view.reply(out.String())
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
