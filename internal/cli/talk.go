package cli

import (
	"context"
	"fmt"
	"slices"
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
	puts map[int64]*put // by position
	held *held          // a line of which the person is asked what it is
	keys bool           // what comes is typed on a terminal
	turn int            // grows with what is typed, and with events that are shown

	events chan seen
	stop   context.CancelFunc
	asides asides
}

// seen is one step of [engine.Engine.Follow].
type seen struct {
	event agent.Event
	err   error
}

// backlog lets the reader of a fast stream run ahead of a slow terminal.
const backlog = 256

// join follows a session from where it stands. Nobody goes on yet with what is open in it: see [talk.resume].
func join(ctx context.Context, host *command.Host, id string, v view) (*talk, error) {
	info, err := host.Engine.Info(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	t := &talk{host: host, id: id, view: v, f: newFollower(id), puts: map[int64]*put{}, events: make(chan seen, backlog)}
	t.asides.done = make(chan aside)
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
	t.asides.cancel()
	for range t.events { // drained until the pump is gone
	}
}

// submit hands an input in.
func (t *talk) submit(ctx context.Context, in engine.Input) error {
	_, err := t.hand(ctx, in)
	return err
}

// hand hands an input in, and gives the receipt.
func (t *talk) hand(ctx context.Context, in engine.Input) (engine.Receipt, error) {
	busy := !t.f.idle()
	r, err := t.host.Engine.Submit(ctx, t.id, in)
	if err != nil {
		return r, err
	}
	if r.Text != "" {
		err = t.answer(in.Command, r.Text)
	}
	if r.Again && !t.queued(ctx, r.Pos) {
		return r, err // what was said before is over
	}
	if in.Edit = r.Edit; r.Pos > 0 && (in.Message != nil || in.Command != "") && in.Edit == 0 {
		t.f.wants(r)
	}
	t.noted(ctx, in, r, busy)
	return r, err
}

// queued reports whether the message at a position waits.
func (t *talk) queued(ctx context.Context, pos int64) bool {
	info, err := t.host.Engine.Info(ctx, t.id)
	return err != nil || slices.ContainsFunc(info.Queue, func(q engine.Queued) bool { return q.Pos == pos })
}

// send hands in what a person says, with what is attached: it starts a run, steers the one that goes on, or waits for its
// end. What is attached stays so when it cannot be handed in. A change of what waits attaches nothing.
func (t *talk) send(ctx context.Context, in engine.Input) (engine.Receipt, error) {
	if in.Message == nil || in.Edit != 0 {
		return t.hand(ctx, in)
	}
	m, sent, err := command.Attached(ctx, t.host, t.id, *in.Message)
	if err != nil {
		return engine.Receipt{}, err
	}
	in.Message = &m
	r, err := t.hand(ctx, in)
	if err == nil {
		t.host.Tray.Sent(t.id, sent)
	}
	return r, err
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
func (t *talk) line(ctx context.Context, in engine.Input) (engine.Receipt, error) {
	if in.Message == nil || in.Edit != 0 {
		return t.hand(ctx, in)
	}
	l, err := command.ReadMessage(ctx, t.host, t.id, *in.Message)
	if err != nil {
		return engine.Receipt{}, err
	}
	if l.Command != "" {
		_, r, err := t.slash(ctx, l.Command)
		return r, err
	}
	in.Message = &l.Message
	return t.send(ctx, in)
}

// slash runs a command of ours.
func (t *talk) slash(ctx context.Context, line string) (command.Outcome, engine.Receipt, error) {
	if t.host.Remote != nil && !command.IsFront(line) {
		r, err := t.hand(ctx, engine.Input{Command: line})
		return command.Outcome{}, r, err
	}
	var out strings.Builder
	o, err := command.Slash(ctx, t.host, t.id, line, &out)
	var r engine.Receipt
	if err == nil && o.Input != nil {
		r, err = t.send(ctx, *o.Input)
		if err != nil {
			out.Reset() // it says what has come to nothing
		}
	}
	if out.Len() > 0 {
		if failed := t.answer(line, out.String()); failed != nil {
			return o, r, failed
		}
	}
	return o, r, err
}

// answer shows what a command of ours has printed.
func (t *talk) answer(line, text string) error {
	if v, ok := t.view.(*textView); ok && command.IsProse(line) {
		text = v.fitted(text)
	}
	return t.view.reply(text)
}

// cancel ends the run that goes on.
func (t *talk) cancel(ctx context.Context) error { return t.submit(ctx, engine.Input{Cancel: true}) }

// show takes an event in and shows it; it reports whether a run has ended with it.
func (t *talk) show(e agent.Event) (end bool, err error) {
	if !quietEvent(e) {
		t.turn++
	}
	end = t.f.event(e)
	t.asks.event(e)
	t.taken(e)
	if err := t.view.event(e, t.f); err != nil {
		return end, err
	}
	if end {
		t.dropped()
		return true, t.view.end(t.f.res)
	}
	return false, nil
}

// patience is how long a cancelled run may take to write its end before the front end leaves without it.
const patience = 5 * time.Second
