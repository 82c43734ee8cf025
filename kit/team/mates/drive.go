package mates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/kit/team"
	"react-agent/store"
)

// driver leads one teammate through its phases.
type driver struct {
	m      *Mates
	key    string // its name, as files have it
	mate   mate
	nudged chan struct{}
	cancel context.CancelCauseFunc
	done   chan struct{}

	working bool  // guarded by m.mu
	seq     int64 // of the last event that was seen
	fresh   bool  // it has not looked at the board since it is driven here
}

// finale is the end of a teammate.
type finale struct {
	reason  string // for the lead; "" is an orderly end
	crashed bool   // its tasks are free
	stop    bool   // its run is to be cancelled
}

// attend drives a teammate, unless somebody does. It reports whether it is driven here.
func (m *Mates) attend(ctx context.Context, key string, x *mate) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.drivers[key]; d != nil {
		return d.mate.Session == x.Session, nil
	}
	if ok, err := m.seize(ctx); !ok || err != nil {
		return false, err
	}
	release, ok, err := lock(m.o.Locks, key)
	if !ok || err != nil {
		m.yield()
		return false, err
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	d := &driver{m: m, key: key, mate: *x, nudged: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}), working: true, fresh: true}
	m.drivers[key] = d
	m.wg.Go(func() {
		defer cancel(nil)
		d.main(ctx)
		m.mu.Lock()
		delete(m.drivers, key)
		m.yield()
		m.mu.Unlock()
		release()
		close(d.done)
		m.bell.Ring()
	})
	return true, nil
}

// main is the whole life of a teammate here. When the program ends it stays as it is.
func (d *driver) main(ctx context.Context) {
	end, err := d.live(ctx)
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errClosing), err != nil && d.m.o.Closing(err):
		return
	case errors.Is(cause, errReplaced):
		end = &finale{stop: true}
	case errors.Is(cause, errForced):
		end = &finale{crashed: true, stop: true}
	case cause != nil:
		end = &finale{reason: cause.Error(), crashed: true, stop: true}
	case err != nil:
		end = &finale{reason: err.Error(), crashed: true, stop: true}
	}
	if err := d.m.finish(context.WithoutCancel(ctx), d.key, &d.mate, *end); err != nil {
		d.m.o.Warn(fmt.Errorf("teammate %s: %w", d.mate.Name, err))
	}
}

// live is one phase after the other, to the end. A panic is one like a failure.
func (d *driver) live(ctx context.Context) (end *finale, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a fault in the program: %v\n%s", p, debug.Stack())
		}
	}()
	work, err := d.catchUp(ctx)
	for ; end == nil && err == nil; work = true {
		if work {
			end, err = d.work(ctx)
		}
		if end == nil && err == nil {
			end, err = d.idle(ctx)
		}
	}
	return end, err
}

// catchUp begins where the teammate stands: with its prompt, in the middle of a run, or idle. work says that a run goes on.
func (d *driver) catchUp(ctx context.Context) (work bool, err error) {
	s := d.m.o.Sessions
	spec, err := d.m.o.Team.Spec(ctx, d.mate.Session)
	if err != nil {
		return false, err
	}
	work = true
	for e, err := range s.Follow(ctx, d.mate.Session, 0, false) {
		if err != nil {
			return false, err
		}
		if !e.Type.Durable() {
			continue
		}
		switch d.seq = e.Seq; e.Type { //nolint:exhaustive // nothing else begins or ends a run
		case agent.EvEnd:
			work = false
		case agent.EvMessage, agent.EvCall:
			work = true
		}
	}
	prompt := agent.TextMessage(agent.User, spec.Text)
	prompt.From = team.FromAgent
	if err := s.Submit(ctx, d.mate.Session, team.Input{ID: "spawn/" + spec.Key, Message: &prompt}); err != nil {
		return false, err
	}
	if work {
		return true, s.Submit(ctx, d.mate.Session, team.Input{Quiet: true})
	}
	return false, nil
}

// work is one run; an end is one that was not in order.
func (d *driver) work(ctx context.Context) (*finale, error) {
	if err := d.stand(ctx, Working); err != nil {
		return nil, err
	}
	out, err := d.m.o.Team.Outlast(ctx, d.mate.Session, d.seq)
	if err != nil {
		return nil, err
	}
	d.seq = max(d.seq, out.Seq)
	switch out.Stop {
	case agent.RunEnd, agent.RunSteps, agent.RunDenied:
		return nil, nil
	default:
		return &finale{reason: cmp.Or(out.Reason, string(out.Stop)), crashed: true}, nil
	}
}

// idle waits for something to do; nothing is an end.
func (d *driver) idle(ctx context.Context) (*finale, error) {
	if err := d.stand(ctx, Idle); err != nil {
		return nil, err
	}
	tick := time.NewTicker(Poll)
	defer tick.Stop()
	for polls := 0; ; {
		woke, end, err := d.look(ctx)
		if woke || end != nil || err != nil {
			return end, err
		}
		if polls == Polls {
			return &finale{}, nil
		}
		select {
		case <-tick.C:
			polls++
		case <-d.nudged:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// stand notes the phase, here and in the file.
func (d *driver) stand(ctx context.Context, s Status) error {
	d.busy(s == Working)
	return d.m.stand(ctx, d.key, s)
}

func (d *driver) busy(on bool) {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	d.working = on
}

// finish ends a teammate: its tasks, its requests and its hold on its inbox are let go, the lead is told where there is
// something to tell, and only then it is shut down, so that it is done again after a crash in between.
func (m *Mates) finish(ctx context.Context, key string, x *mate, end finale) error {
	var halted error
	doubt := ""
	if end.stop {
		if halted = m.halt(ctx, x.Session); m.o.Closing(halted) {
			return halted // it stays as it is
		}
		if halted != nil { // nobody else is to begin what it may still be doing
			end.crashed, doubt = false, " It could not be stopped and may still be at work."
		}
	}
	text, held := m.tasksOf(ctx, key, end.crashed)
	agreed := m.agree(ctx, x, cmp.Or(end.reason, "ended"))
	unread, passed := m.skip(ctx, key)
	err := errors.Join(
		halted, held, agreed, passed,
		m.obituary(ctx, x, end.reason, text+doubt+unreadText(unread)),
		m.stand(ctx, key, Shutdown),
		m.o.Team.Discharge(ctx, x.Session, end.reason),
		edit(ctx, m, mateKey(key), func(now *mate) error {
			if now.Session != x.Session || now.Ended {
				return store.ErrSame
			}
			now.Ended = true
			return nil
		}),
		m.sweep(ctx, func(r *request) bool {
			return time.Since(r.At) > keptRequests && (r.Status != pending || r.Session == x.Session)
		}),
	)
	m.bell.Ring()
	return err
}

// obituary tells the lead that a teammate has ended, where there is something to tell.
func (m *Mates) obituary(ctx context.Context, x *mate, reason, text string) error {
	if reason == "" && text == "" {
		return nil
	}
	words := "Teammate " + x.Name + " has ended"
	if reason != "" {
		words += ": " + firstLine(reason)
	}
	return m.send(ctx, x.Session+"/end", Lead, Message{Type: Plain, From: system, Content: words + "." + text})
}

func unreadText(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " A message to it was not read."
	}
	return fmt.Sprintf(" %d messages to it were not read.", n)
}

// tasksOf frees the tasks of one who has crashed, and names those of one who has not: they may be done.
func (m *Mates) tasksOf(ctx context.Context, key string, free bool) (string, error) {
	if m.o.Board == nil {
		return "", nil
	}
	list, words := m.o.Board.Held, " Its tasks are still in its name: "
	if free {
		list, words = m.o.Board.Free, " Its tasks are free again: "
	}
	tasks, err := list(ctx, key)
	if err != nil || len(tasks) == 0 {
		return "", err
	}
	names := make([]string, len(tasks))
	for i, t := range tasks {
		names[i] = fmt.Sprintf("#%d", t.ID)
	}
	return words + strings.Join(names, ", ") + ".", nil
}

// halt cancels a run and waits for its end.
func (m *Mates) halt(ctx context.Context, session string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*Poll)
	defer cancel()
	status, err := m.o.Sessions.Status(ctx, session)
	if err != nil || !status.Running {
		return err
	}
	if err := m.o.Sessions.Submit(ctx, session, team.Input{Cancel: true}); err != nil {
		return err
	}
	_, err = m.o.Team.Outlast(ctx, session, status.Seq)
	return err
}

// skip passes over what waits in an inbox, as its reader has ended and the next one of the name is another: what that one
// holds was read as far as it has stored it. n counts what a reader would have missed.
func (m *Mates) skip(ctx context.Context, key string) (n int, err error) {
	err = edit(ctx, m, cursorKey(key), func(c *cursor) error {
		n = 0
		end, err := m.end(ctx, key)
		switch {
		case err == nil && c.Held != nil:
			err = m.over(ctx, key, c)
		case err == nil && end == c.Pos:
			err = store.ErrSame
		}
		if err != nil {
			return err
		}
		for x, err := range m.read(ctx, key, c.Pos, true) {
			if err != nil {
				return err
			}
			if x.pos <= end && x.Type != ShutdownRequest {
				n++
			}
		}
		*c = cursor{Pos: end}
		return nil
	})
	return n, err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, ".")
}
